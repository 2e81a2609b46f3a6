/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of a reftable: records, the offsets of restart points (records with their whole key, for a binary
 * search), their number. Blocks of logs are deflated. The first block of a file begins with the header
 * of the file, and offsets in it count from there.
 *
 * Nothing that a block says of itself is trusted: no offset or size leads out of it.
 */
#ifndef REFS_REFTABLE_BLOCK_INTERNAL_H
#define REFS_REFTABLE_BLOCK_INTERNAL_H

#include "compat/posix.h"
#include "refs/reftable/record-internal.h"

/* A type, and a length of 3 bytes. */
#define BLOCK_HEADER_LEN 4
#define BLOCK_LEN_MAX 0xffffff

/* ---- reading ---- */

/* The bytes of a table, as far as blocks need them. */
struct block_source {
	const char *path; /* for messages */
	const unsigned char *p;
	uint64_t len;	     /* up to the footer */
	size_t header_len;   /* of the file, at its begin */
	uint32_t block_size; /* to which blocks are padded; 0: they are not */
	struct record_format format;
};

struct block {
	const struct block_source *src;
	uint64_t at;   /* in the file; 0: the first block */
	uint64_t next; /* where the next block is, if there is one */
	enum block_type type;
	const unsigned char *p;	   /* offsets count from here */
	size_t first, end;	   /* offsets of the first record, and of the restart points */
	size_t nr_restarts;
	struct strbuf inflated;
};
#define BLOCK_INIT { .inflated = STRBUF_INIT }

/*
 * Reads the block at `at`. It can be used again and again.
 * Errors: ERR_CORRUPT names the file, the block and the fault.
 */
MUST_USE int block_read(struct block *b, const struct block_source *src, uint64_t at, struct err *err);
void block_release(struct block *b);
/* Offset of the record with a whole key, as the block has it; nothing is checked. */
size_t block_restart(const struct block *b, size_t i);
/* The type of the block at `at`, which lies before the end; nothing is checked. */
enum block_type block_type_at(const struct block_source *src, uint64_t at);

/* A place between two records of a block. */
struct block_cursor {
	const struct block *block;
	size_t at;
	struct reftable_record rec; /* of the last next() */
	bool pushed_back;	    /* next() returns it once more */
};
#define BLOCK_CURSOR_INIT { .rec = REFTABLE_RECORD_INIT }
/* Before the first record. */
void block_cursor_start(struct block_cursor *c, const struct block *b);
/* 1: c->rec is the next record. 0: the block ends. ERR_CORRUPT. */
MUST_USE int block_cursor_next(struct block_cursor *c, struct err *err);
/* Before the first record whose key is not less. Cost: a binary search in the restart points. */
MUST_USE int block_cursor_seek(struct block_cursor *c, const struct block *b, const void *key, size_t len,
			       struct err *err);
void block_cursor_release(struct block_cursor *c);

/* As memcmp, the shorter one first. */
int reftable_key_cmp(const struct strbuf *a, const void *key, size_t len);

/* ---- writing ---- */

struct block_writer {
	enum block_type type;
	size_t header_len; /* of the file, if this is its first block */
	size_t max;	   /* bytes, all in all */
	unsigned restart_interval;
	struct strbuf buf; /* with the header of the file, and 4 bytes for the block's */
	struct strbuf last_key;
	uint32_t *restarts;
	size_t nr_restarts, alloc_restarts;
	unsigned since_restart;
	bool any;
};
#define BLOCK_WRITER_INIT { .buf = STRBUF_INIT, .last_key = STRBUF_INIT }
/* file_header: NULL unless it is the first block. */
void block_writer_start(struct block_writer *w, enum block_type type, size_t max, unsigned restart_interval,
			const void *file_header, size_t header_len);
/*
 * False: it does not fit. A block without records takes one of any size up to BLOCK_LEN_MAX if `oversize`.
 * Keys must ascend (BUG).
 */
bool block_writer_add(struct block_writer *w, const struct strbuf *key, unsigned extra, const struct strbuf *value,
		      bool oversize);
/* Append the finished block, without padding. Its last key stays in w->last_key. */
void block_writer_finish(struct block_writer *w, int compression_level, struct strbuf *out);
void block_writer_release(struct block_writer *w);

#endif
