/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process at the other end of two pipes: all connections except sockets use it. */
#include "compat/posix.h"
#include <signal.h>
#include "compat/syscalls.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"
#include "util/quote.h"

struct connection *connection_new(void)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	CALLOC_ARRAY(c->state, 1);
	child_process_init(&c->state->child);
	c->in = c->out = -1;
	return c;
}

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

static void close_ends(struct connection *c)
{
	if (c->out >= 0)
		sys->close(c->out);
	if (c->in >= 0 && c->in != c->out)
		sys->close(c->in);
	c->in = c->out = -1;
}

static void free_connection(struct connection *c)
{
	child_process_release(&c->state->child);
	free(c->state->name);
	if (c->state->helper)
		free(c->state->helper->name);
	free(c->state->helper);
	free(c->state);
	free(c);
}

int connection_finish(struct connection *c, struct err *err)
{
	int code = 0;

	if (!c)
		return 0;
	close_ends(c);
	if (c->state->child.pid > 0)
		code = finish_command(&c->state->child);
	if (code)
		code = err_set(err, ERR_IO, "'%s' of the other side has failed (exit code %d)",
			       c->state->name, code);
	free_connection(c);
	return code;
}

void connection_abort(struct connection *c)
{
	if (!c)
		return;
	/* Before its input ends: it would complain that we have hung up. */
	if (c->state->child.pid > 0)
		kill(c->state->child.pid, SIGTERM);
	close_ends(c);
	if (c->state->child.pid > 0)
		(void)finish_command(&c->state->child);
	free_connection(c);
}
