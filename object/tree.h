/* SPDX-License-Identifier: GPL-2.0-only */
/* Tree objects: iterate, sort, compose. */
#ifndef OBJECT_TREE_H
#define OBJECT_TREE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/strbuf.h"

/* File modes as trees have them. */
#define MODE_TREE 0040000u
#define MODE_FILE 0100644u
#define MODE_EXEC 0100755u
#define MODE_SYMLINK 0120000u
#define MODE_GITLINK 0160000u
#define MODE_IS_TREE(m) (((m) & 0170000u) == MODE_TREE)
#define MODE_IS_GITLINK(m) (((m) & 0170000u) == MODE_GITLINK)
#define MODE_IS_SYMLINK(m) (((m) & 0170000u) == MODE_SYMLINK)
#define MODE_IS_FILE(m) (((m) & 0170000u) == 0100000u)
/* What a lstat mode becomes in the index: files 0644/0755, links, gitlinks. */
unsigned canonical_mode(unsigned st_mode);
enum object_type mode_object_type(unsigned mode);

struct tree_entry {
	unsigned mode;	   /* canonical: 100664 is given as 100644 */
	unsigned raw_mode; /* as the tree has it */
	const char *name; /* into the tree's bytes, NUL-terminated */
	size_t name_len;
	struct object_id oid;
};

struct tree_iter {
	const unsigned char *pos, *end;
	const struct hash_algo *algo;
};
void tree_iter_init(struct tree_iter *it, const void *buf, size_t size,
		    const struct hash_algo *algo);
/* 1: entry in *out; 0: end; < 0: ERR_CORRUPT. */
int tree_iter_next(struct tree_iter *it, struct tree_entry *out, struct err *err);
/* Order of entries in a tree: directories compare with a '/' appended. */
int tree_entry_cmp(const char *a, size_t alen, unsigned amode,
		   const char *b, size_t blen, unsigned bmode);
void tree_append(struct strbuf *out, unsigned mode, const char *name, size_t len,
		 const struct object_id *oid);
/* Find the entry at "a/b/c" below a tree. ERR_NOT_FOUND. "" is the tree itself. */
MUST_USE int tree_lookup_path(const struct object_source *src, const struct object_id *tree,
			      const char *path, unsigned *mode, struct object_id *oid,
			      struct err *err);

/*
 * Walk a tree in index order. fn is called for each entry with the whole path;
 * for a directory, return TREE_WALK_DESCEND to go in, TREE_WALK_SKIP
 * not to; any negative value stops and is returned. `prefix` is "" or "dir/".
 */
#define TREE_WALK_SKIP 0
#define TREE_WALK_DESCEND 1
typedef int (*tree_walk_fn)(void *data, const char *path, size_t path_len,
			    const struct tree_entry *e, struct err *err);
MUST_USE int tree_walk(const struct object_source *src, const struct object_id *tree,
		       const char *prefix, tree_walk_fn fn, void *data, struct err *err);

#endif
