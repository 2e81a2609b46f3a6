/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/cpus.h"
#ifdef __linux__
#include <sched.h>
#endif

int os_cpu_count(void)
{
	long n;

#ifdef __linux__
	cpu_set_t set;

	/* Honours taskset and cpusets; fails beyond 1024 processors. */
	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}
