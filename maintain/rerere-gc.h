/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded resolutions of conflicts that are too old: "gc" of git-rerere(1). */
#ifndef MAINTAIN_RERERE_GC_H
#define MAINTAIN_RERERE_GC_H

#include "compat/posix.h"
#include "operation/operation.h"

/*
 * Remove, at publication, conflicts older than gc.rerereResolved (if it has a resolution; 60 days) or
 * gc.rerereUnresolved (15 days) says. Nothing is done while another process holds MERGE_RR.lock.
 * ERR_INVALID: a bad value.
 */
MUST_USE int rerere_gc_run(struct repo_operation *op, struct repository *r, struct err *err);

#endif
