/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a .bitmap file (pack/bitmap.h): first the objects that it covers, then its bitmaps. The
 * caller computes the bitmaps (history/bitmap/bitmap-build.h).
 */
#ifndef PACK_BITMAP_WRITE_H
#define PACK_BITMAP_WRITE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "pack/bitset.h"
#include "pack/pack.h"

/* ---- the objects that it covers ---- */
/* The objects of a pack, or of a multi-pack-index (midx_update_target), and their bits. */
struct bitmap_target;
/*
 * Target for a pack that is being written as BASE_NAME-HASH.pack. `v` are the entries of its index,
 * sorted by name, which must live as long as the target; pack_sum is its checksum. Until it is
 * published, the file is in tmp_dir.
 */
struct idx_entry;
struct bitmap_target *bitmap_target_entries(const struct idx_entry *v, uint32_t nr,
					    const struct object_id *pack_sum, const char *base_name,
					    const char *tmp_dir);
void bitmap_target_free(struct bitmap_target *t);

/* The number of bits. Bits below `first` belong to lower layers of a chain. */
uint32_t bitmap_target_nr(const struct bitmap_target *t);
uint32_t bitmap_target_first(const struct bitmap_target *t);
/* Returns 1 with the object's bit in *bit, 0 if it has none, or ERR_CORRUPT. */
int bitmap_target_find(struct bitmap_target *t, const struct object_id *oid, uint32_t *bit,
		       struct err *err);
/* The object of a bit, from `first` on. */
void bitmap_target_object(const struct bitmap_target *t, uint32_t bit, struct object_id *oid);
/* As bitmap_index_or_commit, for the commits of lower layers. */
int bitmap_target_or_lower(struct bitmap_target *t, const struct object_id *commit,
			   struct bitset *to, struct err *err);

/* ---- the file ---- */
struct bitmap_writer;
struct bitmap_writer *bitmap_writer_new(struct bitmap_target *t); /* t must outlive it */
void bitmap_writer_free(struct bitmap_writer *w);
/*
 * The bitmap of a commit that has a bit from `first` on. Neighbours should be alike; the last one
 * added comes first in the file and is the fastest to read. for_file: false: only for _or.
 */
void bitmap_writer_add(struct bitmap_writer *w, const struct object_id *commit,
		       const struct bitset *reach, bool for_file);
/* Adds the bitmap of a commit that was added before to `to`; false: there is none. */
bool bitmap_writer_or(const struct bitmap_writer *w, const struct object_id *commit, struct bitset *to);

/* A pseudo-merge: commits from `first` on, and what they reach together. gitpacking(7) */
void bitmap_writer_add_merge(struct bitmap_writer *w, const struct bitset *commits,
			     const struct bitset *reach);

struct bitmap_write_options {
	const struct bitset *types;  /* 4, from OBJ_COMMIT on */
	const uint32_t *name_hashes; /* by bit; NULL: no cache of hashes */
	bool lookup_table;	     /* pack.writeBitmapLookupTable */
	int shared_perm;
};
/*
 * Write it and stage it in the batch, to be published before what makes its pack or
 * multi-pack-index visible, if that is staged afterwards in the same batch. The writer is done then.
 */
MUST_USE int bitmap_writer_stage(struct bitmap_writer *w, const struct bitmap_write_options *o,
				 struct fsync_batch *b, struct err *err);

#endif
