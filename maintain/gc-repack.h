/* SPDX-License-Identifier: GPL-2.0-only */
/* What git gc has packed. */
#ifndef MAINTAIN_GC_REPACK_H
#define MAINTAIN_GC_REPACK_H

#include "compat/posix.h"
#include "maintain/gc.h"

/* Are the settings good? Before anything is changed. */
MUST_USE int gc_repack_check(struct repository *r, const struct gc_options *o, struct err *err);
/*
 * Choose the objects to pack and their packs, and stage these (repack_run). Does nothing if --auto
 * finds no need.
 */
MUST_USE int gc_repack(struct repo_operation *op, struct repository *r, const struct gc_options *o,
		       struct err *err);

#endif
