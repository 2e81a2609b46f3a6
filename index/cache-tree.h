/* SPDX-License-Identifier: GPL-2.0-only */
/* Cached tree ids of the index (the TREE extension), and making trees from it. */
#ifndef INDEX_CACHE_TREE_H
#define INDEX_CACHE_TREE_H

#include "compat/posix.h"
#include "index/index.h"
#include "util/strbuf.h"

void cache_tree_free(struct cache_tree **ct);
void cache_tree_invalidate(struct index_state *ix, const char *path);
MUST_USE int cache_tree_read(struct cache_tree **out, const void *ext, size_t len,
			     const struct hash_algo *algo, struct err *err);
void cache_tree_write(struct strbuf *out, const struct cache_tree *ct);
#define WRITE_TREE_MISSING_OK 1u
#define WRITE_TREE_DRY_RUN 2u /* compute ids, write nothing */
/*
 * Bring the cache up to date; new trees are written by odb_write (needs an open batch
 * unless dry run). Intent-to-add entries are left out.
 * ERR_CONFLICT: unmerged paths; ERR_NOT_FOUND: "invalid object … for 'path'".
 */
MUST_USE int cache_tree_update(struct index_state *ix, struct repository *r, unsigned flags,
			       struct object_id *root, struct err *err);
/* The valid tree id of directory "a/b" ("": root) and its number of entries; else false. */
bool cache_tree_lookup(const struct index_state *ix, const char *dir, size_t len,
		       struct object_id *oid, size_t *entry_count);
/*
 * Every valid node, parents first, with its path ("" for the root, else "a/b/").
 * A non-zero return of fn stops and is returned.
 */
int cache_tree_foreach(const struct cache_tree *ct,
		       int (*fn)(void *data, const char *path, const struct object_id *oid),
		       void *data);
/* After cache_tree_update: the tree of a directory, even with intent-to-add entries in it. */
bool cache_tree_written(const struct index_state *ix, const char *dir, size_t len,
			struct object_id *oid);
/* Fill the cache after `tree` has been read into an empty index. */
MUST_USE int cache_tree_prime(struct index_state *ix, struct repository *r,
			      const struct object_id *tree, struct err *err);

#endif
