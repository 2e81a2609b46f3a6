/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/cond.h"

static struct timespec timespec_of_ms(int64_t ms)
{
	return (struct timespec){ .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };
}

#ifdef __APPLE__ /* no clock can be chosen, but a span can be given */

void os_cond_init_monotonic(pthread_cond_t *cond)
{
	pthread_cond_init(cond, NULL);
}

int os_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms)
{
	struct timespec now, span;
	int64_t left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = until_ms - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	span = timespec_of_ms(left > 0 ? left : 0);
	return pthread_cond_timedwait_relative_np(cond, mutex, &span);
}

#else

void os_cond_init_monotonic(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

int os_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms)
{
	const struct timespec ts = timespec_of_ms(until_ms);

	return pthread_cond_timedwait(cond, mutex, &ts);
}

#endif
