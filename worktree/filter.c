/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <signal.h>
#include "util/alloc.h"
#include "util/map.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "wire/pkt-line.h"
#include "worktree/filter-internal.h"

enum { CAP_CLEAN = 1, CAP_SMUDGE = 2 };

struct driver {
	const char *clean, *smudge, *process; /* belong to the config */
	bool required;
};

struct filter_process {
	struct child_process cp;
	unsigned caps;
	bool dead; /* could not be started, or broke the protocol */
};

struct filters {
	const struct config_set *config;
	struct strmap drivers;	 /* name to struct driver * */
	struct strmap processes; /* command to struct filter_process * */
};

static struct driver *driver_get(struct filters *f, const char *name)
{
	struct driver *d = strmap_get(&f->drivers, name);
	const struct config_entry *e;
	char *key;

	if (d)
		return d;
	CALLOC_ARRAY(d, 1);
	key = xstrfmt("filter.%s.clean", name);
	if ((e = config_get(f->config, key)))
		d->clean = e->value;
	free(key);
	key = xstrfmt("filter.%s.smudge", name);
	if ((e = config_get(f->config, key)))
		d->smudge = e->value;
	free(key);
	key = xstrfmt("filter.%s.process", name);
	if ((e = config_get(f->config, key)))
		d->process = e->value;
	free(key);
	key = xstrfmt("filter.%s.required", name);
	(void)config_get_bool(f->config, key, &d->required, NULL);
	free(key);
	strmap_put(&f->drivers, name, d);
	return d;
}

/* ---- one-shot commands ---- */

/* %f is the path, quoted for the shell; %% a percent sign. */
static char *expand_command(const char *cmd, const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *cmd; cmd++) {
		if (cmd[0] == '%' && cmd[1] == 'f') {
			sq_quote(&sb, path);
			cmd++;
		} else if (cmd[0] == '%' && cmd[1] == '%') {
			strbuf_addch(&sb, '%');
			cmd++;
		} else {
			strbuf_addch(&sb, *cmd);
		}
	}
	return strbuf_detach(&sb, NULL);
}

static int run_once(const char *cmd, const char *path, const void *data, size_t len,
		    struct strbuf *out, struct strbuf *warn)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf result = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *line = expand_command(cmd, path);
	int rc;

	strvec_push(&cp.args, line);
	cp.use_shell = true;
	rc = pipe_command(&cp, data, len, &result, NULL, 0, &err);
	if (rc < 0)
		strbuf_addf(warn, "error: cannot run external filter '%s': %s\n", cmd,
			    err_message(&err));
	else if (rc)
		strbuf_addf(warn, "error: external filter '%s' failed %d\n", cmd, rc);
	else
		strbuf_swap(out, &result);
	err_release(&err);
	strbuf_release(&result);
	free(line);
	return rc ? -1 : 0;
}

/* ---- long-running processes ---- */

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
	    (rc = pkt_flush(in, err)) < 0)
		return rc;
	return read_capabilities(p, err);
}

static void process_stop(struct filter_process *p)
{
	if (p->cp.pid > 0) {
		close(p->cp.in);
		close(p->cp.out);
		finish_command(&p->cp);
	}
	child_process_release(&p->cp);
	p->dead = true;
}

static struct filter_process *process_get(struct filters *f, const char *cmd,
					  struct strbuf *warn)
{
	struct filter_process *p = strmap_get(&f->processes, cmd);
	struct err err = ERR_INIT;

	if (p)
		return p;
	CALLOC_ARRAY(p, 1);
	child_process_init(&p->cp);
	strmap_put(&f->processes, cmd, p);
	strvec_push(&p->cp.args, cmd);
	p->cp.use_shell = true;
	p->cp.in = p->cp.out = -1;
	if (start_command(&p->cp, &err) < 0) {
		strbuf_addf(warn, "error: cannot fork to run subprocess '%s'\n", cmd);
		child_process_release(&p->cp);
		p->dead = true;
	} else if (handshake(p, &err) < 0) {
		strbuf_addf(warn, "error: initialization for subprocess '%s' failed: %s\n", cmd,
			    err_message(&err));
		process_stop(p);
	}
	err_release(&err);
	return p;
}

