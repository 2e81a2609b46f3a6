/* SPDX-License-Identifier: GPL-2.0-only */
/* What walking with bitmaps and making them share: bits of objects, and objects of trees. */
#ifndef HISTORY_BITMAP_INTERNAL_H
#define HISTORY_BITMAP_INTERNAL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "odb.h"
#include "pack/bitset.h"
#include "util/err.h"

/* An object that has no bit in the packs and got one behind theirs. */
struct bit_extra {
	struct object_id oid;
	enum object_type type;
	uint32_t name_hash;
};

/* Which bit each object has. */
struct bit_space {
	struct odb *odb;
	const struct hash_algo *algo;
	/* 1: *bit is that of the object; 0: it has none; < 0. */
	int (*find)(void *data, const struct object_id *oid, uint32_t *bit, struct err *err);
	void *data;
	size_t nr_fixed; /* bits below it are found so */
	bool closed;	 /* an object without a bit is ERR_NOT_FOUND, else it gets the next one */
	/* By fixed bit: filled in for what is come across, as bitmaps have it; NULL: not wanted. */
	uint32_t *name_hashes;
	struct bitset *types; /* 4 of them, from OBJ_COMMIT on */

	struct oidmap by_oid; /* to the number of the extra object, plus 1 */
	struct bit_extra *extra;
	size_t nr_extra, alloc_extra;
};
/* The bit of an object; path NULL: it has none. */
MUST_USE int bit_space_get(struct bit_space *s, const struct object_id *oid, enum object_type type,
			   const char *path, size_t *bit, struct err *err);
void bit_space_release(struct bit_space *s);

/*
 * Add a tree and all that it leads to, to `to`, but for what is there already or in `done` (may be
 * NULL), with all that it leads to.
 */
MUST_USE int bitmap_add_tree(struct bit_space *s, const struct object_id *tree, struct bitset *to,
			     const struct bitset *done, struct err *err);

#endif
