/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --contains, --no-contains, --merged, --no-merged: one walk answers for all refs.
 *
 * --contains C: which tips have C among their ancestors? Paths from tips to C are searched, first
 * parents first, each commit once (find_paths). With the generations of a commit-graph nothing
 * below that of C is looked at. If there are none, the search must not go down to the roots of a long
 * history for a young C. Then a walk by date starts from all tips and from C at once. Ancestors
 * of C cannot have C as an ancestor themselves, so that walk ends when only such commits remain in
 * the queue. For an old C it would have to see nearly everything, so it is given up early there.
 */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/prio-queue.h"
#include "history/history.h"
#include "reflist/reflist-internal.h"

#define BELOW 0x01000000u  /* an ancestor of the commit that is looked for, or itself */
#define ABOVE 0x02000000u  /* an ancestor of a tip, or a tip */
#define QUEUED 0x04000000u
#define CONTAINS 0x08000000u
#define CONTAINS_NOT 0x10000000u
#define REACHED 0x20000000u
#define WANTED 0x40000000u /* a tip that has not been reached yet */

struct tips {
	struct commit_pool *pool;
	struct commit **commits; /* of the items; NULL: none, or dropped */
	size_t nr;
};

struct sweep {
	struct commit_pool *pool;
	struct prio_queue queue;
	struct commit_list touched, stack;
	size_t open; /* in the queue and not BELOW */
	uint64_t floor; /* commits of lower generations do not matter; 0: nothing is known of that */
};

static bool has_generations(const struct commit_pool *pool)
{
	const struct commit_graph *g = commit_pool_graph(pool);

	return g && commit_graph_has_generations(g);
}

static void sweep_end(struct sweep *w)
{
	for (size_t i = 0; i < w->touched.nr; i++)
		w->touched.items[i]->flags &= ~REACH_FLAGS;
	commit_list_clear(&w->touched);
	commit_list_clear(&w->stack);
	prio_queue_clear(&w->queue);
}

/* ---- --contains ---- */

static int add_flag(struct sweep *w, struct commit *c, uint32_t flag, struct err *err)
{
	int rc;

	if (c->flags & (flag | BELOW))
		return 0;
	rc = commit_parse_node(w->pool, c, err);
	if (rc < 0)
		return rc;
	if (!(c->flags & REACH_FLAGS))
		commit_list_add(&w->touched, c);
	if (c->flags & QUEUED) {
		w->open -= flag == BELOW;
	} else {
		prio_queue_put(&w->queue, c);
		w->open += flag != BELOW;
	}
	c->flags |= flag | QUEUED;
	return 0;
}

/* Walks at most `most` commits down: a commit that is BELOW by then is so in any case. */
static int walk_down(struct sweep *w, size_t most, struct err *err)
{
	int rc = 0;

	while (!rc && w->open && most--) {
		struct commit *c = prio_queue_get(&w->queue);

		c->flags &= ~QUEUED;
		w->open -= !(c->flags & BELOW);
		for (uint32_t i = 0; !rc && i < c->nr_parents; i++)
			rc = add_flag(w, c->parents[i], c->flags & BELOW ? BELOW : ABOVE, err);
	}
	return rc;
}

static bool is_known(const struct commit *c)
{
	return c->flags & (CONTAINS | CONTAINS_NOT | BELOW);
}

static int push(struct sweep *w, struct commit *c, struct err *err)
{
	int rc = commit_parse_node(w->pool, c, err);

	if (rc < 0)
		return rc;
	if (!(c->flags & REACH_FLAGS))
		commit_list_add(&w->touched, c);
	if (c->generation < w->floor)
		c->flags |= CONTAINS_NOT;
	else
		commit_list_add(&w->stack, c);
	return 0;
}

