/* SPDX-License-Identifier: GPL-2.0-only */
/* git://, gitprotocol-pack(5), "Git Transport"; core.gitProxy of git-config(1). */
#include "compat/posix.h"
#include <netdb.h>
#include <sys/socket.h>
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "transport/connect-internal.h"
#include "util/alloc.h"
#include "wire/pkt-line.h"

#define GIT_PORT "9418"

/* ---- core.gitProxy ---- */

/* "COMMAND for DOMAIN": does it hold for the host? Without "for" it always does. *len: of COMMAND. */
static bool proxy_is_for(const char *value, const char *host, size_t *len)
{
	const char *domain = strstr(value, " for ");
	size_t host_len = strlen(host), domain_len;

	*len = domain ? (size_t)(domain - value) : strlen(value);
	if (!domain)
		return true;
	domain += strlen(" for ");
	domain_len = strlen(domain);
	if (domain_len > host_len || strcasecmp(host + host_len - domain_len, domain) != 0)
		return false;
	return domain_len == host_len || host[host_len - domain_len - 1] == '.';
}

/* The command for that host; NULL: none. Caller frees. */
static char *choose_proxy(const struct config_set *config, const char *host)
{
	const char *env = getenv("GIT_PROXY_COMMAND");
	const struct config_entry *const *all;
	size_t nr, len;

	if (env)
		return *env ? xstrdup(env) : NULL;
	all = config_get_all(config, "core.gitproxy", &nr);
	for (size_t i = 0; i < nr; i++)
		if (all[i]->value && proxy_is_for(all[i]->value, host, &len))
			return len == 4 && starts_with(all[i]->value, "none") ? NULL
				: xstrndup(all[i]->value, len);
	return NULL;
}

static int start_proxy(struct connection *c, char *command, const char *host, const char *port,
		       struct err *err)
{
	strvec_pushl(&c->state->child.args, command, host, port, NULL);
	free(command);
	return connect_start(c, err);
}

/* ---- a socket ---- */

static int try_addresses(const struct addrinfo *list, int *out)
{
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = os_socket(a->ai_family, a->ai_socktype, a->ai_protocol);

		if (fd < 0)
			continue;
		if (RETRY_EINTR(connect(fd, a->ai_addr, a->ai_addrlen)) == 0) {
			*out = fd;
			return 0;
		}
		sys->close(fd);
	}
	return -1;
}

static int connect_socket(const char *host, const char *port, const struct connect_options *o, int *out,
			  struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	int one = 1, rc;

	hints.ai_family = o->ipv4 ? AF_INET : o->ipv6 ? AF_INET6 : AF_UNSPEC;
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc)
		return err_set(err, ERR_IO, "unable to look up %s (port %s) (%s)", host, port,
			       gai_strerror(rc));
	rc = try_addresses(list, out);
	if (rc < 0)
		rc = err_set_errno(err, "unable to connect to %s", host);
	else
		(void)setsockopt(*out, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	freeaddrinfo(list);
	return rc;
}

/* ---- the request ---- */

static int send_request(struct connection *c, const struct remote_url *u, const char *program,
			const struct connect_options *o, struct err *err)
{
	const char *host = getenv("GIT_OVERRIDE_VIRTUAL_HOST");
	struct strbuf line = STRBUF_INIT;
	int rc;

	strbuf_addf(&line, "%s %s", program, u->path);
	strbuf_addch(&line, '\0');
	strbuf_addf(&line, "host=%s", host ? host : u->host_port);
	strbuf_addch(&line, '\0');
	if (o->version > 0) {
		strbuf_addch(&line, '\0');
		strbuf_addf(&line, "version=%d", o->version);
		strbuf_addch(&line, '\0');
	}
	rc = pkt_write(c->out, line.buf, line.len, err);
	strbuf_release(&line);
	return rc;
}

int connect_git(struct connection *c, const struct remote_url *u, const char *program,
		const struct connect_options *o, struct err *err)
{
	const char *port = u->port ? u->port : GIT_PORT;
	char *proxy = choose_proxy(o->config, u->user_host);
	int rc;

	if (proxy)
		rc = start_proxy(c, proxy, u->user_host, port, err);
	else
		rc = connect_socket(u->user_host, port, o, &c->in, err);
	if (!proxy && !rc)
		c->out = c->in;
	return rc ? rc : send_request(c, u, program, o, err);
}
