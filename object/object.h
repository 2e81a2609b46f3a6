/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects in general: types, the header that is hashed ("blob 12\0"), content in memory, and
 * the interface through which objects are read below the object database.
 */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"

/* The values up to 7 are those of pack files (gitformat-pack(5)). */
enum object_type {
	OBJ_BAD = -1,
	OBJ_NONE = 0,
	OBJ_COMMIT = 1,
	OBJ_TREE = 2,
	OBJ_BLOB = 3,
	OBJ_TAG = 4,
	OBJ_OFS_DELTA = 6,
	OBJ_REF_DELTA = 7,
	OBJ_ANY = 8,
};

const char *object_type_name(enum object_type type); /* "blob"; NULL if none */
enum object_type object_type_from_name(const char *s, size_t len); /* OBJ_BAD */

/* An object's content in memory, followed by a NUL that `size` does not count. */
struct object_buf {
	enum object_type type;
	void *data; /* owned */
	size_t size;
};
#define OBJECT_BUF_INIT { OBJ_NONE, NULL, 0 }
void object_buf_release(struct object_buf *buf);

/* Facts about an object that need no read of its content. */
struct object_info {
	enum object_type type;
	uint64_t size;
	/* for cat-file --batch-check: OBJECT_INFO_LOCATION */
	uint64_t disk_size;
	struct object_id delta_base; /* the null oid if it is not a delta */
};

/* Fields that the caller wants. */
#define OBJECT_INFO_TYPE 1u /* and the size */
#define OBJECT_INFO_LOCATION 2u /* these and the rest */

/* Writes "TYPE SIZE\0"; returns the length including the NUL. */
#define OBJECT_HEADER_MAX 32
int object_header_format(char out[OBJECT_HEADER_MAX], enum object_type type, uint64_t size);
/* Parse such a header at the start of buf[0..len). Returns its length, or < 0. */
int object_header_parse(const void *buf, size_t len, enum object_type *type,
			uint64_t *size, struct err *err);

/*
 * A source of objects. Code below the object database (pack/ for bases of thin packs, refs/
 * for peeling) reads objects through it. Thread-safe where the implementation is (that of
 * odb.h is).
 */
struct object_source {
	/* ERR_NOT_FOUND, ERR_CORRUPT, ...; info gives type and size only */
	int (*read)(void *data, const struct object_id *oid,
		    struct object_buf *out, struct err *err);
	int (*info)(void *data, const struct object_id *oid,
		    struct object_info *out, struct err *err);
	bool (*has)(void *data, const struct object_id *oid);
	void *data;
	const struct hash_algo *algo;
	int max_tree_depth; /* 0: the default; see object_max_tree_depth */
	struct peel_memo *peeled; /* remembers the ends of long chains of tags; NULL: not remembered. Owned by the maker */
};
/* ERR_CORRUPT if an object is not of the type `want` that another object or file names for it. OBJ_ANY: any type. */
MUST_USE int object_type_expect(const struct object_id *oid, enum object_type type, enum object_type want,
				struct err *err);
struct peel_memo *peel_memo_new(void);
void peel_memo_free(struct peel_memo *m); /* NULL is fine */

/*
 * The deepest nesting of directories, below the top (core.maxTreeDepth). Walks are recursive, so
 * more than TREE_DEPTH_LIMIT levels are always an error.
 */
#define TREE_DEPTH_DEFAULT 2048
#define TREE_DEPTH_LIMIT 4096
unsigned object_max_tree_depth(const struct object_source *src);

/* The object that a tag names, and the type that the tag gives for it. Not a tag: ERR_CORRUPT. */
MUST_USE int object_tag_target(const struct object_source *src, const struct object_id *tag,
			       struct object_id *target, enum object_type *type, struct err *err);
/*
 * Follow tags to an object of type `want`; OBJ_ANY: to the first object that is no tag. If `want` is
 * a tree, a commit peels to its tree. ERR_INVALID: no such object is reached. ERR_CORRUPT: the object
 * of a tag has another type than the tag names.
 * Cost: with src->peeled, each chain of tags is read only once.
 */
MUST_USE int object_peel(const struct object_source *src, const struct object_id *oid,
			 enum object_type want, struct object_id *out,
			 enum object_type *out_type, struct err *err);
/*
 * Follow tags to the first object that the last tag does not call a tag. That object is not read: it can be missing, or have
 * another type than the tag names.
 */
MUST_USE int object_peel_as_named(const struct object_source *src, const struct object_id *oid, struct object_id *out,
				  struct err *err);

#endif
