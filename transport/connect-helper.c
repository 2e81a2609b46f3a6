/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remote helpers that connect: git-remote-<scheme>, gitremote-helpers(7), commands capabilities, option,
 * stateless-connect and connect. Lines are read byte by byte, since what follows them belongs to others.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "transport/connect-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define LINE_MAX_BYTES 65536
#define LINES_MAX 1000

struct helper {
	struct connection *c;
	const char *name;
	bool option, connect, stateless, get;
	bool gone; /* it has ended before its answer */
};

static int read_line(struct helper *h, struct strbuf *line, struct err *err)
{
	strbuf_reset(line);
	for (;;) {
		char ch;
		ssize_t n = RETRY_EINTR(sys->read(h->c->in, &ch, 1));

		if (n < 0)
			return err_set_errno(err, "cannot read from remote helper '%s'", h->name);
		h->gone = !n;
		if (!n)
			return err_set(err, ERR_IO, "remote helper '%s' aborted session", h->name);
		if (ch == '\n')
			return 0;
		if (line->len >= LINE_MAX_BYTES)
			return err_set(err, ERR_TOO_BIG, "a line of remote helper '%s' is too long", h->name);
		strbuf_addch(line, ch);
	}
}

static int say(const struct helper *h, const char *text, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc;

	strbuf_addf(&line, "%s\n", text);
	rc = write_in_full(h->c->out, line.buf, line.len, h->name, err);
	strbuf_release(&line);
	return rc;
}

/* '*' before a capability: who does not know it must not go on. */
static int take_capability(struct helper *h, const char *line, struct err *err)
{
	static const char *const others[] = { "fetch", "push", "import", "export", "list", "refspec ",
		"bidi-import", "check-connectivity", "object-format", "signed-tags", "no-private-update",
		"export-marks ", "import-marks " };
	bool mandatory = *line == '*';
	const char *word = line + mandatory;

	if (!strcmp(word, "option"))
		h->option = true;
	else if (!strcmp(word, "connect"))
		h->connect = true;
	else if (!strcmp(word, "stateless-connect"))
		h->stateless = true;
	else if (!strcmp(word, "get"))
		h->get = true;
	else if (mandatory) {
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			if (starts_with(word, others[i]))
				return 0;
		return err_set(err, ERR_UNSUPPORTED, "unknown mandatory capability %s; this remote helper "
			       "probably needs newer version of Git", word);
	}
	return 0;
}

static int ask_capabilities(struct helper *h, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = say(h, "capabilities", err);

	for (unsigned n = 0; !rc; n++) {
		rc = read_line(h, &line, err);
		if (!rc && !line.len)
			break;
		if (!rc)
			rc = n < LINES_MAX ? take_capability(h, line.buf, err)
				: err_set(err, ERR_TOO_BIG, "too many capabilities of a remote helper");
	}
	strbuf_release(&line);
	return rc;
}

/* A helper may not know an option ("unsupported"): 0; 1: it does; < 0. */
static int set_option(struct helper *h, const char *option, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *text = xconcat("option ", option);
	const char *why;
	int rc = say(h, text, err);

	if (!rc)
		rc = read_line(h, &line, err);
	if (!rc && skip_prefix(line.buf, "error ", &why))
		rc = err_set(err, ERR_ABORTED, "remote helper '%s': option %s: %s", h->name, option, why);
	if (!rc)
		rc = !strcmp(line.buf, "ok");
	free(text);
	strbuf_release(&line);
	return rc;
}

