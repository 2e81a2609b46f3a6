/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the file "shallow", the boundary of a shallow repository: gitrepository-layout(5). Reading it: history.h. */
#ifndef HISTORY_SHALLOW_FILE_H
#define HISTORY_SHALLOW_FILE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "operation/operation.h"

/*
 * The boundary becomes `after`; with none in it, the file goes. before: as it was read (sorted), and still has to be.
 * Errors:     ERR_CONFLICT, if it is not; ERR_LOCKED.
 * Durability: that of the operation, before its refs (D4).
 */
MUST_USE int repo_stage_shallow_boundary(struct repository *r, const struct oid_array *before,
					 const struct oid_array *after, struct repo_operation *op, struct err *err);

#endif
