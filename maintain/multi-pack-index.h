/* SPDX-License-Identifier: GPL-2.0-only */
/* A new multi-pack-index with its bitmaps. git-multi-pack-index(1). */
#ifndef MAINTAIN_MULTI_PACK_INDEX_H
#define MAINTAIN_MULTI_PACK_INDEX_H

#include "compat/posix.h"
#include "history/bitmap/bitmap-build.h"
#include "packing/new-pack.h"
#include "pack/midx.h"
#include "repo/repo.h"

/*
 * Write one for the packs of a store (odb/upkeep.h) and stage it. bitmap: how its .bitmap is made; NULL: none. Nothing is
 * staged if the present one is the same; else *written (may be NULL) is its checksum.
 * Errors: those of odb_store_begin_midx_update and bitmap_build.
 */
MUST_USE int multi_pack_index_write(struct repository *r, size_t store,
				    const struct midx_write_options *o,
				    const struct bitmap_build_options *bitmap,
				    struct fsync_batch *b, struct object_id *written, struct err *err);

/*
 * One pack for several small ones (pack/midx.h), and an index that takes the objects from it, in one
 * operation. The small ones stay until the next multi_pack_index_write with drop_unused.
 * Publishes the new pack, not sealed, before it writes the index.
 * *nr: how many objects were combined; may be NULL.
 * Errors: those of odb_store_foreach_midx_batch, pack_objects_write_files and multi_pack_index_write.
 */
struct midx_repack_options {
	uint64_t batch_bytes; /* 0: all packs */
	new_pack_progress_fn progress; /* may be NULL */
	void *data;
};
MUST_USE int multi_pack_index_repack(struct repo_operation *op, struct repository *r, size_t store,
				     const struct midx_repack_options *o, uint32_t *nr, struct err *err);

#endif
