/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the entries of one pack: what stands at an offset, deltas applied, a cache of bases. */
#ifndef PACK_READ_INTERNAL_H
#define PACK_READ_INTERNAL_H

#include "compat/posix.h"
#include <libdeflate.h>
#include "pack/pack-internal.h"

/* ---- cache.c: whole objects that deltas were applied to ---- */
struct base_object {
	atomic_uint refs;
	enum object_type type;
	size_t size;
	void *data; /* NUL-terminated */
	bool borrowed; /* from elsewhere, in place of a corrupt or missing one */
};
struct base_object *base_object_new(enum object_type type, void *data, size_t size);
void base_object_put(struct base_object *b); /* drops a reference; NULL is fine */
/* Data leaves, copied if somebody else holds b too. Drops the reference. NULL: no memory. */
void *base_object_detach(struct base_object *b);

struct base_cache;
struct base_cache *base_cache_new(size_t limit_bytes);
void base_cache_free(struct base_cache *c);
/* A reference for the caller, or NULL. */
struct base_object *base_cache_get(struct base_cache *c, const struct pack *pack, uint64_t offset);
/* Takes a reference of its own; may throw others out. */
void base_cache_add(struct base_cache *c, const struct pack *pack, uint64_t offset,
		    struct base_object *b);

/* ---- entry.c: what stands at an offset ---- */
/* Things that take time to make, reused from read to read. */
struct reader {
	struct libdeflate_decompressor *inflater;
	struct reader *next;
};

struct pack_entry {
	uint64_t offset, data_offset;
	uint64_t size; /* inflated; of a delta: of the delta */
	enum object_type type;
	uint64_t base_offset; /* 0: not in this pack */
	struct object_id base_oid; /* REF_DELTA only */
};
/* Reads the header and finds the base. ERR_CORRUPT. */
MUST_USE int pack_entry_read(struct pack *p, uint64_t offset, struct pack_entry *out,
			     struct err *err);
/* Inflate into new memory of size + 1 (a NUL follows). */
MUST_USE int pack_entry_inflate(struct pack *p, struct reader *r, const struct pack_entry *e,
				void **out, struct err *err);
/* The first bytes of the content, at most len; *got. */
MUST_USE int pack_entry_peek(struct pack *p, const struct pack_entry *e,
			     void *out, size_t len, size_t *got, struct err *err);
MUST_USE int pack_entry_stream(struct pack *p, const struct pack_entry *e,
			       int (*sink)(void *data, const void *p, size_t len,
					   struct err *err),
			       void *data, bool *any, struct err *err);
/* A whole zlib stream of exactly out_len bytes; more input may follow it. */
MUST_USE int inflate_whole(const void *in, size_t in_len, void *out, size_t out_len,
			   struct err *err);
/* Size encoding of deltas: at *at, before end. */
MUST_USE int delta_read_size(const unsigned char **at, const unsigned char *end,
			     uint64_t *out);

/* ---- read.c ---- */
/* This copy and no other; only its bases may come from elsewhere if they are bad here. */
MUST_USE int pack_read_at(struct pack *p, struct reader *r, uint64_t offset,
			  struct object_buf *out, struct err *err);
#define INFO_PLACE 1u /* disk_size and delta_base too: may build a reverse index */
MUST_USE int pack_info_at(struct pack *p, uint64_t offset, unsigned flags,
			  struct object_info *out, struct err *err);

/* ---- writer.c ---- */
/* Type and size as they stand before an entry; at most 10 bytes. */
size_t pack_entry_header(unsigned char *out, enum object_type type, uint64_t size);

#endif
