/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the entries of a tree that another tree does not have. Compared with the tree at the same path
 * one commit before, most entries are equal: stretches of equal bytes are skipped at the speed of memory.
 */
#ifndef OBJECT_TREE_NEW_H
#define OBJECT_TREE_NEW_H

#include "compat/posix.h"
#include "object/tree.h"

struct tree_new_iter {
	struct tree_iter it;
	/* The other tree, from the first entry on that has no counterpart before it.pos. */
	struct tree_iter old;
	const unsigned char *same_end; /* from it.pos to here both have the same bytes */
};
/*
 * The caller owns both buffers, which must live as long as the iterator. `old` must be a tree that was
 * iterated to its end without an error. NULL: there is no old tree, and all entries are new.
 */
void tree_new_iter_init(struct tree_new_iter *n, const void *buf, size_t size, const void *old,
			size_t old_size, const struct hash_algo *algo);
/*
 * 1: *out is the next entry that `old` does not have with the same mode, name and object; 0: end; < 0:
 * ERR_CORRUPT. If a tree is not sorted, the result may include entries that `old` has.
 */
int tree_new_iter_next(struct tree_new_iter *n, struct raw_tree_entry *out, struct err *err);

#endif
