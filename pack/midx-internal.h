/* SPDX-License-Identifier: GPL-2.0-only */
/* The content of a new multi-pack-index. */
#ifndef PACK_MIDX_INTERNAL_H
#define PACK_MIDX_INTERNAL_H

#include "compat/posix.h"
#include "pack/midx.h"
#include "pack/pack-internal.h"

#define MIDX_SIGNATURE 0x4d494458u /* "MIDX" */
#define MIDX_HEADER_BYTES 12
#define MIDX_CHUNK_ENTRY_BYTES 12
#define MIDX_PACK_NAMES 0x504e414du
#define MIDX_FANOUT 0x4f494446u
#define MIDX_NAMES 0x4f49444cu
#define MIDX_LOCATIONS 0x4f4f4646u
#define MIDX_WIDE 0x4c4f4646u
#define MIDX_ORDER 0x52494458u
#define MIDX_RANGES 0x42544d50u /* BTMP */
#define MIDX_MSB 0x80000000u

struct midx_pack {
	struct pack *pack;
	char *name;	     /* "pack-HASH.idx" */
	uint32_t first_bit, nr; /* of its objects, set when the order of bits is computed */
};

struct midx_object {
	const unsigned char *name; /* in the idx of the pack */
	uint64_t offset;
	uint32_t pack;
};

struct midx_content {
	const struct hash_algo *algo;
	unsigned version; /* of the format: 1 or 2 */
	struct midx_pack *packs; /* by name */
	uint32_t nr_packs;
	uint32_t preferred;	 /* UINT32_MAX: none */
	const struct midx_range *range; /* layers that are combined; NULL: none */
	struct midx_object *v;	 /* by name, each once */
	uint32_t nr, first;	 /* first: objects of lower layers */
	uint32_t *order;	 /* positions in v by bit; NULL: not requested */
};
/* A copy of an object: the one of the lowest rank counts, then the one of the youngest pack. */
struct midx_copy {
	struct midx_object o;
	time_t mtime;
	uint32_t rank;
	uint8_t raw_len;
};
struct midx_copies {
	struct midx_copy *v;
	size_t nr, alloc;
};

/* ---- midx-range.c: layers of a chain that are combined ---- */
#define MIDX_RANK_OF_IDX UINT32_MAX /* rank of copies outside all combined layers */
struct midx_range {
	const struct midx **v; /* the lowest first */
	uint32_t **pack_of;    /* new number of a pack, by layer and its number there */
	size_t nr;
	uint64_t nr_objects;
};
/* The layer with that checksum: `top` or one below it. NULL: there is none. */
struct midx *midx_find_layer(struct midx *top, const char *hex);
/* Find the layers from `from` up to `to`. ERR_INVALID: `to` is not above `from`. */
MUST_USE int midx_range_find(struct midx_range *out, struct midx *top, const char *from, const char *to,
			     struct err *err);
void midx_range_release(struct midx_range *r);
/* List its packs in the order of bits, so that bitmaps of higher layers keep their meaning. */
MUST_USE int midx_range_list_packs(struct midx_range *r, struct midx_content *c, struct err *err);
/* Collect the copies that its layers use, of objects whose names begin with the byte `first`. */
MUST_USE int midx_range_collect(const struct midx_range *r, unsigned first, struct midx_copies *out,
				struct err *err);

/* ---- midx-select.c ---- */
struct midx_selection {
	const struct midx *base;  /* layer below the new one, whose objects it does not repeat; may be NULL */
	const struct midx *taken; /* layers whose packs are left out; may be NULL */
	struct midx_range *range; /* use only its packs; NULL: the packs of the directory */
};
MUST_USE int midx_content_select(struct midx_content *out, struct packs *packs, const struct midx_selection *s,
				 const struct midx_write_options *o, struct err *err);
void midx_content_release(struct midx_content *c);

/* ---- midx-write.c ---- */
MUST_USE int midx_content_write(const struct midx_content *c, int fd, const char *name,
				struct object_id *checksum, struct err *err);

/* ---- midx-update.c ---- */
void midx_attach_packs(struct midx *m, struct packs *packs);

/* ---- midx-layers.c ---- */
MUST_USE int midx_stage_unlink(struct fsync_batch *b, const char *path, struct err *err);
bool midx_is_whole(const struct midx *m); /* the checksums of all layers are right */

/* ---- midx.c ---- */
bool midx_is_chain(const struct midx *m); /* NULL is none */

/* ---- midx-expire.c ---- */
/* The names (.idx) of the packs that can go, none of whose objects m refers to. */
MUST_USE int midx_find_unused(const struct midx *m, struct strset *unused, struct err *err);

#endif
