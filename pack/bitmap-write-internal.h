/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PACK_BITMAP_WRITE_INTERNAL_H
#define PACK_BITMAP_WRITE_INTERNAL_H

#include "compat/posix.h"
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
	enum publish_class order;
	struct bit_order lower; /* of a chain; midx NULL: there are none */
	struct bitmap_index *lower_bitmaps;
};
/* One whose order, if it is a chain, goes down to m->base, whose packs are attached. `bitmaps` are
 * those of m->base, and belong to the target. NULL: the layer has no order, or a wrong one. */
struct bitmap_target *bitmap_target_of_midx(const struct midx *m, struct bitmap_index *bitmaps);

#endif
