/* SPDX-License-Identifier: GPL-2.0-only */
/* Filter drivers and their one-shot commands. */
#include "compat/posix.h"
#include <signal.h>
#include "util/alloc.h"
#include "util/map.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "attr/filter-internal.h"

struct driver {
	const char *clean, *smudge, *process; /* belong to the config */
	bool required;
};

struct filters {
	const struct config_set *config;
	struct strmap drivers; /* name to struct driver * */
	struct filter_processes *processes;
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

/* ---- drivers ---- */

bool filter_is_active(struct filters *f, const char *name, enum filter_direction dir)
{
	struct driver *d = driver_get(f, name);
	const char *cmd = dir == FILTER_CLEAN ? d->clean : d->smudge;

	return (d->process && *d->process) || (cmd && *cmd) || d->required;
}

/* What the caller gets, from 0: filtered, FILTER_DELAYED, and all else: not filtered. */
static int conclude(const struct driver *d, const char *name, const struct filter_request *q,
		    int rc, struct err *err)
{
	if (!rc)
		return 1;
	if (rc == FILTER_DELAYED)
		return FILTER_DELAYED;
	if (d->required)
		return err_set(err, ERR_ABORTED, "%s: %s filter '%s' failed", q->path,
			       q->dir == FILTER_CLEAN ? "clean" : "smudge", name);
	return 0;
}

int filter_apply(struct filters *f, const char *name, const struct filter_request *q,
		 struct strbuf *out, struct strbuf *warn, struct err *err)
{
	struct driver *d = driver_get(f, name);
	const char *cmd = q->dir == FILTER_CLEAN ? d->clean : d->smudge;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, saved;
	int rc = -1;

	sigaction(SIGPIPE, &ignore, &saved);
	if (d->process && *d->process)
		rc = filter_process_run(f->processes, d->process, q, out, warn);
	else if (cmd && *cmd)
		rc = run_once(cmd, q->path, q->data, q->len, out, warn);
	sigaction(SIGPIPE, &saved, NULL);
	return conclude(d, name, q, rc, err);
}

int filter_collect(struct filters *f, const char *name, const struct filter_request *q,
		   struct strbuf *out, struct strbuf *warn, struct err *err)
{
	struct driver *d = driver_get(f, name);
	struct sigaction ignore = { .sa_handler = SIG_IGN }, saved;
	int rc;

	sigaction(SIGPIPE, &ignore, &saved);
	rc = filter_process_collect(f->processes, d->process, q, out, warn);
	sigaction(SIGPIPE, &saved, NULL);
	return conclude(d, name, q, rc, err);
}

bool filters_await(struct filters *f, struct string_list *ready, struct strbuf *warn)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, saved;
	bool more;

	sigaction(SIGPIPE, &ignore, &saved);
	more = filter_processes_await(f->processes, ready, warn);
	sigaction(SIGPIPE, &saved, NULL);
	return more;
}

struct filters *filters_new(const struct config_set *config)
{
	struct filters *f;

	CALLOC_ARRAY(f, 1);
	f->config = config;
	f->processes = filter_processes_new();
	return f;
}

void filters_free(struct filters *f)
{
	if (!f)
		return;
	filter_processes_free(f->processes);
	strmap_clear(&f->drivers, free);
	free(f);
}
