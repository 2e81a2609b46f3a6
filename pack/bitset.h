/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of small numbers, uncompressed: bit i is bit i % 64 of word i / 64. Words that are not
 * there count as zero.
 */
#ifndef PACK_BITSET_H
#define PACK_BITSET_H

#include "compat/posix.h"

struct bitset {
	uint64_t *words; /* owned */
	size_t nr, alloc; /* words */
};
#define BITSET_INIT { NULL, 0, 0 }
static inline size_t bitset_words(size_t nr_bits)
{
	return nr_bits / 64 + !!(nr_bits % 64);
}
void bitset_release(struct bitset *b); /* idempotent */
void bitset_clear(struct bitset *b);   /* no bit is set; keeps the memory */
void bitset_reserve(struct bitset *b, size_t nr_bits); /* so many are there, new ones unset */
void bitset_copy(struct bitset *to, const struct bitset *from);

static inline bool bitset_has(const struct bitset *b, size_t bit)
{
	return bit / 64 < b->nr && (b->words[bit / 64] >> (bit % 64) & 1);
}
void bitset_add(struct bitset *b, size_t bit);
void bitset_add_range(struct bitset *b, size_t from, size_t to); /* without `to` */
void bitset_remove(struct bitset *b, size_t bit);
void bitset_or(struct bitset *to, const struct bitset *from);
void bitset_xor(struct bitset *to, const struct bitset *from);
void bitset_and(struct bitset *to, const struct bitset *from);
void bitset_and_not(struct bitset *to, const struct bitset *from);
size_t bitset_count(const struct bitset *b);
/* Bits that are in both. */
size_t bitset_count_and(const struct bitset *a, const struct bitset *b);
/* Are the bits from 0 to nr_bits - 1 set, and no other? */
bool bitset_is_full(const struct bitset *b, size_t nr_bits);
/* The first bit from *bit on: for (size_t i = 0; bitset_next(b, &i); i++) */
bool bitset_next(const struct bitset *b, size_t *bit);
/* The first bit from `bit` on that is not set. */
size_t bitset_next_unset(const struct bitset *b, size_t bit);

#endif
