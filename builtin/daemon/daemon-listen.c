/* SPDX-License-Identifier: GPL-2.0-only */
/* The sockets on which git daemon listens. */
#include "compat/posix.h"
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "builtin/daemon/daemon.h"
#include "compat/socket.h"
#include "util/alloc.h"

#define BACKLOG 128

static void set_option(int fd, int level, int name)
{
	int on = 1;

	if (setsockopt(fd, level, name, &on, sizeof(on)) < 0)
		daemon_log_error("cannot set a socket option: %s", strerror(errno));
}

static void describe(const struct sockaddr *sa, socklen_t len, struct strbuf *out)
{
	char address[NI_MAXHOST], port[NI_MAXSERV];

	if (getnameinfo(sa, len, address, sizeof(address), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		strbuf_addstr(out, "<unknown>");
	else
		strbuf_addf(out, sa->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", address, port);
}

/* Logs the address: if the port is 0, the kernel chooses one, and the log shows it. */
static void log_place(int fd)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	struct strbuf text = STRBUF_INIT;

	if (!getsockname(fd, (struct sockaddr *)&sa, &len)) {
		describe((struct sockaddr *)&sa, len, &text);
		daemon_log_info("Listening on %s", text.buf);
	}
	strbuf_release(&text);
}

/* The socket, or -1, which is logged. */
static int open_socket(const struct addrinfo *ai, bool reuse_address)
{
	struct strbuf text = STRBUF_INIT;
	int fd = os_socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);

	if (fd < 0)
		return -1; /* a family that the kernel does not have */
	if (ai->ai_family == AF_INET6)
		set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY); /* IPv4 has a socket of its own */
	if (reuse_address)
		set_option(fd, SOL_SOCKET, SO_REUSEADDR);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE); /* accepted sockets inherit it */
	/* one that has gone when it is accepted must not make us wait */
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
		int failure = errno;

		describe(ai->ai_addr, ai->ai_addrlen, &text);
		daemon_log_error("Could not bind to %s: %s", text.buf, strerror(failure));
		strbuf_release(&text);
		close(fd);
		return -1;
	}
	return fd;
}

static size_t listen_at(struct daemon_listeners *l, const char *host, const char *port,
			bool reuse_address)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM,
				  .ai_protocol = IPPROTO_TCP }, *list;
	size_t before = l->nr;
	int rc = getaddrinfo(host, port, &hints, &list);

	if (rc) {
		daemon_log_error("getaddrinfo() for %s failed: %s", host ? host : "any address",
				 gai_strerror(rc));
		return 0;
	}
	for (struct addrinfo *ai = list; ai; ai = ai->ai_next) {
		int fd = open_socket(ai, reuse_address);

		if (fd < 0)
			continue;
		l->fds = xreallocarray(l->fds, l->nr + 1, sizeof(*l->fds));
		l->fds[l->nr++] = fd;
	}
	freeaddrinfo(list);
	return l->nr - before;
}

void daemon_log_places(const struct daemon_listeners *l)
{
	for (size_t i = 0; i < l->nr; i++)
		log_place(l->fds[i]);
}

void daemon_listen(struct daemon_listeners *l, const struct strvec *hosts, const char *port,
		   bool reuse_address)
{
	if (!hosts->nr)
		listen_at(l, NULL, port, reuse_address);
	for (size_t i = 0; i < hosts->nr; i++)
		if (!listen_at(l, hosts->v[i], port, reuse_address))
			daemon_log_error("unable to allocate any listen sockets for host %s on port %s",
					 hosts->v[i], port);
	if (!l->nr)
		daemon_die("unable to allocate any listen sockets on port %s", port);
}
