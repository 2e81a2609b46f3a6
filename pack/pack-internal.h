/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of pack/ share. */
#ifndef PACK_PACK_INTERNAL_H
#define PACK_PACK_INTERNAL_H

#include "compat/posix.h"
#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include "fs/mmap-window.h"
#include "hash/hash.h"
#include "object/object.h"
#include "pack/pack.h"
#include "util/map.h"

#define PACK_SIGNATURE 0x5041434bu /* "PACK" */
#define PACK_HEADER_BYTES 12
/* type and size (10 bytes), then a base's offset (10) or name */
#define PACK_ENTRY_HEADER_MAX (10 + HASH_MAX_RAW)

/* ---- idx.c: one .idx, version 1 or 2 ---- */
struct pack_idx {
	struct mapped_file map;
	const struct hash_algo *algo;
	unsigned version;
	uint32_t nr;
	const unsigned char *fanout;
	const unsigned char *names;   /* the first name; the next is `stride` on */
	size_t stride;
	const unsigned char *crc;     /* NULL in version 1 */
	const unsigned char *offsets; /* version 2: 4 bytes each */
	const unsigned char *wide;    /* version 2: 8 bytes each */
	uint32_t nr_wide;
	const unsigned char *pack_sum, *idx_sum;
};
/* Sizes, fan-out and versions are checked; the order of names and the checksum are not. */
MUST_USE int idx_open(struct pack_idx *out, const char *path,
		      const struct hash_algo *algo, struct err *err);
/* The same on memory that is mapped already (and stays the caller's). */
MUST_USE int idx_parse(struct pack_idx *out, const unsigned char *p, size_t len,
		       const char *path, const struct hash_algo *algo, struct err *err);
void idx_release(struct pack_idx *idx);
static inline const unsigned char *idx_name(const struct pack_idx *idx, uint32_t pos)
{
	return idx->names + (size_t)pos * idx->stride;
}
/* The position, or where the name would be. */
bool idx_find(const struct pack_idx *idx, const unsigned char *name, uint32_t *pos);
/* UINT64_MAX if the table of wide offsets does not have it. */
uint64_t idx_offset(const struct pack_idx *idx, uint32_t pos);
uint32_t idx_crc(const struct pack_idx *idx, uint32_t pos);

/* Binary search in a table of names with a fan-out, as idx and midx have it. */
struct name_table {
	const unsigned char *fanout, *names;
	size_t stride, raw_len;
	uint32_t nr;
};
bool name_table_find(const struct name_table *t, const unsigned char *name, uint32_t *pos);
/* All names that begin with the first `digits` of `name` are added to out. */
void name_table_prefix(const struct name_table *t, const unsigned char *name, size_t digits,
		       const struct hash_algo *algo, struct oid_array *out);
/* Digits that tell `name` from its neighbours. */
size_t name_table_unique_len(const struct name_table *t, const unsigned char *name);
/* Monotonic and with nr as its last value? */
bool fanout_is_sane(const unsigned char *fanout);
static inline struct name_table idx_names(const struct pack_idx *idx)
{
	return (struct name_table){ idx->fanout, idx->names, idx->stride,
				    idx->algo->raw_len, idx->nr };
}

struct idx_entry {
	struct object_id oid;
	uint64_t offset;
	uint32_t crc;
};
/* `v` is sorted by name. Writes idx version 2. */
MUST_USE int idx_write(int fd, const char *name, const struct hash_algo *algo,
		       const struct idx_entry *v, uint32_t nr,
		       const struct object_id *pack_sum, struct err *err);

/* ---- revindex.c: objects in the order of their offsets ---- */
struct revindex {
	struct mapped_file map;	   /* of the .rev file, if there is one */
	const unsigned char *file; /* positions in it, big endian */
	uint32_t *built;	   /* or our own */
	bool looked;		   /* for the file */
	unsigned scans;		   /* questions that were answered without */
};
#define REV_HEADER_BYTES 12
/* Header, size and pack of a .rev file; its positions and checksum are not looked at. */
MUST_USE int rev_check_file(const struct mapped_file *m, const struct pack *p,
			    const char *path, struct err *err);
/* Positions in the idx by offset, in new memory. */
uint32_t *idx_order_by_offset(const struct pack_idx *idx);
MUST_USE int rev_write(int fd, const char *name, const struct hash_algo *algo,
		       const struct idx_entry *v, uint32_t nr,
		       const struct object_id *pack_sum, struct err *err);

/* ---- midx.c: the multi-pack-index of a directory ---- */
struct midx {
	struct mapped_file map;
	char *path;
	const struct hash_algo *algo;
	uint32_t nr_packs, nr;
	const char **pack_names; /* "pack-….idx", into map */
	const unsigned char *fanout, *names, *places, *wide;
	uint32_t nr_wide;
	struct pack **packs; /* by pack id; NULL: not there. Set by packs.c */
};
/* ERR_NOT_FOUND without one; ERR_CORRUPT, ERR_UNSUPPORTED. */
MUST_USE int midx_open(struct midx **out, const char *path, const struct hash_algo *algo,
		       struct err *err);
