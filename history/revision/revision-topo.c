/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --topo-order and its like without walking the whole range first, by the generations of a
 * commit-graph. Three queues follow each other down the history:
 *
 *   w->state->queue, by generation: simplifies commits, queues their parents, passes on exclusion
 *   count     by generation: counts the children of each commit
 *   ready     in the order that was asked for: commits whose children are all out
 *
 * All children of a commit have a higher generation. So once `count` has no commit above a
 * generation left, the numbers of children of the commits there are final; and it lets the first go ahead,
 * so that what it counts has been simplified and is known to be excluded or not.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

struct topo_walk {
	struct prio_queue count, ready;
	/* By index; those beyond nr are 0. */
	struct topo_node {
		uint32_t waiting; /* children that are not out yet, plus one */
		timestamp_t author_date;
	} *nodes;
	size_t nr;
};

static int revision_topo_cmp_author_date(const void *va, const void *vb, void *data)
{
	const struct topo_walk *t = data;
	timestamp_t a = t->nodes[((const struct commit *)va)->index].author_date;
	timestamp_t b = t->nodes[((const struct commit *)vb)->index].author_date;

	return a > b ? -1 : a < b;
}

static struct topo_node *revision_topo_node_of(struct rev_walk *w, const struct commit *c)
{
	struct topo_walk *t = w->state->topo;

	if (c->index >= t->nr) {
		size_t nr = commit_pool_nr(w->pool) * 2;

		t->nodes = xreallocarray(t->nodes, nr, sizeof(*t->nodes));
		memset(t->nodes + t->nr, 0, (nr - t->nr) * sizeof(*t->nodes));
		t->nr = nr;
	}
	return &t->nodes[c->index];
}

void rev_topo_free(struct topo_walk *t)
{
	if (!t)
		return;
	prio_queue_clear(&t->count);
	prio_queue_clear(&t->ready);
	free(t->nodes);
	free(t);
}

static bool reaches(const struct prio_queue *q, uint64_t generation)
{
	const struct commit *top = prio_queue_peek(q);

	return top && top->generation >= generation;
}

int rev_topo_explore(struct rev_walk *w, uint64_t generation, struct err *err)
{
	while (reaches(&w->state->queue, generation)) {
		struct commit *c = rev_dequeue(w);
		int rc = rev_process_parents(w, c, err);

		if (rc < 0)
			return rc;
		if (c->flags & REV_UNINTERESTING)
			rev_mark_parents_uninteresting(w, c);
	}
	return 0;
}

static void count_parents(struct rev_walk *w, struct commit *c)
{
	uint32_t nr = w->first_parent && c->nr_parents ? 1 : c->nr_parents;

	for (uint32_t i = 0; i < nr; i++) {
		struct commit *p = c->parents[i];
		struct topo_node *n = revision_topo_node_of(w, p);

		if (n->waiting) {
			n->waiting++;
			continue;
		}
		n->waiting = 2;
		prio_queue_put(&w->state->topo->count, p);
	}
}

/* Numbers of children of commits of that generation, or higher ones, are final after this. */
static int count_down_to(struct rev_walk *w, uint64_t generation, struct err *err)
{
	struct prio_queue *q = &w->state->topo->count;

	while (reaches(q, generation)) {
		struct commit *c = prio_queue_get(q);
		int rc = rev_topo_explore(w, c->generation, err);

		if (rc < 0)
			return rc;
		if (!(c->flags & REV_UNINTERESTING))
			count_parents(w, c);
	}
	return 0;
}

static void put_ready(struct rev_walk *w, struct commit *c)
{
	if (w->order == REV_ORDER_AUTHOR_DATE)
		revision_topo_node_of(w, c)->author_date = rev_author_date(w, c);
	prio_queue_put(&w->state->topo->ready, c);
}

