/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merge bases and ancestry. A walk by date starts from both sides and paints each commit
 * in the colours of the sides that reach it. A commit with both colours is a common
 * ancestor; its own ancestors are stale, and once only stale commits remain in the queue
 * nothing new can be found. As clocks differ between machines, a candidate may still turn
 * out to be an ancestor of another: that is checked afterwards. With the corrected dates of a
 * commit-graph the walk is in their order, and none is visited before its descendants.
 */
#include "compat/posix.h"
#include "history/history.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

#define COLOUR_ONE 0x01000000u
#define COLOUR_TWO 0x02000000u
#define STALE 0x04000000u
#define FOUND 0x08000000u
#define QUEUED 0x10000000u
#define BOTH (COLOUR_ONE | COLOUR_TWO)

void commit_list_add(struct commit_list *l, struct commit *c)
{
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = c;
}

void commit_list_clear(struct commit_list *l)
{
	free(l->items);
	memset(l, 0, sizeof(*l));
}

int commit_date_cmp(const void *va, const void *vb, void *data UNUSED)
{
	const struct commit *a = va, *b = vb;

	return a->date > b->date ? -1 : a->date < b->date;
}

int commit_generation_cmp(const void *va, const void *vb, void *data)
{
	const struct commit *a = va, *b = vb;

	if (a->generation != b->generation)
		return a->generation > b->generation ? -1 : 1;
	return commit_date_cmp(a, b, data);
}

struct paint {
	struct commit_pool *pool;
	struct prio_queue queue;
	size_t fresh; /* in the queue and not stale */
	struct commit_list touched;
};

static int add_colour(struct paint *p, struct commit *c, uint32_t colour, struct err *err)
{
	uint32_t was = c->flags;
	int rc = commit_parse_node(p->pool, c, err);

	if (rc < 0 || (was & colour) == colour)
		return rc;
	if (!(was & (BOTH | STALE | FOUND)))
		commit_list_add(&p->touched, c);
	c->flags |= colour;
	if (was & QUEUED) {
		if (!(was & STALE) && (c->flags & STALE))
			p->fresh--;
		return 0;
	}
	c->flags |= QUEUED;
	if (!(c->flags & STALE))
		p->fresh++;
	prio_queue_put(&p->queue, c);
	return 0;
}

static int paint_step(struct paint *p, struct commit_list *found, struct err *err)
{
	struct commit *c = prio_queue_get(&p->queue);
	uint32_t colour, i;
	int rc = 0;

	c->flags &= ~QUEUED;
	if (!(c->flags & STALE))
		p->fresh--;
	colour = c->flags & (BOTH | STALE);
	if (colour == BOTH) {
		if (!(c->flags & FOUND)) {
			c->flags |= FOUND;
			commit_list_add(found, c);
		}
		colour |= STALE;
	}
	for (i = 0; !rc && i < c->nr_parents; i++)
		rc = add_colour(p, c->parents[i], colour, err);
	return rc;
}

/* Adds candidates to found. Commits keep their flags until paint_end. */
static int paint(struct paint *p, struct commit *one, struct commit *const *others, size_t nr,
		 struct commit_list *found, struct err *err)
{
	size_t i;
	int rc;

	rc = add_colour(p, one, COLOUR_ONE, err);
	for (i = 0; !rc && i < nr; i++)
		rc = add_colour(p, others[i], COLOUR_TWO, err);
	while (!rc && p->fresh)
		rc = paint_step(p, found, err);
	return rc;
}

static void paint_end(struct paint *p)
{
	size_t i;

	for (i = 0; i < p->touched.nr; i++)
		p->touched.items[i]->flags &= ~REACH_FLAGS;
	commit_list_clear(&p->touched);
	prio_queue_clear(&p->queue);
}

