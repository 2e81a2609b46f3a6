/* SPDX-License-Identifier: GPL-2.0-only */
/* The commit in the middle of a range: --bisect of git-rev-list(1). */
#ifndef HISTORY_REVISION_BISECT_H
#define HISTORY_REVISION_BISECT_H

#include "compat/posix.h"
#include "history/revision/revision.h"

struct bisection {
	struct commit_list best; /* the best one, or all, the best first; if none counts, one of the range */
	size_t *distances;	 /* of these, from the nearer end; owned */
	size_t reaches;		 /* commits that the best one leads to, itself included */
	size_t all;		 /* in the range */
	size_t shown;		 /* for who goes through them: the next one */
};
/*
 * After rev_walk_begin of a limited walk. Commits that change nothing within the paths do not
 * count. all: rank every commit. Cost: for each merge, the range below it.
 */
void bisection_find(struct rev_walk *w, bool all, struct bisection *out);
void bisection_release(struct bisection *b);
/* Steps that a bisection of so many commits takes. */
unsigned bisection_steps(size_t all);

#endif
