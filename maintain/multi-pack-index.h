/* SPDX-License-Identifier: GPL-2.0-only */
/* A new multi-pack-index with its bitmaps. git-multi-pack-index(1). */
#ifndef MAINTAIN_MULTI_PACK_INDEX_H
#define MAINTAIN_MULTI_PACK_INDEX_H

#include "compat/posix.h"
#include "history/bitmap-build.h"
#include "pack/midx.h"
#include "repo/repo.h"

/*
 * Write one for these packs and stage it. bitmap: how its .bitmap is made; NULL: none. Nothing is
 * staged if what is there is the same.
 * Errors: those of midx_update_begin and bitmap_build.
 */
MUST_USE int multi_pack_index_write(struct repository *r, struct packs *packs,
				    const struct midx_write_options *o,
				    const struct bitmap_build_options *bitmap,
				    struct fsync_batch *b, struct err *err);

#endif
