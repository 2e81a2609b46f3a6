/* SPDX-License-Identifier: GPL-2.0-only */
/* The multi-pack-index that goes with a repack: --write-midx of git-repack(1). */
#ifndef MAINTAIN_REPACK_MIDX_H
#define MAINTAIN_REPACK_MIDX_H

#include "compat/posix.h"
#include "maintain/repack.h"
#include "pack/midx.h"

struct repack_midx {
	struct repository *r;
	struct repo_operation *op;
	const struct repack_options *o;
	const struct midx_layers *layers; /* that were there before, for REPACK_MIDX_INCREMENTAL */
	const struct strset *gone;	  /* packs that will be removed */
	const struct object_id *made;	  /* the first new pack; NULL: there is none */
};
/*
 * Write a multi-pack-index of all packs of the repository that stay. REPACK_MIDX_INCREMENTAL: a new layer for packs that are
 * in none. With `geometric` it takes the place of lower layers that have less than midx_split_factor times as
 * many objects; with `write_bitmap`, also of layers without a bitmap; and always of layers that name a
 * pack that goes.
 */
MUST_USE int repack_write_midx(const struct repack_midx *m, struct err *err);

/*
 * Is this pack ("pack-HASH.idx") left alone in REPACK_MIDX_INCREMENTAL, as a layer has it? With `geometric` not
 * those of the top layer, if it has midx_new_layer_threshold packs at least.
 */
bool repack_midx_keeps(const struct repack_options *o, const struct midx_layers *layers, const char *idx_name);

char *repack_idx_name(const struct pack *p); /* "pack-HASH.idx"; caller frees */

#endif
