/* SPDX-License-Identifier: GPL-2.0-only */
/* The compression function of SHA-1 and its parts, in C. */
#include "compat/posix.h"
#include "hash/sha1-internal.h"

static uint32_t rol(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static inline void step(uint32_t s[5], uint32_t add)
{
	uint32_t a = rol(s[0], 5) + s[4] + add;

	s[4] = s[3];
	s[3] = s[2];
	s[2] = rol(s[1], 30);
	s[1] = s[0];
	s[0] = a;
}

void sha1_steps(uint32_t state[5], const uint32_t w[80], int from, int to)
{
	uint32_t s[5];
	int t = from;

	memcpy(s, state, sizeof(s));
	for (; t < to && t < 20; t++)
		step(s, ((s[1] & s[2]) | (~s[1] & s[3])) + 0x5a827999 + w[t]);
	for (; t < to && t < 40; t++)
		step(s, (s[1] ^ s[2] ^ s[3]) + 0x6ed9eba1 + w[t]);
	for (; t < to && t < 60; t++)
		step(s, ((s[1] & s[2]) | ((s[1] | s[2]) & s[3])) + 0x8f1bbcdc + w[t]);
	for (; t < to; t++)
		step(s, (s[1] ^ s[2] ^ s[3]) + 0xca62c1d6 + w[t]);
	memcpy(state, s, sizeof(s));
}

/* All 80, five at a time: the words keep their places, and their names change. */
static void all_steps(uint32_t s[5], const uint32_t w[80])
{
	uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];

#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z)))
#define STEP(a, b, c, d, e, mix, constant, t)                      \
	do {                                                       \
		e += rol(a, 5) + mix(b, c, d) + (constant) + w[t]; \
		b = rol(b, 30);                                    \
	} while (0)
#define TWENTY_STEPS(first, mix, constant)                         \
	for (int t = (first); t < (first) + 20; t += 5) {          \
		STEP(a, b, c, d, e, mix, constant, t);             \
		STEP(e, a, b, c, d, mix, constant, t + 1);         \
		STEP(d, e, a, b, c, mix, constant, t + 2);         \
		STEP(c, d, e, a, b, mix, constant, t + 3);         \
		STEP(b, c, d, e, a, mix, constant, t + 4);         \
	}
	TWENTY_STEPS(0, CHOOSE, 0x5a827999)
	TWENTY_STEPS(20, PARITY, 0x6ed9eba1)
	TWENTY_STEPS(40, MAJORITY, 0x8f1bbcdc)
	TWENTY_STEPS(60, PARITY, 0xca62c1d6)
#undef TWENTY_STEPS
#undef STEP
	s[0] = a, s[1] = b, s[2] = c, s[3] = d, s[4] = e;
}

/* Words 16 to 79 of a message. */
void sha1_expand(uint32_t w[80])
{
#pragma GCC unroll 64 /* what has just been made stays in registers */
	for (int t = 16; t < 80; t++)
		w[t] = rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
}

static uint32_t read_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void sha1_compress_c(struct sha1_kept *k, const unsigned char *block, size_t nr)
{
	uint32_t w[80];

	for (; nr; nr--, block += 64) {
		const uint32_t *before = k->before[k->nr];
		uint32_t s[5], *after = k->before[k->nr + 1];
		size_t n = k->nr++;

		for (int t = 0; t < 16; t++)
			w[t] = read_be32(block + 4 * t);
		sha1_expand(w);
		memcpy(s, before, sizeof(s));
		all_steps(s, w);
		for (int i = 0; i < 5; i++)
			after[i] = before[i] + s[i];
		for (int t = 32; t < 68; t++)
			k->w[t / 4 - 8][n % 4][n / 4][3 - t % 4] = w[t];
	}
}

/* The expansion works backwards as well: any 16 words in a row are the whole message. */
void sha1_kept_message(const struct sha1_kept *k, size_t n, uint32_t w[16])
{
	uint32_t late[16 + 32]; /* words 0 to 47 */

	for (int t = 32; t < 48; t++)
		late[t] = k->w[t / 4 - 8][n % 4][n / 4][3 - t % 4];
	for (int t = 31; t >= 0; t--)
		late[t] = rol(late[t + 16], 31) ^ late[t + 13] ^ late[t + 8] ^ late[t + 2];
	memcpy(w, late, 16 * sizeof(*w));
}
