/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "Adding files:  42% (420/1000)" on stderr, only on a terminal, and only if
 * the work has lasted `delay_ms` (2000 by default). GIT_PROGRESS_DELAY (s)
 * overrides the delay. A NULL progress is valid everywhere and does nothing.
 * For one thread at a time; an update costs one look at the clock.
 */
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include "compat/posix.h"

struct progress;
/* total 0: unknown, counts only. NULL returned if stderr is no terminal. */
struct progress *progress_start(const char *title, uint64_t total);
/* For --progress: never NULL, no delay. */
struct progress *progress_start_forced(const char *title, uint64_t total);
void progress_update(struct progress *p, uint64_t n);
void progress_stop(struct progress **p); /* prints ", done." if shown */

#endif
