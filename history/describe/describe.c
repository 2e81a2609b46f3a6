/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk goes from the commit down through its ancestors, the youngest first. Each name that
 * it meets becomes a candidate, whose mark passes to all that is below. The depth of a candidate
 * is the number of commits that were met and do not have its mark: the commits that are not reachable
 * from its tag.
 */
#include "compat/posix.h"
#include "history/describe/describe-internal.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

/* Marks of a commit; candidate number i has the bit CANDIDATE << i. */
#define SEEN 1u
#define VISITED 2u
#define CANDIDATE 4u
#define CANDIDATES_MAX 28

struct candidate {
	struct described_name *name;
	int depth;
	uint32_t mark;
	int order; /* in which they were found */
};

struct search {
	struct describer *d;
	struct prio_queue queue;
	struct commit_list touched;
	struct candidate found[CANDIDATES_MAX];
	int nr, max;
	int nr_annotated, nr_ignored; /* ignored: lightweight, without --tags */
	unsigned long visited;
	struct commit *gave_up; /* the walk ended before this one; NULL: there was no more */
};

PRINTF_LIKE(2, 3) static void trace(const struct describer *d, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	if (!d->options.trace)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	d->options.trace(d->options.trace_data, line.buf);
	strbuf_release(&line);
}

/* ---- the queue ---- */

static uint32_t *marks_of(struct describer *d, const struct commit *c)
{
	size_t want = (size_t)c->index + 1, had = d->nr_marks;

	if (want > had) {
		ALLOC_GROW(d->marks, want, d->nr_marks);
		memset(d->marks + had, 0, (d->nr_marks - had) * sizeof(*d->marks));
	}
	return &d->marks[c->index];
}

static int enqueue(struct search *s, struct commit *c, uint32_t marks, struct err *err)
{
	uint32_t *m = marks_of(s->d, c);
	int rc = 0;

	if (!(*m & SEEN)) {
		rc = commit_parse_node(s->d->pool, c, err);
		if (rc < 0)
			return rc;
		commit_list_add(&s->touched, c);
		prio_queue_put(&s->queue, c);
	}
	*m |= marks | SEEN;
	return rc;
}

static int enqueue_parents(struct search *s, struct commit *c, uint32_t marks, struct err *err)
{
	uint32_t nr = c->nr_parents, i;
	int rc = 0;

	if (s->d->options.first_parent && nr > 1)
		nr = 1;
	for (i = 0; !rc && i < nr; i++)
		rc = enqueue(s, c->parents[i], marks & ~VISITED, err);
	return rc;
}

static void search_end(struct search *s)
{
	for (size_t i = 0; i < s->touched.nr; i++)
		*marks_of(s->d, s->touched.items[i]) = 0;
	commit_list_clear(&s->touched);
	prio_queue_clear(&s->queue);
}

/* ---- candidates ---- */

/* False: there is no place for another candidate. */
static bool note_name(struct search *s, struct commit *c, struct described_name *n)
{
	const struct describe_options *o = &s->d->options;
	struct candidate *t;

	if (!o->tags && !o->all && n->kind < NAME_ANNOTATED) {
		s->nr_ignored++;
		return true;
	}
	if (s->nr == s->max)
		return false;
	t = &s->found[s->nr];
	t->name = n;
	t->depth = (int)s->visited - 1;
	t->mark = CANDIDATE << s->nr;
	t->order = s->nr++;
	*marks_of(s->d, c) |= t->mark;
	s->nr_annotated += n->kind == NAME_ANNOTATED;
	return true;
}

/* The queue is empty: do all the best candidates contain the ancestors of c? */
static bool is_covered(const struct search *s, uint32_t marks)
{
	int best = INT_MAX;
	uint32_t of_best = 0;

	for (int i = 0; i < s->nr; i++) {
		const struct candidate *t = &s->found[i];

		if (t->depth < best) {
			best = t->depth;
			of_best = t->mark;
		} else if (t->depth == best) {
			of_best |= t->mark;
		}
	}
	return (marks & of_best) == of_best;
}

