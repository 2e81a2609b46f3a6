/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Landlock (landlock(7), Linux 5.13): a process gives up rights to the file system and, if the kernel
 * supports that, to the network and to other processes. The process, its threads and its children
 * never get these rights back. On other systems, and if the kernel was built or started without
 * Landlock, every function fails with ENOSYS or EOPNOTSUPP.
 *
 *   int rules = landlock_new();
 *   landlock_allow_read(rules, "/some/dir");
 *   landlock_enforce(rules);
 *   close(rules);
 */
#ifndef COMPAT_LANDLOCK_H
#define COMPAT_LANDLOCK_H

#include "compat/posix.h"

/* The version of Landlock in this kernel, from 1; 0: there is none, errno has the reason. */
int landlock_abi(void);
/*
 * New rules that forbid every action that this kernel can forbid: opening, executing, making and
 * removing files; from version 4 TCP connections; from version 6 signals and abstract sockets to the
 * outside. Files that are open already, stat(2) and readlink(2) stay allowed. Returns a descriptor;
 * -1: errno.
 */
int landlock_new(void);
/* Allow reading this file, or all files below this directory, also later ones. -1: errno. */
int landlock_allow_read(int rules, const char *path);
/*
 * The same for an open file or directory. Also allows writing to files, and making, renaming and
 * removing plain files in the directory. -1: errno.
 */
int landlock_allow_write(int rules, int fd);
/*
 * The same for an open directory and everything below it. Also allows making and removing directories there, and
 * moving files between them. ENOTSUP: version 1, which forbids every move between directories.
 */
int landlock_allow_tree(int rules, int fd);
/*
 * Apply the rules to this thread and to every thread that it starts. The process can no longer gain
 * rights by executing programs (PR_SET_NO_NEW_PRIVS). -1: errno.
 */
int landlock_enforce(int rules);

#endif
