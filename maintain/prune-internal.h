/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAINTAIN_PRUNE_INTERNAL_H
#define MAINTAIN_PRUNE_INTERNAL_H

#include "compat/posix.h"
#include "maintain/prune.h"
#include "maintain/reachable.h"

/*
 * Remove temporary files and directories below the object directory: if their owner is dead, or if
 * the owner is unknown and no process has changed them after `before` (seconds). They are removed
 * at once, because no object depends on them.
 */
MUST_USE int prune_temporary(struct repository *r, const struct prune_options *o, time_t before,
			     struct err *err);
/* One such file, in a directory of loose objects. */
void prune_temporary_file(const struct prune_options *o, const char *path, time_t before);

/* Stage a file "shallow" without those commits of `before` that are not reachable. */
MUST_USE int prune_shallow(struct repo_operation *op, struct repository *r,
			   const struct prune_options *o, struct reachable *x,
			   struct oid_array *before, struct err *err);

void prune_report(const struct prune_options *o, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
