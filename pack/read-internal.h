/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading from one pack: the entry at an offset, chains of deltas, and a cache of delta bases. */
#ifndef PACK_READ_INTERNAL_H
#define PACK_READ_INTERNAL_H

#include "compat/posix.h"
#include <libdeflate.h>
#include "pack/pack-internal.h"

/* ---- cache.c: objects that are bases of deltas, counted references ---- */
struct base_object {
	atomic_uint refs;
	enum object_type type;
	size_t size;
	void *data; /* NUL-terminated */
	bool borrowed; /* read from elsewhere, because the pack's own is corrupt or missing */
	/* Fields of the cache, under its lock. */
	bool is_cached;
	const struct pack *pack;
	uint64_t offset, time;
	struct base_object *newer, *older;
};
struct base_object *base_object_new(enum object_type type, void *data, size_t size);
void base_object_put(struct base_object *b); /* drops a reference; NULL is fine */
/* Drops the reference; returns the data, or a copy if there are others. NULL: no memory. */
void *base_object_detach(struct base_object *b);

struct base_cache;
struct base_cache *base_cache_new(size_t limit_bytes);
void base_cache_free(struct base_cache *c);
void base_cache_clear(struct base_cache *c); /* objects in use stay with their users */
/* A reference for the caller, or NULL. */
struct base_object *base_cache_get(struct base_cache *c, const struct pack *pack, uint64_t offset);
/*
 * Add b to the cache, which takes a reference; an object can be in one cache only. May evict
 * others.
 */
void base_cache_add(struct base_cache *c, const struct pack *pack, uint64_t offset,
		    struct base_object *b);

/* ---- types.c: the types of objects at the ends of long chains of deltas ---- */
/* Gets the cached type of the object at offset; false: not cached, or evicted. */
bool pack_type_get(const struct pack *p, uint64_t offset, enum object_type *type);
void pack_type_put(struct pack *p, uint64_t offset, enum object_type type);

/* ---- entry.c: one entry of a pack ---- */
/* A decompressor, reused since creating one takes time. */
struct reader {
	struct libdeflate_decompressor *inflater;
};

struct pack_entry {
	uint64_t offset, data_offset;
	uint64_t size; /* inflated; for a delta, that of the delta itself */
	enum object_type type;
	uint64_t base_offset; /* 0: not in this pack */
	struct object_id base_oid; /* REF_DELTA only */
};
/* Type and size at the beginning of an entry; returns the bytes used, 0 if malformed. */
size_t pack_entry_parse_size(const unsigned char *at, size_t len, enum object_type *type,
			     uint64_t *size);
/*
 * The distance to the base: base 128, plus one for each continuation. Returns the bytes used, 0 if
 * malformed.
 */
size_t pack_entry_parse_distance(const unsigned char *at, size_t len, uint64_t *out);
/* Read the header at offset and locate the base. ERR_CORRUPT. */
MUST_USE int pack_entry_read(struct pack *p, uint64_t offset, struct pack_entry *out,
			     struct err *err);
/* Inflate into new memory; a NUL follows the content. Caller frees. */
MUST_USE int pack_entry_inflate(struct pack *p, struct reader *r, const struct pack_entry *e,
				void **out, struct err *err);
/* Inflate only the first *got bytes, at most PACK_PEEK_MAX. */
#define PACK_PEEK_MAX 24
MUST_USE int pack_entry_peek(struct pack *p, struct reader *r, const struct pack_entry *e,
			     unsigned char out[PACK_PEEK_MAX], size_t *got, struct err *err);
/* Inflate in pieces; *any: `sink` has been called. */
MUST_USE int pack_entry_stream(struct pack *p, const struct pack_entry *e,
			       int (*sink)(void *data, const void *p, size_t len,
					   struct err *err),
			       void *data, bool *any, struct err *err);
/* Inflate a zlib stream of exactly out_len bytes; other data may follow it. */
MUST_USE int inflate_stream(const void *in, size_t in_len, void *out, size_t out_len,
			    struct err *err);
/* Parse a size as deltas encode it, at *at, which is advanced. -1: malformed. */
MUST_USE int delta_read_size(const unsigned char **at, const unsigned char *end,
			     uint64_t *out);

/* ---- read.c ---- */
/* Another copy may be good. */
static inline bool is_damage(int rc)
{
	return rc == ERR_CORRUPT || rc == ERR_NOT_FOUND;
}

/* Read the object at offset. Delta bases that are bad in this pack are read from elsewhere. */
MUST_USE int pack_read_at(struct pack *p, struct reader *r, uint64_t offset,
			  struct object_buf *out, struct err *err);
/* Read the size of the result from the beginning of the delta. */
MUST_USE int pack_delta_size(struct pack *p, struct reader *r, const struct pack_entry *e,
			     uint64_t *size, struct err *err);
#define INFO_LOCATION 1u /* disk_size and delta_base, too, which may need a reverse index */
MUST_USE int pack_info_at(struct pack *p, struct reader *r, uint64_t offset, unsigned flags,
			  struct object_info *out, struct err *err);

/* ---- verify.c ---- */
/* The crc32 of the bytes from offset `from` up to `to` of the open pack. */
MUST_USE int pack_crc(struct pack *p, uint64_t from, uint64_t to, uint32_t *crc, struct err *err);

/* ---- writer.c ---- */
/* The header of an entry with type and size, at most 10 bytes; returns its length. */
size_t pack_entry_header(unsigned char *out, enum object_type type, uint64_t size);
/* Encode the distance to the base for OFS_DELTA. Returns its length, at most 10. */
size_t pack_put_distance(unsigned char *out, uint64_t v);

#endif
