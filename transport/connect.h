/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection to the service of another repository: through a child process on this machine, ssh, a socket of git://,
 * or a remote helper. It has two descriptors. The protocol over them is in other files (transport/fetch/fetch-session.h).
 *
 *	connect_service(&c, &url, "git-upload-pack", &options, err)
 *	… c->in, c->out …
 *	connection_finish(c, err)
 */
#ifndef TRANSPORT_CONNECT_H
#define TRANSPORT_CONNECT_H

#include "compat/posix.h"
#include "config/config.h"
#include "transport/url.h"
#include "util/err.h"

/* How requests and answers follow each other. */
enum connection_kind {
	/* both sides may write at any time, and the server keeps its state: pipes, ssh, git:// */
	CONNECTION_STATEFUL,
	/*
	 * a request, then its answer, which ends with a response-end packet (0002) that the helper adds. The server
	 * keeps no state: http. The helper finds the end of a request by its flush packet (version 2).
	 */
	CONNECTION_STATELESS,
	/* no connection to a service: a remote helper lists refs and fetches them by itself (helper-internal.h) */
	CONNECTION_HELPER,
};

struct connection {
	int in, out; /* we read from `in` and write to `out`; may be the same descriptor */
	enum connection_kind kind;
	/* CONNECTION_STATELESS: versions 0 and 1 are possible, too; each request ends with a response-end packet. */
	bool request_end;
	/* ---- internal ---- */
	struct connection_state *state;
};

struct connect_options {
	const struct config_set *config;
	int version;	     /* of the protocol that is asked for: 0, 1, 2 */
	const char *program; /* of the other side: --upload-pack, remote.<name>.uploadpack; NULL: the service */
	bool ipv4, ipv6;     /* only these addresses */
	int verbosity;	     /* < 0: quiet */
	const char *remote_name; /* for the helper; NULL: none */
	const char *gitdir; /* GIT_DIR of the helper; NULL: that of the environment, if any */
	const char *vcs;    /* remote.<name>.vcs: that helper, whatever the URL is; NULL: not said */
	/* Said to helpers (gitremote-helpers(7), "option"), each "name value". */
	const struct strvec *helper_options;
};

/*
 * Connect to `service`. It uses GIT_SSH_COMMAND, GIT_SSH, core.sshCommand, ssh.variant, GIT_SSH_VARIANT, core.gitProxy
 * and GIT_PROXY_COMMAND. The service of a local repository gets a clean environment (repo_local_env) and GIT_PROTOCOL.
 *
 * Errors: ERR_INVALID, ERR_ABORTED: see url.h; ERR_IO: the server does not answer, or the program cannot be run.
 */
MUST_USE int connect_service(struct connection **out, const struct remote_url *url,
			     const char *service, const struct connect_options *o, struct err *err);
/* Closes both ends and waits for the child. ERR_IO: it has failed. c is freed in all outcomes; NULL is fine. */
MUST_USE int connection_finish(struct connection *c, struct err *err);
/* The same after a failure: ends the child, and reports no error. */
void connection_abort(struct connection *c);

#endif
