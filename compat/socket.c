/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/socket.h"

#if defined(SOCK_CLOEXEC) && defined(MSG_CMSG_CLOEXEC)

int os_socket(int family, int type, int protocol)
{
	return socket(family, type | SOCK_CLOEXEC, protocol);
}

int os_socketpair(int family, int type, int fd[2])
{
	return socketpair(family, type | SOCK_CLOEXEC, 0, fd);
}

int os_accept(int listener, struct sockaddr *address, socklen_t *len)
{
	return accept4(listener, address, len, SOCK_CLOEXEC);
}

ssize_t os_recvmsg(int fd, struct msghdr *m)
{
	return recvmsg(fd, m, MSG_CMSG_CLOEXEC);
}

#else

static int close_on_exec(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int os_socket(int family, int type, int protocol)
{
	return close_on_exec(socket(family, type, protocol));
}

int os_socketpair(int family, int type, int fd[2])
{
	if (socketpair(family, type, 0, fd) < 0)
		return -1;
	close_on_exec(fd[0]);
	close_on_exec(fd[1]);
	return 0;
}

int os_accept(int listener, struct sockaddr *address, socklen_t *len)
{
	return close_on_exec(accept(listener, address, len));
}

ssize_t os_recvmsg(int fd, struct msghdr *m)
{
	ssize_t n = recvmsg(fd, m, 0);

	for (struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		const size_t nr = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS ?
			(c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;

		for (size_t i = 0; i < nr; i++) {
			int got;

			memcpy(&got, CMSG_DATA(c) + i * sizeof(got), sizeof(got));
			close_on_exec(got);
		}
	}
	return n;
}

#endif
