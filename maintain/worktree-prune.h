/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes the administrative files of worktrees that no longer exist. "prune" of git-worktree(1).
 */
#ifndef MAINTAIN_WORKTREE_PRUNE_H
#define MAINTAIN_WORKTREE_PRUNE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "util/date.h"
#include "util/string-list.h"

/*
 * Append the ids of the worktrees that can go (util: why, a constant text): their file "gitdir" is missing or empty, or it names
 * a missing place and the index has not changed after `expire_before`; or they are second entries
 * for one place. Locked worktrees, and the one that we are in, stay.
 */
MUST_USE int worktrees_find_prunable(struct string_list *ids, struct repository *r,
				     timestamp_t expire_before, struct err *err);
/* Why this one can go; NULL: it stays. */
const char *worktree_prune_reason(struct repository *r, const char *id, timestamp_t expire_before);
/* Remove one, whatever is in it, at publication. */
MUST_USE int worktree_prune_one(struct repo_operation *op, struct repository *r, const char *id, struct err *err);
/*
 * Remove these, at publication, after refs have changed. A directory that cannot be removed is reported
 * through the repository's warn, and left. Also removes owner files that killed processes have left in work trees.
 */
MUST_USE int worktree_prune_run(struct repo_operation *op, struct repository *r,
				timestamp_t expire_before, struct err *err);

#endif
