/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WORKTREE_MERGE_RESULT_INTERNAL_H
#define WORKTREE_MERGE_RESULT_INTERNAL_H

#include "compat/posix.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

/* Files that an interrupted command has changed from one tree to another one, or not yet, or in part. */
struct interrupted_update {
	struct repository *r;
	const struct index_state *from, *to; /* all files of the trees */
	struct converter *conv;		     /* for checkout */
};

/*
 * Is each of these files as one of the trees has it, incomplete, or missing? Incomplete: a beginning of the content, or
 * zeros in the place of blocks that a power cut has lost. ERR_CONFLICT: another program has changed one since; the
 * message names it.
 * Cost: reads all of them, and their blobs.
 */
MUST_USE int interrupted_update_check(const struct interrupted_update *u, const struct string_list *paths, struct err *err);

#endif
