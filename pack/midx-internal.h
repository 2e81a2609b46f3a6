/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new multi-pack-index will hold. */
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
	uint32_t first_bit, nr; /* of its objects, once the order is made */
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
	struct midx_object *v;	 /* by name, each once */
	uint32_t nr, first;	 /* first: objects of lower layers */
	uint32_t *order;	 /* positions in v by bit; NULL: not wanted */
};
/* ---- midx-select.c ---- */
/* Of these packs, without what the layers of `base` (may be NULL) have. */
MUST_USE int midx_content_select(struct midx_content *out, struct packs *packs, const struct midx *base,
				 const struct midx_write_options *o, struct err *err);
void midx_content_release(struct midx_content *c);

/* ---- midx-write.c ---- */
MUST_USE int midx_content_write(const struct midx_content *c, int fd, const char *name,
				struct object_id *checksum, struct err *err);

/* ---- midx-update.c ---- */
void midx_attach_packs(struct midx *m, struct packs *packs);
bool midx_is_chain(const struct midx *m); /* NULL is none */

/* ---- midx-expire.c ---- */
/* The names (.idx) of the packs that can go, none of whose objects m refers to. */
MUST_USE int midx_find_unused(const struct midx *m, struct strset *unused, struct err *err);

#endif
