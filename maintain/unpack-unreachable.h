/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of packs that become loose ones. git-repack(1) -A. */
#ifndef MAINTAIN_UNPACK_UNREACHABLE_H
#define MAINTAIN_UNPACK_UNREACHABLE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "pack/pack.h"
#include "repo/repo.h"
#include "util/date.h"

/*
 * The objects of these packs for which `wanted` says yes, unless there is a loose one already: staged, with the time of
 * the newest of the packs that has them, or the time in the .mtimes of a cruft pack, if it is later. So
 * no copy that
 * was of use lately is forgotten, and a prune by age does not come earlier. `packs` gets another order.
 * Cost: reads and deflates each of them.
 */
MUST_USE int packs_loosen(struct repo_operation *op, struct repository *r, struct pack **packs, size_t nr,
			  bool (*wanted)(void *data, const struct object_id *oid),
			  void *data, struct err *err);

#endif
