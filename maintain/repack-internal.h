/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a repack share: repack.c, repack-make.c. */
#ifndef MAINTAIN_REPACK_INTERNAL_H
#define MAINTAIN_REPACK_INTERNAL_H

#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "maintain/repack.h"
#include "pack/midx.h"
#include "pack/pack.h"

struct old_pack {
	struct pack *pack;
	bool kept, cruft, promisor;
	bool combined; /* by a geometric repack */
};

/* Groups of objects; each goes into packs of its own. Unreachable objects come last. */
enum repack_part {
	REPACK_MAIN,
	REPACK_LEFT_OUT, /* by the filter */
	REPACK_PROMISOR, /* what came from promisor remotes */
	REPACK_YOUNG,	 /* unreachable */
	REPACK_OLD,	 /* unreachable, and goes, with a copy elsewhere */
	REPACK_NR_PARTS
};

struct repack {
	struct repository *r;
	struct repo_operation *op;
	const struct repack_options *o;
	struct old_pack *old;
	size_t nr_old, alloc_old;
	bool promisor; /* there are packs from promisor remotes, here or in an alternate */
	struct packs_removal *removal;
	struct pack_collection parts[REPACK_NR_PARTS];
	struct oid_array sums; /* of new packs here, in the order of parts */
	size_t nr_main;	       /* how many of them hold reachable objects */
	struct midx_layers layers; /* that stay as they are, as far as they can */
	struct strvec kept_names;  /* --keep-pack, and packs of these layers */
};

/* A kept pack stays, even if its objects are packed once more. */
static inline bool repack_may_remove(const struct old_pack *p)
{
	return !p->kept && !pack_has_file(p->pack, "keep");
}

/* ---- repack-make.c ---- */
MUST_USE int repack_begin_part(struct repack *k, enum repack_part part,
			       const struct pack_objects_options *o, struct err *err);
/* elsewhere: its base name, if it is not for the repository; NULL. Nothing if there is no object. */
MUST_USE int repack_write_part(struct repack *k, enum repack_part part, const char *elsewhere,
			       struct err *err);
/*
 * Make the packs of every repack but a geometric one: of all objects, or of the objects that are in
 * no pack.
 */
MUST_USE int repack_make_packs(struct repack *k, struct err *err);

#endif
