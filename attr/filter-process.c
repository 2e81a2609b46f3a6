/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Long-running filter processes, version 2 of their protocol, with delayed answers:
 * gitattributes(5), "Long Running Filter Process" and "Delay".
 */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/run-command.h"
#include "wire/pkt-line.h"
#include "attr/filter-internal.h"

enum { CAP_CLEAN = 1, CAP_SMUDGE = 2, CAP_DELAY = 4 };

struct filter_process {
	struct child_process cp;
	const char *cmd; /* belongs to the config */
	unsigned caps;
	bool unusable; /* could not be started: not tried again */
	bool running;
	bool awaited; /* may still offer delayed files */
	bool asked;   /* ... and owes the list of those */
	struct strmap delayed; /* paths; value: &waiting, until they are offered */
};

struct filter_processes {
	struct strmap by_command;
};

static char waiting;

/* ---- starting and stopping ---- */

static int expect_line(int fd, const char *want, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = pkt_read(fd, &line, err);

	strbuf_trim_trailing_newline(&line);
	if (rc == PKT_DATA && !strcmp(line.buf, want))
		rc = 0;
	else if (rc >= 0)
		rc = err_set(err, ERR_CORRUPT, "expected '%s', got '%s'", want, line.buf);
	strbuf_release(&line);
	return rc;
}

static int expect_flush(int fd, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = pkt_read(fd, &line, err);

	strbuf_release(&line);
	if (rc == PKT_FLUSH)
		return 0;
	return rc < 0 ? rc : err_set(err, ERR_CORRUPT, "expected a flush packet");
}

static int read_capabilities(struct filter_process *p, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc;

	while ((rc = pkt_read(p->cp.out, &line, err)) == PKT_DATA) {
		strbuf_trim_trailing_newline(&line);
		if (!strcmp(line.buf, "capability=clean"))
			p->caps |= CAP_CLEAN;
		else if (!strcmp(line.buf, "capability=smudge"))
			p->caps |= CAP_SMUDGE;
		else if (!strcmp(line.buf, "capability=delay"))
			p->caps |= CAP_DELAY;
	}
	strbuf_release(&line);
	if (rc == PKT_FLUSH)
		return 0;
	return rc < 0 ? rc : err_set(err, ERR_CORRUPT, "unterminated capability list from filter");
}

static int handshake(struct filter_process *p, struct err *err)
{
	int in = p->cp.in, out = p->cp.out, rc;

	if ((rc = pkt_writef(in, err, "git-filter-client\n")) < 0 ||
	    (rc = pkt_writef(in, err, "version=2\n")) < 0 ||
	    (rc = pkt_flush(in, err)) < 0 ||
	    (rc = expect_line(out, "git-filter-server", err)) < 0 ||
	    (rc = expect_line(out, "version=2", err)) < 0 ||
	    (rc = expect_flush(out, err)) < 0 ||
	    (rc = pkt_writef(in, err, "capability=clean\n")) < 0 ||
	    (rc = pkt_writef(in, err, "capability=smudge\n")) < 0 ||
	    (rc = pkt_writef(in, err, "capability=delay\n")) < 0 ||
	    (rc = pkt_flush(in, err)) < 0)
		return rc;
	return read_capabilities(p, err);
}

/* Closes its input, which tells it to end, and awaits it. What it has delayed is lost. */
static void process_stop(struct filter_process *p)
{
	if (p->running) {
		close(p->cp.in);
		close(p->cp.out);
		finish_command(&p->cp);
		child_process_release(&p->cp);
	}
	p->running = p->awaited = p->asked = false;
	strmap_clear(&p->delayed, NULL);
}

/* It has left the protocol: it might not end by itself. The next file starts it anew. */
static void process_kill(struct filter_process *p)
{
	if (p->running && p->cp.pid > 0) /* a pid of 0 or less would be many processes */
		kill(p->cp.pid, SIGTERM);
	process_stop(p);
}

static void process_start(struct filter_process *p, struct strbuf *warn)
{
	struct err err = ERR_INIT;

	child_process_init(&p->cp);
	strvec_push(&p->cp.args, p->cmd);
	p->cp.use_shell = true;
	p->cp.in = p->cp.out = -1;
	p->caps = 0;
	if (start_command(&p->cp, &err) < 0) {
		strbuf_addf(warn, "error: cannot fork to run subprocess '%s'\n", p->cmd);
		child_process_release(&p->cp);
		p->unusable = true;
	} else {
		p->running = true;
		if (handshake(p, &err) < 0) {
			strbuf_addf(warn, "error: initialization for subprocess '%s' failed: %s\n",
				    p->cmd, err_message(&err));
			process_kill(p);
			p->unusable = true;
		}
	}
	err_release(&err);
}

