/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that goes on by itself when we have ended. */
#ifndef UTIL_DETACH_H
#define UTIL_DETACH_H

#include "compat/posix.h"
#include "util/err.h"

/*
 * Go on in two processes. 1: in the one that was there; 0: in the new one, which is nobody's child, in a
 * session of its own, traces nothing, and has /dev/null for stdin, stdout and stderr and of the other descriptors only those that are
 * close-on-exec, as all of ours are. It ends by _exit.
 * Only while there is one thread; the other one does not wait for anything but the fork.
 */
MUST_USE int process_detach(struct err *err);

#endif
