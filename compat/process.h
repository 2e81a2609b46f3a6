/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPAT_PROCESS_H
#define COMPAT_PROCESS_H

/* pipe(2), both ends close-on-exec. */
int os_pipe(int fd[2]);

#endif
