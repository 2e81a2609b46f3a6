/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seccomp(2), Linux: a process gives up system calls. seccomp.c lists the calls that stay allowed:
 * reading files, writing to open files, running threads, using memory. Forbidden are opening files for
 * writing; making, renaming and removing files; sockets; other programs and processes; executable
 * memory; and each call that is not in the list.
 *
 * The list names the allowed calls, not the forbidden ones, because each new kernel adds calls
 * (io_uring was one) that would be allowed otherwise. A forbidden call fails with EPERM, or with
 * ENOSYS if the C library then uses an older call. It does not end the process, so that a forbidden
 * call in a library does no harm.
 */
#ifndef COMPAT_SECCOMP_H
#define COMPAT_SECCOMP_H

#include "compat/posix.h"

/* Can seccomp_enforce work? If not, errno says why. Not in builds with sanitizers. */
bool seccomp_is_available(void);

/* What stays allowed besides. */
struct seccomp_rights {
	int messages; /* a socket for sendmsg(2) and recvmsg(2); -1: none */
	bool locks;   /* lock open files (F_OFD_SETLK); read locks only for files open for reading */
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
 * Apply the filter to all threads of the process and to every process that it forks. The process can no
 * longer gain rights by executing programs (PR_SET_NO_NEW_PRIVS). -1: errno.
 */
int seccomp_enforce(const struct seccomp_rights *r);

/*
 * Let clone3(2) fail with ENOSYS in this thread and every thread that it makes. The C library then makes threads with the older
 * clone(2). Needed if the profile of a container or a service refuses clone3 with EPERM: the library gives up after that error.
 * It allows nothing new. If the process may not set filters, it first gives up the right to gain rights (PR_SET_NO_NEW_PRIVS).
 * -1: errno.
 */
int seccomp_hide_clone3(void);

#endif
