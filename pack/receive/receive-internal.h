/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of pack/receive/ share: the input, the table of entries, contents, deltas. */
#ifndef PACK_RECEIVE_RECEIVE_INTERNAL_H
#define PACK_RECEIVE_RECEIVE_INTERNAL_H

#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include <zlib.h>
#include "fs/mmap-window.h"
#include "fs/tempfile.h"
#include "fs/tmp-objdir.h"
#include "pack/read-internal.h"
#include "pack/receive/receive.h"

#define RX_NONE UINT32_MAX

/* ---- sink.c: what has been used of the input ---- */
struct rx_sink;
/* It only hashes until it has a file. may_start: a thread, for a large pack. */
struct rx_sink *rx_sink_new(const struct hash_algo *algo, bool may_start);
void rx_sink_free(struct rx_sink *s); /* NULL is fine */
/* `name`, for messages, stays with the caller. */
void rx_sink_copy_to(struct rx_sink *s, int fd, const char *name);
/* A buffer of `cap` bytes, always the same, to go on with when the present one is given away; NULL: put it. */
unsigned char *rx_sink_spare(struct rx_sink *s, size_t cap);
/* The first len bytes of a buffer, which goes to the sink, in a thread. Errors may be those of earlier pieces. */
MUST_USE int rx_sink_give(struct rx_sink *s, unsigned char *buf, size_t len, struct err *err);
/* The same at once; the buffer stays the caller's. */
MUST_USE int rx_sink_put(struct rx_sink *s, const unsigned char *p, size_t len, struct err *err);
/* All has been hashed and written. */
MUST_USE int rx_sink_wait(struct rx_sink *s, struct err *err);
MUST_USE int rx_sink_hash(struct rx_sink *s, struct object_id *out, struct err *err);

/* ---- input.c: the pack as it comes ---- */
struct rx_input {
	int fd; /* -1: the functions are asked */
	int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	bool (*ready)(void *data);
	void *read_data;
	bool ended;
	unsigned char *buf;
	size_t pos, len, cap; /* buf[pos..len) has not been used yet */
	uint64_t offset;      /* of buf[pos] in the pack */
	uint64_t max;	      /* bytes; 0: no limit */
	uint32_t crc;	      /* of what was used since it was set to 0 */
	struct rx_sink *sink;
};

void rx_input_open(struct rx_input *in, const struct pack_receive_stream_options *s, uint64_t max,
		   struct rx_sink *sink);
void rx_input_release(struct rx_input *in);
static inline const unsigned char *rx_input_at(const struct rx_input *in)
{
	return in->buf + in->pos;
}
static inline size_t rx_input_available(const struct rx_input *in)
{
	return in->len - in->pos;
}
/* Wait for at least n bytes. ERR_CORRUPT ("early EOF") if the input ends before. */
MUST_USE int rx_input_need(struct rx_input *in, size_t n, struct err *err);
/* Read until `want` bytes are there or the buffer is full, but only what needs no waiting. */
MUST_USE int rx_input_prefer(struct rx_input *in, size_t want, struct err *err);
/* n bytes have been used. ERR_TOO_BIG beyond the limit. */
MUST_USE int rx_input_use(struct rx_input *in, size_t n, struct err *err);
/* All that has been used is hashed and copied. */
MUST_USE int rx_input_flush(struct rx_input *in, struct err *err);

/* ---- table.c: what is known of each entry ---- */
#define RX_ADDED 1u /* a base that the database has; offset 0 until it is in the pack */
#define RX_BIG 2u   /* the content has been hashed in pieces and not been checked yet */
#define RX_BROKEN 4u /* it was made, but is not to be had; with keep_going */

struct rx_entry {
	uint64_t offset;
	uint32_t crc;
	uint32_t base;		 /* of a delta, once known */
	union {
		/* While the pack is read: deltas that wait for this one. */
		struct rx_waiting *waiting;
		/* Then: deltas of this one; the next delta of the same base. See rx_link_deltas(). */
		struct {
			uint32_t child, sibling;
		};
	};
	uint8_t stored;		 /* type in the pack */
	uint8_t type;		 /* of the object; 0: not known yet */
	uint8_t header_len, flags;
	bool settled; /* see early.c */
};

