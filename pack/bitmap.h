/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reachability bitmaps: the .bitmap file of a pack or of a multi-pack-index. For some commits it
 * says, with a bit for each object, which objects can be reached from them.
 *
 * The file:
 *   "BITM", 2 bytes version (1), 2 bytes flags, 4 bytes number of commits with a bitmap, the
 *   checksum of the pack or of the multi-pack-index
 *   4 bitmaps (pack/ewah.h): which objects are commits, trees, blobs, tags
 *   for each such commit: 4 bytes position in the index; 1 byte: how many entries before is the one
 *   whose bitmap is to be XORed (0: none); 1 byte flags; the bitmap
 *   [0x20] pseudo-merges: bitmaps for sets of commits, see bitmap-merges.c
 *   [0x10] a table of the commits, sorted by position, 16 bytes each: position, 8 bytes offset in the
 *   file, the row with the other half of an XOR (0xffffffff: none)
 *   [0x4] for each object, by position in the index, the hash of its path (pack/name-hash.h)
 *   a checksum of all that
 *
 * Bit n means the n-th object of the pack, or of all packs of the multi-pack-index one after the
 * other (gitformat-pack(5), "MULTI-PACK-INDEX REVERSE INDEXES"). In a chain of multi-pack-indexes
 * each layer has a file of its own, and bits and positions go through all layers.
 *
 * Files are not trusted: a damaged file is reported through `warn` of the packs and not used. The
 * content of a bitmap is not compared with the history, since that would need a walk.
 */
#ifndef PACK_BITMAP_H
#define PACK_BITMAP_H

#include "compat/posix.h"
#include "object/object.h"
#include "pack/bitset.h"
#include "pack/pack.h"

struct bitmap_index;

/*
 * The bitmaps of these packs: of their multi-pack-index, or else of one pack. All of its packs are
 * open afterwards, so that they can be read even if they are removed. For one thread.
 * ERR_NOT_FOUND: none that can be used. `packs` must outlive it.
 */
MUST_USE int bitmap_index_open(struct bitmap_index **out, struct packs *packs, struct err *err);
void bitmap_index_free(struct bitmap_index *b);

/* The number of objects that have a bit. */
uint32_t bitmap_index_nr(const struct bitmap_index *b);
/* 1: *bit is that of the object; 0: it has none; ERR_CORRUPT. */
int bitmap_index_find(struct bitmap_index *b, const struct object_id *oid, uint32_t *bit,
		      struct err *err);
/* The object of a bit and where it is. ERR_CORRUPT. */
struct bitmap_object {
	struct object_id oid;
	struct pack *pack;
	uint64_t offset;
	uint32_t name_hash; /* 0: not known */
};
MUST_USE int bitmap_index_object(const struct bitmap_index *b, uint32_t bit,
				 struct bitmap_object *out, struct err *err);
/* Which objects are of that type. */
const struct bitset *bitmap_index_type(const struct bitmap_index *b, enum object_type type);
/* The pack, if it is one pack that has these bits and no other object. Or NULL. */
struct pack *bitmap_index_single_pack(const struct bitmap_index *b);

/* About the upper layer; nr_commits counts those of all layers. */
struct bitmap_summary {
	int version;
	uint32_t nr_commits;
	bool has_table, is_midx;
	struct object_id checksum; /* of the pack or multi-pack-index */
};
void bitmap_index_summary(const struct bitmap_index *b, struct bitmap_summary *out);

/* 1: what the commit reaches was added to `to`; 0: it has no bitmap; ERR_CORRUPT. */
int bitmap_index_or_commit(struct bitmap_index *b, const struct object_id *commit,
			   struct bitset *to, struct err *err);
/*
 * Add to `to` what the pseudo-merges reach whose commits are all in `commits` or `to`. Returns how
 * many these are, or ERR_CORRUPT.
 */
int bitmap_index_or_merges(struct bitmap_index *b, const struct bitset *commits,
			   struct bitset *to, struct err *err);
/* The commits that have a bitmap, by layer, in the order of the file. */
MUST_USE int bitmap_index_foreach_commit(struct bitmap_index *b,
					 int (*fn)(void *data, const struct object_id *commit),
					 void *data, struct err *err);

#endif
