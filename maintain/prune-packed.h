/* SPDX-License-Identifier: GPL-2.0-only */
/* Loose objects that are in packs as well. git-prune-packed(1). */
#ifndef MAINTAIN_PRUNE_PACKED_H
#define MAINTAIN_PRUNE_PACKED_H

#include "compat/posix.h"
#include "operation/operation.h"

/*
 * Remove them at publication, after all else of the operation (PUBLISH_OBJECT_DELETE). An object whose copy
 * in the pack is damaged stays, and the packs are adopted, as they are all that is left then. A pack
 * that is older than the loose copy gets the present time, so that a prune by age does not come earlier.
 * dry_run: nothing is changed. report (may be NULL) gets the path of each file that goes.
 *
 * Errors: ERR_UNSUPPORTED: extensions.preciousObjects. ERR_IO.
 * Cost:   up to 256 readdirs, and reading the packed copies.
 */
MUST_USE int prune_packed_run(struct repo_operation *op, struct repository *r, bool dry_run,
			      void (*report)(void *data, const char *path), void *data, struct err *err);

#endif
