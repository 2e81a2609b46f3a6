/* SPDX-License-Identifier: GPL-2.0-only */
/* The strategy subtree of git-merge(1): a tree that is a directory of the other one is moved there before both are merged. */
#ifndef MERGE_SUBTREE_H
#define MERGE_SUBTREE_H

#include "compat/posix.h"
#include "odb/odb.h"

/*
 * Gives `tree` the shape of `ours`. If it stands for the directory `path` of ours, *out is ours with that directory
 * replaced by it; if ours stands for the directory `path` of it, *out is that directory; else *out is `tree`.
 * path "": the directory is guessed, at most two levels deep, by the names and objects that both trees have.
 *
 * Durability: new trees are in the open batch of the odb.
 * Errors:     those of reading and writing trees.
 */
MUST_USE int merge_shift_tree(struct odb *odb, const struct object_id *ours, const struct object_id *tree, const char *path,
			      struct object_id *out, struct err *err);

#endif
