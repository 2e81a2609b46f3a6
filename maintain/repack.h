/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packing a repository anew: objects are collected into new packs, and the packs and loose objects that
 * they replace are removed. git-repack(1).
 *
 *   repack_options_init(&o, r); rc = repack_options_read(&o, r, err);
 *   op = repo_operation_begin(r);
 *   rc = repack_run(op, r, &o, &result, err);
 *   rc = repo_operation_end(op, rc, err);
 *
 * One operation may hold a repack beside other things: the repack sees its published changes (refs
 * packed, reflogs expired).
 *
 * Removed are packs that were there when the repack began, are not kept (.keep, --keep-pack) and
 * hold nothing any more that is wanted. Packs that another process has made, or has come to depend on
 * (packs_touch: their time has changed), since then stay, as do all if a ref names something
 * meanwhile that would go with them. With extensions.preciousObjects nothing may be removed.
 *
 * Durability: new packs are settled, and published as soon as all of them are there, since a
 *             multi-pack-index is made of packs that can be opened; then multi-pack-index, lists for
 *             dumb servers and removals (PUBLISH_OBJECT_DELETE, of each pack the .idx first) are
 *             staged. The operation's commit publishes these and seals all of it, with one flush where
 *             a journal orders names. A crash at any moment leaves each object in the old packs
 *             or in the new.
 * Errors:     ERR_UNSUPPORTED an option that is not supported; ERR_INVALID options that
 *             exclude each other, bad configuration; ERR_NOT_FOUND, ERR_CORRUPT name an
 *             object that cannot be read: then nothing has been published or removed.
 * Cost:       that of collecting and writing the objects; with `local` or kept packs less.
 */
#ifndef MAINTAIN_REPACK_H
#define MAINTAIN_REPACK_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "pack/write/pack-objects.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/strvec.h"
#include "wire/filter-spec.h"

/* What to do with objects of old packs that nothing reachable leads to, if these are removed. */
enum repack_unreachable {
	REPACK_DROP,	/* -a: they go */
	REPACK_LOOSEN,	/* -A: they become loose objects, with the time of the newest pack that has them */
	REPACK_APPEND,	/* -k: into the new pack, with the loose ones */
	REPACK_CRUFT,	/* --cruft: into a pack of their own, with the loose ones */
};

enum repack_midx_mode { REPACK_MIDX_NONE, REPACK_MIDX_WHOLE, REPACK_MIDX_INCREMENTAL };

struct repack_options {
	bool all;			/* -a, -A, --cruft: all objects, not only unpacked ones */
	enum repack_unreachable unreachable;
	bool delete_redundant;		/* -d, with prune-packed */
	bool local;			/* -l: what alternates have is left to them */
	unsigned geometric;		/* -g: the factor; 0: no. Then nothing of `all` */

	/* ---- unreachable objects ---- */
	timestamp_t loosen_since;	/* --unpack-unreachable: older ones go; 0: none go */
	timestamp_t cruft_expiry;	/* --cruft-expiration: older ones go; 0: none go */
	uint64_t max_cruft_bytes;	/* --max-cruft-size; 0: max_pack_bytes */
	uint64_t combine_cruft_below;	/* --combine-cruft-below-size; 0: all are repacked */
	const char *expire_to;		/* --expire-to: base name of a pack of what goes; NULL: none */

	/* ---- packs ---- */
	bool pack_kept_objects;		/* what kept packs have is packed, too */
	struct strvec keep_packs;	/* --keep-pack: "pack-HASH.pack" */
	uint64_t max_pack_bytes;	/* --max-pack-size, pack.packSizeLimit; 0: no limit */
	struct filter_spec filter;	/* --filter: what it drops goes into a second pack ... */
	const char *filter_to;		/* --filter-to: ... of this base name; NULL: of ours */
	struct pack_objects_options pack, cruft; /* window, depth, threads, reuse, ... */
	bool delta_islands;		/* -i, repack.useDeltaIslands: see delta-islands.h */

	/* ---- what goes with them ---- */
	bool write_bitmap;
	bool bitmap_unset;		/* neither key is set: write_bitmap is the default */
	enum repack_midx_mode midx;
	bool midx_without_cruft;	/* repack.midxMustContainCruft=false: where it can be done */
	unsigned midx_split_factor;	/* repack.midxSplitFactor; at least 2 */
	unsigned midx_new_layer_threshold; /* repack.midxNewLayerThreshold; at least 1 */
	bool update_server_info;

	/* Called now and then; `title` as stock Git shows it, total 0: unknown. May be NULL. */
	void (*progress)(void *data, const char *title, uint64_t done, uint64_t total);
	void (*warn)(void *data, const char *msg); /* may be NULL */
	void *data;
};
/* What `git repack` does without options and configuration. r lives as long. */
void repack_options_init(struct repack_options *o, struct repository *r);
/* repack.* and pack.*, where a user has set them. ERR_INVALID names a bad value. */
MUST_USE int repack_options_read(struct repack_options *o, struct repository *r, struct err *err);
void repack_options_release(struct repack_options *o);
/* One of the limits above: at least 1 MiB, and a warning where it was less, as smaller packs would be too many. */
void repack_limit_size(const struct repack_options *o, uint64_t *bytes);

/* Would a geometric repack leave one pack, so that packing everything (all, cruft) costs hardly more? */
bool repack_geometric_takes_all(struct repository *r, unsigned factor);

struct repack_result {
	size_t nr_packs; /* new ones; 0: "Nothing new to pack." */
};
MUST_USE int repack_run(struct repo_operation *op, struct repository *r,
			const struct repack_options *o, struct repack_result *out, struct err *err);

#endif