/* Sets CONTAINS or CONTAINS_NOT for c and every commit on the way, without recursion. */
static int find_paths(struct sweep *w, struct commit *start, struct err *err)
{
	int rc = is_known(start) ? 0 : push(w, start, err);

	while (!rc && w->stack.nr) {
		struct commit *c = w->stack.items[w->stack.nr - 1], *next = NULL;
		bool contains = false;

		for (uint32_t i = 0; i < c->nr_parents && !contains && !next; i++) {
			if (c->parents[i]->flags & CONTAINS)
				contains = true;
			else if (!is_known(c->parents[i]))
				next = c->parents[i];
		}
		if (!contains && next) {
			rc = push(w, next, err);
			continue;
		}
		c->flags |= contains ? CONTAINS : CONTAINS_NOT;
		w->stack.nr--;
	}
	return rc;
}

/* Is it older than most of the tips? A guess at what takes less time. */
static bool is_old(const struct tips *t, const struct commit *c)
{
	size_t older = 0, nr = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->commits[i]) {
			nr++;
			older += t->commits[i]->date < c->date;
		}
	return older < nr / 4;
}

#define SWEEP_FOR_OLD_MAX 2000

/* BELOW for all that can be met on the way to the roots; of an old one, for some of it. */
static int mark_below(struct sweep *w, const struct tips *t, struct commit *sought, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->nr; i++)
		if (t->commits[i])
			rc = commit_parse_node(w->pool, t->commits[i], err);
	if (!rc)
		rc = add_flag(w, sought, BELOW, err);
	for (size_t i = 0; !rc && i < t->nr; i++)
		if (t->commits[i])
			rc = add_flag(w, t->commits[i], ABOVE, err);
	return rc ? rc : walk_down(w, is_old(t, sought) ? SWEEP_FOR_OLD_MAX : SIZE_MAX, err);
}

/* contains[i] is set for the tips that have `sought` as an ancestor. */
static int find_containing(const struct tips *t, struct commit *sought, bool *contains,
			   struct err *err)
{
	struct sweep w = { .pool = t->pool, .queue = { .compare = commit_date_cmp } };
	int rc = commit_parse_node(t->pool, sought, err);

	if (!rc && has_generations(t->pool))
		w.floor = sought->generation;
	else if (!rc)
		rc = mark_below(&w, t, sought, err);
	if (!(sought->flags & REACH_FLAGS))
		commit_list_add(&w.touched, sought);
	sought->flags |= CONTAINS;
	for (size_t i = 0; !rc && i < t->nr; i++) {
		if (!t->commits[i])
			continue;
		rc = find_paths(&w, t->commits[i], err);
		contains[i] |= (t->commits[i]->flags & CONTAINS) != 0;
	}
	sweep_end(&w);
	return rc;
}

/* ---- --merged ---- */

/* First parents first: most tips are there as a rule, and then side branches are not looked at. */
static void reach(struct sweep *w, struct commit *c)
{
	if (c->flags & REACHED)
		return;
	if (!(c->flags & REACH_FLAGS))
		commit_list_add(&w->touched, c);
	c->flags |= REACHED;
	commit_list_add(&w->stack, c);
}

static int by_generation(const void *a, const void *b)
{
	return commit_generation_cmp(*(struct commit *const *)b, *(struct commit *const *)a, NULL);
}

/* The tips, each once; with generations parsed and the lowest first. */
static int want_tips(struct sweep *w, const struct tips *t, struct commit_list *wanted,
		     struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->nr; i++) {
		struct commit *c = t->commits[i];

		if (!c || c->flags & WANTED)
			continue;
		c->flags |= WANTED;
		commit_list_add(&w->touched, c);
		commit_list_add(wanted, c);
		if (has_generations(t->pool))
			rc = commit_parse_node(t->pool, c, err);
	}
	if (!rc && has_generations(t->pool) && wanted->nr > 1)
		qsort(wanted->items, wanted->nr, sizeof(*wanted->items), by_generation);
	return rc;
}

/* Walks down from the stack, until all wanted commits have been met. */
static int reach_wanted(struct sweep *w, const struct commit_list *wanted, struct err *err)
{
	size_t next = 0; /* the first one that has not been met */
	int rc = 0;

	while (!rc && w->stack.nr) {
		struct commit *c;

		while (next < wanted->nr && wanted->items[next]->flags & REACHED)
			next++;
		if (next == wanted->nr)
			break;
		w->floor = has_generations(w->pool) ? wanted->items[next]->generation : 0;
		c = w->stack.items[--w->stack.nr];
		rc = commit_parse_node(w->pool, c, err);
		if (rc || c->generation < w->floor)
			continue;
		for (uint32_t i = c->nr_parents; i-- > 0;)
			reach(w, c->parents[i]);
	}
	return rc;
}

