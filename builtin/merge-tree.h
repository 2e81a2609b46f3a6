/* SPDX-License-Identifier: GPL-2.0-only */
/* The deprecated mode of git-merge-tree(1). */
#ifndef BUILTIN_MERGE_TREE_H
#define BUILTIN_MERGE_TREE_H

#include "builtin/builtin.h"

/*
 * Print what a merge would do with each path that theirs has changed. names: base, ours, theirs.
 *
 * Errors: ERR_NOT_FOUND (a name), those of reading trees and blobs.
 */
MUST_USE int merge_tree_trivial(struct repository *r, const char **names, struct err *err);

#endif
