/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the kept blocks meet all conditions of a vector. */
#include "compat/posix.h"
#include "hash/sha1-internal.h"
#include "hash/sha1-vectors.h"

#define NAME lanes_4
#define LANES 4
#define TARGET
#define INTERLEAVE(x, y) x, x + 4, y, y + 4
#define PAIRS(x, y) x, y, x + 4, y + 4
#include "hash/sha1-lanes.inc"
#undef NAME
#undef LANES
#undef TARGET
#undef INTERLEAVE
#undef PAIRS

void sha1_screen_c(const struct sha1_kept *k, uint32_t failed[SHA1_BATCH])
{
	for (size_t q = 0; 4 * q < k->nr; q++)
		lanes_4(k, q, failed + 4 * q);
}

#ifdef __x86_64__

#define NAME lanes_8
#define LANES 8
#define TARGET __attribute__((target("avx2")))
#define INTERLEAVE(x, y) x, x + 8, y, y + 8, x + 4, x + 12, y + 4, y + 12
#define PAIRS(x, y) x, y, x + 8, y + 8, x + 4, y + 4, x + 12, y + 12
#include "hash/sha1-lanes.inc"
#undef NAME
#undef LANES
#undef TARGET
#undef INTERLEAVE
#undef PAIRS

#define NAME lanes_16
#define LANES 16
#define TARGET __attribute__((target("avx512f")))
#define INTERLEAVE(x, y) \
	x, x + 16, y, y + 16, x + 4, x + 20, y + 4, y + 20, \
	x + 8, x + 24, y + 8, y + 24, x + 12, x + 28, y + 12, y + 28
#define PAIRS(x, y) \
	x, y, x + 16, y + 16, x + 4, y + 4, x + 20, y + 20, \
	x + 8, y + 8, x + 24, y + 24, x + 12, y + 12, x + 28, y + 28
#include "hash/sha1-lanes.inc"

void sha1_screen_avx2(const struct sha1_kept *k, uint32_t failed[SHA1_BATCH])
{
	for (size_t q = 0; 4 * q < k->nr; q += 2)
		lanes_8(k, q, failed + 4 * q);
}

void sha1_screen_avx512(const struct sha1_kept *k, uint32_t failed[SHA1_BATCH])
{
	lanes_16(k, 0, failed);
}

#endif
