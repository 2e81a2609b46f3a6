/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-1 with the SHA instructions of x86 processors. */
#include "compat/posix.h"
#include "hash/sha1-internal.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SHA_NI __attribute__((target("sha,sse4.1,ssse3")))

/* Four words of the message from the sixteen before them; the highest element is the first. */
SHA_NI static inline __m128i next_words(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(a, b), c), d);
}

SHA_NI static inline __m128i load_words(const unsigned char *p)
{
	const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), reverse);
}

/* Four steps, which add w and the rotated `a` of four steps before. */
#define FOUR_STEPS(g)                                                                \
	do {                                                                         \
		const __m128i add = (g) ? _mm_sha1nexte_epu32(e, w[g]) : _mm_add_epi32(e, w[0]); \
		e = abcd;                                                            \
		abcd = _mm_sha1rnds4_epu32(abcd, add, (g) / 5);                      \
	} while (0)

SHA_NI static inline void compress_one(__m128i *state, __m128i *state_e, const unsigned char *block,
				       struct sha1_kept *k, size_t n)
{
	__m128i abcd = *state, e = *state_e, w[20];

	for (int g = 0; g < 4; g++)
		w[g] = load_words(block + 16 * g);
#pragma GCC unroll 16
	for (int g = 4; g < 20; g++)
		w[g] = next_words(w[g - 4], w[g - 3], w[g - 2], w[g - 1]);
#pragma GCC unroll 9
	for (int g = 0; g < 9; g++)
		_mm_storeu_si128((__m128i *)k->w[g][n % 4][n / 4], w[g + 8]);
	FOUR_STEPS(0); FOUR_STEPS(1); FOUR_STEPS(2); FOUR_STEPS(3); FOUR_STEPS(4);
	FOUR_STEPS(5); FOUR_STEPS(6); FOUR_STEPS(7); FOUR_STEPS(8); FOUR_STEPS(9);
	FOUR_STEPS(10); FOUR_STEPS(11); FOUR_STEPS(12); FOUR_STEPS(13); FOUR_STEPS(14);
	FOUR_STEPS(15); FOUR_STEPS(16); FOUR_STEPS(17); FOUR_STEPS(18); FOUR_STEPS(19);
	*state_e = _mm_sha1nexte_epu32(e, *state_e);
	*state = _mm_add_epi32(abcd, *state);
}

SHA_NI void sha1_compress_x86(struct sha1_kept *k, const unsigned char *block, size_t nr)
{
	const uint32_t *before = k->before[k->nr];
	__m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)before), 0x1b),
		e = _mm_set_epi32((int)before[4], 0, 0, 0);

	for (; nr; nr--, block += 64) {
		size_t n = k->nr++;
		uint32_t *after = k->before[k->nr];

		compress_one(&abcd, &e, block, k, n);
		_mm_storeu_si128((__m128i *)after, _mm_shuffle_epi32(abcd, 0x1b));
		after[4] = (uint32_t)_mm_extract_epi32(e, 3);
	}
}

/* Groups `from` to `to` - 1 of four steps each. */
SHA_NI static void run_groups(uint32_t state[5], const __m128i *w, int from, int to)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1b),
		e = _mm_set_epi32((int)state[4], 0, 0, 0);
	int g = from;

#define RUN_UNTIL(end, function)                                          \
	for (; g < (end) && g < to; g++) {                                \
		const __m128i add = _mm_add_epi32(e, w[g]);               \
		e = _mm_sha1nexte_epu32(abcd, zero);                      \
		abcd = _mm_sha1rnds4_epu32(abcd, add, function);          \
	}
	RUN_UNTIL(5, 0)
	RUN_UNTIL(10, 1)
	RUN_UNTIL(15, 2)
	RUN_UNTIL(20, 3)
#undef RUN_UNTIL
	_mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(abcd, 0x1b));
	state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

SHA_NI static void store_group(uint32_t w[80], const __m128i *words, int g)
{
	_mm_storeu_si128((__m128i *)(w + 4 * g), _mm_shuffle_epi32(words[g], 0x1b));
}

/* See sha1_has_sibling_c; what both come to is compared after the next multiple of four steps. */
SHA_NI static bool has_sibling_at(const struct sha1_kept *k, size_t n, const __m128i own[20], int v)
{
	const int t = sha1_vectors[v].step, g = t / 4;
	uint32_t shared[5], rest[5], w[80];
	__m128i other[20];

	memcpy(shared, k->before[n], sizeof(shared));
	run_groups(shared, own, 0, g);
	store_group(w, own, g);
	sha1_steps(shared, w, 4 * g, t);
	for (int i = 0; i < 4; i++) {
		const __m128i *d = (const __m128i *)(sha1_vectors[v].difference + 4 * i);

		other[i] = _mm_xor_si128(own[i], _mm_shuffle_epi32(_mm_loadu_si128(d), 0x1b));
	}
	for (int i = 4; i < 20; i++)
		other[i] = next_words(other[i - 4], other[i - 3], other[i - 2], other[i - 1]);
	store_group(w, other, g);
	sha1_steps(shared, w, t, 4 * g + 4);
	memcpy(rest, shared, sizeof(rest));
	run_groups(rest, other, g + 1, 20);
	for (int i = 0; i < 5; i++)
		rest[i] = k->before[n + 1][i] - rest[i];
	run_groups(rest, other, 0, g + 1);
	return !memcmp(rest, shared, sizeof(rest));
}

SHA_NI bool sha1_has_sibling_x86(const struct sha1_kept *k, size_t n, uint32_t vectors)
{
	uint32_t message[16];
	__m128i own[20];
	bool found = false;

	sha1_kept_message(k, n, message);
	for (int i = 0; i < 4; i++)
		own[i] = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(message + 4 * i)), 0x1b);
	for (int i = 4; i < 17; i++)
		own[i] = next_words(own[i - 4], own[i - 3], own[i - 2], own[i - 1]);
	for (; vectors; vectors &= vectors - 1)
		found |= has_sibling_at(k, n, own, __builtin_ctz(vectors));
	return found;
}
#endif
