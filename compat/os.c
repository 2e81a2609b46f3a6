/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#ifdef __linux__
#include <sched.h>
#elif defined(__APPLE__)
#include <sys/random.h>
#endif

int os_cpu_count(void)
{
	long n;

#ifdef __linux__
	cpu_set_t set;

	/* Respects taskset and cpusets; fails with more than 1024 processors. */
	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

int os_pipe(int fd[2])
{
#ifdef __linux__
	return pipe2(fd, O_CLOEXEC);
#else
	if (pipe(fd) < 0)
		return -1;
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

static uint64_t mix_bits(uint64_t x)
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
	bits = mix_bits((uint64_t)ts.tv_sec * UINT64_C(1000000007) + (uint64_t)ts.tv_nsec);
	bits = mix_bits(bits ^ (uint64_t)getpid());
	return mix_bits(bits ^ (uint64_t)(uintptr_t)&ts);
}
