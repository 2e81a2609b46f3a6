/* SPDX-License-Identifier: GPL-2.0-only */
/* The index files: .idx of a pack, .rev (reverse index), and the multi-pack-index. */
#ifndef PACK_IDX_INTERNAL_H
#define PACK_IDX_INTERNAL_H

#include "compat/posix.h"
#include "fs/mmap-window.h"
#include "hash/hash.h"
#include "util/err.h"

struct pack;

/* ---- idx.c: one .idx, version 1 or 2 ---- */
struct pack_idx {
	struct mapped_file map;
	const struct hash_algo *algo;
	unsigned version;
	uint32_t nr;
	const unsigned char *fanout;
	const unsigned char *names;   /* the first object name; they are `stride` bytes apart */
	size_t stride;
	const unsigned char *crc;     /* NULL in version 1 */
	const unsigned char *offsets; /* version 2: 4 bytes each */
	const unsigned char *wide;    /* version 2: 8 bytes each */
	uint32_t nr_wide;
	const unsigned char *pack_sum; /* the checksum of the pack */
};
/* Checks sizes, fan-out and version, but neither the order of names nor the checksum. */
MUST_USE int idx_open(struct pack_idx *out, const char *path,
		      const struct hash_algo *algo, struct err *err);
/* The same for an index in memory, which stays the caller's. */
MUST_USE int idx_parse(struct pack_idx *out, const unsigned char *p, size_t len,
		       const char *path, const struct hash_algo *algo, struct err *err);
void idx_release(struct pack_idx *idx);
static inline const unsigned char *idx_name(const struct pack_idx *idx, uint32_t pos)
{
	return idx->names + (size_t)pos * idx->stride;
}
/* *pos: the position of the name, or where it would be inserted (false). */
bool idx_find(const struct pack_idx *idx, const unsigned char *name, uint32_t *pos);
/* UINT64_MAX if it refers to a missing entry of the table of 8-byte offsets. */
uint64_t idx_offset(const struct pack_idx *idx, uint32_t pos);
uint32_t idx_crc(const struct pack_idx *idx, uint32_t pos);

/* A sorted table of object names with a fan-out, as in an idx and in the multi-pack-index. */
struct name_table {
	const unsigned char *fanout, *names;
	size_t stride, raw_len;
	uint32_t nr;
};
bool name_table_find(const struct name_table *t, const unsigned char *name, uint32_t *pos);
/* Append all names that begin with the first `digits` hex digits of `name`. */
void name_table_prefix(const struct name_table *t, const unsigned char *name, size_t digits,
		       const struct hash_algo *algo, struct oid_array *out);
/* Number of hex digits that distinguish `name` from its neighbours. */
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
/* How an idx is written; zeros: version 2, 8 bytes for offsets from 2 GiB on. */
struct idx_format {
	unsigned version;   /* 1: only if all offsets fit in 4 bytes, else 2 is written */
	uint64_t wide_from; /* offsets beyond it take 8 bytes, too; 0: none */
};
MUST_USE int idx_write_as(int fd, const char *name, const struct hash_algo *algo,
			  const struct idx_entry *v, uint32_t nr, const struct object_id *pack_sum,
			  const struct idx_format *format, struct err *err);
/* Write an idx, version 2. `v` must be sorted by name. */
MUST_USE int idx_write(int fd, const char *name, const struct hash_algo *algo,
		       const struct idx_entry *v, uint32_t nr,
		       const struct object_id *pack_sum, struct err *err);

/* ---- revindex.c: objects in the order of their offsets ---- */
struct revindex {
	struct mapped_file map;	   /* of the .rev file, if there is one */
	const unsigned char *file; /* the positions in map, big-endian */
	uint32_t *built;	   /* or computed from the idx */
	uint64_t *sorted;	   /* or the same below their offsets, where 32 bits suffice for these */
	bool looked;		   /* whether there is a file */
	unsigned scans;		   /* searches that were done without a reverse index */
};
#define REV_HEADER_BYTES 12
/* Check header, size and pack of a .rev file, but neither its positions nor the checksum. */
MUST_USE int rev_check_file(const struct mapped_file *m, const struct pack *p,
			    const char *path, struct err *err);