/* 1: go on; 0: enough has been seen. */
static int visit(struct search *s, struct commit *c, struct err *err)
{
	struct described_name *n;
	uint32_t marks;
	int rc;

	s->visited++;
	*marks_of(s->d, c) |= VISITED;
	if (s->nr == s->max || (size_t)s->nr == s->d->names.nr) {
		s->gave_up = c;
		return 0;
	}
	n = oidmap_get(&s->d->names, &c->oid);
	if (n && !note_name(s, c, n)) {
		s->gave_up = c;
		return 0;
	}
	marks = *marks_of(s->d, c);
	for (int i = 0; i < s->nr; i++)
		if (!(marks & s->found[i].mark))
			s->found[i].depth++;
	if (s->nr_annotated && !s->queue.nr && is_covered(s, marks)) {
		trace(s->d, "finished search at %s", oid_hex(&c->oid));
		return 0;
	}
	rc = enqueue_parents(s, c, marks, err);
	return rc < 0 ? rc : 1;
}

/*
 * Count on for the best candidate alone, until all that is left is below it. `lacking`: how
 * many in the queue are not known to be.
 */
static int finish_depth(struct search *s, struct candidate *best, struct err *err)
{
	size_t lacking = 0;
	struct commit *c;
	int rc = 0;

	for (size_t i = 0; i < s->queue.nr; i++)
		lacking += !(*marks_of(s->d, s->queue.array[i].item) & best->mark);
	while (!rc && (c = prio_queue_get(&s->queue))) {
		uint32_t marks = *marks_of(s->d, c), nr = c->nr_parents;

		*marks_of(s->d, c) |= VISITED;
		s->visited++;
		if (!(marks & best->mark)) {
			lacking--;
			best->depth++;
		} else if (!lacking) {
			break;
		}
		if (s->d->options.first_parent && nr > 1)
			nr = 1;
		for (uint32_t i = 0; !rc && i < nr; i++) {
			uint32_t before = *marks_of(s->d, c->parents[i]);
			bool waited = (before & SEEN) && !(before & VISITED);
			bool lacked = !(before & best->mark);

			rc = enqueue(s, c->parents[i], marks & ~VISITED, err);
			if (!(before & SEEN))
				lacking += !(marks & best->mark);
			else if (waited && lacked && (marks & best->mark))
				lacking--;
		}
	}
	return rc;
}

