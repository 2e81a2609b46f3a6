/* SPDX-License-Identifier: GPL-2.0-only */
/* What git gc has packed. */
#ifndef MAINTAIN_GC_REPACK_H
#define MAINTAIN_GC_REPACK_H

#include "compat/posix.h"
#include "maintain/gc.h"

/* Are the settings good? Before anything is changed. */
MUST_USE int gc_repack_check(struct repository *r, const struct gc_options *o, struct err *err);
/* Choose what is packed, and into what; stage it (repack_run). Nothing, if --auto needs nothing. */
MUST_USE int gc_repack(struct repo_operation *op, struct repository *r, const struct gc_options *o,
		       struct err *err);

#endif
