/* SPDX-License-Identifier: GPL-2.0-only */
/* Commits that are chosen one by one: struct rev_selection. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"

void rev_walk_select(struct rev_walk *w, struct rev_selection s)
{
	w->select = s;
	if (w->order == REV_ORDER_DEFAULT)
		w->order = REV_ORDER_TOPO;
}

int rev_choose(struct rev_walk *w, struct commit *c, struct err *err)
{
	int rc;

	if (c->flags & (REV_UNINTERESTING | REV_SHOWN | REV_NOT_MAXIMAL))
		return 0;
	rc = w->select.chooses(w->select.data, c, err);
	if (!rc)
		c->flags |= REV_TREESAME;
	return rc < 0 ? rc : 0;
}

int rev_choose_all(struct rev_walk *w, struct err *err)
{
	struct commit_list *l = &w->state->list;
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++) {
		rc = rev_choose(w, l->items[i], err);
		if (!(l->items[i]->flags & REV_TREESAME))
			l->items[kept++] = l->items[i];
	}
	if (rc < 0)
		return rc;
	l->nr = kept;
	w->state->chosen = true;
	for (size_t i = 0; !rc && i < kept; i++)
		rc = rev_rewrite_parents(w, l->items[i], err);
	return rc;
}
