/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a finished pack, on their way to the operation's batch. */
#ifndef PACK_STAGE_INTERNAL_H
#define PACK_STAGE_INTERNAL_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "fsync/batch.h"
#include "pack/idx-internal.h"

struct pack_parts {
	const char *prefix; /* of the final paths: PREFIX-HASH.pack and so on */
	const char *dir;    /* temporary files are made here */
	const struct hash_algo *algo;
	int shared_perm;
	const struct object_id *sum; /* the checksum of the pack */
};
/*
 * Stage a file that has been written: "pack", "idx", … The .idx comes last, since it makes the pack visible
 * (D3). *t is the batch's in all outcomes, and NULL.
 */
MUST_USE int pack_part_stage(const struct pack_parts *p, struct tempfile **t, const char *ext,
			     struct fsync_batch *b, struct err *err);

typedef int (*pack_table_fn)(int fd, const char *name, const struct hash_algo *algo,
			     const struct idx_entry *v, uint32_t nr,
			     const struct object_id *pack_sum, struct err *err);
/* Write a table (idx_write, rev_write) of the entries, which are sorted by name, and stage it. */
MUST_USE int pack_table_stage(const struct pack_parts *p, const char *ext, pack_table_fn fn,
			      const struct idx_entry *v, uint32_t nr, struct fsync_batch *b,
			      struct err *err);
/* Sort by name, the order of entries in an idx. */
void idx_entries_sort(struct idx_entry *v, uint32_t nr);

#endif
