/* SPDX-License-Identifier: GPL-2.0-only */
/* Renames of both sides, for the merging of local changes. */
#ifndef WORKTREE_LOCAL_MERGE_INTERNAL_H
#define WORKTREE_LOCAL_MERGE_INTERNAL_H

#include "util/map.h"
#include "worktree/local-merge.h"

struct side_renames {
	struct strmap to;   /* by old path: the new one */
	struct strmap from; /* by new path: the old one */
};
#define SIDE_RENAMES_INIT { STRMAP_INIT, STRMAP_INIT }

bool local_merge_same(const struct index_entry *a, const struct index_entry *b);
/*
 * Find the renames that matter: of files that the new commit has renamed and that are changed here; and
 * of files that are renamed here and that the new commit has changed, or renamed alike.
 */
MUST_USE int local_merge_find_renames(const struct local_merge *m, struct repository *r,
				      struct side_renames *ours, struct side_renames *theirs,
				      struct err *err);
void side_renames_release(struct side_renames *s);

#endif
