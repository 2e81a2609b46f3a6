/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a table, record by record: all refs by name, then all entries of logs by key.
 *
 *	w = reftable_writer_new(&options, sink, data)
 *	reftable_writer_add_ref ..., reftable_writer_add_log ...
 *	reftable_writer_finish(w, err)
 *	reftable_writer_free(w)
 *
 * A ref or an entry that is larger than a block gets a block of its own size, up to 16 MiB. Git cannot go on
 * behind such a block of refs if blocks are padded: reftable_block_size_for gives a size that fits.
 *
 * Memory: for the index a key per block; for the objects, if they are wanted, an id per ref.
 */
#ifndef REFS_REFTABLE_WRITE_INTERNAL_H
#define REFS_REFTABLE_WRITE_INTERNAL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "refs/reftable/record-internal.h"

#define REFTABLE_BLOCK_SIZE 4096
#define REFTABLE_RESTART_INTERVAL 16

struct reftable_write_options {
	const struct hash_algo *algo;
	uint32_t block_size;	   /* 0: REFTABLE_BLOCK_SIZE */
	unsigned restart_interval; /* 0: REFTABLE_RESTART_INTERVAL */
	bool index_objects;	   /* if there are so many refs that they have an index */
	uint64_t min_update_index, max_update_index;
};

struct reftable_writer;
/* Takes bytes in order. */
typedef int (*reftable_sink_fn)(void *data, const void *p, size_t len, struct err *err);
struct reftable_writer *reftable_writer_new(const struct reftable_write_options *o, reftable_sink_fn sink, void *data);
/* Keys must ascend (BUG). ERR_TOO_BIG: no block can hold it. Failures of the sink. */
MUST_USE int reftable_writer_add_ref(struct reftable_writer *w, const struct strbuf *name, const struct ref_record *r,
				     struct err *err);
/* After the last ref. */
MUST_USE int reftable_writer_add_log(struct reftable_writer *w, const struct strbuf *key, const struct log_record *r,
				     struct err *err);
MUST_USE int reftable_writer_finish(struct reftable_writer *w, struct err *err);
void reftable_writer_free(struct reftable_writer *w);

/* The wanted size of blocks, or a larger one, with room for a ref whose name and target have so many bytes. */
uint32_t reftable_block_size_for(uint32_t wanted, size_t longest);

#endif
