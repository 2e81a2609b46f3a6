/* SPDX-License-Identifier: GPL-2.0-only */
/* git-gc(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "compat/os.h"
#include "maintain/gc-files.h"
#include "maintain/gc.h"
#include "repo/hook.h"
#include "util/progress.h"

static const char *const usage[] = { "git gc [<options>]", NULL };

struct gc_command {
	struct repository *repo;
	struct gc_options o;
	int automatic, detach; /* detach -1: as configured */
	int force, quiet;
	bool detached;
	struct progress *meter;
	const char *meter_title;
};

/* ---- talking ---- */

static void note(void *data UNUSED, const char *line)
{
	puts(line);
}

static void gc_show_progress(void *data, const char *title, uint64_t done, uint64_t total)
{
	struct gc_command *c = data;

	if (c->meter_title != title) {
		progress_stop(&c->meter);
		c->meter = progress_start(title, total);
		c->meter_title = title;
	}
	progress_update(c->meter, done);
}

/* ---- options ---- */

static int on_prune(const struct option *opt, const char *arg, int unset)
{
	struct gc_options *o = opt->value;

	o->prune = !unset;
	if (!unset && !arg)
		o->prune_before = o->prune_default; /* not what an earlier --prune=<date> says */
	if (arg && date_parse_expiry(arg, &o->prune_before) < 0)
		die("failed to parse prune expiry value %s", arg);
	return 0;
}

static int on_size(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct gc_options *o = opt->value;
	struct err err = ERR_INIT;
	int64_t n;

	if (config_parse_int64(arg, &n, &err) < 0 || n < 0) {
		err_release(&err);
		error("option `%s' expects a non-negative integer value with an optional k/m/g suffix",
		      opt->long_name);
		return -1;
	}
	o->max_cruft_bytes = (uint64_t)n;
	return 0;
}

static void gc_parse(struct gc_command *c, int argc, const char **argv)
{
	int aggressive = 0, cruft = c->o.cruft;
	struct option options[] = {
		OPT__QUIET(&c->quiet),
		{ OPTION_CALLBACK, 0, "prune", &c->o, "date", "prune unreferenced objects",
		  PARSE_OPT_OPTARG, on_prune, 0 },
		OPT_BOOL(0, "cruft", &cruft, "pack unreferenced objects separately"),
		OPT_CALLBACK_F(0, "max-cruft-size", &c->o, "n",
			       "with --cruft, limit the size of new cruft packs", PARSE_OPT_NONEG,
			       on_size),
		OPT_BOOL(0, "aggressive", &aggressive, "be more thorough (increased runtime)"),
		OPT_BOOL(0, "auto", &c->automatic, "enable auto-gc mode"),
		OPT_BOOL(0, "detach", &c->detach, "perform garbage collection in the background"),
		OPT_BOOL(0, "force", &c->force,
			 "force running gc even if there may be another gc running"),
		OPT_BOOL(0, "keep-largest-pack", &c->o.keep_largest_pack,
			 "repack all other packs except the largest pack"),
		OPT_STRING(0, "expire-to", &c->o.expire_to, "dir",
			   "pack prefix to store a pack containing pruned objects"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	c->o.aggressive = aggressive;
	c->o.cruft = cruft;
	c->o.automatic = c->automatic;
}

/* ---- --auto ---- */

/* Did the last one in the background end badly? Then nothing is tried for a while. */
static bool last_has_failed(struct repository *r)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *path = NULL;
	int rc = gc_log_read(r, &text, &path, &err);

	if (rc < 0)
		die_err(&err);
	if (rc)
		warning("The last gc run reported the following. Please correct the root cause\n"
			"and remove %s\n"
			"Automatic cleanup will not be performed until the file is removed.\n\n%s",
			path, text.buf);
	strbuf_release(&text);
	free(path);
	return rc > 0;
}

static bool is_wanted(struct gc_command *c)
{
	struct err err = ERR_INIT;
	bool wanted = gc_auto_needed(c->repo, &c->o.need);

	if (wanted && repo_run_hook(c->repo, "pre-auto-gc", NULL, NULL, NULL, &err) < 0)
		wanted = false;
	err_release(&err);
	if (!wanted || c->quiet)
		return wanted;
	fprintf(stderr, c->detach ? "Auto packing the repository in background for optimum performance.\n" :
				    "Auto packing the repository for optimum performance.\n");
	fprintf(stderr, "See \"git help gc\" for manual housekeeping.\n");
	return true;
}

static void choose_detach(struct gc_command *c)
{
	struct err err = ERR_INIT;
	bool detach = false;

	if (c->detach >= 0)
		return;
	if (c->automatic && gc_auto_detaches(c->repo, &detach, &err) < 0)
		die_err(&err);
	c->detach = detach;
}

/* ---- the work ---- */

static int run(struct gc_command *c)
{
	struct repo_operation *op = repo_operation_begin(c->repo);
	struct err err = ERR_INIT;
	int rc = gc_run(op, c->repo, &c->o, &err);

	rc = repo_operation_end(op, rc, &err);
	progress_stop(&c->meter);
	if (rc < 0)
		return report_fatal(&err);
	if (c->automatic && gc_auto_needed(c->repo, &c->o.need) && c->o.need.loose)
		warning("There are too many unreachable loose objects; run 'git prune' to remove them.");
	return 0;
}

/* Runs in the background; all messages go to gc.log. */
static int run_detached(struct gc_command *c)
{
	struct lockfile log = LOCKFILE_INIT;
	int code;

	if (gc_log_open(&log, c->repo, NULL) < 0)
		return 128;
	dup2(log.tf->fd, STDERR_FILENO);
	code = run(c);
	fflush(stderr);
	gc_log_close(&log);
	return code;
}

static int run_locked(struct gc_command *c)
{
	struct gc_lock lock = GC_LOCK_INIT;
	struct err err = ERR_INIT;
	int rc = gc_lock_take(&lock, c->repo, c->force, &err), code;

	if (rc == ERR_LOCKED && (c->automatic || c->detached)) {
		err_release(&err);
		return 0; /* another process does it */
	}
	if (rc < 0)
		return report_fatal(&err);
	code = c->detached ? run_detached(c) : run(c);
	if (!code && !c->detached)
		gc_log_remove(c->repo);
	gc_lock_release(&lock);
	return code;
}

int cmd_gc(int argc, const char **argv, struct command_ctx *ctx)
{
	struct gc_command c = { .repo = ctx->repo, .detach = -1 };
	struct err err = ERR_INIT;

	gc_options_init(&c.o);
	if (!ctx->repo)
		gc_parse(&c, argc, argv); /* -h, which ends here */
	if (gc_options_read(&c.o, ctx->repo, &err) < 0)
		die_err(&err);
	gc_parse(&c, argc, argv);
	choose_detach(&c);
	c.o.warn = warning_callback;
	c.o.data = &c;
	if (!c.quiet) {
		c.o.note = note;
		c.o.progress = gc_show_progress;
	}
	if (c.automatic && !is_wanted(&c))
		return 0;
	if (c.detach && last_has_failed(c.repo))
		return 0;
	if (c.detach) {
		pid_t pid = os_detach();

		if (pid > 0)
			return 0;
		c.detached = !pid;
	}
	return run_locked(&c);
}