/* Entries do not move, since threads hold pointers to them while the table grows. */
#define RX_CHUNK_BITS 14
#define RX_CHUNK ((uint32_t)1 << RX_CHUNK_BITS)
struct rx_chunk {
	struct rx_entry entries[RX_CHUNK];
	unsigned char names[]; /* raw_len bytes each; of a delta by name, at first that of its base */
};

/* A delta whose base is given by name. */
struct rx_ref {
	unsigned char name[HASH_MAX_RAW];
	uint32_t entry;
	bool claimed; /* the object of that name has been found; in the first of that name */
};

struct rx_waiting;
struct rx_links;

struct pack_receive {
	struct pack_receive_options o;
	size_t raw_len;
	size_t base_bytes;
	uint64_t max_object_bytes;
	struct rx_input in;
	struct rx_sink *sink;
	/* the file */
	struct tmp_objdir *objdir; /* NULL: another directory, or no copy */
	struct tempfile *tmp;	   /* NULL: not a copy, or staged */
	char *path, *dir;
	int fd; /* a descriptor of our own, which staging does not close; -1: none */
	uint64_t end; /* of the entries */
	uint64_t size; /* of the file */
	struct object_id sum;
	struct window_pool *pool;
	struct window_file *file;
	/* the table */
	struct rx_chunk **chunks;
	size_t nr_chunks; /* pointers */
	uint32_t nr, nr_header, nr_added;
	uint32_t nr_deltas;
	struct rx_ref *refs;
	uint32_t nr_refs;
	size_t refs_alloc;
	uint32_t *big; /* entries with RX_BIG */
	size_t nr_big, big_alloc;
	uint32_t *order; /* by name */
	/* threads */
	pthread_mutex_t lock;	  /* first failure */
	pthread_mutex_t callback; /* fsck, o.object */
	struct rx_links *links;
	atomic_bool failed;
	int rc;
	struct err err; /* of the first failure */
	atomic_uint resolved;
	_Atomic(uint64_t) inflated; /* bytes, as limits count them */
	uint64_t nr_foreign;
	uint32_t nr_unresolved;
	bool complete; /* the copy is what will be published */
};

static inline struct rx_entry *rx_entry(const struct pack_receive *rx, uint32_t i)
{
	return &rx->chunks[i >> RX_CHUNK_BITS]->entries[i & (RX_CHUNK - 1)];
}
static inline unsigned char *rx_name(const struct pack_receive *rx, uint32_t i)
{
	return rx->chunks[i >> RX_CHUNK_BITS]->names + (size_t)(i & (RX_CHUNK - 1)) * rx->raw_len;
}
static inline bool rx_is_delta(const struct rx_entry *e)
{
	return e->stored == OBJ_OFS_DELTA || e->stored == OBJ_REF_DELTA;
}
/* Append an entry. ERR_TOO_BIG. */
MUST_USE int rx_table_add(struct pack_receive *rx, uint32_t *out, struct err *err);
void rx_table_release(struct pack_receive *rx);
void rx_oid(const struct pack_receive *rx, uint32_t i, struct object_id *out);
/* The entry that begins at offset, among the first nr; RX_NONE. */
uint32_t rx_find_offset(const struct pack_receive *rx, uint64_t offset, uint32_t nr);
void rx_add_ref(struct pack_receive *rx, uint32_t entry, const unsigned char *name);
void rx_sort_refs(struct pack_receive *rx);
/* The first of rx->refs with that name, and the next one with the same; RX_NONE. */
uint32_t rx_find_ref(const struct pack_receive *rx, const unsigned char *name);
uint32_t rx_next_ref(const struct pack_receive *rx, uint32_t ref);
/* Fills in rx->order. */
void rx_sort_names(struct pack_receive *rx);
/* By rx->order: the first of that name, if it could be made; RX_NONE. */
uint32_t rx_find_name(const struct pack_receive *rx, const unsigned char *name);
/* Remember the first failure, and stop the threads. */
void rx_fail(struct pack_receive *rx, int rc, struct err *err);
/* With keep_going and damage, report it and return 0; else rx_fail. */
int rx_broken(struct pack_receive *rx, int rc, struct err *err);

