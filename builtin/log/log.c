/* SPDX-License-Identifier: GPL-2.0-only */
/* git-log(1) */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "cli/rename-limit.h"

static const char *const usage[] = {
	"git log [<options>] [<revision-range>] [[--] <path>...]",
	NULL
};

int log_walk_and_show(struct log_options *o, struct err *err)
{
	struct commit *c;
	int rc = rev_walk_begin(o->walk, err);

	while (rc >= 0 && (rc = rev_walk_next(o->walk, &c, err)) > 0) {
		rc = log_show_commit(o, c, err);
		if (!rc)
			rev_walk_uncount(o->walk);
		commit_release_buffer(c);
		if (ferror(stdout)) /* a pager that has been left */
			break;
	}
	return rc < 0 ? rc : 0;
}

int log_run(struct log_options *o, int argc, const char **argv, struct err *err)
{
	int rc;

	o->takes_lines = true;
	rc = log_options_parse(o, argc, argv, err);
	if (!rc)
		rc = log_options_resolve(o, err);
	return rc ? rc : log_walk_and_show(o, err);
}

bool log_asks_for_help(const struct err *err)
{
	return !strcmp(err_message(err), "unrecognized argument: -h");
}

int log_command(int argc, const char **argv, struct command_ctx *ctx, const char *const *usages,
		int (*run)(struct log_options *o, int argc, const char **argv, struct err *err))
{
	const struct option none[] = { OPT_END() };
	struct log_options o;
	struct err err = ERR_INIT;
	int rc, result;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usages, 0);
	rc = log_options_init(&o, ctx->repo, &err);
	if (!rc)
		rc = rev_grep_config(o.walk, ctx->repo->config, &err);
	if (!rc)
		rc = run(&o, argc, argv, &err);
	if (rc < 0 && log_asks_for_help(&err))
		usage_on_stdout(usages, none);
	if (!rc)
		warn_rename_limit(&o.limited);
	result = (o.check_failed ? 2 : 0) | (o.diff.exit_code && o.has_differences ? 1 : 0);
	log_options_release(&o);
	return rc < 0 ? report_fatal(&err) : result;
}

int cmd_log(int argc, const char **argv, struct command_ctx *ctx)
{
	return log_command(argc, argv, ctx, usage, log_run);
}
