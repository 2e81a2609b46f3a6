/* SPDX-License-Identifier: GPL-2.0-only */
/* Parents that are not shown are replaced by their nearest shown ancestors. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

/* *p becomes the nearest ancestor that is shown, NULL if there is none. */
static int rewrite_one(struct rev_walk *w, struct commit **p, struct err *err)
{
	struct commit *c = *p, *next;
	size_t steps = 0;
	int rc;

	while (steps++ <= commit_pool_nr(w->pool)) { /* replaced commits can form a circle */
		rc = 0;
		if (w->state->topo)
			rc = rev_topo_explore(w, c->generation, err);
		else if (!w->limited)
			rc = rev_process_parents(w, c, err);
		if (rc < 0)
			return rc;
		if ((c->flags & REV_UNINTERESTING) || !(c->flags & REV_TREESAME))
			break;
		if (!c->nr_parents) {
			c = NULL;
			break;
		}
		next = rev_one_relevant_parent(w, c);
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
