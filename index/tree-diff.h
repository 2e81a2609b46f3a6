/* SPDX-License-Identifier: GPL-2.0-only */
/* What is staged: a tree compared with the index. */
#ifndef INDEX_TREE_DIFF_H
#define INDEX_TREE_DIFF_H

#include "compat/posix.h"
#include "index/index.h"

/*
 * One path that differs. old_mode 0: not in the tree. e NULL: not in the index;
 * e->stage > 0: unmerged, e is the first of its entries. Intent-to-add entries count
 * as not in the index. A negative return stops and is returned.
 */
typedef int (*tree_index_diff_fn)(void *data, const char *path, unsigned old_mode,
				  const struct object_id *old_oid,
				  const struct index_entry *e, struct err *err);

/*
 * In index order. tree NULL: nothing (before the first commit).
 * Cost: directories whose cached tree id is that of the tree are not opened.
 */
MUST_USE int index_diff_tree(const struct index_state *ix, const struct object_source *src,
			     const struct object_id *tree, tree_index_diff_fn fn, void *data,
			     struct err *err);

#endif
