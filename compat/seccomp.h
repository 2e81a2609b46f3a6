/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seccomp(2), Linux: a process gives up system calls. What it may still do is listed in seccomp.c: read
 * files, write to what is open, run threads, use memory. Not on the list is whatever opens for
 * writing, makes, renames or removes; sockets; other programs and other processes; memory that can be
 * executed; and each call that this list does not know.
 *
 * A list of what is allowed, since kernels get new calls all the time, and each of them
 * (io_uring was one) would be open otherwise. What is refused fails with EPERM, or ENOSYS where a
 * C library is to take its older way; it does not end the process, so that a call that a library
 * makes in passing does no harm.
 */
#ifndef COMPAT_SECCOMP_H
#define COMPAT_SECCOMP_H

#include "compat/posix.h"

/* Can seccomp_enforce work? If not, errno says why. Not in builds with sanitizers. */
bool seccomp_is_available(void);

/* What stays allowed besides. */
struct seccomp_rights {
	int messages; /* a socket for sendmsg(2) and recvmsg(2); -1: none */
	bool locks;   /* of open files (F_OFD_SETLK); those that are read only by the like */
	/*
	 * To open for writing, make, rename, link and remove files, and to go on in a process of its own
	 * (fork(2), setsid(2)). Where is up to others: compat/landlock.h.
	 */
	bool files;
	/*
	 * Instead of that, for a process that fills a directory: the same without other processes, but with directories, and
	 * with flushing what it has written.
	 */
	bool tree;
};
/*
 * From now on, for all threads of the process, and those that it forks. It can no longer gain rights by
 * executing programs (PR_SET_NO_NEW_PRIVS). -1: errno.
 */
int seccomp_enforce(const struct seccomp_rights *r);

/*
 * From now on, for this thread and those that it makes, clone3(2) fails with ENOSYS, so that the C library makes threads by the
 * older clone(2). For where a profile of a container or a service refuses clone3 with EPERM: the library gives up then. Gains
 * nothing that is not allowed already. Without the right to set filters it costs the process the right to gain others
 * (PR_SET_NO_NEW_PRIVS). -1: errno.
 */
int seccomp_hide_clone3(void);

#endif
