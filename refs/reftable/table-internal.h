/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One table: a file that never changes once it has its name, gitformat-reftable(5).
 *
 *	header, blocks of refs, their index, objects, their index, logs, their index, footer
 *
 * It is mapped, and blocks are read as they are needed: a look-up goes through the index to one block, whatever the
 * number of refs. Positions come from the footer, which has a checksum; an index only ever leads
 * towards the begin of the file, so no damage makes a walk go round in a circle.
 */
#ifndef REFS_REFTABLE_TABLE_INTERNAL_H
#define REFS_REFTABLE_TABLE_INTERNAL_H

#include "compat/posix.h"
#include "fs/mmap-window.h"
#include "hash/hash.h"
#include "refs/reftable/block-internal.h"

#define TABLE_HEADER_MAX 28
/* The header again, five positions, a CRC. */
#define TABLE_FOOTER_MAX (TABLE_HEADER_MAX + 5 * 8 + 4)

struct table_section {
	bool present;
	uint64_t start, end; /* of its blocks, indexes included */
	uint64_t index;	     /* 0: none */
};

struct reftable {
	unsigned refcount;
	char *name; /* the last part of the path */
	char *path;
	bool in_memory; /* the map is not ours */
	struct mapped_file map;
	struct block_source src;
	const struct hash_algo *algo;
	uint64_t min_update_index, max_update_index;
	struct table_section refs, objs, logs;
	size_t obj_id_len;
};

/*
 * Maps the file and checks header and footer.
 * Errors: ERR_NOT_FOUND, ERR_IO, ERR_CORRUPT, ERR_UNSUPPORTED: a version that is not known.
 * Ownership: the caller has one reference.
 */
MUST_USE int reftable_open(struct reftable **out, const char *path, const struct hash_algo *algo, struct err *err);
/* The same for a table in memory, which must outlive the result; for tests. */
MUST_USE int reftable_open_memory(struct reftable **out, const char *path, const void *p, size_t len,
				  const struct hash_algo *algo, struct err *err);
struct reftable *reftable_get(struct reftable *t); /* one more reference */
void reftable_put(struct reftable *t);		   /* NULL is fine */

/*
 * Does the index lead to every block of refs, and each restart point of both to a record, in the layout that Git writes? Then
 * a look-up finds every ref. False: something may be wrong, and the caller has to look closer. Calls `seen` for every ref
 * and deletion of refs before the first such place. Cost: one walk.
 */
bool reftable_refs_are_sound(const struct reftable *t, void (*seen)(void *data, const struct reftable_record *rec), void *data);

/* ---- iteration over one kind of record ---- */

struct table_iter {
	struct reftable *table; /* the caller holds it */
	const struct table_section *section;
	enum block_type type;
	struct block block;
	struct block_cursor cursor; /* cursor.rec: the record */
	bool done;
};
#define TABLE_ITER_INIT { .block = BLOCK_INIT, .cursor = BLOCK_CURSOR_INIT }
/*
 * Before the first record whose key is not less; len 0: the first of all. `it` may be in use.
 * Cost: a block of each level of the index, and one of records.
 */
MUST_USE int table_iter_seek(struct table_iter *it, struct reftable *t, enum block_type type, const void *key,
			     size_t len, struct err *err);
/* 1: it->cursor.rec is the next record; 0: there are no more. */
MUST_USE int table_iter_next(struct table_iter *it, struct err *err);
void table_iter_release(struct table_iter *it);

#endif
