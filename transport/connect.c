/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens connections: to a program on this machine here, other kinds in connect-*.c. */
#include "compat/posix.h"
#include <signal.h>
#include "repo/repo.h"
#include "transport/connect-internal.h"
#include "util/alloc.h"

/* ---- a child of this machine ---- */

/* Where the path begins: ".git" and the like are found by the program. */
static int connect_local(struct connection *c, const struct remote_url *u, const char *service,
			 const struct connect_options *o, struct err *err)
{
	struct child_process *cp = &c->state->child;
	const char *command;

	if (!o->program && skip_prefix(service, "git-", &command)) {
		/* PATH begins with the directory of our own programs. */
		strvec_pushl(&cp->args, "git", command, u->path, NULL);
	} else {
		struct strbuf line = STRBUF_INIT;

		connect_command_line(&line, o->program ? o->program : service, u->path);
		strvec_push(&cp->args, line.buf);
		cp->use_shell = true;
		strbuf_release(&line);
	}
	for (const char *const *name = repo_local_env; *name; name++)
		strvec_push(&cp->env, *name);
	if (o->version > 0)
		strvec_pushf(&cp->env, "GIT_PROTOCOL=version=%d", o->version);
	else
		strvec_push(&cp->env, "GIT_PROTOCOL");
	return connect_start(c, err);
}

/* ---- for all ---- */

int connect_service(struct connection **out, const struct remote_url *url, const char *service,
		    const struct connect_options *o, struct err *err)
{
	const char *program = o->program ? o->program : service;
	struct connection *c;
	int rc = remote_url_check(url, err);

	if (!rc)
		rc = transport_check_allowed(o->config, url->scheme, -1, err);
	if (rc < 0)
		return rc;
	c = connection_new();
	/* If the peer hangs up, write(2) must fail, so that the peer's last message can be read and shown. */
	signal(SIGPIPE, SIG_IGN);
	if (url->kind == URL_LOCAL)
		rc = connect_local(c, url, service, o, err);
	else if (url->kind == URL_SSH)
		rc = connect_ssh(c, url, program, o, err);
	else if (url->kind == URL_GIT)
		rc = connect_git(c, url, program, o, err);
	else
		rc = connect_helper(c, url, service, o, err);
	if (rc < 0)
		connection_abort(c);
	else
		*out = c;
	return rc;
}
