/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1) and git-pull(1) begin only where index and files are those of HEAD. */
#ifndef CLI_CLEAN_WORKTREE_H
#define CLI_CLEAN_WORKTREE_H

#include "compat/posix.h"
#include "repo/repo.h"

struct index_state;

/* 1: there are local changes, and Git's words about them have been printed: "cannot <action>: You have unstaged changes." */
MUST_USE int tell_if_unclean(struct repository *r, const struct object_id *head, const char *action, struct err *err);
/* The same, and what to do about it. */
MUST_USE int require_clean_worktree(struct repository *r, const struct object_id *head, const char *action, struct err *err);

/* Do files differ from the index? Submodules do not count. The index is refreshed in memory. */
MUST_USE int has_unstaged_changes(struct repository *r, struct index_state *ix, bool *out, struct err *err);

/* On standard output, flushed: "<path>: needs merge" for each path with conflicts, once. True: there is one. */
bool print_unmerged(const struct index_state *ix);

#endif
