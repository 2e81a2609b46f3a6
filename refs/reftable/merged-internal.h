/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of several tables as those of one: ascending by key, and where tables have the same key the
 * newest counts. Cost of a step: one comparison while the same table has the least key, at most one per table else.
 */
#ifndef REFS_REFTABLE_MERGED_INTERNAL_H
#define REFS_REFTABLE_MERGED_INTERNAL_H

#include "compat/posix.h"
#include "refs/reftable/table-internal.h"

/* Iterates over the tables that it was made with, which it holds, whatever happens to the stack meanwhile. */
struct merged_iter {
	enum block_type type;
	bool with_deleted; /* tombstones, too: for a compaction that leaves older tables below */
	struct merged_source *sources; /* oldest first; those with a record sorted behind `order` */
	size_t nr;
	struct merged_source **order; /* the source with the least key first */
	size_t nr_order;
	struct strbuf last; /* key of the record before, whose older versions are passed over */
	bool moved;
};
#define MERGED_ITER_INIT { .last = STRBUF_INIT }

/* tables: oldest first. */
void merged_iter_start(struct merged_iter *m, enum block_type type, struct reftable *const *tables, size_t nr);
/* Before the first record whose key is not less; len 0: the first of all. May be called again, in both directions. */
MUST_USE int merged_iter_seek(struct merged_iter *m, const void *key, size_t len, struct err *err);
/* 1: *out is the next record, until the next call; 0: there is none. */
MUST_USE int merged_iter_next(struct merged_iter *m, const struct reftable_record **out, struct err *err);
void merged_iter_release(struct merged_iter *m);

#endif