/* A running one, or NULL. */
static struct filter_process *process_get(struct filter_processes *ps, const char *cmd,
					  struct strbuf *warn)
{
	struct filter_process *p = strmap_get(&ps->by_command, cmd);

	if (!p) {
		CALLOC_ARRAY(p, 1);
		p->cmd = cmd;
		strmap_put(&ps->by_command, cmd, p);
	}
	if (!p->running && !p->unusable)
		process_start(p, warn);
	return p->running ? p : NULL;
}

struct filter_processes *filter_processes_new(void)
{
	return xcalloc(1, sizeof(struct filter_processes));
}

static void process_free(void *v)
{
	process_stop(v);
	free(v);
}

void filter_processes_free(struct filter_processes *ps)
{
	if (!ps)
		return;
	strmap_clear(&ps->by_command, process_free);
	free(ps);
}

/* ---- one file ---- */

static int send_request(struct filter_process *p, const struct filter_request *q, bool may_delay,
			struct err *err)
{
	const char *verb = q->dir == FILTER_CLEAN ? "clean" : "smudge";
	int in = p->cp.in, rc;

	if ((rc = pkt_writef(in, err, "command=%s\n", verb)) < 0 ||
	    (rc = pkt_writef(in, err, "pathname=%s\n", q->path)) < 0)
		return rc;
	if (q->ref && (rc = pkt_writef(in, err, "ref=%s\n", q->ref)) < 0)
		return rc;
	if (q->treeish && (rc = pkt_writef(in, err, "treeish=%s\n", oid_hex(q->treeish))) < 0)
		return rc;
	if (q->oid && (rc = pkt_writef(in, err, "blob=%s\n", oid_hex(q->oid))) < 0)
		return rc;
	if (may_delay && (rc = pkt_writef(in, err, "can-delay=1\n")) < 0)
		return rc;
	if ((rc = pkt_flush(in, err)) < 0 || (rc = pkt_write_all(in, q->data, q->len, err)) < 0)
		return rc;
	return pkt_flush(in, err);
}

/* "status=…" lines up to a flush packet: the last one, if any, is the status. */
static int read_status(struct filter_process *p, struct strbuf *status, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc;

	while ((rc = pkt_read(p->cp.out, &line, err)) == PKT_DATA) {
		const char *v;

		strbuf_trim_trailing_newline(&line);
		if (skip_prefix(line.buf, "status=", &v)) {
			strbuf_reset(status);
			strbuf_addstr(status, v);
		}
	}
	strbuf_release(&line);
	if (rc == PKT_FLUSH)
		return 0;
	return rc < 0 ? rc : err_set(err, ERR_CORRUPT, "unterminated status list from filter");
}

static int exchange(struct filter_process *p, const struct filter_request *q, bool may_delay,
		    struct strbuf *out, struct strbuf *status, struct err *err)
{
	int rc;

	if ((rc = send_request(p, q, may_delay, err)) < 0 ||
	    (rc = read_status(p, status, err)) < 0)
		return rc;
	if (strcmp(status->buf, "success"))
		return 0;
	if ((rc = pkt_read_all(p->cp.out, out, 0, err)) < 0)
		return rc;
	return read_status(p, status, err);
}

static void tell_failed(const struct filter_process *p, const char *why, struct strbuf *warn)
{
	strbuf_addf(warn, "error: external filter '%s' failed: %s\n", p->cmd, why);
}

static void await_path(struct filter_process *p, const char *path)
{
	strmap_put(&p->delayed, path, &waiting);
	p->awaited = true;
}

static int run(struct filter_process *p, const struct filter_request *q, struct strbuf *out,
	       struct strbuf *warn)
{
	unsigned cap = q->dir == FILTER_CLEAN ? CAP_CLEAN : CAP_SMUDGE;
	bool may_delay = q->may_delay && p->caps & CAP_DELAY;
	struct strbuf status = STRBUF_INIT, result = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = -1;

	if (!(p->caps & cap))
		return 1;
	if (exchange(p, q, may_delay, &result, &status, &err) < 0) {
		tell_failed(p, err_message(&err), warn);
		process_kill(p);
	} else if (!strcmp(status.buf, "success")) {
		strbuf_swap(out, &result);
		rc = 0;
	} else if (may_delay && !strcmp(status.buf, "delayed")) {
		await_path(p, q->path);
		rc = FILTER_DELAYED;
	} else if (!strcmp(status.buf, "abort")) {
		p->caps &= ~cap; /* it wants no more requests of this kind */
	}
	err_release(&err);
	strbuf_release(&status);
	strbuf_release(&result);
	return rc;
}

int filter_process_run(struct filter_processes *ps, const char *cmd,
		       const struct filter_request *q, struct strbuf *out, struct strbuf *warn)
{
	struct filter_process *p = process_get(ps, cmd, warn);

	return p ? run(p, q, out, warn) : -1;
}

