/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Landlock (landlock(7), Linux 5.13): a process gives up rights to the file system, and its kernel
 * knows how, to the network, to other processes. What it gives up it never gets back, nor do its
 * threads and children. Elsewhere, and where the kernel was built or started without it,
 * everything fails with ENOSYS or EOPNOTSUPP.
 *
 *   int rules = landlock_new();
 *   landlock_allow_read(rules, "/some/dir");
 *   landlock_enforce(rules);
 *   close(rules);
 */
#ifndef COMPAT_LANDLOCK_H
#define COMPAT_LANDLOCK_H

#include "compat/posix.h"

/* The version of what the kernel offers, from 1; 0: errno says why there is nothing. */
int landlock_abi(void);
/*
 * Rules that forbid all that this kernel can forbid: opening, executing, making and removing files,
 * from version 4 TCP connections, from 6 signals and abstract sockets to the outside. A descriptor;
 * -1: errno. It does not concern what is open already, nor stat(2) and readlink(2).
 */
int landlock_new(void);
/* Allow to read this file, or what is below this directory, now or later. -1: errno. */
int landlock_allow_read(int rules, const char *path);
/*
 * The same for a file or directory that is open; also to write to files, and in the directory to make,
 * rename and remove plain files. -1: errno.
 */
int landlock_allow_write(int rules, int fd);
/*
 * The same for a directory that is open and all that is below it, with directories, which may be made and removed
 * there, too, and files moved between them. ENOTSUP: version 1, which can forbid no moves but all.
 */
int landlock_allow_tree(int rules, int fd);
/*
 * From now on the rules hold for this thread and those that it starts. The process can no longer gain
 * rights by executing programs (PR_SET_NO_NEW_PRIVS). -1: errno.
 */
int landlock_enforce(int rules);

#endif
