/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets that are close-on-exec from the beginning, or, where the system cannot do that, at once afterwards. */
#ifndef COMPAT_SOCKET_H
#define COMPAT_SOCKET_H

#include "compat/posix.h"
#include <sys/socket.h>

/* As socket(2), socketpair(2) and accept(2). */
int os_socket(int family, int type, int protocol);
int os_socketpair(int family, int type, int fd[2]);
int os_accept(int listener, struct sockaddr *address, socklen_t *len);
/* As recvmsg(2): descriptors that arrive are close-on-exec. */
ssize_t os_recvmsg(int fd, struct msghdr *m);

#endif
