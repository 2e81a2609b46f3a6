/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the multi-pack-index of a directory of packs. git-multi-pack-index(1), gitformat-pack(5).
 *
 *   rc = midx_update_begin(&u, packs, &options, err)   takes the lock, writes the new file
 *   target = midx_update_target(u)                     for its bitmaps, if they are wanted
 *   rc = midx_update_stage(u, batch, err)
 *   midx_update_free(u)
 *
 * Everything is published with the batch: first a .bitmap that was staged before, then the index,
 * then what it replaces is removed.
 */
#ifndef PACK_MIDX_H
#define PACK_MIDX_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "pack/bitmap-write.h"
#include "pack/pack.h"
#include "util/map.h"

struct midx_write_options {
	/* Of an object that several packs have, the copy of this one counts, and its objects come
	 * first in bitmaps; "pack-HASH" with or without extension; NULL: none, but with bitmaps the
	 * oldest pack. For others the youngest pack counts. */
	const char *preferred;
	const struct strset *only;   /* names of .idx files; NULL: all packs */
	const struct strset *except; /* not these; may be NULL */
	bool bitmap;		   /* with the order of bits, for a .bitmap */
	bool incremental;	   /* a new layer for the packs that are in none yet; with `only`, in none that
				    * stays */
	/* The checksum of the layer that the new one rests on, or "none"; those above it go. NULL: all
	 * stay. */
	const char *base;
	/* The new layer gets its file, but the chain stays as it is: the caller makes another one. */
	bool no_chain;
	/* Checksums of layers that become one, with all between; those above them stay. Needs version 2. Without
	 * `incremental` a single index of their packs is made. Both NULL: no. */
	const char *from, *to;
	/* Leave out the packs none of whose objects the present index refers to, but for kept
	 * packs, those of cruft and from promisor remotes, and remove them once the new index is there. The packs that stay are adopted
	 * (fsync-batch.h), as they alone have those objects then. */
	bool drop_unused;
	unsigned version; /* of the format: 0 (which means 1), 1, or 2, which older Git cannot read */
	int shared_perm;
};

struct midx_update;
/*
 * ERR_NOT_FOUND: there are no packs for it. ERR_LOCKED. ERR_INVALID: the preferred pack is empty.
 * ERR_UNSUPPORTED: packs of a chain cannot be dropped. ERR_NOT_FOUND: there is no such base. ERR_INVALID:
 * no such layers, or not in this order. ERR_CORRUPT: what is to be combined is damaged.
 * An unknown preferred pack is told through `warn` of the packs.
 */
MUST_USE int midx_update_begin(struct midx_update **out, struct packs *packs,
			       const struct midx_write_options *o, struct err *err);
/* What is there is the same already; only a .bitmap may be missing. */
bool midx_update_is_current(const struct midx_update *u);
/* The checksum of what was written; NULL: nothing was. */
const struct object_id *midx_update_new(const struct midx_update *u);
bool midx_update_has_bitmap(const struct midx_update *u);
/* ERR_NOT_FOUND: layers below have no bitmaps. The caller frees it before the update. */
MUST_USE int midx_update_target(struct bitmap_target **out, struct midx_update *u, struct err *err);
MUST_USE int midx_update_stage(struct midx_update *u, struct fsync_batch *b, struct err *err);
void midx_update_free(struct midx_update *u); /* gives up what was not staged; NULL is fine */

/* ---- the layers of a chain, the lowest first; a single index counts as one ---- */
struct midx_layer {
	struct object_id sum;
	uint32_t nr_objects;
	bool has_bitmap;
	struct strset packs; /* "pack-HASH.idx" */
};
struct midx_layers {
	struct midx_layer *v;
	size_t nr;
};
/* None if there is no index, or it is damaged and will be replaced. */
void midx_layers_read(struct midx_layers *out, struct packs *packs);
void midx_layers_release(struct midx_layers *l);

/* Does the index, or a layer of the chain, name one of these packs ("pack-HASH.idx")? */
bool midx_names_any(struct packs *packs, const struct strset *names);
/* Stage its removal, with its layers and bitmaps, before any pack goes. */
MUST_USE int midx_stage_clearing(struct packs *packs, struct fsync_batch *b, struct err *err);

/* ---- small packs that one larger pack can stand for: git-multi-pack-index(1), repack ---- */
struct midx_batch_options {
	/* Packs that are expected to need less than this, from the oldest on, until they need as much
	 * together; 0: all packs. */
	uint64_t bytes;
	bool kept; /* also those with a .keep */
};
typedef int (*midx_batch_fn)(void *data, const struct object_id *oid, struct pack *pack,
			     uint64_t offset, struct err *err);
/*
 * The objects that the index takes from these packs: the youngest pack first, each in its order. None if
 * there is no index, or only one such pack. Packs of cruft and from promisor remotes are left alone.
 * fn < 0 stops and is returned.
 * ERR_UNSUPPORTED: a chain.
 */
MUST_USE int midx_batch_foreach(struct packs *packs, const struct midx_batch_options *o,
				midx_batch_fn fn, void *data, struct err *err);

#endif
