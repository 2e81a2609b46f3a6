/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of packs that become loose ones. git-repack(1) -A. */
#ifndef MAINTAIN_LOOSEN_H
#define MAINTAIN_LOOSEN_H

#include "compat/posix.h"
#include "operation.h"
#include "pack/pack.h"
#include "repo/repo.h"
#include "util/date.h"

/*
 * The objects of `pack` for which `wanted` says yes, unless there is a loose one already: staged, with the time of
 * the pack, or of the .mtimes of a cruft pack.
 * Cost: reads and deflates each of them.
 */
MUST_USE int pack_loosen(struct repo_operation *op, struct repository *r, struct pack *pack,
			 bool (*wanted)(void *data, const struct object_id *oid),
			 void *data, struct err *err);

#endif