static int find_merged(const struct tips *t, const struct oid_array *from, bool *merged,
		       struct err *err)
{
	struct sweep w = { .pool = t->pool };
	struct commit_list wanted = COMMIT_LIST_INIT;
	int rc = want_tips(&w, t, &wanted, err);

	for (size_t i = 0; !rc && i < from->nr; i++)
		reach(&w, commit_lookup(t->pool, &from->oid[i]));
	if (!rc)
		rc = reach_wanted(&w, &wanted, err);
	for (size_t i = 0; !rc && i < t->nr; i++)
		merged[i] = t->commits[i] && t->commits[i]->flags & REACHED;
	commit_list_clear(&wanted);
	sweep_end(&w);
	return rc;
}

/* ---- filters ---- */

bool reflist_filter_needs_history(const struct reflist_filter *f)
{
	return f->commits_only || f->contains.nr || f->no_contains.nr || f->merged.nr ||
	       f->no_merged.nr;
}

/* The commit that the ref or its tag names; NULL: another object. */
static struct commit *tip_of(struct reflist *l, struct commit_pool *pool,
			     const struct reflist_item *item)
{
	const struct object_source *src = odb_source(l->repo->odb);
	struct object_id oid = item->oid;
	enum object_type type;
	uint64_t size;

	if (item->flags & REF_PEEL_KNOWN && !oid_is_null(&item->peeled))
		oid = item->peeled;
	if (odb_type(l->repo->odb, &oid, &type, &size, NULL) < 0)
		return NULL;
	if (type == OBJ_TAG && object_peel(src, &item->oid, OBJ_ANY, &oid, &type, NULL) < 0)
		return NULL;
	return type == OBJ_COMMIT ? commit_lookup(pool, &oid) : NULL;
}

static int find_any_containing(const struct tips *t, const struct oid_array *sought, bool *out,
			       struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sought->nr; i++)
		rc = find_containing(t, commit_lookup(t->pool, &sought->oid[i]), out, err);
	return rc;
}

/* One filter: drop the tips for which the answer is not `want`. */
static int apply(struct tips *t, const struct oid_array *asked, bool want, bool contains,
		 struct err *err)
{
	bool *answer;
	int rc;

	if (!asked->nr)
		return 0;
	CALLOC_ARRAY(answer, t->nr ? t->nr : 1);
	rc = contains ? find_any_containing(t, asked, answer, err) :
			find_merged(t, asked, answer, err);
	for (size_t i = 0; !rc && i < t->nr; i++)
		if (answer[i] != want)
			t->commits[i] = NULL;
	free(answer);
	return rc;
}

int reflist_filter_by_history(struct reflist *l, size_t from, const struct reflist_filter *f,
			      struct err *err)
{
	struct tips t = { .nr = l->nr - from };
	size_t kept = from;
	int rc = reflist_pool(l, &t.pool, err);

	if (rc < 0)
		return rc;
	CALLOC_ARRAY(t.commits, t.nr ? t.nr : 1);
	for (size_t i = 0; i < t.nr; i++)
		t.commits[i] = tip_of(l, t.pool, l->items[from + i]);
	rc = apply(&t, &f->contains, true, true, err);
	if (!rc)
		rc = apply(&t, &f->no_contains, false, true, err);
	if (!rc)
		rc = apply(&t, &f->merged, true, false, err);
	if (!rc)
		rc = apply(&t, &f->no_merged, false, false, err);
	for (size_t i = 0; i < t.nr; i++) {
		if (rc || t.commits[i])
			l->items[kept++] = l->items[from + i];
		else
			reflist_item_free(l->items[from + i]);
	}
	l->nr = kept;
	free(t.commits);
	return rc;
}
