/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress meters: "Adding files:  42% (420/1000)" on stderr, if that is a terminal and the
 * work has taken a second (or GIT_PROGRESS_DELAY, in seconds). A NULL progress is valid
 * everywhere and does nothing. For one thread at a time; an update reads the clock.
 */
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include "compat/posix.h"

struct progress;
/* total 0: unknown, only the count is shown. NULL if stderr is not a terminal. */
struct progress *progress_start(const char *title, uint64_t total);
/* For --progress: never NULL, no delay. */
struct progress *progress_start_forced(const char *title, uint64_t total);
/* For --progress where the work is short as a rule: never NULL, shown after the delay only. */
struct progress *progress_start_delayed(const char *title, uint64_t total);
/* progress_start or progress_start_forced. */
typedef struct progress *(*progress_start_fn)(const char *title, uint64_t total);
void progress_update(struct progress *p, uint64_t n);
/* For a transfer: also shows ", 1.20 MiB | 3.40 MiB/s" after half a second. bytes: all bytes so far. */
void progress_update_bytes(struct progress *p, uint64_t n, uint64_t bytes);
/* Show the rate in the last line even if it has been measured for less than half a second. */
void progress_keep_rate(struct progress *p);
void progress_stop(struct progress **p); /* frees; prints ", done." if it was shown */

#endif
