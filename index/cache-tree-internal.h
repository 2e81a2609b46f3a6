/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes of a cache tree, for the files that work on them. */
#ifndef INDEX_CACHE_TREE_INTERNAL_H
#define INDEX_CACHE_TREE_INTERNAL_H

#include "compat/posix.h"
#include "index/cache-tree.h"

/* Directories nest no deeper than this: names are shorter than PATH_MAX. */
#define CACHE_TREE_MAX_DEPTH 4096

struct cache_tree {
	ssize_t entry_count; /* entries of the index below it; -1: not valid */
	struct object_id oid;
	struct cache_tree **sub; /* shorter names first, equal lengths by bytes */
	size_t nr, alloc;
	bool used; /* scratch of an update */
	size_t name_len;
	char name[]; /* one component; "" for the root */
};

struct cache_tree *cache_tree_new(const char *name, size_t len);
/* The node of a direct subdirectory; a new one is not valid. */
struct cache_tree *cache_tree_make_child(struct cache_tree *ct, const char *name, size_t len);
void cache_tree_drop_unused(struct cache_tree *ct);

#endif
