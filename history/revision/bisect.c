/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bisection: the weight of a commit is the number of commits that it leads to within the range,
 * itself included. The best one has a weight near half of all. Merges are counted one by one;
 * a commit with one parent weighs one more than that.
 */
#include "compat/posix.h"
#include "history/revision/bisect.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

struct weigher {
	struct rev_walk *w;
	struct commit_list list; /* the range, the oldest first */
	size_t *weights;	 /* by index; 0: not known */
	bool *known;
	size_t all; /* commits that count */
	bool only_best;
};

static bool counts(const struct commit *c)
{
	return !(c->flags & REV_TREESAME);
}

static bool is_in_range(const struct commit *c)
{
	return !(c->flags & REV_UNINTERESTING);
}

static uint32_t followed_parents(const struct weigher *b, const struct commit *c)
{
	return b->w->first_parent && c->nr_parents ? 1 : c->nr_parents;
}

static uint32_t parents_in_range(const struct weigher *b, const struct commit *c)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < followed_parents(b, c); i++)
		nr += is_in_range(c->parents[i]);
	return nr;
}

/* By a walk of its own, below c. */
static size_t count_reached(const struct weigher *b, struct commit *c)
{
	struct commit_list todo = COMMIT_LIST_INIT, seen = COMMIT_LIST_INIT;
	size_t nr = 0;

	c->flags |= REV_MARK;
	commit_list_add(&todo, c);
	while (todo.nr) {
		c = todo.items[--todo.nr];
		commit_list_add(&seen, c);
		nr += counts(c);
		for (uint32_t i = 0; i < followed_parents(b, c); i++) {
			struct commit *p = c->parents[i];

			if (!is_in_range(p) || (p->flags & REV_MARK))
				continue;
			p->flags |= REV_MARK;
			commit_list_add(&todo, p);
		}
	}
	for (size_t i = 0; i < seen.nr; i++)
		seen.items[i]->flags &= ~REV_MARK;
	commit_list_clear(&todo);
	commit_list_clear(&seen);
	return nr;
}

/* Near enough for the search to end: exactly half, or within a thousandth. */
static bool is_half(const struct weigher *b, const struct commit *c)
{
	size_t twice = 2 * b->weights[c->index];
	size_t diff = twice > b->all ? twice - b->all : b->all - twice;

	return b->only_best && counts(c) && (diff <= 1 || diff < b->all / 1024);
}

static void set_weight(struct weigher *b, const struct commit *c, size_t weight)
{
	b->weights[c->index] = weight;
	b->known[c->index] = true;
}

/* Roots and merges. Returns a merge in the very middle, or NULL. */
static struct commit *weigh_ends(struct weigher *b)
{
	for (size_t i = 0; i < b->list.nr; i++)
		if (!parents_in_range(b, b->list.items[i]))
			set_weight(b, b->list.items[i], counts(b->list.items[i]));
	for (size_t i = 0; i < b->list.nr; i++) {
		struct commit *c = b->list.items[i];

		if (parents_in_range(b, c) < 2)
			continue;
		set_weight(b, c, count_reached(b, c));
		if (is_half(b, c))
			return c;
	}
	return NULL;
}

/* A parent whose weight is known. */
static const struct commit *weighed_parent(const struct weigher *b, const struct commit *c)
{
	for (uint32_t i = 0; i < followed_parents(b, c); i++)
		if (is_in_range(c->parents[i]) && b->known[c->parents[i]->index])
			return c->parents[i];
	return NULL;
}

static struct commit *weigh_rest(struct weigher *b)
{
	bool progress = true;

	while (progress) {
		progress = false;
		for (size_t i = 0; i < b->list.nr; i++) {
			struct commit *c = b->list.items[i];
			const struct commit *p = b->known[c->index] ? NULL : weighed_parent(b, c);

			if (!p)
				continue;
			set_weight(b, c, b->weights[p->index] + counts(c));
			progress = true;
			if (is_half(b, c))
				return c;
		}
	}
	return NULL;
}

static size_t distance_of(const struct weigher *b, const struct commit *c)
{
	size_t weight = b->weights[c->index];

	return b->all - weight < weight ? b->all - weight : weight;
}

static struct commit *find_best(const struct weigher *b)
{
	struct commit *best = b->list.nr ? b->list.items[0] : NULL;
	bool any = false;

	for (size_t i = 0; i < b->list.nr; i++) {
		struct commit *c = b->list.items[i];

		if (!counts(c) || (any && distance_of(b, c) <= distance_of(b, best)))
			continue;
		best = c;
		any = true;
	}
	return best;
}

/* ---- the result ---- */

struct ranked {
	struct commit *commit;
	size_t distance;
};

static int by_distance(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	if (a->distance != b->distance)
		return a->distance > b->distance ? -1 : 1;
	return oid_cmp(&a->commit->oid, &b->commit->oid);
}

static void rank_all(const struct weigher *b, struct bisection *out)
{
	struct ranked *order;
	size_t nr = 0;

	ALLOC_ARRAY(order, b->list.nr + 1);
	for (size_t i = 0; i < b->list.nr; i++)
		if (counts(b->list.items[i]))
			order[nr++] = (struct ranked){ b->list.items[i],
						       distance_of(b, b->list.items[i]) };
	qsort(order, nr, sizeof(*order), by_distance);
	ALLOC_ARRAY(out->distances, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		commit_list_add(&out->best, order[i].commit);
		out->distances[i] = order[i].distance;
	}
	if (!nr && b->list.nr) /* as for one: a commit that does not count stands for the range */
		commit_list_add(&out->best, b->list.items[0]);
	out->distances[nr] = 0;
	free(order);
}

static void collect_range(struct weigher *b)
{
	const struct commit_list *l = &b->w->state->list;

	for (size_t i = l->nr; i-- > 0;) {
		if (!is_in_range(l->items[i]))
			continue;
		commit_list_add(&b->list, l->items[i]);
		b->all += counts(l->items[i]);
	}
}

void bisection_find(struct rev_walk *w, bool all, struct bisection *out)
{
	struct weigher b = { .w = w, .only_best = !all };
	struct commit *best;

	memset(out, 0, sizeof(*out));
	CALLOC_ARRAY(b.weights, commit_pool_nr(w->pool) + 1);
	CALLOC_ARRAY(b.known, commit_pool_nr(w->pool) + 1);
	collect_range(&b);
	best = weigh_ends(&b);
	if (!best)
		best = weigh_rest(&b);
	if (all)
		rank_all(&b, out);
	else if (!best)
		best = find_best(&b);
	if (!all && best)
		commit_list_add(&out->best, best);
	out->all = b.all;
	out->reaches = out->best.nr ? b.weights[out->best.items[0]->index] : 0;
	commit_list_clear(&b.list);
	free(b.weights);
	free(b.known);
}

void bisection_release(struct bisection *b)
{
	commit_list_clear(&b->best);
	FREE_AND_NULL(b->distances);
}

unsigned bisection_steps(size_t all)
{
	unsigned steps = 0;
	size_t power = 1, rest;

	if (all < 3)
		return 0;
	while (power <= all / 2) {
		power *= 2;
		steps++;
	}
	rest = all - power;
	return power < 3 * rest ? steps : steps - 1;
}