/* The same for a pack of so many objects that is not open. */
MUST_USE int rev_check_header(const struct mapped_file *m, const struct hash_algo *algo,
			      uint32_t nr, const unsigned char *pack_sum, const char *path,
			      struct err *err);
struct sortable_offset {
	uint64_t offset;
	uint32_t pos;
};
/* Sorts v, from malloc; returns it or another array instead, which the caller frees. */
struct sortable_offset *offsets_sort(struct sortable_offset *v, uint32_t nr);
/* The positions in the idx, sorted by offset. Caller frees. */
uint32_t *idx_order_by_offset(const struct pack_idx *idx);
/* The same for entries that are sorted by name. */
uint32_t *idx_entries_order_by_offset(const struct idx_entry *v, uint32_t nr);
MUST_USE int rev_write(int fd, const char *name, const struct hash_algo *algo,
		       const struct idx_entry *v, uint32_t nr,
		       const struct object_id *pack_sum, struct err *err);

/* ---- midx.c: the multi-pack-index of a directory, or one layer of a chain ---- */
struct midx {
	struct mapped_file map;
	struct stat seen; /* the file, or that of the chain, when it was opened */
	char *path;
	const struct hash_algo *algo;
	unsigned version;
	uint32_t nr_packs, nr;
	const char **pack_names; /* "pack-HASH.idx", pointers into map */
	const unsigned char *fanout, *names, *locations, *wide;
	uint32_t nr_wide;
	const unsigned char *order;  /* RIDX: positions by bit, 4 bytes each; may be NULL */
	struct pack **packs; /* by pack id; NULL: missing. Filled in by packs.c */
	/* The next lower layer, owned; NULL: this is the lowest. Positions of objects and bits of a
	 * chain go through all layers, those of the lowest first; ids of packs are a layer's own. */
	struct midx *base;
	uint32_t first; /* the number of objects in the layers below */
};
/*
 * Prefixes of temporary files: of bitmaps, beside packs (packs_remove_incomplete); of a
 * multi-pack-index, in its directory, made under its lock.
 */
#define BITMAP_TMP_PREFIX "tmp_bitmap_"
#define MIDX_TMP_PREFIX "tmp_midx_"
/* The single file at `path`. ERR_NOT_FOUND if there is none; ERR_CORRUPT, ERR_UNSUPPORTED. */
MUST_USE int midx_open(struct midx **out, const char *path, const struct hash_algo *algo,
		       struct err *err);
/* What the directory of packs has: a single file, or else the top layer of a chain. */
MUST_USE int midx_open_dir(struct midx **out, const char *packdir, const struct hash_algo *algo,
			   struct err *err);
void midx_free(struct midx *m); /* and the layers below */
/* Where the bitmaps of that file, or layer, are. Caller frees. */
char *midx_bitmap_path(const struct midx *m);
/* Is that file, or that chain, what m was opened from? m may be NULL. */
bool midx_is_current(const struct midx *m, const char *packdir);
static inline struct name_table midx_names(const struct midx *m)
{
	return (struct name_table){ m->fanout, m->names, m->algo->raw_len,
				    m->algo->raw_len, m->nr };
}
static inline const unsigned char *midx_checksum(const struct midx *m)
{
	return m->map.p + m->map.len - m->algo->raw_len;
}
int midx_pack_id(const struct midx *m, const char *idx_name); /* in this layer; -1: not covered */
/* Tells the layer that covers a pack; false if none does. */
bool midx_attach(struct midx *m, const char *idx_name, struct pack *p);
/* The layer (m or below) and its position of an object. */
bool midx_find(const struct midx *m, const unsigned char *name, const struct midx **layer,
	       uint32_t *pos);
/* The pack and offset of the object at pos of this layer. False if the entry is malformed. */
bool midx_location(const struct midx *m, uint32_t pos, uint32_t *pack_id, uint64_t *offset);

#endif
