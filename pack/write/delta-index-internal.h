/* SPDX-License-Identifier: GPL-2.0-only */
/* The index of a delta's base: what delta-index.c builds and delta-encode.c reads. */
#ifndef PACK_WRITE_DELTA_INDEX_INTERNAL_H
#define PACK_WRITE_DELTA_INDEX_INTERNAL_H

#include "compat/posix.h"
#include "pack/write/delta.h"

#define DELTA_BLOCK 16 /* bytes that are hashed */

struct delta_index {
	const unsigned char *base;
	size_t len;
	unsigned bits; /* 2^bits lists */
	uint32_t *first, *pos; /* positions with hash h: pos[first[h]..first[h + 1]) */
};

/*
 * Hash of DELTA_BLOCK bytes. It is no rolling hash: each position needs two loads and two
 * multiplications that depend on no earlier result, so that the processor works on several
 * positions at a time.
 */
static inline uint32_t delta_block_hash(const unsigned char *p, unsigned bits)
{
	uint64_t a, b;

	memcpy(&a, p, 8);
	memcpy(&b, p + 8, 8);
	a = (a ^ (b >> 29 | b << 35)) * UINT64_C(0x9e3779b97f4a7c15);
	b *= UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)((a ^ b) >> (64 - bits));
}

#endif
