/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What promisor remotes have given and promised: packs that came from one have a file .promisor beside
 * them; their objects, and all that these mention, can be had again. Partial clones, gitglossary(7).
 *
 *   struct promises p = { r };
 *   if (promises_has(&p, &oid, err) > 0) ...
 *   promises_release(&p);
 */
#ifndef HISTORY_PROMISOR_H
#define HISTORY_PROMISOR_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"

struct pack;
struct promises {
	struct repository *repo;
	/* ---- internal ---- */
	struct oidset oids;
	bool is_known;
};
/*
 * 1: that object is promised, so that it may be missing; 0; < 0: a pack cannot be read. A damaged
 * object promises no other object. Cost: the first time, all commits, trees and tags of such packs are read;
 * without one, nothing.
 */
MUST_USE int promises_has(struct promises *p, const struct object_id *oid, struct err *err);
void promises_release(struct promises *p); /* idempotent */

/* The packs with a .promisor, of our own object directory and of alternates. Ends when fn returns != 0. */
int promisor_packs_foreach(struct repository *r, int (*fn)(void *data, struct pack *p), void *data);
/* *out is initialised: the objects of these packs. */
MUST_USE int promisor_pack_objects(struct oidset *out, struct repository *r, struct err *err);

#endif
