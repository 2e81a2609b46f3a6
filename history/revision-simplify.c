/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * History simplification by paths, as git-rev-list(1) describes it: a commit is
 * TREESAME if nothing within the paths differs from its parents; of a merge
 * that equals one parent only that parent is followed (unless --full-history).
 */
#include "compat/posix.h"
#include "history/revision-internal.h"
#include "util/alloc.h"

/* Commits that were named one by one are shown whatever they change. */
bool rev_prunes(const struct rev_walk *w)
{
	return w->has_pathspec && !w->no_walk;
}

/* An excluded commit is relevant only if it was named: it is the bottom of the range. */
bool rev_is_relevant(const struct commit *c)
{
	return (c->flags & (REV_UNINTERESTING | REV_BOTTOM)) != REV_UNINTERESTING;
}

/* Does c differ from its nth parent (NULL: the empty tree) within the paths? 1, 0, < 0. */
static int differs_from(struct rev_walk *w, struct commit *c, const struct commit *parent,
			uint32_t nth, struct err *err)
{
	const struct changed_paths *filters = w->state->changed_paths;

	if (!nth && filters && c->graph_pos != GRAPH_POS_NONE &&
	    !changed_paths_perhaps(filters, c->graph_pos))
		return 0;
	return rev_trees_differ(w, parent ? &parent->tree : NULL, &c->tree, err);
}

static int simplify_root(struct rev_walk *w, struct commit *c, struct err *err)
{
	int differs = differs_from(w, c, NULL, 0, err);

	if (!differs)
		c->flags |= REV_TREESAME;
	return differs < 0 ? differs : 0;
}

/* How a merge compares with its parents. */
struct comparison {
	unsigned relevant, relevant_changes, irrelevant_changes;
};

static int compare_with_parents(struct rev_walk *w, struct commit *c, struct comparison *cmp,
				struct err *err)
{
	uint32_t i, nr = w->first_parent && c->nr_parents ? 1 : c->nr_parents;
	int differs, rc;

	for (i = 0; i < nr; i++) {
		struct commit *p = c->parents[i];
		bool relevant = rev_is_relevant(p);

		cmp->relevant += relevant;
		rc = commit_parse_node(w->pool, p, err);
		if (rc < 0)
			return rc;
		differs = differs_from(w, c, p, i, err);
		if (differs < 0)
			return differs;
		if (differs) {
			cmp->relevant_changes += relevant;
			cmp->irrelevant_changes += !relevant;
		} else if (!w->full_history && relevant) {
			/* everything came from this parent */
			commit_set_parents(w->pool, c, &p, 1);
			c->flags |= REV_TREESAME;
			return 1;
		}
	}
	return 0;
}

int rev_simplify(struct rev_walk *w, struct commit *c, struct err *err)
{
	struct comparison cmp = { 0, 0, 0 };
	int rc;

	if (!rev_prunes(w))
		return 0;
	if (!c->nr_parents)
		return simplify_root(w, c, err);
	/* --sparse shows ordinary commits whatever they change. */
	if (w->sparse && c->nr_parents == 1)
		return 0;
	rc = compare_with_parents(w, c, &cmp, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (cmp.relevant ? !cmp.relevant_changes : !cmp.irrelevant_changes)
		c->flags |= REV_TREESAME;
	return 0;
}
