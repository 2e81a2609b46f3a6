/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of reading .bitmap files. */
#ifndef PACK_BITMAP_INTERNAL_H
#define PACK_BITMAP_INTERNAL_H

#include "compat/posix.h"
#include "pack/bitmap.h"
#include "pack/ewah.h"
#include "pack/pack-internal.h"

#define BITMAP_SIGNATURE 0x4249544du /* "BITM" */
#define BITMAP_VERSION 1
#define BITMAP_HEADER_BYTES 12 /* without the checksum */
#define BITMAP_FULL_DAG 0x1u
#define BITMAP_HASH_CACHE 0x4u
#define BITMAP_LOOKUP_TABLE 0x10u
#define BITMAP_PSEUDO_MERGES 0x20u
#define BITMAP_KNOWN_FLAGS (BITMAP_FULL_DAG | BITMAP_HASH_CACHE | BITMAP_LOOKUP_TABLE | BITMAP_PSEUDO_MERGES)
#define BITMAP_ENTRY_BYTES 6 /* before its bitmap */
#define BITMAP_ROW_BYTES 16
#define BITMAP_NO_ROW UINT32_MAX
#define BITMAP_XOR_MAX 160 /* entries back */

/* ---- bitmap-order.c: which object each bit means ---- */
struct bit_order {
	uint32_t nr;
	struct pack *pack;	 /* one pack, or */
	const struct midx *midx; /* the top layer */
	uint32_t *bit_of;	 /* by position; NULL until there were many searches */
	unsigned searches;
};
/* The position of a bit in the index. False: the table is malformed there. */
bool bit_order_position(const struct bit_order *o, uint32_t bit, uint32_t *pos);
/* 1, 0, ERR_CORRUPT */
int bit_order_find(struct bit_order *o, const struct object_id *oid, uint32_t *bit, struct err *err);
/* The position of an object; false: it is not there. */
bool bit_order_find_position(const struct bit_order *o, const struct object_id *oid, uint32_t *pos);
bool bit_order_object(const struct bit_order *o, uint32_t pos, struct bitmap_object *out);
void bit_order_release(struct bit_order *o);

/* ---- bitmap-layer.c: one file ---- */
struct bitmap_row {
	uint32_t pos;	  /* of the commit */
	uint32_t xor_row; /* BITMAP_NO_ROW: none */
	uint64_t offset;  /* of the entry in the file */
};

struct pseudo_merge {
	struct ewah commits;
	size_t reach; /* where in the file the other bitmap is */
	bool applied; /* short-lived */
};

struct bitmap_layer {
	struct mapped_file map;
	char *path;
	uint32_t first, nr; /* the bits of this layer; entries use those of lower ones, too */
	uint32_t nr_rows;
	const unsigned char *table; /* by position; NULL: there is none, then */
	struct bitmap_row *rows;    /* in the order of the file, and */
	uint64_t *sorted;	    /* position << 32 | row, sorted */
	const unsigned char *hashes; /* of this layer's objects; NULL: none */
	const unsigned char *merges; /* the section of pseudo-merges; NULL: none */
	size_t merges_len;
	struct pseudo_merge *merge; /* once they have been parsed */
	uint32_t nr_merges;
	struct ewah types[4];
	struct bitset *kept; /* decoded bitmaps, by row; NULL: none. Empty: not kept */
};
/* The objects of a layer (its own pack or midx) and where its file is. */
struct bitmap_source {
	const char *path;
	const unsigned char *checksum; /* that it must name */
	const struct hash_algo *algo;
	uint32_t first, nr;
};
/* ERR_NOT_FOUND: there is no such file. */
MUST_USE int bitmap_layer_open(struct bitmap_layer *out, const struct bitmap_source *s,
			       struct err *err);
void bitmap_layer_release(struct bitmap_layer *l);
static inline int bitmap_is_bad(const struct bitmap_layer *l, const char *what, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "bitmap '%s': %s", l->path, what);
}
/* The row of the commit at that position; false: it has none. */
bool bitmap_layer_find(const struct bitmap_layer *l, uint32_t pos, uint32_t *row);
struct bitmap_row bitmap_layer_row(const struct bitmap_layer *l, uint32_t row);

/* ---- bitmap.c ---- */
/* The bitmaps of a chain from m down, which must all be there. */
MUST_USE int bitmap_index_open_midx(struct bitmap_index **out, const struct midx *m, struct err *err);

/* ---- bitmap-decode.c ---- */
/* Add the bitmap of a row; *kept_bytes counts what the layers keep, up to a limit. */
MUST_USE int bitmap_layer_or_row(struct bitmap_layer *l, uint32_t row, struct bitset *to,
				 size_t *kept_bytes, struct err *err);

/* ---- bitmap-merges.c ---- */
/* Does the end of the section say how long it is? False: malformed. */
bool bitmap_merges_len(const unsigned char *end, size_t before, size_t *len);
/* As bitmap_index_or_merges, for one layer. */
int bitmap_layer_or_merges(struct bitmap_layer *l, const struct bitset *commits, struct bitset *to,
			   struct err *err);

#endif
