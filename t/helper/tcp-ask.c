/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: tcp-ask [--from=ADDRESS] HOST PORT
 *        tcp-ask --reset HOST PORT
 *
 * Connect, send standard input as it comes, write to standard output what the other side sends,
 * until that ends; at most 60 seconds. Exit code 1: no connection, or it was reset; 2: time is up.
 * --reset: end our side and reset the connection; nothing is sent.
 */
#include "compat/posix.h"
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include "util/strbuf.h"
#include "write-or-die.h"

static int connect_to(const char *from, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *to, *ours;
	int fd;

	if (getaddrinfo(host, port, &hints, &to))
		return -1;
	fd = socket(to->ai_family, SOCK_STREAM, 0);
	if (fd >= 0 && from) {
		if (getaddrinfo(from, NULL, &hints, &ours) ||
		    bind(fd, ours->ai_addr, ours->ai_addrlen) < 0)
			return -1;
		freeaddrinfo(ours);
	}
	if (fd >= 0 && connect(fd, to->ai_addr, to->ai_addrlen) < 0)
		fd = -1;
	freeaddrinfo(to);
	return fd;
}

/* 1: some bytes were copied; 0: `from` has ended; -1: error. */
static int copy(int from, int to)
{
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n > 0)
		return write_in_full(to, buf, (size_t)n, "data", NULL) < 0 ? -1 : 1;
	return (int)n;
}

/* A reset behind the end of our side makes writing a matter of SIGPIPE there. */
static int reset_connection(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	return shutdown(fd, SHUT_WR) < 0 ||
	       setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) < 0 || close(fd) < 0;
}

int main(int argc, char **argv)
{
	const char *from = NULL;
	bool reset = false;
	struct pollfd p[2] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };
	int rc;

	if (argc > 1 && skip_prefix(argv[1], "--from=", &from)) {
		argc--;
		argv++;
	} else if (argc > 1 && !strcmp(argv[1], "--reset")) {
		reset = true;
		argc--;
		argv++;
	}
	if (argc != 3)
		return 129;
	alarm(500);
	p[1].fd = connect_to(from, argv[1], argv[2]);
	if (p[1].fd < 0)
		return 1;
	if (reset)
		return reset_connection(p[1].fd);
	for (;;) {
		rc = poll(p, 2, -1);
		if (rc < 0)
			return 1;
		if (p[0].revents && copy(0, p[1].fd) <= 0)
			p[0].fd = -1; /* the other side may go on for long */
		if (!p[1].revents)
			continue;
		rc = copy(p[1].fd, 1);
		if (rc <= 0)
			return rc < 0;
	}
}