void midx_free(struct midx *m);
static inline struct name_table midx_names(const struct midx *m)
{
	return (struct name_table){ m->fanout, m->names, m->algo->raw_len,
				    m->algo->raw_len, m->nr };
}
int midx_pack_id(const struct midx *m, const char *idx_name); /* -1: not covered */
/* false if the entry is malformed. */
bool midx_place(const struct midx *m, uint32_t pos, uint32_t *pack_id, uint64_t *offset);

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


/* ---- one pack ---- */
/* Gone: a repack has put another pack in its place. */
enum part_state { PART_UNOPENED = 0, PART_OPEN, PART_GONE, PART_BAD };

struct pack {
	struct packs *owner;
	char *base;	/* path without ".pack" */
	char *path;	/* with it */
	time_t mtime;
	uint64_t size;	/* when the directory was read; checked when opened */
	pthread_mutex_t lock; /* for opening parts */
	_Atomic(int) idx_state, data_state, rev_state;
	struct pack_idx idx;
	struct window_file *file;
	uint64_t end; /* of the entries: where the checksum begins */
	struct revindex rev;
	/* Offsets of entries that turned out to be corrupt. */
	_Atomic(uint32_t) nr_bad;
	struct oidset bad;
	_Atomic(bool) touched; /* mtime set to now */
};

/* Tell the owner's warn. */
void packs_warn(struct packs *ps, const char *fmt, ...) PRINTF_LIKE(2, 3);
struct pack *pack_new(struct packs *owner, const char *base, size_t base_len,
		      const struct stat *st);
void pack_free(struct pack *p);
/* Each opens once; failing once is failing for good (told by warn). */
MUST_USE int pack_open_idx(struct pack *p, struct err *err);
MUST_USE int pack_open_data(struct pack *p, struct err *err); /* idx too */
MUST_USE int pack_open_rev(struct pack *p, struct err *err);  /* idx too */
bool pack_mark_bad(struct pack *p, uint64_t offset); /* true if that is news */
bool pack_is_marked_bad(struct pack *p, uint64_t offset);
/* Position in the idx of the i-th object by offset; rev must be open. */
uint32_t pack_rev_at(const struct pack *p, uint32_t i);
/* Does it have every object once, in order? */
bool pack_rev_is_sound(const struct pack *p);
/* The object that begins exactly at offset: its position in the idx, and where the next one
 * begins; ERR_CORRUPT if there is none. */
MUST_USE int pack_locate(struct pack *p, uint64_t offset, uint32_t *pos, uint64_t *end,
			 struct err *err);
MUST_USE int pack_offset_to_oid(struct pack *p, uint64_t offset, struct object_id *out,
				struct err *err);

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

/* ---- packs.c ---- */
/* A base that is being fetched from elsewhere, to see circles across packs. */
struct fetching {
	pthread_t thread;
	const struct object_id *oid;
	struct fetching *next;
};

struct pack_set {
	size_t nr;
	struct pack **all; /* newest first */
	struct midx *midx; /* may be NULL */
	/* Not covered by the midx; mru: the same, most recently used first, see
	 * find_in_packs. */
	struct pack **single;
	size_t nr_single;
	_Atomic(struct pack *) *mru;
	_Atomic(unsigned) mru_moves;
	struct pack_set *older; /* kept: a reader may still look at it */
};

struct packs {
	struct packs_options opts;
	char *objdir, *dir;
	struct window_pool *pool;
	struct base_cache *cache;
	uint64_t max_object_bytes; /* what can be held in memory */
	pthread_mutex_t lock; /* scanning, mru, readers, fetching */
	_Atomic(struct pack_set *) set;
	struct strmap by_base; /* every pack ever seen, owned */
	struct reader *idle_readers;
	struct fetching *fetching;
	/*
	 * The base `oid` of something in `p`, from any other place than p. Set by packs.c:
	 * reading one pack does not know of the others.
	 */
	int (*read_elsewhere)(struct packs *ps, struct pack *p, const struct object_id *oid,
			      struct object_buf *out, struct err *err);
	int (*info_elsewhere)(struct packs *ps, struct pack *p, const struct object_id *oid,
			      struct object_info *out, struct err *err);
};

struct reader *reader_get(struct packs *ps);
void reader_put(struct packs *ps, struct reader *r);
/* The current set; scans the directory at the first call. */
struct pack_set *packs_set(struct packs *ps);
struct place {
	struct pack *pack;
	uint64_t offset;
};
/* A copy that is not known to be bad. With `not_in`, any but that pack's. */
bool packs_find(struct packs *ps, const struct object_id *oid, const struct pack *not_in,
		struct place *out);
/* ---- writer.c ---- */
/* Type and size as they stand before an entry; at most 10 bytes. */
size_t pack_entry_header(unsigned char *out, enum object_type type, uint64_t size);

#endif
