/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1), run and is-needed. */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"
#include "cli/git-options.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "maintain/gc-files.h"
#include "maintain/tasks/tasks.h"
#include "util/alloc.h"
#include "util/progress.h"
#include "util/run-command.h"
#include "util/trace2.h"
#include "write-or-die.h"

struct run {
	struct repository *repo;
	int if_due, detach, quiet, skip_foreground;
	enum maintenance_schedule schedule;
	struct maintenance_plan plan;
	bool named; /* the plan is what --task says */
	struct lockfile lock;
	struct strbuf log; /* errors, for users who cannot see our stderr */
	struct progress *meter;
	const char *meter_title;
};

/* ---- messages ---- */

static void complain(struct run *run, const char *kind, const char *msg)
{
	fprintf(stderr, "%s: %s\n", kind, msg);
	strbuf_addf(&run->log, "%s: %s\n", kind, msg);
}

static void warn(void *data, const char *msg)
{
	complain(data, "warning", msg);
}

static void show_progress(void *data, const char *title, uint64_t done, uint64_t total)
{
	struct run *run = data;

	if (run->meter && strcmp(run->meter_title, title))
		progress_stop(&run->meter);
	if (!run->meter)
		run->meter = progress_start(title, total);
	run->meter_title = title;
	progress_update(run->meter, done);
}

/* ---- options ---- */

static int add_task(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct run *run = opt->value;
	enum maintenance_task t;

	if (!maintenance_task_find(arg, &t))
		return error("'%s' is not a valid task", arg);
	for (size_t i = 0; i < run->plan.nr; i++)
		if (run->plan.v[i] == t)
			return error("task '%s' cannot be selected multiple times", arg);
	run->plan.v[run->plan.nr++] = t;
	run->named = true;
	return 0;
}

static int set_schedule(const struct option *opt, const char *arg, int unset)
{
	struct run *run = opt->value;

	run->schedule = SCHEDULE_NONE;
	if (!unset && !maintenance_schedule_parse(arg, &run->schedule))
		die("unrecognized --schedule argument '%s'", arg);
	return 0;
}

#define AUTO_OPTION(run) \
	OPT_BOOL(0, "auto", &(run).if_due, "run tasks based on the state of the repository")

static void make_plan(struct run *run)
{
	struct err err = ERR_INIT;

	if (!run->named && maintenance_plan_read(&run->plan, run->repo, run->schedule, &err) < 0)
		die_err(&err);
}

/* ---- one task after the other ---- */

/* 1: the task is due, or due times are not checked. */
static int wants(struct run *run, enum maintenance_task t, struct err *err)
{
	bool due = true;
	int rc = run->if_due ? maintenance_task_is_due(run->repo, t, &due, err) : 0;

	return rc < 0 ? rc : due;
}

static bool prefetch(void *data, const char *remote)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct run *run = data;
	struct err err = ERR_INIT;
	int code;

	push_own_command(&cp.args, "fetch");
	strvec_pushl(&cp.args, remote, "--prefetch", "--prune", "--no-tags", "--no-write-fetch-head",
		     "--recurse-submodules=no", "--no-auto-maintenance", NULL);
	if (run->quiet)
		strvec_push(&cp.args, "--quiet");
	code = run_command(&cp, &err);
	if (code < 0)
		complain(run, "error", err_message(&err));
	err_release(&err);
	return !code;
}

static int run_task(struct run *run, enum maintenance_task t)
{
	const struct maintenance_options o = {
		.if_due = run->if_due,
		.progress = run->quiet ? NULL : show_progress,
		.warn = warn,
		.prefetch = prefetch,
		.data = run,
	};
	const char *category = maintenance_task_is_foreground(t) ? "maintenance foreground" : "maintenance";
	struct err err = ERR_INIT;
	int rc = wants(run, t, &err);

	if (rc > 0) {
		trace2_region_enter(category, maintenance_task_name(t));
		rc = maintenance_task_run(run->repo, t, &o, &err);
		progress_stop(&run->meter);
		trace2_region_leave(category, maintenance_task_name(t));
	}
	if (rc >= 0)
		return 0;
	complain(run, "error", err_message(&err));
	err_release(&err);
	err_set(&err, ERR_GENERIC, "task '%s' failed", maintenance_task_name(t));
	complain(run, "error", err_message(&err));
	err_release(&err);
	return 1;
}

static int run_tasks(struct run *run, bool foreground)
{
	int code = 0;

	for (size_t i = 0; i < run->plan.nr; i++)
		if (maintenance_task_is_foreground(run->plan.v[i]) == foreground)
			code |= run_task(run, run->plan.v[i]);
	return code;
}

/* ---- in the background ---- */

static bool background_is_due(struct run *run)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < run->plan.nr; i++) {
		int rc = maintenance_task_is_foreground(run->plan.v[i]) ? 0 : wants(run, run->plan.v[i], &err);

		err_release(&err); /* it will be reported there */
		if (rc)
			return true;
	}
	return false;
}

