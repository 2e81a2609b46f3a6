/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PACK_BITMAP_WRITE_INTERNAL_H
#define PACK_BITMAP_WRITE_INTERNAL_H

#include "compat/posix.h"
#include "csum-file.h"
#include "pack/bitmap-internal.h"
#include "pack/bitmap-write.h"

struct bitmap_target {
	const struct hash_algo *algo;
	uint32_t first, nr; /* nr: of this layer */
	struct name_table names;
	unsigned char *fanout;	/* if we made it */
	uint32_t *position;	/* by bit, both counted from 0 in this layer */
	uint32_t *bit_of;	/* by position */
	struct object_id checksum;
	char *path;		/* of the .bitmap */
	char *dir;		/* where the temporary file is made */
	const char *tmp_prefix;	/* and what it is called */
	enum publish_class order;
	struct bit_order lower; /* of a chain; midx NULL: there are none */
	struct bitmap_index *lower_bitmaps;
};
/* One whose order, if it is a chain, goes down to m->base, whose packs are attached. `bitmaps` are
 * those of m->base, and belong to the target. NULL: the layer has no order, or a wrong one. */
struct bitmap_target *bitmap_target_of_midx(const struct midx *m, struct bitmap_index *bitmaps);

/* ---- bitmap-write-merges.c: pseudo-merges, see bitmap-merges.c ---- */
struct merge_pair {
	struct strbuf commits, reach; /* compressed */
	uint64_t offset;	      /* in the file */
};
struct merge_pairs {
	struct merge_pair *v;
	size_t nr, alloc;
	struct merge_member *members;
	size_t nr_members, alloc_members;
};
void merge_pairs_add(struct merge_pairs *m, const struct bitset *commits, const struct bitset *reach);
/* The section, which begins at `at`. */
MUST_USE int merge_pairs_write(struct merge_pairs *m, struct csum_file *f, uint64_t at, struct err *err);
void merge_pairs_release(struct merge_pairs *m);

#endif
