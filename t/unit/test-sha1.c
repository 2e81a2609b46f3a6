/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-1 with collision detection: each engine, its parts, and a real collision. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <openssl/evp.h>
#include "hash/sha1-internal.h"
#include "util/alloc.h"

#define NR_BITS 512 /* of a message block */

static const struct sha1_engine *engines;
static size_t nr_engines;

static uint64_t random_state = 1;

static uint32_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 32);
}

static void fill(void *p, size_t len)
{
	unsigned char *at = p;

	while (len--)
		*at++ = (unsigned char)next_random();
}

/* ---- digests ---- */

static void init_with(struct sha1 *s, const struct sha1_engine *e)
{
	sha1_init(s);
	s->engine = e;
}

static void check_digest(const struct sha1_engine *e, const unsigned char *p, size_t len, size_t piece)
{
	unsigned char got[20], want[20];
	struct sha1 s;

	init_with(&s, e);
	for (size_t at = 0; at < len; at += piece)
		sha1_update(&s, p + at, len - at < piece ? len - at : piece);
	assert_false(sha1_final(&s, got));
	assert_int_equal(EVP_Digest(p, len, want, NULL, EVP_sha1(), NULL), 1);
	assert_memory_equal(got, want, 20);
}

/* All lengths around one, two and seventeen blocks, in pieces of all kinds. */
static void digests(void **state)
{
	static const size_t pieces[] = { 1, 3, 63, 64, 65, 1000, 100000 };
	unsigned char text[1200];

	(void)state;
	fill(text, sizeof(text));
	for (size_t e = 0; e < nr_engines; e++)
		for (size_t len = 0; len < sizeof(text); len += len < 200 || len > 1000 ? 1 : 37)
			for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
				check_digest(&engines[e], text, len, pieces[i]);
}

static void long_messages(void **state)
{
	size_t len = (8 << 20) + 17;
	unsigned char *text = xmalloc(len);

	(void)state;
	fill(text, len);
	for (size_t e = 0; e < nr_engines; e++) {
		check_digest(&engines[e], text, len, len);
		check_digest(&engines[e], text, len, 8191);
	}
	free(text);
}

/* ---- the conditions of each vector ---- */

struct condition {
	int a, i, b, j;
	bool differ;
};

struct vector {
	int step;
	uint32_t difference[16];
	struct condition conditions[32];
	size_t nr;
};

static struct vector vectors[SHA1_NR_VECTORS];

/* One line of t/sha1/conditions.tsv, which has them vector by vector. */
static void read_vector(struct vector *v, char *line)
{
	int at, n;

	assert_int_equal(sscanf(line, "%*s %*d %*d %d %n", &v->step, &at), 1);
	for (int i = 0; i < 16; i++, at += n)
		assert_int_equal(sscanf(line + at, "%x %n", &v->difference[i], &n), 1);
	for (;; at += n) {
		struct condition *c = &v->conditions[v->nr];
		char not_or_equal;

		if (sscanf(line + at, "%d.%d%c", &c->a, &c->i, &not_or_equal) != 3)
			break;
		c->differ = not_or_equal == '!';
		assert_int_equal(sscanf(line + at, c->differ ? "%*d.%*d!=%d.%d %n" : "%*d.%*d=%d.%d %n",
					&c->b, &c->j, &n), 2);
		v->nr++;
	}
	assert_true(v->nr >= 6);
}

static void read_vectors(void)
{
	FILE *f = fopen("t/sha1/conditions.tsv", "r");
	char line[1000];
	size_t nr = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (*line != '#')
			read_vector(&vectors[nr++], line);
	fclose(f);
	assert_int_equal(nr, SHA1_NR_VECTORS);
}

/* A linear equation for the bits of a message: their sum is `one`. */
struct equation {
	uint32_t bits[16];
	bool one;
};

/* Each bit of the expanded message is a sum of bits of the message. */
static uint32_t (*bit_sums(void))[32][16]
{
	uint32_t (*sums)[32][16] = xcalloc(80, sizeof(*sums));

	for (int n = 0; n < NR_BITS; n++) {
		uint32_t w[80] = { 0 };

		w[n / 32] = 1u << (n % 32);
		sha1_expand(w);
		for (int t = 0; t < 80; t++)
			for (int i = 0; i < 32; i++)
				if (w[t] & 1u << i)
					sums[t][i][n / 32] |= 1u << (n % 32);
	}
	return sums;
}

