/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of SHA-1: blocks are compressed one after the other, by the processor's instructions or
 * in C; then up to 16 of them are screened at once, a vector register's lane for each; the
 * few whose words meet all conditions of a vector (one in twenty) are examined one by one.
 */
#ifndef HASH_SHA1_INTERNAL_H
#define HASH_SHA1_INTERNAL_H

#include "hash/sha1.h"
#include "hash/sha1-vectors.h"

struct sha1_vector {
	int step; /* 58 or 65: before it both messages have the same state */
	uint32_t difference[16];
};
extern const struct sha1_vector sha1_vectors[SHA1_NR_VECTORS];

/*
 * Compresses nr blocks, nr <= SHA1_BATCH - k->nr, and keeps of block n the words 32 to 67 of its
 * expanded message: word 4 * g + 3 - i is k->w[g - 8][n % 4][n / 4][i].
 */
typedef void sha1_compress_fn(struct sha1_kept *k, const unsigned char *block, size_t nr);
/* Bit v of failed[n]: the words of block n do not meet all conditions of vector v. */
typedef void sha1_screen_fn(const struct sha1_kept *k, uint32_t failed[SHA1_BATCH]);
/* Is block n one half of a collision whose other half is at one of these vectors? */
typedef bool sha1_sibling_fn(const struct sha1_kept *k, size_t n, uint32_t vectors);

/* One way to do it; all of them give the same. */
struct sha1_engine {
	const char *name;
	sha1_compress_fn *compress;
	sha1_screen_fn *screen;
	sha1_sibling_fn *has_sibling;
};
/* The engines that this processor can run: the one in C first, the fastest last. */
const struct sha1_engine *sha1_engines(size_t *nr);
/* For tests, as the table of system calls (compat/): used by all that begin later, if not NULL. */
extern const struct sha1_engine *sha1_test_engine;

sha1_compress_fn sha1_compress_c, sha1_compress_x86;
sha1_screen_fn sha1_screen_c, sha1_screen_avx2, sha1_screen_avx512;
sha1_sibling_fn sha1_has_sibling_c, sha1_has_sibling_x86;

/* The 16 words of block n. */
void sha1_kept_message(const struct sha1_kept *k, size_t n, uint32_t w[16]);
/* Words 16 to 79 from the first 16. */
void sha1_expand(uint32_t w[80]);
/* Steps from `from` to `to` - 1 on the five words of s. */
void sha1_steps(uint32_t s[5], const uint32_t w[80], int from, int to);

#endif
