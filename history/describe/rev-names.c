/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every ref hands its name down to the ancestors of its commit, and a commit keeps the best of
 * those that reach it. A name is the line of first parents that it stands on, and the number of
 * steps down that line. Another parent begins a new line, which knows where it left the one
 * above: a query puts the text together from these.
 */
#include "compat/posix.h"
#include "history/describe/rev-names.h"
#include "object/ident.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

/* What a turn to another parent costs, in steps to a first parent. */
#define TURN_COST 65535
/* Clocks may differ by a day, in seconds. */
#define CLOCK_SLOP 86400

struct tip {
	char *name;
	struct object_id oid;	/* of the ref itself */
	struct commit *commit;	/* NULL: it leads to none */
	timestamp_t date;	/* of the tag, else of the commit */
	bool is_tag_ref, peeled;
	size_t order;
};

/* A line of first parents: from a tip, or from the parent number `parent` of another commit. */
struct line {
	const struct line *up; /* NULL: from the tip */
	const struct tip *tip;
	uint32_t steps;	       /* on the line above, where this one leaves it */
	uint32_t parent;
};

struct rev_name {
	const struct line *line; /* NULL: no name */
	uint32_t steps;
	uint64_t distance;
};

struct line_chunk {
	struct line_chunk *next;
	struct line lines[512];
};

struct rev_names {
	struct commit_pool *pool;
	struct repository *repo;
	struct rev_names_options options;
	struct tip *tips;
	size_t nr_tips, alloc_tips;
	struct tip **by_oid;
	timestamp_t cutoff;
	uint64_t generation; /* the lowest one of interest; GENERATION_INFINITY: not known */
	struct rev_name *names; /* by index of commits */
	size_t nr_names;
	struct line_chunk *chunks;
	size_t lines_used;
	struct commit_list stack;
	struct commit_list named; /* for rev_names_foreach */
};

/* ---- refs ---- */

static bool matches_part(const char *name, const char *pattern, bool *whole)
{
	const char *part = name;

	while (part) {
		if (wildmatch(pattern, part, 0)) {
			*whole = part == name;
			return true;
		}
		part = strchr(part, '/');
		if (part)
			part++;
	}
	return false;
}

/* *shorten: it is clear enough without "tags/" and the like. */
static bool is_selected(const struct rev_names_options *o, const char *name, bool *shorten)
{
	bool whole, found = false;

	*shorten = o->tags_only && o->short_names;
	if (o->tags_only && !starts_with(name, "refs/tags/"))
		return false;
	for (size_t i = 0; o->exclude && i < o->exclude->nr; i++)
		if (matches_part(name, o->exclude->v[i], &whole))
			return false;
	if (!o->refs || !o->refs->nr)
		return true;
	for (size_t i = 0; i < o->refs->nr; i++)
		if (matches_part(name, o->refs->v[i], &whole)) {
			found = true;
			*shorten |= !whole;
		}
	return found;
}

static char *shown_name(const struct rev_names *n, const char *name, bool shorten)
{
	const char *rest;

	if (shorten)
		return ref_shorten(n->repo->refs, name, false);
	if (!skip_prefix(name, "refs/heads/", &rest) && !skip_prefix(name, "refs/", &rest))
		rest = name;
	return xstrdup(rest);
}

/* One step down from a tag. False: it is none, or it cannot be read. */
static bool step_down(struct rev_names *n, struct object_id *oid, timestamp_t *date)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;
	struct ident_split tagger;
	bool ok;

	if (odb_read(n->repo->odb, oid, &buf, NULL) < 0)
		return false;
	ok = buf.type == OBJ_TAG && !tag_parse(&tag, buf.data, buf.size, n->repo->algo, NULL);
	if (ok) {
		*oid = tag.target;
		*date = 0;
		if (tag.tagger && !ident_split_line(&tagger, tag.tagger, tag.tagger_len) &&
		    tagger.has_date)
			*date = tagger.date;
	}
	object_buf_release(&buf);
	return ok;
}

static bool find_commit(struct rev_names *n, struct tip *t)
{
	enum object_type type;
	uint64_t size;
	struct object_id oid = t->oid;

	while (!odb_type(n->repo->odb, &oid, &type, &size, NULL)) {
		if (type == OBJ_COMMIT) {
			t->commit = commit_lookup(n->pool, &oid);
			return !commit_parse_node(n->pool, t->commit, NULL);
		}
		if (type != OBJ_TAG)
			return true;
		if (!step_down(n, &oid, &t->date))
			return false;
		t->peeled = true;
	}
	return false;
}

