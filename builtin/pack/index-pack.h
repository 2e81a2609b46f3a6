/* SPDX-License-Identifier: GPL-2.0-only */
/* git-index-pack(1): what its files share. */
#ifndef BUILTIN_PACK_INDEX_PACK_H
#define BUILTIN_PACK_INDEX_PACK_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "pack/receive/receive.h"

/* index-pack-promise.c */
/*
 * The objects of a pack from a promisor remote promise all that they lead to. The commits, trees and tags that they name
 * and that are here already, but not in such a pack, go into one more of them, with what these lead to: staged in the
 * operation. named: these objects, found by index_pack_find_named; others among them are left out.
 * Cost: nothing if there is no such object; else a walk over what they lead to.
 */
MUST_USE int index_pack_promise(struct repository *r, struct repo_operation *op, const struct oid_array *named,
				struct err *err);
/* These objects, of a pack that has been resolved. */
MUST_USE int index_pack_find_named(struct repository *r, struct pack_receive *rx, struct oid_array *out, struct err *err);

#endif
