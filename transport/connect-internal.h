/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of transport/connect*.c share. */
#ifndef TRANSPORT_CONNECT_INTERNAL_H
#define TRANSPORT_CONNECT_INTERNAL_H

#include "transport/connect.h"
#include "util/run-command.h"

struct helper;
struct connection_state {
	struct child_process child; /* pid 0: none */
	char *name;		    /* of the program, for messages */
	struct helper *helper;	    /* NULL: none */
};

/* Without a child, and without ends. */
struct connection *connection_new(void);
/* Start c's child with pipes, which become c's ends. */
MUST_USE int connect_start(struct connection *c, struct err *err);
/* "PROGRAM 'PATH'", for a shell. */
void connect_command_line(struct strbuf *out, const char *program, const char *path);

MUST_USE int connect_ssh(struct connection *c, const struct remote_url *u, const char *program,
			 const struct connect_options *o, struct err *err);
MUST_USE int connect_git(struct connection *c, const struct remote_url *u, const char *program,
			 const struct connect_options *o, struct err *err);
MUST_USE int connect_helper(struct connection *c, const struct remote_url *u, const char *service,
			    const struct connect_options *o, struct err *err);

/* git-remote-<scheme> writes the file of that URI to a new one. ERR_UNSUPPORTED: it cannot. */
MUST_USE int connect_download(const char *scheme, const char *uri, const char *path, int verbosity, struct err *err);

/* ---- connect-ssh.c, also for git fetch-pack --diag-url and tests ---- */
enum ssh_variant { SSH_AUTO, SSH_OPENSSH, SSH_SIMPLE, SSH_PLINK, SSH_PUTTY, SSH_TORTOISEPLINK };

#endif