static int set_options(struct helper *h, const struct connect_options *o, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (!h->option)
		return 0;
	strbuf_addf(&text, "verbosity %d", o->verbosity + 1 > 0 ? o->verbosity + 1 : 0);
	rc = set_option(h, text.buf, err);
	for (size_t i = 0; rc >= 0 && o->helper_options && i < o->helper_options->nr; i++)
		rc = set_option(h, o->helper_options->v[i], err);
	if (rc >= 0 && (o->ipv4 || o->ipv6))
		rc = set_option(h, o->ipv4 ? "family ipv4" : "family ipv6", err);
	/* Ours alone: without it a helper connects to servers of version 2 only. */
	if (rc >= 0 && h->stateless)
		rc = set_option(h, "stateless-rpc-any true", err);
	if (rc > 0 && h->stateless)
		h->c->request_end = true;
	strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

/* 1: connected; 0: "fallback", < 0. */
static int try_connect(struct helper *h, const char *command, const char *service, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *text = xstrfmt("%s %s", command, service);
	int rc = say(h, text, err);

	if (!rc)
		rc = read_line(h, &line, err);
	if (!rc && !line.len)
		rc = 1;
	else if (!rc && strcmp(line.buf, "fallback") != 0)
		rc = err_set(err, ERR_CORRUPT, "unknown response to connect: %s", line.buf);
	free(text);
	strbuf_release(&line);
	return rc;
}

static int use_helper(struct helper *h, const char *service, const struct connect_options *o,
		      struct err *err)
{
	int rc = ask_capabilities(h, err);

	if (!rc)
		rc = set_options(h, o, err);
	if (!rc && h->connect)
		rc = try_connect(h, "connect", service, err);
	/* A stateless connection is one of version 2. */
	if (!rc && h->stateless) {
		h->c->kind = CONNECTION_STATELESS;
		rc = try_connect(h, "stateless-connect", service, err);
	}
	if (!rc)
		rc = err_set(err, ERR_UNSUPPORTED, "operation not supported by protocol '%s'", h->name);
	return rc < 0 ? rc : 0;
}

/* A helper that fails says why by itself. */
static void keep_quiet_of_failed(struct helper *h, struct err *err)
{
	struct child_process *cp = &h->c->state->child;

	if (!h->gone)
		return;
	if (finish_command(cp) > 0)
		err_reword(err, "%s", "");
	cp->pid = 0;
}

static int start_helper(struct connection *c, const char *scheme, const char *name, const char *address, int version,
			struct err *err)
{
	struct child_process *cp = &c->state->child;
	struct err why = ERR_INIT;
	int rc;

	strvec_pushl(&cp->args, "git", NULL);
	strvec_pushf(&cp->args, "remote-%s", scheme);
	strvec_push(&cp->args, name);
	strvec_push(&cp->args, address);
	if (version > 0)
		strvec_pushf(&cp->env, "GIT_PROTOCOL=version=%d", version);
	rc = connect_start(c, &why);
	if (rc == ERR_NOT_FOUND) {
		err_release(&why);
		return err_set(err, rc, "unable to find remote helper for '%s'", scheme);
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int connect_helper(struct connection *c, const struct remote_url *u, const char *service,
		   const struct connect_options *o, struct err *err)
{
	struct helper h = { .c = c, .name = u->scheme };
	int rc = start_helper(c, u->scheme, o->remote_name ? o->remote_name : u->address, u->address, o->version, err);

	if (!rc)
		rc = use_helper(&h, service, o, err);
	if (rc < 0)
		keep_quiet_of_failed(&h, err);
	return rc;
}

/* ---- single files ---- */

static int get_file(struct helper *h, const char *uri, const char *path, int verbosity, struct err *err)
{
	const struct connect_options o = { .verbosity = verbosity };
	struct strbuf line = STRBUF_INIT;
	char *text = xstrfmt("get %s %s", uri, path);
	int rc = ask_capabilities(h, err);

	if (!rc && !h->get)
		rc = err_set(err, ERR_UNSUPPORTED, "insufficient capabilities: remote helper '%s' cannot get files", h->name);
	if (!rc)
		rc = set_options(h, &o, err);
	if (!rc)
		rc = say(h, text, err);
	if (!rc)
		rc = read_line(h, &line, err);
	if (!rc && line.len)
		rc = err_set(err, ERR_CORRUPT, "unknown response to get: %s", line.buf);
	if (!rc)
		rc = say(h, "", err); /* that was the last command */
	free(text);
	strbuf_release(&line);
	return rc;
}

int connect_download(const char *scheme, const char *uri, const char *path, int verbosity, struct err *err)
{
	struct connection *c = connection_new();
	struct helper h = { .c = c, .name = scheme };
	int rc = start_helper(c, scheme, uri, uri, 0, err);

	if (!rc)
		rc = get_file(&h, uri, path, verbosity, err);
	if (!rc)
		return connection_finish(c, err);
	connection_abort(c);
	return rc;
}
