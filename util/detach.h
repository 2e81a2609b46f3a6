/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that goes on after this one has ended. */
#ifndef UTIL_DETACH_H
#define UTIL_DETACH_H

#include "compat/posix.h"
#include "util/err.h"

/*
 * Go on in two processes. Returns 1 in the old process and 0 in the new one. The new process has no parent of
 * ours, has a session of its own, and traces nothing. Its stdin, stdout and stderr are /dev/null; it keeps only
 * the descriptors that are close-on-exec, as all of ours are. It must end by _exit.
 * Call it only while there is one thread. The old process waits for nothing but the fork.
 */
MUST_USE int process_detach(struct err *err);

#endif
