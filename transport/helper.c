/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts a remote helper and sets its options. Lines are read byte by byte, since the bytes after them may belong to another
 * reader.
 */
#include "compat/posix.h"
#include <signal.h>
#include "compat/syscalls.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define LINE_MAX_BYTES 65536
#define LINES_MAX 1000

struct helper *helper_of(struct connection *c)
{
	return c->state->helper;
}

/* ---- lines ---- */

static int has_aborted(const struct helper *h, struct err *err)
{
	return err_set(err, ERR_IO, "remote helper '%s' aborted session", h->name);
}

int helper_read_line(struct helper *h, struct strbuf *line, struct err *err)
{
	strbuf_reset(line);
	for (;;) {
		char ch;
		ssize_t n = RETRY_EINTR(sys->read(h->c->in, &ch, 1));

		if (n < 0)
			return err_set_errno(err, "cannot read from remote helper '%s'", h->name);
		h->gone = !n;
		if (!n)
			return has_aborted(h, err);
		if (ch == '\n')
			return 0;
		if (line->len >= LINE_MAX_BYTES)
			return err_set(err, ERR_TOO_BIG, "a line of remote helper '%s' is too long", h->name);
		strbuf_addch(line, ch);
	}
}

int helper_say(struct helper *h, const char *text, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc;

	strbuf_addf(&line, "%s\n", text);
	rc = write_in_full(h->c->out, line.buf, line.len, h->name, &why);
	h->gone |= rc < 0 && errno == EPIPE;
	if (h->gone)
		rc = has_aborted(h, err);
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	strbuf_release(&line);
	return rc;
}

/* ---- capabilities and options ---- */

/* '*' before a capability: a client that does not know it must stop. */
static int take_helper_capability(struct helper *h, const char *line, struct err *err)
{
	const struct { const char *word; bool *known; } ours[] = {
		{ "option", &h->option }, { "connect", &h->connect }, { "stateless-connect", &h->stateless },
		{ "get", &h->get }, { "fetch", &h->fetch }, { "import", &h->import },
		{ "push", &h->push }, { "export", &h->export },
		{ "object-format", &h->object_format },
	};
	static const char *const others[] = { "list", "refspec ", "bidi-import", "check-connectivity",
		"signed-tags", "no-private-update", "export-marks ", "import-marks " };
	bool mandatory = *line == '*';
	const char *word = line + mandatory;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!strcmp(word, ours[i].word)) {
			*ours[i].known = true;
			return 0;
		}
	for (size_t i = 0; i < ARRAY_SIZE(others) && mandatory; i++)
		if (starts_with(word, others[i]))
			return 0;
	return mandatory ? err_set(err, ERR_UNSUPPORTED, "unknown mandatory capability %s; this remote helper "
				   "probably needs newer version of Git", word) : 0;
}

int helper_ask_capabilities(struct helper *h, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = helper_say(h, "capabilities", err);

	for (unsigned n = 0; !rc; n++) {
		rc = helper_read_line(h, &line, err);
		if (!rc && !line.len)
			break;
		if (!rc)
			rc = n < LINES_MAX ? take_helper_capability(h, line.buf, err)
				: err_set(err, ERR_TOO_BIG, "too many capabilities of a remote helper");
	}
	strbuf_release(&line);
	return rc;
}

int helper_set_option(struct helper *h, const char *option, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *text = xconcat("option ", option);
	const char *why;
	int rc = helper_say(h, text, err);

	if (!rc)
		rc = helper_read_line(h, &line, err);
	if (!rc && skip_prefix(line.buf, "error ", &why))
		rc = err_set(err, ERR_ABORTED, "remote helper '%s': option %s: %s", h->name, option, why);
	if (!rc)
		rc = !strcmp(line.buf, "ok");
	free(text);
	strbuf_release(&line);
	return rc;
}

/* ---- its life ---- */

void helper_explain(struct helper *h, struct err *err)
{
	struct child_process *cp = &h->c->state->child;
	int code;

	if (!h->gone || cp->pid <= 0)
		return;
	/* So that it does not wait for us. */
	sys->close(h->c->out);
	h->c->out = -1;
	code = finish_command(cp);
	cp->pid = 0;
	if (code > 128 && code < 128 + NSIG)
		err_reword(err, "remote helper '%s' died of signal %d", h->name, code - 128);
	else if (code > 0)
		err_reword(err, "%s", "");
}

int helper_start(struct connection *c, const char *scheme, const char *name, const char *address, const char *gitdir,
		 int version, struct err *err)
{
	struct child_process *cp = &c->state->child;
	struct err why = ERR_INIT;
	struct helper *h;
	int rc;

	CALLOC_ARRAY(h, 1);
	h->c = c;
	h->name = xstrdup(scheme);
	c->state->helper = h;
	strvec_pushl(&cp->args, "git", NULL);
	strvec_pushf(&cp->args, "remote-%s", scheme);
	strvec_push(&cp->args, name);
	strvec_push(&cp->args, address);
	if (gitdir)
		strvec_pushf(&cp->env, "GIT_DIR=%s", gitdir);
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
