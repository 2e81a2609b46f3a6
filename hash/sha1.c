/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include "hash/sha1.h"
#include "hash/sha1-internal.h"

/* ---- what the processor can do ---- */

static struct sha1_engine engines[3] = {
	{ "c", sha1_compress_c, sha1_screen_c, sha1_has_sibling_c },
};
static size_t nr_engines = 1;

#ifdef __x86_64__
static struct cpuid {
	unsigned a, b, c, d;
} cpuid(unsigned leaf)
{
	struct cpuid r = { .a = leaf };

	__asm__ volatile("cpuid" : "+a"(r.a), "=b"(r.b), "+c"(r.c), "=d"(r.d));
	return r;
}

/* The registers that the kernel saves; it has to save those of AVX. */
static unsigned saved_registers(void)
{
	unsigned low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}
#endif

/*
 * Not by __builtin_cpu_supports: that has a constructor, which asks the processor some fifteen times in each program. In a virtual
 * machine each question costs some microseconds.
 */
static void look_at_processor(void)
{
#ifdef __x86_64__
	const unsigned osxsave = 1u << 27, avx = 1u << 28, avx2 = 1u << 5, avx512f = 1u << 16, sha = 1u << 29;
	const unsigned ymm = 0x06, zmm = 0xe6;
	unsigned features, saved;

	if (cpuid(0).a < 7 || (cpuid(1).c & (osxsave | avx)) != (osxsave | avx))
		return;
	features = cpuid(7).b;
	saved = saved_registers();
	if ((features & (sha | avx2)) != (sha | avx2) || (saved & ymm) != ymm)
		return;
	engines[nr_engines++] = (struct sha1_engine){ "sha, avx2", sha1_compress_x86,
						      sha1_screen_avx2, sha1_has_sibling_x86 };
	if (features & avx512f && (saved & zmm) == zmm)
		engines[nr_engines++] = (struct sha1_engine){ "sha, avx512", sha1_compress_x86,
							      sha1_screen_avx512, sha1_has_sibling_x86 };
#endif
}

const struct sha1_engine *sha1_engines(size_t *nr)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look_at_processor);
	*nr = nr_engines;
	return engines;
}

const struct sha1_engine *sha1_test_engine;

/* ---- a running hash ---- */

void sha1_init(struct sha1 *s)
{
	static const uint32_t start[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
					   0xc3d2e1f0 };
	size_t nr;

	s->engine = sha1_test_engine;
	if (!s->engine)
		s->engine = sha1_engines(&nr) + nr - 1;
	s->len = 0;
	s->collision = false;
	s->kept.nr = 0;
	memcpy(s->kept.before[0], start, sizeof(start));
}

/* The kept blocks are examined, and forgotten but for the chaining value after the last one. */
static void examine(struct sha1 *s)
{
	struct sha1_kept *k = &s->kept;
	uint32_t failed[SHA1_BATCH];

	s->engine->screen(k, failed);
	for (size_t n = 0; n < k->nr; n++)
		if (failed[n] != UINT32_MAX)
			s->collision |= s->engine->has_sibling(k, n, ~failed[n]);
	memcpy(k->before[0], k->before[k->nr], sizeof(k->before[0]));
	k->nr = 0;
}

static void add_blocks(struct sha1 *s, const unsigned char *p, size_t nr)
{
	while (nr) {
		size_t n = SHA1_BATCH - s->kept.nr;

		if (n > nr)
			n = nr;
		s->engine->compress(&s->kept, p, n);
		if (s->kept.nr == SHA1_BATCH)
			examine(s);
		p += 64 * n;
		nr -= n;
	}
}

void sha1_update(struct sha1 *s, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t have = s->len % 64;

	if (!len)
		return; /* p may be NULL */
	s->len += len;
	if (have) {
		size_t n = 64 - have < len ? 64 - have : len;

		memcpy(s->partial + have, p, n);
		if (have + n < 64)
			return;
		add_blocks(s, s->partial, 1);
		p += n;
		len -= n;
	}
	add_blocks(s, p, len / 64);
	if (len % 64)
		memcpy(s->partial, p + len - len % 64, len % 64);
}

bool sha1_final(struct sha1 *s, unsigned char digest[20])
{
	static const unsigned char padding[64] = { 0x80 };
	const uint64_t bits = s->len * 8;
	unsigned char length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_update(s, padding, 1 + (119 - s->len % 64) % 64);
	sha1_update(s, length, 8);
	examine(s);
	for (int i = 0; i < 20; i++)
		digest[i] = (unsigned char)(s->kept.before[0][i / 4] >> (24 - 8 * (i % 4)));
	return s->collision;
}