/* Releases the parents of c once it has been delivered: they may be next. */
static int release_parents(struct rev_walk *w, struct commit *c, struct err *err)
{
	uint32_t nr = w->first_parent && c->nr_parents ? 1 : c->nr_parents;
	uint64_t lowest = GENERATION_INFINITY;
	int rc;

	for (uint32_t i = 0; i < nr; i++)
		if (c->parents[i]->generation < lowest)
			lowest = c->parents[i]->generation;
	rc = nr ? count_down_to(w, lowest, err) : 0;
	for (uint32_t i = 0; !rc && i < nr; i++) {
		struct commit *p = c->parents[i];
		struct topo_node *n = revision_topo_node_of(w, p);

		/* A damaged graph can count too few: nothing comes out twice. */
		if (n->waiting > 1 && --n->waiting == 1 && !(p->flags & REV_UNINTERESTING))
			put_ready(w, p);
	}
	return rc;
}

int rev_topo_next(struct rev_walk *w, struct commit **out, struct err *err)
{
	struct commit *c = prio_queue_get(&w->state->topo->ready);
	int rc;

	if (!c)
		return 0;
	rc = release_parents(w, c, err);
	if (rc < 0)
		return rc;
	*out = c;
	return 1;
}

/* ---- beginning ---- */

/* Options that need the whole range, or that depend on the order in which it is walked. */
bool rev_topo_is_possible(const struct rev_walk *w)
{
	struct commit_graph *g = commit_pool_graph(w->pool);
	size_t starts = 0;
	bool excludes = false;

	for (size_t i = 0; i < w->nr_starts; i++) {
		starts += w->starts[i].commit != NULL;
		excludes |= (w->starts[i].flags & REV_UNINTERESTING) != 0;
	}
	if (w->order == REV_ORDER_DEFAULT || !g || !commit_graph_has_generations(g))
		return false;
	if (w->since || w->until || w->reverse || w->ancestry_path || w->left_only ||
	    w->right_only || w->exclude_first_parent)
		return false;
	/* These need the whole range, or order it anew. */
	if (w->objects || w->unpacked || w->missing_ok || w->oldest || w->since_filter ||
	    w->simplify_merges || w->remove_empty || w->maximal_only || w->want_children ||
	    w->cherry_pick || w->cherry_mark || w->bisect)
		return false;
	if (w->select.chooses && w->want_parents)
		return false;
	return !(w->first_parent && starts > 1) && !(rev_prunes(w) && excludes);
}

/* Starts, the youngest first, and among equals as they were given. */
static int put_starts(struct rev_walk *w, struct err *err)
{
	struct prio_queue by_date = { .compare = commit_date_cmp };
	uint64_t lowest = GENERATION_INFINITY;
	struct topo_walk *t = w->state->topo;
	struct commit *c;
	int rc = 0;

	for (size_t i = 0; !rc && i < w->nr_starts; i++) {
		c = w->starts[i].commit;
		if (!c || (c->flags & REV_SEEN))
			continue;
		c->flags |= REV_SEEN;
		prio_queue_put(&by_date, c);
		rc = rev_enqueue(w, c, err);
		prio_queue_put(&t->count, c);
		revision_topo_node_of(w, c)->waiting = 1;
		if (c->generation < lowest)
			lowest = c->generation;
	}
	if (!rc)
		rc = count_down_to(w, lowest, err);
	while ((c = prio_queue_get(&by_date)))
		if (!rc && revision_topo_node_of(w, c)->waiting == 1 &&
		    !(c->flags & REV_UNINTERESTING))
			put_ready(w, c);
	prio_queue_clear(&by_date);
	return rc;
}

int rev_topo_begin(struct rev_walk *w, struct err *err)
{
	struct topo_walk *t;
	int rc;

	t = w->state->topo = xcalloc(1, sizeof(*t));
	w->state->queue.compare = t->count.compare = commit_generation_cmp;
	if (w->order == REV_ORDER_DATE)
		t->ready.compare = commit_date_cmp;
	if (w->order == REV_ORDER_AUTHOR_DATE)
		t->ready.compare = revision_topo_cmp_author_date;
	t->ready.data = t;
	rc = put_starts(w, err);
	if (!t->ready.compare)
		prio_queue_reverse(&t->ready); /* a stack: the first tip on top */
	return rc;
}
