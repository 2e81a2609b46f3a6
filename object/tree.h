/* SPDX-License-Identifier: GPL-2.0-only */
/* Tree objects: iterating, looking up paths, walking recursively, composing. */
#ifndef OBJECT_TREE_H
#define OBJECT_TREE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/strbuf.h"

/* The file modes of tree entries. */
#define MODE_TREE 0040000u
#define MODE_FILE 0100644u
#define MODE_EXEC 0100755u
#define MODE_SYMLINK 0120000u
#define MODE_GITLINK 0160000u
#define MODE_IS_TREE(m) (((m) & 0170000u) == MODE_TREE)
#define MODE_IS_GITLINK(m) (((m) & 0170000u) == MODE_GITLINK)
#define MODE_IS_SYMLINK(m) (((m) & 0170000u) == MODE_SYMLINK)
#define MODE_IS_FILE(m) (((m) & 0170000u) == 0100000u)
/* The tree entry mode for a mode of lstat(2): regular files become 0644 or 0755. */
unsigned canonical_mode(unsigned st_mode);
enum object_type mode_object_type(unsigned mode);

struct tree_entry {
	unsigned mode;	   /* canonical: 100644 for 100664 */
	unsigned raw_mode; /* as stored in the tree */
	const char *name;  /* points into the tree's bytes, NUL-terminated */
	size_t name_len;
	struct object_id oid;
};

struct tree_iter {
	const unsigned char *pos, *end;
	const struct hash_algo *algo;
};
void tree_iter_init(struct tree_iter *it, const void *buf, size_t size,
		    const struct hash_algo *algo);
/* 1: *out is the next entry; 0: end; < 0: ERR_CORRUPT. */
int tree_iter_next(struct tree_iter *it, struct tree_entry *out, struct err *err);
/* The same for a caller that reads many entries and uses few: the id stays in the tree's bytes. */
struct raw_tree_entry {
	unsigned raw_mode;
	const char *name;
	size_t name_len;
	const unsigned char *oid;
};
int tree_iter_next_raw(struct tree_iter *it, struct raw_tree_entry *out, struct err *err);
/* The order of entries in a tree: directories compare as if a '/' were appended. */
int tree_entry_cmp(const char *a, size_t alen, unsigned amode,
		   const char *b, size_t blen, unsigned bmode);
void tree_append(struct strbuf *out, unsigned mode, const char *name, size_t len,
		 const struct object_id *oid);
/* Look up the path "a/b/c" in a tree; "" is the tree itself. ERR_NOT_FOUND. */
MUST_USE int tree_lookup_path(const struct object_source *src, const struct object_id *tree,
			      const char *path, unsigned *mode, struct object_id *oid,
			      struct err *err);

/*
 * Walk a tree recursively, in its order. fn is called for each entry with the path from the
 * top (`prefix`, which is "" or "dir/", comes first). For a directory it returns
 * TREE_WALK_DESCEND or TREE_WALK_SKIP; a negative value stops the walk and is returned.
 */
#define TREE_WALK_SKIP 0
#define TREE_WALK_DESCEND 1
typedef int (*tree_walk_fn)(void *data, const char *path, size_t path_len,
			    const struct tree_entry *e, struct err *err);
MUST_USE int tree_walk(const struct object_source *src, const struct object_id *tree,
		       const char *prefix, tree_walk_fn fn, void *data, struct err *err);

#endif
