/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/random.h"
#ifdef __APPLE__
#include <sys/random.h>
#endif

static uint64_t stir(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 29);
}

uint64_t os_random64(void)
{
	uint64_t bits;
	struct timespec ts;

	if (!getentropy(&bits, sizeof(bits)))
		return bits;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	bits = stir((uint64_t)ts.tv_sec * UINT64_C(1000000007) + (uint64_t)ts.tv_nsec);
	bits = stir(bits ^ (uint64_t)getpid());
	return stir(bits ^ (uint64_t)(uintptr_t)&ts);
}
