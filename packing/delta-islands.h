/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which groups of refs lead to which objects: pack.island and pack.islandCore, "DELTA ISLANDS" of
 * git-pack-objects(1).
 *
 *   rc = delta_islands_find(&d, r, &warnings, err);
 *   pack_objects_set_islands(po, &(struct pack_islands){ d.sets, &d.marks, d.has_core, d.core });
 *   delta_islands_release(&d);      after the pack has been written
 *
 * Memory: 24 bytes for each object that an island has, and the sets (util/shared-sets.h), which are shared by
 * objects; 16 MiB of trees at most.
 * Cost: reads each commit (but from a commit-graph) and each tree that an island has, mostly once: a tree is read again where
 * it lies at different depths and the deeper place belongs to further islands.
 */
#ifndef PACKING_DELTA_ISLANDS_H
#define PACKING_DELTA_ISLANDS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/shared-sets.h"

struct delta_islands {
	uint32_t nr;
	struct shared_sets *sets; /* of numbers of islands */
	struct oid_flags marks;	  /* the set of each object */
	bool has_core;
	uint32_t core;
};

/*
 * A missing object belongs to no island, nor do objects that only it leads to. warn (may be NULL) gets values that
 * are taken otherwise than they look.
 * ERR_INVALID: pack.island is no regular expression; ERR_CORRUPT names the object.
 */
MUST_USE int delta_islands_find(struct delta_islands *out, struct repository *r, bool keep_true_parents,
				void (*warn)(void *data, const char *msg), void *warn_data, struct err *err);
void delta_islands_release(struct delta_islands *d); /* idempotent, also after { 0 } */

#endif
