/* SPDX-License-Identifier: GPL-2.0-only */
/* git archive --remote: the client of git-upload-archive(1), for repositories of this machine. */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/archive.h"
#include "cli/git-options.h"
#include "sideband.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "util/utf8.h"
#include "wire/pkt-line.h"
#include "write-or-die.h"

/* The path of a local repository; NULL: it is somewhere else. */
static const char *local_path(const char *repo)
{
	const char *colon = strchr(repo, ':'), *slash = strchr(repo, '/'), *path;
	struct stat st;

	if (skip_prefix(repo, "file://", &path))
		return path;
	if (strstr(repo, "://"))
		return NULL;
	if (colon && (!slash || colon < slash) && stat(repo, &st) < 0)
		return NULL; /* host:path */
	return repo;
}

static int start_server(struct child_process *cp, const struct archive_request *rq, const char *path,
			struct err *err)
{
	if (rq->exec) {
		struct strbuf line = STRBUF_INIT;

		strbuf_addf(&line, "%s ", rq->exec);
		sq_quote(&line, path);
		strvec_push(&cp->args, line.buf);
		cp->use_shell = true;
		strbuf_release(&line);
	} else {
		push_own_command(&cp->args, "upload-archive");
		strvec_push(&cp->args, path);
	}
	for (const char *const *name = repo_local_env; *name; name++)
		strvec_push(&cp->env, *name);
	cp->in = cp->out = -1;
	return start_command(cp, err);
}

static int send_request(const struct archive_request *rq, int fd, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < rq->args.nr && !rc; i++)
		rc = pkt_writef(fd, err, "argument %s\n", rq->args.v[i]);
	return rc ? rc : pkt_flush(fd, err);
}

static int read_answer(int fd, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *why;
	int kind = pkt_read(fd, &line, err), rc = kind < 0 ? kind : 0;

	strbuf_trim_trailing_newline(&line);
	if (kind == PKT_EOF)
		rc = err_set(err, ERR_ABORTED, "git archive: expected ACK/NAK, got a flush packet");
	else if (!rc && kind == PKT_DATA && skip_prefix(line.buf, "NACK ", &why))
		rc = err_set(err, ERR_ABORTED, "git archive: NACK %s", why);
	else if (!rc && (kind != PKT_DATA || strcmp(line.buf, "ACK") != 0))
		rc = err_set(err, ERR_CORRUPT, "git archive: protocol error");
	if (!rc && (kind = pkt_read(fd, &line, err)) != PKT_FLUSH)
		rc = kind < 0 ? kind : err_set(err, ERR_CORRUPT, "git archive: expected a flush");
	strbuf_release(&line);
	return rc;
}

static void show_line(const char *text, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add_printable(&line, text, len, "\t");
	fprintf(stderr, "remote: %s\n", line.buf);
	strbuf_release(&line);
}

/* What the server says to the user: each line says so. Half a line waits. */
static void show_words(struct strbuf *words, bool all)
{
	char *at = words->buf, *lf;

	while ((lf = memchr(at, '\n', (size_t)(words->buf + words->len - at)))) {
		show_line(at, (size_t)(lf - at));
		at = lf + 1;
	}
	strbuf_remove(words, 0, (size_t)(at - words->buf));
	if (all && words->len) {
		show_line(words->buf, words->len);
		strbuf_reset(words);
	}
}

/* Up to the flush packet. ERR_ABORTED: the server has failed, and has said why. */
static int receive(int in, int out, struct err *err)
{
	struct strbuf buf = STRBUF_INIT, words = STRBUF_INIT;
	int kind, rc = 0;

	while (!rc && (kind = pkt_read(in, &buf, err)) != PKT_FLUSH) {
		if (kind < 0)
			rc = kind;
		else if (kind != PKT_DATA || !buf.len)
			rc = err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
		else if (*buf.buf == BAND_PACK)
			rc = write_in_full(out, buf.buf + 1, buf.len - 1, "archive", err);
		else
			strbuf_add(&words, buf.buf + 1, buf.len - 1);
		if (!rc && *buf.buf != BAND_PACK)
			show_words(&words, *buf.buf == BAND_ERROR);
		if (!rc && *buf.buf == BAND_ERROR)
			rc = ERR_ABORTED;
		else if (!rc && (unsigned char)*buf.buf > BAND_ERROR)
			rc = err_set(err, ERR_CORRUPT, "protocol error: bad band #%d", *buf.buf);
	}
	show_words(&words, true);
	strbuf_release(&buf);
	strbuf_release(&words);
	return rc;
}

int archive_from_remote(const struct archive_request *rq, int out)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	const char *path = local_path(rq->repo);
	struct err err = ERR_INIT;
	int rc, code;

	if (!path)
		die("git archive --remote of '%s' is not available yet: only local repositories are", rq->repo);
	signal(SIGPIPE, SIG_IGN);
	rc = start_server(&cp, rq, path, &err);
	if (rc < 0) {
		child_process_release(&cp);
		return report_fatal(&err);
	}
	rc = send_request(rq, cp.in, &err);
	if (rc < 0 && err.sys_errno == EPIPE) { /* it has something to say */
		rc = 0;
		err_release(&err);
	}
	close(cp.in);
	if (!rc)
		rc = read_answer(cp.out, &err);
	if (!rc)
		rc = receive(cp.out, out, &err);
	close(cp.out);
	code = finish_command(&cp);
	child_process_release(&cp);
	if (err.code)
		return report_fatal(&err);
	return rc || code ? 1 : 0;
}