/* What failed last, in the background: said now, and not tried again for a while. */
static bool has_failed(struct run *run)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *path = NULL;
	int rc = gc_log_read(run->repo, &text, &path, &err);

	if (rc < 0)
		die_err(&err);
	if (rc)
		warning("the last maintenance in the background failed; correct the cause and remove\n"
			"'%s', as there will be no other automatic one until then:\n\n%s",
			path, text.buf);
	free(path);
	strbuf_release(&text);
	return rc > 0;
}

static int start_background(struct run *run)
{
	static const char *const schedules[] = { NULL, "weekly", "daily", "hourly" };
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code = 0;

	push_own_command(&cp.args, "maintenance");
	strvec_pushl(&cp.args, "run", "--quiet", "--no-detach", "--skip-foreground-tasks", NULL);
	if (run->if_due)
		strvec_push(&cp.args, "--auto");
	if (run->schedule)
		strvec_pushf(&cp.args, "--schedule=%s", schedules[run->schedule]);
	for (size_t i = 0; run->named && i < run->plan.nr; i++)
		if (!maintenance_task_is_foreground(run->plan.v[i]))
			strvec_pushf(&cp.args, "--task=%s", maintenance_task_name(run->plan.v[i]));
	cp.detach = true;
	if (start_command(&cp, &err) < 0)
		code = report_error(&err);
	child_process_release(&cp);
	return code;
}

static void keep_log(struct run *run)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct err err = ERR_INIT;

	if (gc_log_open(&lk, run->repo, &err) < 0 ||
	    write_in_full(lk.tf->fd, run->log.buf, run->log.len, lk.tf->path, &err) < 0)
		report_error(&err);
	gc_log_close(&lk);
	lockfile_release(&lk);
}

/* ---- the lock ---- */

/* False: another process holds the lock. */
static bool take_lock(struct run *run, int *code)
{
	char *path = xstrfmt("%s/maintenance", odb_objdir(run->repo->odb));
	struct err err = ERR_INIT;
	int rc = lockfile_hold(&run->lock, path, 0, 0, &err);

	if (rc == ERR_LOCKED) {
		if (!run->quiet && !run->if_due)
			warning("lock file '%s.lock' exists, skipping maintenance", path);
		err_release(&err);
	} else if (rc < 0) {
		*code = report_error(&err);
	}
	free(path);
	return rc == 0;
}

/* ---- the commands ---- */

static int run_plan(struct run *run)
{
	int code = 0;

	if (!take_lock(run, &code))
		return code;
	if (!run->skip_foreground)
		code = run_tasks(run, true);
	if (run->detach > 0) {
		/* The child takes it: locks end with the process that made them. */
		lockfile_release(&run->lock);
		if (background_is_due(run) && !(run->if_due && has_failed(run)))
			code |= start_background(run);
		return code;
	}
	code |= run_tasks(run, false);
	if (run->skip_foreground)
		keep_log(run);
	lockfile_release(&run->lock);
	return code;
}

int maintenance_run(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git maintenance run [--auto] [--[no-]quiet] [--task=<task>] [--schedule]", NULL
	};
	struct run run = { .repo = ctx->repo, .quiet = !isatty(STDERR_FILENO), .log = STRBUF_INIT,
			   .lock = LOCKFILE_INIT, .detach = -1 };
	struct option options[] = {
		AUTO_OPTION(run),
		OPT_BOOL(0, "detach", &run.detach, "perform maintenance in the background"),
		OPT_CALLBACK(0, "schedule", &run, "frequency", "run tasks based on frequency",
			     set_schedule),
		OPT_BOOL(0, "quiet", &run.quiet,
			 "do not report progress or other information over stderr"),
		OPT_CALLBACK_F(0, "task", &run, "task", "run a specific task", PARSE_OPT_NONEG, add_task),
		{ OPTION_BOOL, 0, "skip-foreground-tasks", OPT_VALUE(int, &run.skip_foreground), NULL,
		  "leave out what has been done in the foreground", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	if (run.if_due && run.schedule)
		die("options '%s' and '%s' cannot be used together", "--auto", "--schedule=");
	if (run.named && run.schedule)
		die("options '%s' and '%s' cannot be used together", "--task=", "--schedule=");
	make_plan(&run);
	code = run_plan(&run);
	strbuf_release(&run.log);
	return code;
}

int maintenance_is_needed(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git maintenance is-needed [--task=<task>] [--schedule]", NULL
	};
	struct run run = { .repo = ctx->repo, .quiet = 1, .log = STRBUF_INIT };
	struct option options[] = {
		AUTO_OPTION(run),
		OPT_CALLBACK_F(0, "task", &run, "task", "check a specific task", PARSE_OPT_NONEG, add_task),
		OPT_END()
	};
	struct err err = ERR_INIT;
	int needed = 0;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	make_plan(&run);
	for (size_t i = 0; i < run.plan.nr && !needed; i++) {
		needed = wants(&run, run.plan.v[i], &err);
		if (needed < 0)
			die_err(&err);
	}
	return !needed;
}
