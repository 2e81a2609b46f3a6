/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the multi-pack-index of a directory of packs. git-multi-pack-index(1), gitformat-pack(5).
 *
 *   rc = midx_update_begin(&u, packs, &options, err)   takes the lock, writes the new file
 *   target = midx_update_target(u)                     to write its bitmaps, if any
 *   rc = midx_update_stage(u, batch, err)
 *   midx_update_free(u)
 *
 * The batch publishes a .bitmap that was staged before, then the index, and then removes the files
 * that the index replaces.
 */
#ifndef PACK_MIDX_H
#define PACK_MIDX_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "pack/bitmap-write.h"
#include "pack/pack.h"
#include "util/map.h"

struct midx_write_options {
	/*
	 * If several packs have an object, the index uses the copy in this pack, and the objects of
	 * this pack come first in bitmaps. "pack-HASH" with or without extension. NULL: no
	 * preferred pack, but the oldest one if there are bitmaps. Otherwise the youngest pack
	 * counts.
	 */
	const char *preferred;
	const struct strset *only;   /* names of .idx files; NULL: all packs */
	const struct strset *except; /* not these; may be NULL */
	bool bitmap;		   /* write the order of bits as well, for a .bitmap */
	bool incremental;	   /* add a layer for the packs that are in no layer yet; with `only`, in no layer that stays */
	/*
	 * The checksum of the layer below the new one, or "none"; layers above it are removed.
	 * NULL: all layers stay.
	 */
	const char *base;
	/*
	 * Write the file of the new layer but leave the chain as it is: the caller writes the
	 * chain.
	 */
	bool no_chain;
	/*
	 * Combine these layers and all between them into one; layers above stay. Needs version 2.
	 * Without `incremental` the result is a single index of their packs. Both NULL: do not
	 * combine.
	 */
	const char *from, *to;
	/*
	 * Drop packs to whose objects the present index never refers, and remove them once the new
	 * index is published. Kept packs, cruft packs and packs of promisor remotes stay. The packs
	 * that stay are adopted (fsync/batch.h), since they then hold the only copies of those
	 * objects.
	 */
	bool drop_unused;
	unsigned version; /* of the format: 0 (meaning 1), 1, or 2, which older versions of Git cannot read */
	int shared_perm;
};

struct midx_update;
/*
 * Take the lock and write the new index. An unknown preferred pack is reported to `warn` of the
 * packs.
 * Errors: ERR_NOT_FOUND: there are no packs, or no such base. ERR_LOCKED. ERR_INVALID: the
 * preferred pack is empty, or the layers do not exist or are in the wrong order. ERR_UNSUPPORTED:
 * packs of a chain cannot be dropped. ERR_CORRUPT: a layer to be combined is damaged.
 */
MUST_USE int midx_update_begin(struct midx_update **out, struct packs *packs,
			       const struct midx_write_options *o, struct err *err);
/* Is the present index the same already? Only a .bitmap may be missing then. */
bool midx_update_is_current(const struct midx_update *u);
/* The checksum of the new index; NULL: none was written. */
const struct object_id *midx_update_new(const struct midx_update *u);
bool midx_update_has_bitmap(const struct midx_update *u);
/* ERR_NOT_FOUND: lower layers have no bitmaps. The caller frees *out before the update. */
MUST_USE int midx_update_target(struct bitmap_target **out, struct midx_update *u, struct err *err);
MUST_USE int midx_update_stage(struct midx_update *u, struct fsync_batch *b, struct err *err);
void midx_update_free(struct midx_update *u); /* drops unstaged files; NULL is fine */

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
/* The result is empty if there is no index, or a damaged one that will be replaced. */
void midx_layers_read(struct midx_layers *out, struct packs *packs);
void midx_layers_release(struct midx_layers *l);

/* Does the index, or a layer of the chain, name one of these packs ("pack-HASH.idx")? */
bool midx_names_any(struct packs *packs, const struct strset *names);
/* Stage the removal of the index, its layers and bitmaps, ordered before the removal of packs. */
MUST_USE int midx_stage_clearing(struct packs *packs, struct fsync_batch *b, struct err *err);

/* ---- small packs that one larger pack can replace: git-multi-pack-index(1), repack ---- */
struct midx_batch_options {
	/*
	 * Select packs whose expected share is less than this, the oldest first, until they add up
	 * to as much; 0: all packs.
	 */
	uint64_t bytes;
	bool kept; /* also packs with a .keep */
};
typedef int (*midx_batch_fn)(void *data, const struct object_id *oid, struct pack *pack,
			     uint64_t offset, struct err *err);
/*
 * Calls fn for each object that the index takes from these packs: the youngest pack first, each in
 * its order. Calls nothing if there is no index, or only one such pack. Skips cruft packs and packs
 * of promisor remotes. fn < 0 stops and is returned. ERR_UNSUPPORTED: a chain.
 */
MUST_USE int midx_batch_foreach(struct packs *packs, const struct midx_batch_options *o,
				midx_batch_fn fn, void *data, struct err *err);

#endif