static int compare_candidates(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- texts ---- */

static int add_name(struct describer *d, struct described_name *n, struct strbuf *out,
		    struct err *err)
{
	int rc;

	if (n->kind != NAME_ANNOTATED && !n->tag_name) {
		strbuf_addstr(out, n->path);
		return 0;
	}
	rc = described_tag_load(d, n, err);
	if (rc < 0)
		return rc;
	if (!n->checked) {
		const char *known = d->options.all && starts_with(n->path, "tags/") ?
					    n->path + strlen("tags/") : n->path;

		n->checked = true;
		n->misnamed = strcmp(n->tag_name, known) != 0;
		if (n->misnamed && !d->options.quiet)
			repo_warn(d->repo, "tag '%s' is externally known as '%s'", n->path,
				  n->tag_name);
	}
	if (d->options.all)
		strbuf_addstr(out, "tags/");
	strbuf_addstr(out, n->tag_name);
	return 0;
}

static void add_abbrev(struct describer *d, const struct object_id *oid, struct strbuf *out)
{
	if (d->options.abbrev)
		odb_abbrev(d->repo->odb, oid, d->options.abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

static void add_suffix(struct describer *d, int depth, const struct object_id *oid,
		       struct strbuf *out)
{
	strbuf_addf(out, "-%d-g", depth);
	add_abbrev(d, oid, out);
}

static int add_exact(struct describer *d, struct described_name *n, const struct object_id *oid,
		     struct strbuf *out, struct err *err)
{
	int rc = add_name(d, n, out, err);

	if (!rc && (n->misnamed || d->options.long_format))
		add_suffix(d, 0, n->tag_name ? &n->target : oid, out);
	return rc;
}

static int no_name(struct search *s, const struct commit *c, struct strbuf *out, struct err *err)
{
	if (s->d->options.always) {
		add_abbrev(s->d, &c->oid, out);
		return 0;
	}
	if (s->nr_ignored)
		return err_set(err, ERR_NOT_FOUND, "No annotated tags can describe '%s'.\n"
			       "However, there were unannotated tags: try --tags.",
			       oid_hex(&c->oid));
	return err_set(err, ERR_NOT_FOUND, "No tags can describe '%s'.\n"
		       "Try --always, or create some tags.", oid_hex(&c->oid));
}

static void trace_result(const struct search *s)
{
	static const char *const kinds[] = { "head", "lightweight", "annotated" };

	for (int i = 0; i < s->nr; i++)
		trace(s->d, " %-11s %8d %s", kinds[s->found[i].name->kind], s->found[i].depth,
		      s->found[i].name->path);
	trace(s->d, "traversed %lu commits", s->visited);
	if (s->gave_up)
		trace(s->d, "found %d tags; gave up search at %s", s->max,
		      oid_hex(&s->gave_up->oid));
}

/* ---- the search ---- */

static int search(struct search *s, struct commit *c, struct err *err)
{
	struct commit *next;
	int rc = enqueue(s, c, 0, err);

	rc = rc < 0 ? rc : 1;
	while (rc > 0 && (next = prio_queue_get(&s->queue)))
		rc = visit(s, next, err);
	return rc < 0 ? rc : 0;
}

/* Sorts the candidates, and counts the depth of the best one to the end. */
static int choose(struct search *s, struct err *err)
{
	qsort(s->found, (size_t)s->nr, sizeof(s->found[0]), compare_candidates);
	if (s->gave_up) {
		*marks_of(s->d, s->gave_up) &= ~VISITED;
		prio_queue_put(&s->queue, s->gave_up);
		s->visited--;
	}
	return finish_depth(s, &s->found[0], err);
}

static int describe_by_ancestors(struct search *s, struct commit *c, struct strbuf *out,
				 struct err *err)
{
	struct describer *d = s->d;
	int rc;

	trace(d, "No exact match on refs or tags, searching to describe");
	rc = search(s, c, err);
	if (!rc && !s->nr)
		return no_name(s, c, out, err);
	if (!rc)
		rc = choose(s, err);
	if (rc < 0)
		return rc;
	trace_result(s);
	rc = add_name(d, s->found[0].name, out, err);
	if (!rc && (s->found[0].name->misnamed || d->options.abbrev))
		add_suffix(d, s->found[0].depth, &c->oid, out);
	return rc;
}

int describe_commit(struct describer *d, struct commit *c, struct strbuf *out, struct err *err)
{
	struct search s = { .d = d, .queue = { .compare = commit_date_cmp } };
	struct described_name *n = oidmap_get(&d->names, &c->oid);
	const struct describe_options *o = &d->options;
	size_t base = out->len;
	int rc;

	if (n && (o->tags || o->all || n->kind == NAME_ANNOTATED))
		return add_exact(d, n, &c->oid, out, err);
	if (o->candidates <= 0)
		return err_set(err, ERR_NOT_FOUND, "no tag exactly matches '%s'", oid_hex(&c->oid));
	s.max = o->candidates < CANDIDATES_MAX ? o->candidates : CANDIDATES_MAX;
	rc = describe_by_ancestors(&s, c, out, err);
	search_end(&s);
	if (rc < 0)
		strbuf_setlen(out, base);
	return rc;
}

/* ---- the describer ---- */

int describer_new(struct describer **out, struct commit_pool *pool, struct repository *r,
		  const struct describe_options *o, struct err *err)
{
	struct describer *d;
	int rc;

	CALLOC_ARRAY(d, 1);
	d->repo = r;
	d->pool = pool;
	d->options = *o;
	rc = described_names_read(d, err);
	if (rc < 0)
		describer_free(d);
	else
		*out = d;
	return rc;
}

void describer_free(struct describer *d)
{
	if (!d)
		return;
	oidmap_clear(&d->names, described_name_free);
	free(d->marks);
	free(d);
}

size_t describer_nr_names(const struct describer *d)
{
	return d->names.nr;
}
