/* SPDX-License-Identifier: GPL-2.0-only */
/* See bitset.h. */
#include "compat/posix.h"
#include "pack/bitset.h"
#include "util/alloc.h"

void bitset_release(struct bitset *b)
{
	free(b->words);
	memset(b, 0, sizeof(*b));
}

void bitset_clear(struct bitset *b)
{
	if (b->nr)
		memset(b->words, 0, b->nr * sizeof(*b->words));
}

static void reserve_words(struct bitset *b, size_t nr)
{
	if (nr <= b->nr)
		return;
	ALLOC_GROW(b->words, nr, b->alloc);
	memset(b->words + b->nr, 0, (nr - b->nr) * sizeof(*b->words));
	b->nr = nr;
}

void bitset_reserve(struct bitset *b, size_t nr_bits)
{
	reserve_words(b, bitset_words(nr_bits));
}

void bitset_copy(struct bitset *to, const struct bitset *from)
{
	bitset_clear(to);
	bitset_or(to, from);
}

void bitset_add(struct bitset *b, size_t bit)
{
	if (bit / 64 >= b->nr)
		reserve_words(b, bit / 64 + 1);
	b->words[bit / 64] |= (uint64_t)1 << (bit % 64);
}

void bitset_add_range(struct bitset *b, size_t from, size_t to)
{
	if (from < to)
		bitset_reserve(b, to);
	while (from < to)
		if (from % 64 || to - from < 64) {
			bitset_add(b, from++);
		} else {
			b->words[from / 64] = UINT64_MAX;
			from += 64;
		}
}

void bitset_remove(struct bitset *b, size_t bit)
{
	if (bit / 64 < b->nr)
		b->words[bit / 64] &= ~((uint64_t)1 << (bit % 64));
}

void bitset_or(struct bitset *to, const struct bitset *from)
{
	reserve_words(to, from->nr);
	for (size_t i = 0; i < from->nr; i++)
		to->words[i] |= from->words[i];
}

void bitset_xor(struct bitset *to, const struct bitset *from)
{
	reserve_words(to, from->nr);
	for (size_t i = 0; i < from->nr; i++)
		to->words[i] ^= from->words[i];
}

static size_t common_words(const struct bitset *a, const struct bitset *b)
{
	return a->nr < b->nr ? a->nr : b->nr;
}

void bitset_and(struct bitset *to, const struct bitset *from)
{
	size_t n = common_words(to, from);

	for (size_t i = 0; i < n; i++)
		to->words[i] &= from->words[i];
	if (n < to->nr)
		memset(to->words + n, 0, (to->nr - n) * sizeof(*to->words));
}

void bitset_and_not(struct bitset *to, const struct bitset *from)
{
	size_t n = common_words(to, from);

	for (size_t i = 0; i < n; i++)
		to->words[i] &= ~from->words[i];
}

size_t bitset_count(const struct bitset *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nr; i++)
		n += (size_t)__builtin_popcountll(b->words[i]);
	return n;
}

size_t bitset_count_and(const struct bitset *a, const struct bitset *b)
{
	size_t n = 0, words = common_words(a, b);

	for (size_t i = 0; i < words; i++)
		n += (size_t)__builtin_popcountll(a->words[i] & b->words[i]);
	return n;
}

static bool is_zero_from(const struct bitset *b, size_t word)
{
	for (size_t i = word; i < b->nr; i++)
		if (b->words[i])
			return false;
	return true;
}

bool bitset_is_full(const struct bitset *b, size_t nr_bits)
{
	size_t whole = nr_bits / 64, rest = nr_bits % 64;

	if (b->nr < bitset_words(nr_bits))
		return false;
	for (size_t i = 0; i < whole; i++)
		if (~b->words[i])
			return false;
	if (rest && b->words[whole] != ((uint64_t)1 << rest) - 1)
		return false;
	return is_zero_from(b, bitset_words(nr_bits));
}

bool bitset_next(const struct bitset *b, size_t *bit)
{
	size_t word = *bit / 64;
	uint64_t v;

	if (word >= b->nr)
		return false;
	v = b->words[word] >> (*bit % 64) << (*bit % 64);
	while (!v) {
		if (++word == b->nr)
			return false;
		v = b->words[word];
	}
	*bit = word * 64 + (size_t)__builtin_ctzll(v);
	return true;
}

size_t bitset_next_unset(const struct bitset *b, size_t bit)
{
	size_t word = bit / 64;
	uint64_t unset;

	if (word >= b->nr)
		return bit;
	unset = ~b->words[word] >> (bit % 64) << (bit % 64);
	while (!unset) {
		if (++word == b->nr)
			return word * 64;
		unset = ~b->words[word];
	}
	return word * 64 + (size_t)__builtin_ctzll(unset);
}