static int rev_names_add_ref(void *data, const struct ref *ref)
{
	struct rev_names *n = data;
	struct tip t = { .oid = ref->oid };
	bool shorten;

	if (!is_selected(&n->options, ref->name, &shorten))
		return 0;
	if (!find_commit(n, &t)) {
		repo_warn(n->repo, "ignoring broken ref %s", ref->name);
		return 0;
	}
	if (t.commit && !t.peeled)
		t.date = t.commit->date;
	t.name = shown_name(n, ref->name, shorten);
	t.is_tag_ref = starts_with(ref->name, "refs/tags/");
	t.order = n->nr_tips;
	ALLOC_GROW(n->tips, n->nr_tips + 1, n->alloc_tips);
	n->tips[n->nr_tips++] = t;
	return 0;
}

/* Names that win come first, so that few commits are named twice. */
static int compare_tips(const void *va, const void *vb)
{
	const struct tip *a = va, *b = vb;

	if (a->is_tag_ref != b->is_tag_ref)
		return a->is_tag_ref ? -1 : 1;
	if (a->date != b->date)
		return a->date < b->date ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int compare_oids(const void *va, const void *vb)
{
	const struct tip *a = *(struct tip *const *)va, *b = *(struct tip *const *)vb;
	int c = oid_cmp(&a->oid, &b->oid);

	return c ? c : a->order < b->order ? -1 : 1;
}

static void sort_tips(struct rev_names *n)
{
	if (!n->nr_tips)
		return;
	qsort(n->tips, n->nr_tips, sizeof(*n->tips), compare_tips);
	ALLOC_ARRAY(n->by_oid, n->nr_tips);
	for (size_t i = 0; i < n->nr_tips; i++)
		n->by_oid[i] = &n->tips[i];
	qsort(n->by_oid, n->nr_tips, sizeof(*n->by_oid), compare_oids);
}

int rev_names_new(struct rev_names **out, struct commit_pool *pool, struct repository *r,
		  const struct rev_names_options *o, struct err *err)
{
	struct rev_names *n;
	int rc;

	CALLOC_ARRAY(n, 1);
	n->pool = pool;
	n->repo = r;
	n->options = *o;
	n->cutoff = TIME_MAX;
	n->generation = GENERATION_INFINITY;
	rc = refs_foreach(r->refs, "", REFS_NO_PEEL, rev_names_add_ref, n, err);
	if (rc < 0) {
		rev_names_free(n);
		return rc;
	}
	sort_tips(n);
	*out = n;
	return 0;
}

void rev_names_free(struct rev_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->nr_tips; i++)
		free(n->tips[i].name);
	while (n->chunks) {
		struct line_chunk *c = n->chunks;

		n->chunks = c->next;
		free(c);
	}
	commit_list_clear(&n->stack);
	commit_list_clear(&n->named);
	free(n->tips);
	free(n->by_oid);
	free(n->names);
	free(n);
}

/* ---- naming ---- */

void rev_names_want(struct rev_names *n, const struct commit *c)
{
	timestamp_t from = c->date > CLOCK_SLOP ? c->date - CLOCK_SLOP : 0;

	if (from < n->cutoff)
		n->cutoff = from;
	if (c->generation < n->generation)
		n->generation = c->generation;
}

/* Nothing that is wanted is below it. */
static bool is_below(const struct rev_names *n, const struct commit *c)
{
	if (n->generation != GENERATION_INFINITY)
		return c->generation < n->generation;
	return c->date < n->cutoff;
}

void rev_names_want_all(struct rev_names *n)
{
	n->cutoff = 0;
	n->generation = 0;
}

static struct rev_name *name_slot(struct rev_names *n, const struct commit *c)
{
	size_t want = c->index + 1, had = n->nr_names;

	if (want > had) {
		ALLOC_GROW(n->names, want, n->nr_names);
		memset(n->names + had, 0, (n->nr_names - had) * sizeof(*n->names));
	}
	return &n->names[c->index];
}

static const struct line *line_new(struct rev_names *n, const struct line *up,
				   const struct tip *tip, uint32_t steps, uint32_t parent)
{
	struct line_chunk *c;
	struct line *l;

	if (!n->chunks || n->lines_used == ARRAY_SIZE(n->chunks->lines)) {
		ALLOC_ARRAY(c, 1);
		c->next = n->chunks;
		n->chunks = c;
		n->lines_used = 0;
	}
	l = &n->chunks->lines[n->lines_used++];
	*l = (struct line){ up, tip, steps, parent };
	return l;
}

/* A name that ends in "~n" is as bad as one with another turn. */
static uint64_t cost(uint64_t distance, uint32_t steps)
{
	return distance + (steps ? TURN_COST : 0);
}

/*
 * Names by tags are better than others; then the shorter way counts. Among equals the first one stays:
 * it belongs to the older tag or commit.
 */
