/* SPDX-License-Identifier: GPL-2.0-only */
/* --children: the other direction of links, within the range. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

void rev_free_children(struct rev_walk *w)
{
	struct rev_state *s = w->state;

	for (size_t i = 0; i < s->nr_children; i++)
		commit_list_clear(&s->children[i]);
	FREE_AND_NULL(s->children);
	s->nr_children = 0;
}

/* The last child in the range's order comes first. */
void rev_find_children(struct rev_walk *w)
{
	struct rev_state *s = w->state;

	rev_free_children(w);
	s->nr_children = commit_pool_nr(w->pool);
	CALLOC_ARRAY(s->children, s->nr_children + 1);
	for (size_t i = s->list.nr; i-- > 0;) {
		struct commit *c = s->list.items[i];

		for (uint32_t j = 0; j < c->nr_parents; j++)
			commit_list_add(&s->children[c->parents[j]->index], c);
	}
}

const struct commit_list *rev_children(const struct rev_walk *w, const struct commit *c)
{
	const struct rev_state *s = w->state;

	return c->index < s->nr_children ? &s->children[c->index] : NULL;
}
