/* SPDX-License-Identifier: GPL-2.0-only */
/* A program at the other end of two pipes: what all kinds of connections but sockets are made of. */
#include "compat/posix.h"
#include "transport/connect-internal.h"
#include "util/alloc.h"
#include "util/quote.h"

int connect_start(struct connection *c, struct err *err)
{
	struct child_process *cp = &c->state->child;
	int rc;

	cp->in = cp->out = -1;
	c->state->name = xstrdup(cp->args.v[0]);
	rc = start_command(cp, err);
	if (rc < 0) {
		cp->pid = 0;
		return rc;
	}
	c->in = cp->out;
	c->out = cp->in;
	return 0;
}

void connect_command_line(struct strbuf *out, const char *program, const char *path)
{
	strbuf_addstr(out, program);
	strbuf_addch(out, ' ');
	sq_quote(out, path);
}