/* Gauss: a random message for which all hold. False: they contradict each other. */
static bool solve(struct equation *e, size_t nr, uint32_t message[16])
{
	int pivot[32];
	size_t rank = 0;

	for (size_t r = 0; r < nr; r++) {
		int n = 0;

		for (size_t p = 0; p < rank; p++)
			if (e[r].bits[pivot[p] / 32] & 1u << pivot[p] % 32) {
				for (int i = 0; i < 16; i++)
					e[r].bits[i] ^= e[p].bits[i];
				e[r].one ^= e[p].one;
			}
		while (n < NR_BITS && !(e[r].bits[n / 32] & 1u << n % 32))
			n++;
		if (n == NR_BITS && e[r].one)
			return false;
		if (n == NR_BITS)
			continue;
		pivot[rank] = n;
		e[rank++] = e[r];
	}
	fill(message, 64);
	while (rank--) {
		uint32_t sum = 0;

		for (int i = 0; i < 16; i++)
			sum ^= e[rank].bits[i] & message[i];
		if (__builtin_parity(sum) != e[rank].one)
			message[pivot[rank] / 32] ^= 1u << pivot[rank] % 32;
	}
	return true;
}

/* A message that meets all conditions but number `broken`. */
static bool message_for(uint32_t (*sums)[32][16], const struct vector *v, size_t broken,
			uint32_t message[16])
{
	struct equation e[32];

	for (size_t n = 0; n < v->nr; n++) {
		const struct condition *c = &v->conditions[n];

		for (int i = 0; i < 16; i++)
			e[n].bits[i] = sums[c->a][c->i][i] ^ sums[c->b][c->j][i];
		e[n].one = c->differ ^ (n == broken);
	}
	return solve(e, v->nr, message);
}

static void compress_message(const struct sha1_engine *e, struct sha1_kept *k, const uint32_t message[16])
{
	unsigned char block[64];

	for (int i = 0; i < 64; i++)
		block[i] = (unsigned char)(message[i / 4] >> (24 - 8 * (i % 4)));
	e->compress(k, block, 1);
}

static bool holds(const struct condition *c, const uint32_t w[80])
{
	return ((w[c->a] >> c->i & 1) != (w[c->b] >> c->j & 1)) == c->differ;
}

/* By the table, one by one. */
static uint32_t failed_by_table(const uint32_t message[16])
{
	uint32_t w[80], failed = 0;

	memcpy(w, message, 64);
	sha1_expand(w);
	for (int v = 0; v < SHA1_NR_VECTORS; v++)
		for (size_t n = 0; n < vectors[v].nr; n++)
			if (!holds(&vectors[v].conditions[n], w))
				failed |= 1u << v;
	return failed;
}

/* Batches of 1 to 16 messages; each engine says what the table says. */
static void check_screens(uint32_t (*messages)[16], size_t nr)
{
	for (size_t e = 0; e < nr_engines; e++)
		for (size_t from = 0, n = 1; from < nr; from += n, n = n % SHA1_BATCH + 1) {
			struct sha1_kept k = { .nr = 0 };
			uint32_t failed[SHA1_BATCH];

			for (size_t i = from; i < nr && i < from + n; i++)
				compress_message(&engines[e], &k, messages[i]);
			engines[e].screen(&k, failed);
			for (size_t i = 0; i < k.nr; i++)
				assert_int_equal(failed[i], failed_by_table(messages[from + i]));
		}
}

#define ALL 16

/*
 * Messages that meet all conditions of a vector but one, and several that meet all: a wrong
 * condition would be noticed.
 */
static void conditions(void **state)
{
	uint32_t (*sums)[32][16] = bit_sums(), messages[1000][16];
	size_t nr = 0;

	(void)state;
	for (int v = 0; v < SHA1_NR_VECTORS; v++) {
		for (size_t broken = 0; broken < vectors[v].nr + ALL; broken++) {
			if (!message_for(sums, &vectors[v], broken, messages[nr]))
				continue;
			assert_int_equal(!(failed_by_table(messages[nr]) & 1u << v), broken >= vectors[v].nr);
			nr++;
		}
	}
	assert_true(nr > 341 + ALL * SHA1_NR_VECTORS); /* few conditions depend on others */
	check_screens(messages, nr);
	free(sums);
}

static void random_messages(void **state)
{
	const size_t nr = 20000;
	uint32_t (*messages)[16] = xcalloc(nr, sizeof(*messages));

	(void)state;
	fill(messages, nr * sizeof(*messages));
	check_screens(messages, nr);
	free(messages);
}

/* ---- siblings ---- */

