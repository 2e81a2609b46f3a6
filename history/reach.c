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
static int reach_paint(struct paint *p, struct commit *one, struct commit *const *others, size_t nr,
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

static bool has_generations(const struct commit_pool *pool)
{
	const struct commit_graph *g = commit_pool_graph(pool);

	return g && commit_graph_has_generations(g);
}

/* ---- searches downward by generation ---- */

/*
 * From commits down to others, whose generation is at least `floor`: nothing lower can reach them. First
 * parents first, since the wanted commits are mostly there: the search ends once all are found. COLOUR_TWO: met.
 */
struct search {
	struct commit_pool *pool;
	struct commit_list stack, touched;
	uint64_t floor;
};

static void meet(struct search *s, struct commit *c)
{
	if (c->flags & COLOUR_TWO)
		return;
	c->flags |= COLOUR_TWO;
	commit_list_add(&s->touched, c);
	commit_list_add(&s->stack, c);
}

static int search_step(struct search *s, struct err *err)
{
	struct commit *c = s->stack.items[--s->stack.nr];
	int rc = commit_parse_node(s->pool, c, err);

	if (rc < 0 || c->generation < s->floor)
		return rc;
	for (uint32_t i = c->nr_parents; i-- > 0;)
		meet(s, c->parents[i]);
	return 0;
}

static void search_end(struct search *s)
{
	for (size_t i = 0; i < s->touched.nr; i++)
		s->touched.items[i]->flags &= ~REACH_FLAGS;
	commit_list_clear(&s->touched);
	commit_list_clear(&s->stack);
}

/* ---- redundant commits ---- */

/* Without generations: each with each. */
static int mark_redundant_pairs(struct commit_pool *pool, const struct commit_list *l, bool *drop,
				struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < l->nr; i++)
		for (size_t j = 0; rc >= 0 && j < l->nr && !drop[i]; j++) {
			if (i == j || drop[j])
				continue;
			rc = is_ancestor(pool, l->items[i], l->items[j], err);
			drop[i] = rc > 0;
		}
	return rc < 0 ? rc : 0;
}

/* The lowest generation of the commits that have not been met; *left: their number. */
static uint64_t lowest_left(const struct commit_list *l, size_t *left)
{
	uint64_t lowest = GENERATION_INFINITY;

	*left = 0;
	for (size_t i = 0; i < l->nr; i++) {
		if (l->items[i]->flags & COLOUR_TWO)
			continue;
		++*left;
		if (l->items[i]->generation < lowest)
			lowest = l->items[i]->generation;
	}
	return lowest;
}

/* Searches from the parents of all commits: the commits that it meets are redundant. */
static int mark_redundant(struct commit_pool *pool, const struct commit_list *l, bool *drop,
			  struct err *err)
{
	struct search s = { .pool = pool };
	size_t left = l->nr;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++) {
		l->items[i]->flags |= FOUND;
		rc = commit_parse_node(pool, l->items[i], err);
	}
	s.floor = lowest_left(l, &left);
	for (size_t i = 0; !rc && i < l->nr; i++)
		for (uint32_t k = l->items[i]->nr_parents; k-- > 0;)
			meet(&s, l->items[i]->parents[k]);
	while (!rc && left > 1 && s.stack.nr) {
		bool news = s.stack.items[s.stack.nr - 1]->flags & FOUND;

		rc = search_step(&s, err);
		if (news)
			s.floor = lowest_left(l, &left);
	}
	for (size_t i = 0; i < l->nr; i++) {
		drop[i] = l->items[i]->flags & COLOUR_TWO;
		l->items[i]->flags &= ~REACH_FLAGS;
	}
	search_end(&s);
	return rc;
}

int commits_drop_redundant(struct commit_pool *pool, struct commit_list *l, struct err *err)
{
	size_t kept = 0;
	bool *drop;
	int rc;

	CALLOC_ARRAY(drop, l->nr + 1);
	rc = has_generations(pool) ? mark_redundant(pool, l, drop, err) :
				     mark_redundant_pairs(pool, l, drop, err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (!drop[i])
			l->items[kept++] = l->items[i];
	if (!rc)
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
	rc = reach_paint(&p, one, others, nr, &found, err);
	if (!rc) {
		size_t kept = 0;

		for (i = 0; i < found.nr; i++)
			if (!(found.items[i]->flags & STALE))
				found.items[kept++] = found.items[i];
		found.nr = kept;
	}
	paint_end(&p);
	if (!rc && found.nr > 1)
		rc = commits_drop_redundant(pool, &found, err);
	if (!rc && found.nr > 1)
		qsort(found.items, found.nr, sizeof(*found.items), by_date);
	for (i = 0; !rc && i < found.nr; i++)
		commit_list_add(out, found.items[i]);
	commit_list_clear(&found);
	return rc;
}

/* ---- is_ancestor ---- */

static int search_for(struct commit_pool *pool, struct commit *old, struct commit *young,
		      struct err *err)
{
	struct search s = { .pool = pool };
	int rc = commit_parse_node(pool, old, err);

	s.floor = old->generation;
	meet(&s, young);
	while (!rc && s.stack.nr && !(old->flags & COLOUR_TWO))
		rc = search_step(&s, err);
	if (!rc)
		rc = (old->flags & COLOUR_TWO) != 0;
	search_end(&s);
	return rc;
}

int is_ancestor(struct commit_pool *pool, struct commit *old, struct commit *young,
		struct err *err)
{
	struct commit_list found = COMMIT_LIST_INIT;
	struct paint p;
	int rc;

	if (old == young)
		return 1;
	if (has_generations(pool))
		return search_for(pool, old, young, err);
	paint_begin(&p, pool);
	rc = reach_paint(&p, old, &young, 1, &found, err);
	if (!rc)
		rc = (old->flags & COLOUR_TWO) != 0;
	paint_end(&p);
	commit_list_clear(&found);
	return rc;
}
