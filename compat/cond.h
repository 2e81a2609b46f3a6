/* SPDX-License-Identifier: GPL-2.0-only */
/* Condition variables that are awaited until a time of CLOCK_MONOTONIC. */
#ifndef COMPAT_COND_H
#define COMPAT_COND_H

#include "compat/posix.h"
#include <pthread.h>

void os_cond_init_monotonic(pthread_cond_t *cond);
/* As pthread_cond_timedwait. `until_ms` is a time of CLOCK_MONOTONIC. */
int os_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms);

#endif