static int send_request(struct filter_process *p, const char *verb, const char *path,
			const void *data, size_t len, const struct object_id *oid,
			struct err *err)
{
	int in = p->cp.in, rc;

	if ((rc = pkt_writef(in, err, "command=%s\n", verb)) < 0 ||
	    (rc = pkt_writef(in, err, "pathname=%s\n", path)) < 0)
		return rc;
	if (oid && (rc = pkt_writef(in, err, "blob=%s\n", oid_hex(oid))) < 0)
		return rc;
	if ((rc = pkt_flush(in, err)) < 0 || (rc = pkt_write_all(in, data, len, err)) < 0)
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

static int exchange(struct filter_process *p, const char *verb, const char *path,
		    const void *data, size_t len, const struct object_id *oid,
		    struct strbuf *out, struct strbuf *status, struct err *err)
{
	int rc;

	if ((rc = send_request(p, verb, path, data, len, oid, err)) < 0 ||
	    (rc = read_status(p, status, err)) < 0)
		return rc;
	if (strcmp(status->buf, "success"))
		return 0;
	if ((rc = pkt_read_all(p->cp.out, out, 0, err)) < 0)
		return rc;
	return read_status(p, status, err);
}

static int run_process(struct filters *f, const char *cmd, unsigned cap, const char *path,
		       const void *data, size_t len, const struct object_id *oid,
		       struct strbuf *out, struct strbuf *warn)
{
	struct filter_process *p = process_get(f, cmd, warn);
	const char *verb = cap == CAP_CLEAN ? "clean" : "smudge";
	struct strbuf status = STRBUF_INIT, result = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = -1;

	if (p->dead || !(p->caps & cap))
		return p->dead ? -1 : 1; /* 1: not supported by the process */
	if (exchange(p, verb, path, data, len, oid, &result, &status, &err) < 0) {
		strbuf_addf(warn, "error: external filter '%s' failed: %s\n", cmd,
			    err_message(&err));
		process_stop(p);
	} else if (!strcmp(status.buf, "success")) {
		strbuf_swap(out, &result);
		rc = 0;
	} else if (!strcmp(status.buf, "abort")) {
		p->caps &= ~cap; /* it wants no more requests of this kind */
	}
	err_release(&err);
	strbuf_release(&status);
	strbuf_release(&result);
	return rc;
}

/* ---- drivers ---- */

bool filter_is_active(struct filters *f, const char *name, enum filter_direction dir)
{
	struct driver *d = driver_get(f, name);
	const char *cmd = dir == FILTER_CLEAN ? d->clean : d->smudge;

	return (d->process && *d->process) || (cmd && *cmd) || d->required;
}

int filter_apply(struct filters *f, const char *name, enum filter_direction dir,
		 const char *path, const void *data, size_t len,
		 const struct object_id *oid, struct strbuf *out, struct strbuf *warn,
		 struct err *err)
{
	struct driver *d = driver_get(f, name);
	const char *cmd = dir == FILTER_CLEAN ? d->clean : d->smudge;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, saved;
	int rc = 1;

	sigaction(SIGPIPE, &ignore, &saved);
	if (d->process && *d->process)
		rc = run_process(f, d->process, dir == FILTER_CLEAN ? CAP_CLEAN : CAP_SMUDGE,
				 path, data, len, oid, out, warn);
	else if (cmd && *cmd)
		rc = run_once(cmd, path, data, len, out, warn);
	sigaction(SIGPIPE, &saved, NULL);
	if (!rc)
		return 1;
	if (d->required)
		return err_set(err, ERR_ABORTED, "%s: %s filter '%s' failed", path,
			       dir == FILTER_CLEAN ? "clean" : "smudge", name);
	return 0;
}

struct filters *filters_new(const struct config_set *config)
{
	struct filters *f;

	CALLOC_ARRAY(f, 1);
	f->config = config;
	return f;
}

static void process_free(void *v)
{
	struct filter_process *p = v;

	if (!p->dead)
		process_stop(p);
	free(p);
}

void filters_free(struct filters *f)
{
	if (!f)
		return;
	strmap_clear(&f->processes, process_free);
	strmap_clear(&f->drivers, free);
	free(f);
}
