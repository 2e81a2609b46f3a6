/* SPDX-License-Identifier: GPL-2.0-only */
/* Several tables become one. */
#ifndef REFS_REFTABLE_COMPACT_INTERNAL_H
#define REFS_REFTABLE_COMPACT_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs.h"
#include "refs/reftable/stack-internal.h"
#include "refs/reftable/write-internal.h"

/*
 * The newest tables of a stack that a new one of new_bytes is to be merged with, so that each table stays at least
 * `factor` times as large as all newer ones together. Returns the first of them; nr: none. Tables that are larger than
 * max_bytes together, or that another process is compacting ("NAME.lock"), are left alone. A lock whose owner is gone is removed.
 */
size_t reftable_compaction_start(const struct reftable_stack *s, uint64_t new_bytes, unsigned factor, uint64_t max_bytes);

/* The same for tables of any size, newer ones beside older ones: the oldest that has to be merged with all newer ones. */
size_t reftable_uneven_start(const struct reftable_stack *s, unsigned factor);

/* Each table is at least so many times as large as all newer ones: reftable.geometricFactor, or 2. */
static inline unsigned reftable_factor(const struct ref_table_options *o)
{
	return o->geometric_factor ? o->geometric_factor : 2;
}

/*
 * Writes one table with all records of the given ones, oldest first. keep_deleted: there are older tables, in which records
 * may be that tombstones hide.
 */
MUST_USE int reftable_merge(struct reftable *const *tables, size_t nr, const struct ref_table_options *wanted,
			    bool keep_deleted, reftable_sink_fn sink, void *data, struct err *err);

/* ---- compaction.c: beside other processes, which go on meanwhile ---- */

struct reftable_store;
struct fsync_batch;
/*
 * Stages a table that takes the place of all tables of `s`; nothing if there are none. The list is locked for a moment, so that each table gets its lock ("NAME.lock", as in
 * Git), and again to publish; others add tables in between.
 *
 * Durability: D1 and D8 as for any table; the batch seals.
 * Errors:     ERR_LOCKED: another process compacts, and has been waited for; from the batch, also: has compacted them. ERR_IO, ERR_CORRUPT.
 */
MUST_USE int reftable_stage_compaction(struct reftable_store *st, struct reftable_stack *s, struct fsync_batch *b,
				       struct err *err);
/*
 * After a transaction: brings tables that were too large to be merged with it in shape. Nothing is flushed for that: the
 * tables that are replaced stay until a later change has sealed the new list, and sweeps. Another process that holds the list
 * is not waited for. Failures are ignored.
 */
void reftable_even_out(struct reftable_store *st, struct reftable_stack *s, const struct fsync_batch *like);

#endif