static uint32_t rol(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

/* Steps from t - 1 down to 0, as the paper has them. */
static void steps_back(uint32_t s[5], const uint32_t w[80], int t)
{
	while (t--) {
		uint32_t a = s[1], b = rol(s[2], 2), c = s[3], d = s[4], f, k;

		if (t < 20)
			f = (b & c) | (~b & d), k = 0x5a827999;
		else if (t < 40)
			f = b ^ c ^ d, k = 0x6ed9eba1;
		else if (t < 60)
			f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
		else
			f = b ^ c ^ d, k = 0xca62c1d6;
		s[4] = s[0] - rol(a, 5) - f - k - w[t];
		s[0] = a, s[1] = b, s[2] = c, s[3] = d;
	}
}

/*
 * What the sibling of block 0 at vector v comes to. With bits in `miss` it is none: by these it
 * misses the block's state before that step.
 */
static void sibling_output(const struct sha1_kept *k, const uint32_t message[16], int v, int step,
			   const uint32_t miss[5], uint32_t out[5])
{
	const struct vector *x = &vectors[v];
	uint32_t w[80], other[80], start[5], end[5];

	memcpy(w, message, 64);
	sha1_expand(w);
	for (int i = 0; i < 16; i++)
		other[i] = w[i] ^ x->difference[i];
	sha1_expand(other);
	memcpy(start, k->before[0], sizeof(start));
	sha1_steps(start, w, 0, x->step);
	memcpy(end, start, sizeof(end));
	sha1_steps(end, other, x->step, 80);
	sha1_steps(start, other, x->step, step);
	for (int i = 0; i < 5; i++)
		start[i] ^= miss[i];
	steps_back(start, other, step);
	for (int i = 0; i < 5; i++)
		out[i] = start[i] + end[i];
}

/* One word of the state differs before the vector's step, or where engines compare. */
static void near_misses(const struct sha1_engine *e, struct sha1_kept *k, const uint32_t message[16], int v)
{
	const int step = vectors[v].step;

	for (int i = 0; i < 10; i++) {
		uint32_t miss[5] = { 0 };

		miss[i % 5] = 1u << v;
		sibling_output(k, message, v, i < 5 ? step : step / 4 * 4 + 4, miss, k->before[1]);
		assert_false(e->has_sibling(k, 0, UINT32_MAX));
	}
}

/* A block is made to collide by writing another output down for it. */
static void siblings(void **state)
{
	static const uint32_t no_miss[5];

	(void)state;
	for (size_t e = 0; e < nr_engines; e++)
		for (int v = 0; v < SHA1_NR_VECTORS; v++) {
			struct sha1_kept k = { .nr = 0 };
			uint32_t message[16];

			fill(message, sizeof(message));
			fill(k.before[0], sizeof(k.before[0]));
			compress_message(&engines[e], &k, message);
			assert_false(engines[e].has_sibling(&k, 0, UINT32_MAX));
			sibling_output(&k, message, v, vectors[v].step, no_miss, k.before[1]);
			assert_true(engines[e].has_sibling(&k, 0, UINT32_MAX));
			assert_true(engines[e].has_sibling(&k, 0, 1u << v));
			assert_false(engines[e].has_sibling(&k, 0, ~(1u << v)));
			k.before[1][v % 5] ^= 1u << v;
			assert_false(engines[e].has_sibling(&k, 0, UINT32_MAX));
			near_misses(&engines[e], &k, message, v);
		}
}

/* ---- a real collision ---- */

static bool is_attack(const struct sha1_engine *e, const unsigned char *p, size_t len, size_t piece)
{
	unsigned char digest[20];
	struct sha1 s;

	init_with(&s, e);
	for (size_t at = 0; at < len; at += piece)
		sha1_update(&s, p + at, len - at < piece ? len - at : piece);
	return sha1_final(&s, digest);
}

/* The beginning of the first of the two SHAttered files, and what one could append to both. */
static void shattered(void **state)
{
	static const size_t lens[] = { 320, 321, 1023, 1024, 1025, 3000 };
	unsigned char text[3000];
	FILE *f = fopen("t/sha1/shattered-1-first-320-bytes.bin", "r");

	(void)state;
	assert_non_null(f);
	fill(text, sizeof(text));
	assert_int_equal(fread(text, 1, 320, f), 320);
	fclose(f);
	for (size_t e = 0; e < nr_engines; e++) {
		for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
			assert_true(is_attack(&engines[e], text, lens[i], lens[i]));
			assert_true(is_attack(&engines[e], text, lens[i], 7));
		}
		for (size_t bit = 192 * 8; bit < 256 * 8; bit++) {
			text[bit / 8] ^= (unsigned char)(1u << bit % 8);
			assert_false(is_attack(&engines[e], text, 320, 320));
			text[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
		assert_false(is_attack(&engines[e], text, 319, 319));
		assert_false(is_attack(&engines[e], text + 64, 256, 256));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests),
		cmocka_unit_test(long_messages),
		cmocka_unit_test(conditions),
		cmocka_unit_test(random_messages),
		cmocka_unit_test(siblings),
		cmocka_unit_test(shattered),
	};

	engines = sha1_engines(&nr_engines);
	read_vectors();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
