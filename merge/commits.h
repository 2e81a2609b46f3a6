/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three-way merge of two commits. Several best common ancestors are merged first, into a virtual base, whose own ancestors
 * may have to be merged as well.
 */
#ifndef MERGE_COMMITS_H
#define MERGE_COMMITS_H

#include "compat/posix.h"
#include "history/history.h"
#include "merge/trees.h"

/*
 * m: odb, the labels of both sides, rules and renames are set; the rest is set here, as git-merge(1) does. `bases` are those of
 * merge_bases, in its order; none: the empty tree.
 * Errors: those of merge_trees and merge_bases.
 */
MUST_USE int merge_commits(struct merge_trees *m, struct commit_pool *pool, struct commit *ours, struct commit *theirs,
			   const struct commit_list *bases, struct merge_result *result, struct err *err);

#endif
