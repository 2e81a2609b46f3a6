/* SPDX-License-Identifier: GPL-2.0-only */
/* The index of a delta's base, and the search in it. */
#include "compat/posix.h"
#include "pack/write/delta-index-internal.h"
#include "util/alloc.h"

/* Copies have offsets of 32 bits. */
#define BASE_MAX ((size_t)UINT32_MAX)

/*
 * The distance of indexed blocks: a common part is sure to be found if it has DELTA_BLOCK - 1 bytes more
 * than that. Small for small objects, where each byte counts; the index of large ones must not
 * take much more memory than they do themselves.
 */
static unsigned stride_for(size_t len)
{
	if (len <= (size_t)64 << 10)
		return 4;
	if (len <= (size_t)1 << 20)
		return 8;
	if (len <= (size_t)64 << 20)
		return 16;
	return 64;
}

static size_t nr_blocks(size_t len)
{
	return (len - DELTA_BLOCK) / stride_for(len) + 1;
}

/* As many lists as blocks, or up to twice as many. */
static unsigned bits_for(size_t blocks)
{
	unsigned bits = 4;

	while ((size_t)1 << bits < blocks)
		bits++;
	return bits;
}

size_t delta_index_bytes(size_t len)
{
	size_t blocks;

	if (len < DELTA_BLOCK || len > BASE_MAX)
		return 0;
	blocks = nr_blocks(len);
	return sizeof(struct delta_index) +
	       (((size_t)1 << bits_for(blocks)) + 2 + blocks) * sizeof(uint32_t);
}

/*
 * The lists lie one behind the other in `pos`, in ascending order; first[h] is where that of
 * hash h begins. While they are filled, first[h + 1] moves from the beginning of list h to its end.
 */
static void fill(struct delta_index *ix, size_t blocks, unsigned stride)
{
	size_t lists = (size_t)1 << ix->bits;
	uint32_t sum = 0;

	for (size_t i = 0; i < blocks; i++)
		ix->first[delta_block_hash(ix->base + i * stride, ix->bits) + 2]++;
	for (size_t h = 0; h < lists; h++) {
		sum += ix->first[h + 2];
		ix->first[h + 2] = sum;
	}
	for (size_t i = 0; i < blocks; i++) {
		uint32_t h = delta_block_hash(ix->base + i * stride, ix->bits);

		ix->pos[ix->first[h + 1]++] = (uint32_t)(i * stride);
	}
}

struct delta_index *delta_index_new(const void *base, size_t len)
{
	struct delta_index *ix;
	size_t blocks, lists;

	if (len < DELTA_BLOCK || len > BASE_MAX)
		return NULL;
	blocks = nr_blocks(len);
	ix = xcalloc(1, delta_index_bytes(len));
	ix->base = base;
	ix->len = len;
	ix->bits = bits_for(blocks);
	lists = (size_t)1 << ix->bits;
	ix->first = (uint32_t *)(ix + 1);
	ix->pos = ix->first + lists + 2;
	fill(ix, blocks, stride_for(len));
	return ix;
}

void delta_index_free(struct delta_index *ix)
{
	free(ix);
}
