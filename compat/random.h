/* SPDX-License-Identifier: GPL-2.0-only */
/* Random bytes from the system: names of temporary files, hash seeds. */
#ifndef COMPAT_RANDOM_H
#define COMPAT_RANDOM_H

#include "compat/posix.h"

/*
 * 64 random bits. Never fails: where the system has no entropy call, time,
 * process id and addresses are mixed instead. Not for keys. Thread-safe.
 */
uint64_t os_random64(void);

#endif
