/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which commits get a bitmap. A query walks from where it starts to the next commits that have one,
 * so they should be near to where queries start: tips of refs, and former tips, that is, commits on the first-parent chains from the tips. The youngest get one each; further back
 * they lie farther apart, as old commits are asked for less and less.
 *
 * Where two chains meet, a bitmap is made as well, but not kept: the commits below would have to be
 * walked for each of them otherwise.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap-internal.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

#define SEEN BITMAP_FLAG_SEEN
#define CHAIN BITMAP_FLAG_CHAIN
#define ALL_OF_THE_YOUNGEST 100
#define GAP_MIN 100
#define GAP_MAX 5000
#define GAP_PER_AGE 200 /* commits back, for one commit of gap */
#define TIPS_MAX 1000	/* others get one only if they are far from the next one */

static int see(struct commit_pool *pool, struct commit *c, struct commit_list *found, struct err *err)
{
	int rc = 0;

	if (!(c->flags & SEEN)) {
		c->flags |= SEEN;
		rc = commit_parse_node(pool, c, err);
		commit_list_add(found, c);
	}
	return rc;
}

static int find_commits(struct commit_pool *pool, const struct commit_list *tips,
			struct commit_list *found, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < tips->nr && !rc; i++)
		rc = see(pool, tips->items[i], found, err);
	for (size_t i = 0; i < found->nr; i++)
		for (uint32_t k = 0; k < found->items[i]->nr_parents && !rc; k++)
			rc = see(pool, found->items[i]->parents[k], found, err);
	return rc;
}

/*
 * All of them, the youngest first, but none before its children, whatever the clocks say. A commit's
 * rank is its place in that order.
 */
static void sort_commits(struct commit_pool *pool, const struct commit_list *found,
			 struct commit_list *sorted)
{
	struct prio_queue queue = { .compare = commit_date_cmp };
	uint32_t *children;
	struct commit *c;

	CALLOC_ARRAY(children, commit_pool_nr(pool) + 1);
	for (size_t i = 0; i < found->nr; i++)
		for (uint32_t k = 0; k < found->items[i]->nr_parents; k++)
			children[found->items[i]->parents[k]->index]++;
	for (size_t i = 0; i < found->nr; i++)
		if (!children[found->items[i]->index])
			prio_queue_put(&queue, found->items[i]);
	while ((c = prio_queue_get(&queue))) {
		commit_list_add(sorted, c);
		for (uint32_t k = 0; k < c->nr_parents; k++)
			if (!--children[c->parents[k]->index])
				prio_queue_put(&queue, c->parents[k]);
	}
	prio_queue_clear(&queue);
	free(children);
}

static uint32_t gap_at(uint32_t rank)
{
	uint32_t gap = rank / GAP_PER_AGE;

	if (rank < ALL_OF_THE_YOUNGEST)
		return 1;
	return gap < GAP_MIN ? GAP_MIN : gap > GAP_MAX ? GAP_MAX : gap;
}

/* Marks the chosen commits of the chain from c down to a commit of another chain. */
static void choose_on_chain(struct commit *c, bool tip_too, const uint32_t *rank,
			    enum bitmap_choice *chosen)
{
	uint32_t last = rank[c->index];

	if (tip_too)
		chosen[c->index] = BITMAP_KEPT;
	while (!(c->flags & CHAIN)) {
		uint32_t at = rank[c->index];

		c->flags |= CHAIN;
		if (at - last >= gap_at(at)) {
			chosen[c->index] = BITMAP_KEPT;
			last = at;
		}
		if (!c->nr_parents)
			return;
		c = c->parents[0];
	}
	if (chosen[c->index] == BITMAP_NOT_CHOSEN)
		chosen[c->index] = BITMAP_TEMPORARY;
}

int bitmap_choose(struct commit_pool *pool, const struct commit_list *tips,
		  struct commit_list *out, enum bitmap_choice **choices, struct err *err)
{
	enum bitmap_choice *chosen;
	struct commit_list found = COMMIT_LIST_INIT, all = COMMIT_LIST_INIT;
	int rc = find_commits(pool, tips, &found, err);
	uint32_t *rank;

	if (!rc)
		sort_commits(pool, &found, &all);
	commit_list_clear(&found);
	if (rc < 0)
		return rc;
	CALLOC_ARRAY(rank, commit_pool_nr(pool) + 1);
	CALLOC_ARRAY(chosen, commit_pool_nr(pool) + 1);
	for (size_t i = 0; i < all.nr; i++)
		rank[all.items[i]->index] = (uint32_t)i;
	for (size_t i = 0; i < tips->nr; i++)
		choose_on_chain(tips->items[i], i < TIPS_MAX, rank, chosen);
	for (size_t i = all.nr; i--;)
		if (chosen[all.items[i]->index])
			commit_list_add(out, all.items[i]);
	commit_pool_clear_flags(pool, SEEN | CHAIN);
	commit_list_clear(&all);
	free(rank);
	*choices = chosen;
	return 0;
}