int filter_process_collect(struct filter_processes *ps, const char *cmd,
			   const struct filter_request *q, struct strbuf *out,
			   struct strbuf *warn)
{
	struct filter_process *p = strmap_get(&ps->by_command, cmd);

	return p && p->running ? run(p, q, out, warn) : -1; /* a new one would not know the file */
}

/* ---- delayed files ---- */

static void ask_for_list(struct filter_process *p, struct strbuf *warn)
{
	struct err err = ERR_INIT;

	if (pkt_writef(p->cp.in, &err, "command=list_available_blobs\n") < 0 ||
	    pkt_flush(p->cp.in, &err) < 0) {
		tell_failed(p, err_message(&err), warn);
		process_kill(p);
	} else {
		p->asked = true;
	}
	err_release(&err);
}

/* "pathname=…" lines up to a flush packet: the names that are awaited. *strange: the filter named
 * another one. */
static int read_paths(struct filter_process *p, struct string_list *ready, bool *strange,
		      struct strbuf *warn, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc;

	while ((rc = pkt_read(p->cp.out, &line, err)) == PKT_DATA) {
		const char *path;

		if (line.len && line.buf[line.len - 1] == '\n')
			strbuf_setlen(&line, line.len - 1); /* not a CR of the name before it */
		if (!skip_prefix(line.buf, "pathname=", &path))
			continue;
		if (strmap_get(&p->delayed, path) == &waiting) {
			strmap_put(&p->delayed, path, NULL);
			string_list_append(ready, path);
		} else if (!*strange) {
			*strange = true;
			strbuf_addf(warn, "error: external filter '%s' signaled that '%s' is now available although it has not been delayed earlier\n",
				    p->cmd, path);
		}
	}
	strbuf_release(&line);
	if (rc == PKT_FLUSH)
		return 0;
	return rc < 0 ? rc : err_set(err, ERR_CORRUPT, "unterminated list of paths from filter");
}

/* Its answer is there. An empty list, or a mistake: it is not asked again. */
static void take_list(struct filter_process *p, struct string_list *ready, struct strbuf *warn)
{
	struct string_list offered = STRING_LIST_INIT;
	struct strbuf status = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool strange = false;
	int rc = read_paths(p, &offered, &strange, warn, &err);

	p->asked = false;
	if (!rc)
		rc = read_status(p, &status, &err);
	if (!rc && strcmp(status.buf, "success") && strcmp(status.buf, "error"))
		rc = err_set(&err, ERR_CORRUPT, "status '%s' of its list", status.buf);
	if (!offered.nr || strange || rc || strcmp(status.buf, "success"))
		p->awaited = false;
	if (rc < 0) {
		tell_failed(p, err_message(&err), warn);
		process_kill(p);
	} else if (!strcmp(status.buf, "success")) {
		for (size_t i = 0; i < offered.nr; i++)
			string_list_append(ready, offered.items[i].string);
	}
	string_list_clear(&offered, NULL);
	strbuf_release(&status);
	err_release(&err);
}

/* Waits until at least one of the filters that owe a list has begun to answer. */
static void wait_for_answers(struct filter_process **p, struct pollfd *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		fds[i] = (struct pollfd){ .fd = p[i]->cp.out, .events = POLLIN };
	if (RETRY_EINTR(poll(fds, nr, -1)) >= 0)
		return;
	for (size_t i = 0; i < nr; i++)
		fds[i].revents = POLLIN; /* then in turn */
}

static size_t ask_all(struct filter_processes *ps, struct filter_process **asked,
		      struct strbuf *warn)
{
	struct strmap_entry **all = strmap_sorted(&ps->by_command);
	size_t nr = 0;

	for (size_t i = 0; i < ps->by_command.nr; i++) {
		struct filter_process *p = all[i]->value;

		if (p->awaited && !p->asked)
			ask_for_list(p, warn);
		if (p->asked)
			asked[nr++] = p;
	}
	free(all);
	return nr;
}

bool filter_processes_await(struct filter_processes *ps, struct string_list *ready,
			    struct strbuf *warn)
{
	struct filter_process **asked = xcalloc(ps->by_command.nr + 1, sizeof(*asked));
	struct pollfd *fds = xcalloc(ps->by_command.nr + 1, sizeof(*fds));
	size_t nr, before = ready->nr;

	while (ready->nr == before && (nr = ask_all(ps, asked, warn)) > 0) {
		wait_for_answers(asked, fds, nr);
		for (size_t i = 0; i < nr; i++)
			if (fds[i].revents)
				take_list(asked[i], ready, warn);
	}
	free(asked);
	free(fds);
	return ready->nr > before;
}