/* Levels are no good order for this: a side branch of few commits would be walked far back. */
static void paint_begin(struct paint *p, struct commit_pool *pool)
{
	const struct commit_graph *g = commit_pool_graph(pool);

	memset(p, 0, sizeof(*p));
	p->pool = pool;
	p->queue.compare = g && commit_graph_has_corrected_dates(g) ? commit_generation_cmp :
								      commit_date_cmp;
}

/* Drop commits that are ancestors of another one in the list. */
static int drop_redundant(struct commit_pool *pool, struct commit_list *l, struct err *err)
{
	size_t i, j, kept = 0;
	bool *drop;
	int rc = 0;

	CALLOC_ARRAY(drop, l->nr ? l->nr : 1);
	for (i = 0; !rc && i < l->nr; i++)
		for (j = 0; j < l->nr && !rc && !drop[i]; j++) {
			if (i == j || drop[j])
				continue;
			rc = is_ancestor(pool, l->items[i], l->items[j], err);
			if (rc > 0) {
				drop[i] = true;
				rc = 0;
			}
		}
	for (i = 0; i < l->nr; i++)
		if (!drop[i])
			l->items[kept++] = l->items[i];
	l->nr = kept;
	free(drop);
	return rc;
}

static int by_date(const void *a, const void *b)
{
	return commit_date_cmp(*(struct commit *const *)a, *(struct commit *const *)b, NULL);
}

int merge_bases(struct commit_pool *pool, struct commit *one, struct commit *const *others,
		size_t nr, struct commit_list *out, struct err *err)
{
	struct commit_list found = COMMIT_LIST_INIT;
	struct paint p;
	size_t i;
	int rc;

	paint_begin(&p, pool);
	rc = paint(&p, one, others, nr, &found, err);
	if (!rc) {
		size_t kept = 0;

		for (i = 0; i < found.nr; i++)
			if (!(found.items[i]->flags & STALE))
				found.items[kept++] = found.items[i];
		found.nr = kept;
	}
	paint_end(&p);
	if (!rc && found.nr > 1)
		rc = drop_redundant(pool, &found, err);
	if (!rc && found.nr > 1)
		qsort(found.items, found.nr, sizeof(*found.items), by_date);
	for (i = 0; !rc && i < found.nr; i++)
		commit_list_add(out, found.items[i]);
	commit_list_clear(&found);
	return rc;
}

/* ---- is_ancestor ---- */

/* Nothing of a lower generation than that of `old` can reach it. */
static int queue_if_above(struct paint *p, const struct commit *old, struct commit *c,
			  struct err *err)
{
	int rc = commit_parse_node(p->pool, c, err);

	if (rc < 0 || c->flags & COLOUR_TWO || c->generation < old->generation)
		return rc;
	c->flags |= COLOUR_TWO;
	commit_list_add(&p->touched, c);
	prio_queue_put(&p->queue, c);
	return 0;
}

/* Down from `young`, and not below the generation of `old`. */
static int search_by_generation(struct paint *p, struct commit *old, struct commit *young,
				struct err *err)
{
	struct commit *c;
	int rc = commit_parse_node(p->pool, old, err);

	if (!rc)
		rc = queue_if_above(p, old, young, err);
	while (!rc && !(old->flags & COLOUR_TWO) && (c = prio_queue_get(&p->queue)))
		for (uint32_t i = 0; !rc && i < c->nr_parents; i++)
			rc = queue_if_above(p, old, c->parents[i], err);
	return rc;
}

int is_ancestor(struct commit_pool *pool, struct commit *old, struct commit *young,
		struct err *err)
{
	const struct commit_graph *g = commit_pool_graph(pool);
	struct commit_list found = COMMIT_LIST_INIT;
	struct paint p;
	int rc;

	if (old == young)
		return 1;
	paint_begin(&p, pool);
	if (g && commit_graph_has_generations(g))
		rc = search_by_generation(&p, old, young, err);
	else
		rc = paint(&p, old, &young, 1, &found, err);
	if (!rc)
		rc = (old->flags & COLOUR_TWO) != 0;
	paint_end(&p);
	commit_list_clear(&found);
	return rc;
}
