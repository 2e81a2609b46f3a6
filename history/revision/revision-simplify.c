/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * History simplification by paths, as git-rev-list(1) describes it: a commit is
 * TREESAME if nothing within the paths differs from its parents; of a merge
 * that equals one parent only that parent is followed (unless --full-history).
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

/* Commits that were named one by one are shown whatever they change. */
bool rev_prunes(const struct rev_walk *w)
{
	return (w->has_pathspec || w->simplify_by_decoration) && !w->no_walk;
}

/* An excluded commit is relevant only if it was named: it is the bottom of the range. */
bool rev_is_relevant(const struct commit *c)
{
	return (c->flags & (REV_UNINTERESTING | REV_BOTTOM)) != REV_UNINTERESTING;
}

struct commit *rev_one_relevant_parent(const struct rev_walk *w, const struct commit *c)
{
	struct commit *found = NULL;
	uint32_t i;

	if (w->first_parent || c->nr_parents == 1)
		return c->parents[0];
	for (i = 0; i < c->nr_parents; i++) {
		if (!rev_is_relevant(c->parents[i]))
			continue;
		if (found)
			return NULL;
		found = c->parents[i];
	}
	return found;
}

/* Does c differ from its nth parent (NULL: the empty tree) within the paths? 1, 0, < 0. */
static int paths_differ(struct rev_walk *w, const struct commit *c, const struct commit *parent,
			uint32_t nth, struct err *err)
{
	const struct changed_paths *filters = w->state->changed_paths;

	if (!nth && filters && c->graph_pos != GRAPH_POS_NONE &&
	    !changed_paths_perhaps(filters, c->graph_pos))
		return 0;
	return rev_trees_differ(w, &w->pathspec, parent ? &parent->tree : NULL, &c->tree, err);
}

#define DIFFERS_BY_NAME 2

/* 1 or 2, 0, < 0. If --simplify-by-decoration is given, commits with a name differ, and others do not. */
static int differs_from(struct rev_walk *w, const struct commit *c, const struct commit *p,
			uint32_t nth, struct err *err)
{
	int rc = 0;

	if (w->simplify_by_decoration && w->is_decorated)
		rc = w->is_decorated(w->is_decorated_data, &c->oid, err);
	if (rc > 0)
		return DIFFERS_BY_NAME;
	if (rc || (w->simplify_by_decoration && !w->has_pathspec))
		return rc;
	return paths_differ(w, c, p, nth, err);
}

/* --remove-empty: history ends where the paths begin. */
static int forget_before_empty(struct rev_walk *w, struct commit *p, struct err *err)
{
	int any = rev_trees_differ(w, &w->pathspec, NULL, &p->tree, err);

	if (!any)
		commit_set_parents(w->pool, p, NULL, 0);
	return any < 0 ? any : 0;
}

static int simplify_root(struct rev_walk *w, struct commit *c, struct err *err)
{
	int differs = paths_differ(w, c, NULL, 0, err);

	if (!differs)
		c->flags |= REV_TREESAME;
	return differs < 0 ? differs : 0;
}

uint8_t *rev_same_parents(struct rev_walk *w, const struct commit *c)
{
	struct rev_state *s = w->state;
	size_t want = commit_pool_nr(w->pool);

	if (s->nr_same < want) {
		s->same = xreallocarray(s->same, want * 2, sizeof(*s->same));
		memset(s->same + s->nr_same, 0, (want * 2 - s->nr_same) * sizeof(*s->same));
		s->nr_same = want * 2;
	}
	if (!s->same[c->index])
		s->same[c->index] = xcalloc((size_t)c->nr_parents + 1, 1);
	return s->same[c->index];
}

void rev_free_same(struct rev_walk *w)
{
	for (size_t i = 0; i < w->state->nr_same; i++)
		free(w->state->same[i]);
	FREE_AND_NULL(w->state->same);
	w->state->nr_same = 0;
}

/* How a merge compares with its parents. */
struct comparison {
	unsigned relevant, relevant_changes, irrelevant_changes;
};

static int compare_with_parents(struct rev_walk *w, struct commit *c, struct comparison *cmp,
				struct err *err)
{
	uint32_t i, nr = w->first_parent && c->nr_parents ? 1 : c->nr_parents;
	uint8_t *same = w->simplify_merges && c->nr_parents > 1 ? rev_same_parents(w, c) : NULL;
	bool first_differs = false;
	int differs, rc;

	/* The second one is not compared, but tells whether the commit joins anything. */
	if (nr < c->nr_parents)
		cmp->relevant += rev_is_relevant(c->parents[1]);
	for (i = 0; i < nr; i++) {
		struct commit *p = c->parents[i];
		bool relevant = rev_is_relevant(p);

		cmp->relevant += relevant;
		rc = commit_parse_node(w->pool, p, err);
		if (rc < 0)
			return rc;
		differs = differs_from(w, c, p, i, err);
		if (differs > 0 && differs != DIFFERS_BY_NAME && w->remove_empty)
			rc = forget_before_empty(w, p, err);
		if (differs < 0 || rc < 0)
			return differs < 0 ? differs : rc;
		if (differs) {
			cmp->relevant_changes += relevant;
			cmp->irrelevant_changes += !relevant;
			first_differs |= !i;
			continue;
		}
		if (same)
			same[i] = 1;
		if (first_differs)
			c->flags |= REV_PULL;
		if (!w->full_history && relevant) {
			/* everything came from this parent */
			commit_set_parents(w->pool, c, &p, 1);
			if (!w->show_pulls || !i)
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