/* ---- limits.c ---- */
/* Before `bytes` are inflated or made, when so many bytes of the pack are known. ERR_TOO_BIG beyond the limit. */
MUST_USE int rx_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes, struct err *err);
/* false: beyond it, and not counted. */
bool rx_try_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes);
/* May there be an object of that type and size? ERR_TOO_BIG. */
MUST_USE int rx_check_size(const struct pack_receive *rx, enum object_type type, uint64_t size, struct err *err);
bool rx_fits(const struct pack_receive *rx, enum object_type type, uint64_t size);

/* ---- parse.c ---- */
/* Everything up to and including the checksum. */
MUST_USE int rx_parse(struct pack_receive *rx, struct err *err);

/* ---- early.c: deltas that are made while the pack is read; thread-safe but for new and end ---- */
struct rx_early *rx_early_new(struct pack_receive *rx);
/*
 * Name and check the object i, or make that of the delta i if that is possible, and then what has waited for it.
 * Failures go to rx_broken(). Entries without a content for this are settled by the caller.
 */
void rx_early_object(struct rx_early *e, uint32_t i, const void *content, size_t size);
void rx_early_delta(struct rx_early *e, uint32_t i, const void *delta, size_t size);
/* After the last one: what waits still is left to rx_resolve_from(). NULL is fine. */
void rx_early_end(struct rx_early *e);

/* ---- content.c: an entry's content from the file ---- */
MUST_USE int rx_file_open(struct pack_receive *rx, struct err *err);
void rx_file_close(struct pack_receive *rx);
/* The inflated content of an entry, as it is stored; of an added base, the object. Caller frees. */
MUST_USE int rx_inflate(struct pack_receive *rx, uint32_t i, void **out, size_t *size,
			struct err *err);
/* The size in the entry's header. */
MUST_USE int rx_stored_size(struct pack_receive *rx, uint32_t i, uint64_t *size, struct err *err);
/* The object that the delta i makes of its base, which is of that type. Caller frees. */
struct base_view {
	enum object_type type;
	const void *data;
	size_t size;
};
MUST_USE int rx_apply(struct pack_receive *rx, uint32_t i, const struct base_view *base, void **out, size_t *size,
		      struct err *err);
/* An object by following its chain of deltas, for the few that are wanted again. */
MUST_USE int rx_read_object(struct pack_receive *rx, uint32_t i, struct object_buf *out,
			    struct err *err);
int rx_reader_open(struct pack_receive_reader **out, struct pack_receive *rx, uint32_t i,
		   struct err *err);
void rx_reader_close(struct pack_receive_reader *r);

/* ---- object.c: what is done with each object ---- */
/* Name the object i, of which the type is known, and check it. Thread-safe. */
MUST_USE int rx_object(struct pack_receive *rx, uint32_t i, const void *content, size_t size,
		       struct err *err);
/* The same for those that were hashed in pieces. */
void rx_check_big(struct pack_receive *rx);
/* After all: what fsck has left, and links. */
MUST_USE int rx_finish_checks(struct pack_receive *rx, struct err *err);

/* ---- links.c ---- */
struct rx_links *rx_links_new(size_t raw_len);
void rx_links_free(struct rx_links *l);
MUST_USE int rx_links_add(struct pack_receive *rx, const struct object_id *oid,
			  enum object_type type, const void *content, size_t size, struct err *err);
MUST_USE int rx_links_check(struct pack_receive *rx, struct err *err);

/* ---- resolve.c ---- */
/* Make the lists of deltas by base: of those that are not resolved yet, and what leads to them. */
void rx_link_deltas(struct pack_receive *rx);
/* Resolve all that rests on entries from `first` on that are not deltas. */
void rx_resolve_from(struct pack_receive *rx, uint32_t first);

/* ---- thin.c ---- */
/* Bases that the database has become entries, which are not in the file yet. */
MUST_USE int rx_thin_find(struct pack_receive *rx, struct err *err);
/* Those of them that are needed go to the end of the file, and it gets a new checksum. */
MUST_USE int rx_thin_append(struct pack_receive *rx, struct err *err);

#endif