static bool is_better(const struct rev_name *old, const struct tip *tip, uint32_t steps,
		      uint64_t distance)
{
	uint64_t old_cost = cost(old->distance, old->steps), new_cost = cost(distance, steps);
	const struct tip *old_tip;

	if (!old->line)
		return true;
	old_tip = old->line->tip;
	if (old_tip->is_tag_ref != tip->is_tag_ref)
		return tip->is_tag_ref;
	return old_cost > new_cost;
}

static void set_name(struct rev_names *n, struct commit *c, struct rev_name *slot,
		     const struct rev_name *name)
{
	if (!slot->line)
		commit_list_add(&n->named, c);
	*slot = *name;
}

/* The name of a commit reaches its parent number i. True: it is the best so far. */
static bool hand_down(struct rev_names *n, const struct rev_name *from, struct commit *parent,
		      uint32_t i)
{
	struct rev_name *to = name_slot(n, parent), new = *from;

	if (i) {
		new.steps = 0;
		new.distance += TURN_COST;
	} else {
		new.steps++;
		new.distance++;
	}
	if (!is_better(to, from->line->tip, new.steps, new.distance))
		return false;
	if (i)
		new.line = line_new(n, from->line, from->line->tip, from->steps, i + 1);
	set_name(n, parent, to, &new);
	return true;
}

static int name_parents(struct rev_names *n, struct commit *c, struct err *err)
{
	struct rev_name from;
	size_t base = n->stack.nr, i;

	name_slot(n, c);
	from = n->names[c->index];
	for (i = 0; i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];
		int rc = commit_parse_node(n->pool, p, err);

		if (rc < 0)
			return rc;
		if (!is_below(n, p) && hand_down(n, &from, p, (uint32_t)i))
			commit_list_add(&n->stack, p);
	}
	/* The first parent is next. */
	for (i = n->stack.nr; base + 1 < i; base++) {
		struct commit *swap = n->stack.items[base];

		n->stack.items[base] = n->stack.items[--i];
		n->stack.items[i] = swap;
	}
	return 0;
}

static int name_from(struct rev_names *n, const struct tip *t, struct err *err)
{
	struct rev_name *name;
	int rc = 0;

	if (is_below(n, t->commit))
		return 0;
	name = name_slot(n, t->commit);
	if (!is_better(name, t, 0, 0))
		return 0;
	set_name(n, t->commit, name, &(struct rev_name){ line_new(n, NULL, t, 0, 0), 0, 0 });
	commit_list_add(&n->stack, t->commit);
	while (!rc && n->stack.nr)
		rc = name_parents(n, n->stack.items[--n->stack.nr], err);
	return rc;
}

int rev_names_build(struct rev_names *n, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n->nr_tips; i++)
		if (n->tips[i].commit)
			rc = name_from(n, &n->tips[i], err);
	return rc;
}

/* ---- texts ---- */

static void add_turns(const struct line *l, struct strbuf *out)
{
	const struct line **way = NULL;
	size_t nr = 0, alloc = 0;

	for (; l->up; l = l->up) {
		ALLOC_GROW(way, nr + 1, alloc);
		way[nr++] = l;
	}
	while (nr) {
		l = way[--nr];
		if (l->steps)
			strbuf_addf(out, "~%" PRIu32, l->steps);
		strbuf_addf(out, "^%" PRIu32, l->parent);
	}
	free(way);
}

bool rev_names_commit(const struct rev_names *n, const struct commit *c, struct strbuf *out)
{
	const struct rev_name *name;

	if (c->index >= n->nr_names || !n->names[c->index].line)
		return false;
	name = &n->names[c->index];
	strbuf_addstr(out, name->line->tip->name);
	if (!name->steps && !name->line->up && name->line->tip->peeled)
		strbuf_addstr(out, "^0");
	add_turns(name->line, out);
	if (name->steps)
		strbuf_addf(out, "~%" PRIu32, name->steps);
	return true;
}

int rev_names_foreach(const struct rev_names *n, int (*fn)(void *data, struct commit *c),
		      void *data)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n->named.nr; i++)
		rc = fn(data, n->named.items[i]);
	return rc;
}

bool rev_names_object(const struct rev_names *n, const struct object_id *oid, struct strbuf *out)
{
	size_t lo = 0, hi = n->nr_tips;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (oid_cmp(&n->by_oid[mid]->oid, oid) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n->nr_tips || !oid_eq(&n->by_oid[lo]->oid, oid))
		return false;
	strbuf_addstr(out, n->by_oid[lo]->name);
	return true;
}

bool rev_names_get(const struct rev_names *n, const struct object_id *oid, struct strbuf *out)
{
	return rev_names_commit(n, commit_lookup(n->pool, oid), out) ||
	       rev_names_object(n, oid, out);
}
