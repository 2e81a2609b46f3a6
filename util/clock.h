/* SPDX-License-Identifier: GPL-2.0-only */
/* Time that never jumps, for durations. Dates are in util/date.h. */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include "compat/posix.h"

/* Milliseconds since some point in the past. */
int64_t monotonic_ms(void);

#endif
