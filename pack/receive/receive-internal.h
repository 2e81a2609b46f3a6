/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal interfaces of pack/receive/: the input, the table of entries, contents, deltas. */
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

/* ---- sink.c: hashes and copies used input ---- */
struct rx_sink;
/* Until it has a file it only hashes. may_start: it may start a thread, for a large pack. */
struct rx_sink *rx_sink_new(const struct hash_algo *algo, bool may_start);
void rx_sink_free(struct rx_sink *s); /* NULL is fine */
/* The caller owns `name`, which is used in messages. */
void rx_sink_copy_to(struct rx_sink *s, int fd, const char *name);
/*
 * Returns a buffer of `cap` bytes (always the same size) to replace one that is given to the sink;
 * NULL: use rx_sink_put.
 */
unsigned char *rx_sink_spare(struct rx_sink *s, size_t cap);
/*
 * Give the first len bytes of a buffer to the sink's thread, and the buffer with them. May return
 * errors of earlier pieces.
 */
MUST_USE int rx_sink_give(struct rx_sink *s, unsigned char *buf, size_t len, struct err *err);
/* Hash and copy the bytes before it returns; the caller keeps the buffer. */
MUST_USE int rx_sink_put(struct rx_sink *s, const unsigned char *p, size_t len, struct err *err);
/* Wait until all bytes are hashed and written. */
MUST_USE int rx_sink_wait(struct rx_sink *s, struct err *err);
MUST_USE int rx_sink_hash(struct rx_sink *s, struct object_id *out, struct err *err);

/* ---- input.c: the pack as it comes ---- */
struct rx_input {
	int fd; /* -1: read and ready are called */
	int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	bool (*ready)(void *data);
	void *read_data;
	bool ended;
	unsigned char *buf;
	size_t pos, len, cap; /* buf[pos..len) has not been used yet */
	uint64_t offset;      /* of buf[pos] in the pack */
	uint64_t max;	      /* bytes; 0: no limit */
	uint32_t crc;	      /* of the bytes used since it was set to 0 */
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
/* Read until `want` bytes are there or the buffer is full, without waiting for input. */
MUST_USE int rx_input_prefer(struct rx_input *in, size_t want, struct err *err);
/* Mark n bytes as used. ERR_TOO_BIG: beyond the limit. */
MUST_USE int rx_input_use(struct rx_input *in, size_t n, struct err *err);
/* Hash and copy all used bytes. */
MUST_USE int rx_input_flush(struct rx_input *in, struct err *err);

/* ---- table.c: the table of entries ---- */
#define RX_ADDED 1u /* a base from the database; offset 0 until it is appended to the pack */
#define RX_BIG 2u   /* the content was hashed in pieces, and is not checked yet */
#define RX_BROKEN 4u /* the object was named but is unusable; with keep_going */

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
	bool inline_done; /* see inline-deltas.c */
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
	bool complete; /* the copy has all the bytes that will be published */
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
/* If keep_going is set and the error is damage: report it and return 0. Else rx_fail. */
int rx_broken(struct pack_receive *rx, int rc, struct err *err);

/* ---- limits.c ---- */
/*
 * Call before inflating or building `bytes`; input_bytes is the number of pack bytes read so far.
 * ERR_TOO_BIG: beyond the limit.
 */
MUST_USE int rx_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes, struct err *err);
/* false: beyond the limit; nothing is counted then */
bool rx_try_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes);
/* May there be an object of that type and size? ERR_TOO_BIG. */
MUST_USE int rx_check_size(const struct pack_receive *rx, enum object_type type, uint64_t size, struct err *err);
bool rx_fits(const struct pack_receive *rx, enum object_type type, uint64_t size);

/* ---- parse.c ---- */
/* Everything up to and including the checksum. */
MUST_USE int rx_parse(struct pack_receive *rx, struct err *err);

/* ---- inline-deltas.c: applies deltas while the pack is read; thread-safe except new and end ---- */
struct rx_inline *rx_inline_new(struct pack_receive *rx);
/*
 * Name and check the object i, or apply the delta i if possible; then the deltas that waited for
 * it. Failures go to rx_broken(). For an entry whose content is not passed here, the caller sets
 * inline_done.
 */
void rx_inline_object(struct rx_inline *e, uint32_t i, const void *content, size_t size);
void rx_inline_delta(struct rx_inline *e, uint32_t i, const void *delta, size_t size);
/* After the last entry: deltas that still wait are left to rx_resolve_from(). NULL is fine. */
void rx_inline_end(struct rx_inline *e);

/* ---- content.c: an entry's content from the file ---- */
MUST_USE int rx_file_open(struct pack_receive *rx, struct err *err);
void rx_file_close(struct pack_receive *rx);
/* The inflated content of an entry, as it is stored; of an added base, the object. Caller frees. */
MUST_USE int rx_inflate(struct pack_receive *rx, uint32_t i, void **out, size_t *size,
			struct err *err);
/* The size in the entry's header. */
MUST_USE int rx_stored_size(struct pack_receive *rx, uint32_t i, uint64_t *size, struct err *err);
/* Apply the delta i to its base. The caller frees *out. */
struct base_view {
	enum object_type type;
	const void *data;
	size_t size;
};
MUST_USE int rx_apply(struct pack_receive *rx, uint32_t i, const struct base_view *base, void **out, size_t *size,
		      struct err *err);
/* Read an object by its chain of deltas, for the few that are needed again. */
MUST_USE int rx_read_object(struct pack_receive *rx, uint32_t i, struct object_buf *out,
			    struct err *err);
int rx_reader_open(struct pack_receive_reader **out, struct pack_receive *rx, uint32_t i,
		   struct err *err);
void rx_reader_close(struct pack_receive_reader *r);

/* ---- object.c: naming and checking objects ---- */
/* Name the object i, of which the type is known, and check it. Thread-safe. */
MUST_USE int rx_object(struct pack_receive *rx, uint32_t i, const void *content, size_t size,
		       struct err *err);
/* The same for the objects that were hashed in pieces. */
void rx_check_big(struct pack_receive *rx);
/* The last checks: links, and fsck of objects that refer to each other. */
MUST_USE int rx_finish_checks(struct pack_receive *rx, struct err *err);

/* ---- links.c ---- */
struct rx_links *rx_links_new(size_t raw_len);
void rx_links_free(struct rx_links *l);
MUST_USE int rx_links_add(struct pack_receive *rx, const struct object_id *oid,
			  enum object_type type, const void *content, size_t size, struct err *err);

/* ---- resolve.c ---- */
/* Build the lists of deltas by base, for unresolved deltas and the entries on their chains. */
void rx_link_deltas(struct pack_receive *rx);
/* Resolve all deltas that build on non-deltas from entry `first` on. */
void rx_resolve_from(struct pack_receive *rx, uint32_t first);

/* ---- thin.c ---- */
/* Add an entry for each base that the database has; they are not in the file yet. */
MUST_USE int rx_thin_find(struct pack_receive *rx, struct err *err);
/* Append the needed ones of these bases to the file, and compute its new checksum. */
MUST_USE int rx_thin_append(struct pack_receive *rx, struct err *err);

#endif
