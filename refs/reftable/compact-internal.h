/* SPDX-License-Identifier: GPL-2.0-only */
/* Several tables become one. */
#ifndef REFS_REFTABLE_COMPACT_INTERNAL_H
#define REFS_REFTABLE_COMPACT_INTERNAL_H

#include "compat/posix.h"
#include "refs/reftable/stack-internal.h"
#include "refs/reftable/write-internal.h"

/*
 * The newest tables of a stack that a new one of new_bytes is to be merged with, so that each table stays at least
 * `factor` times as large as all newer ones together. Returns the first of them; nr: none. Tables that are larger than
 * max_bytes together, or that another process is compacting ("NAME.lock"), are left alone.
 */
size_t reftable_compaction_start(const struct reftable_stack *s, uint64_t new_bytes, unsigned factor, uint64_t max_bytes);

/*
 * Writes one table with all records of the given ones, oldest first. keep_deleted: there are older tables, in which records
 * may be that tombstones hide.
 */
MUST_USE int reftable_merge(struct reftable *const *tables, size_t nr, bool keep_deleted, reftable_sink_fn sink, void *data,
			    struct err *err);

#endif
