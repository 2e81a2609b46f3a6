/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * History simplification by paths, as git-rev-list(1) describes it: a commit is
 * TREESAME if nothing within the paths differs from its parents; of a merge
 * that equals one parent only that parent is followed (unless --full-history).
 */
#include "compat/posix.h"
#include "history/revision-internal.h"
#include "util/alloc.h"

bool rev_prunes(const struct rev_walk *w)
{
	return w->has_pathspec;
}

/* What is excluded counts only where it was named: it ties the history together. */
bool rev_is_relevant(const struct commit *c)
{
	return (c->flags & (REV_UNINTERESTING | REV_BOTTOM)) != REV_UNINTERESTING;
}

static int simplify_root(struct rev_walk *w, struct commit *c, struct err *err)
{
	int differs = rev_trees_differ(w, NULL, &c->tree, err);

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
		differs = rev_trees_differ(w, &p->tree, &c->tree, err);
		if (differs < 0)
			return differs;
		if (differs) {
			cmp->relevant_changes += relevant;
			cmp->irrelevant_changes += !relevant;
		} else if (!w->full_history && relevant) {
			/* All of it came from here. */
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

/* ---- rewriting ---- */

/* The one parent worth following; NULL if there are several. */
static struct commit *one_relevant_parent(const struct rev_walk *w, const struct commit *c)
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

/* *p becomes what is shown in its place; NULL if the line ends without. */
static int rewrite_one(struct rev_walk *w, struct commit **p, struct err *err)
{
	struct commit *c = *p, *next;
	int rc;

	for (;;) {
		if (!w->limited) {
			rc = rev_process_parents(w, c, err);
			if (rc < 0)
				return rc;
		}
		if ((c->flags & REV_UNINTERESTING) || !(c->flags & REV_TREESAME))
			break;
		if (!c->nr_parents) {
			c = NULL;
			break;
		}
		next = one_relevant_parent(w, c);
		if (!next)
			break;
		c = next;
	}
	*p = c;
	return 0;
}

int rev_rewrite_parents(struct rev_walk *w, struct commit *c, struct err *err)
{
	struct commit **parents;
	uint32_t i, j, nr = 0;
	int rc = 0;

	if (!c->nr_parents)
		return 0;
	ALLOC_ARRAY(parents, c->nr_parents);
	for (i = 0; !rc && i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		rc = rewrite_one(w, &p, err);
		for (j = 0; p && j < nr; j++)
			if (parents[j] == p)
				p = NULL; /* two lines that meet again */
		if (p)
			parents[nr++] = p;
	}
	if (!rc)
		commit_set_parents(w->pool, c, parents, nr);
	free(parents);
	return rc;
}
