/* SPDX-License-Identifier: GPL-2.0-only */
/* git-status(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/diff.h"
#include "cli/column.h"
#include "porcelain/status-diff.h"
#include "porcelain/status-format.h"
#include "util/alloc.h"
#include "write-or-die.h"

static const char *const usage[] = { "git status [<options>] [--] [<pathspec>...]", NULL };

/* NONE: an option was negated. */
enum output { OUTPUT_UNSET = -1, OUTPUT_NONE, OUTPUT_LONG, OUTPUT_SHORT, OUTPUT_V1, OUTPUT_V2 };

struct status_run {
	struct repository *repo;
	const char *prefix;
	int verbose, branch, show_stash, ahead_behind, nul;
	int output; /* enum output */
	const char *untracked, *ignored, *ignore_submodules;
	int renames; /* -1: as configured */
	unsigned rename_score;
	unsigned columns;
	struct pathspec ps;
	struct index_state ix;
	struct converter *conv;
	struct status status;
	enum untracked_mode untracked_mode;
};

/* ---- options ---- */

static int parse_porcelain(const struct option *opt, const char *arg, int unset)
{
	int *output = opt->value;

	if (unset)
		*output = OUTPUT_NONE;
	else if (!arg || !strcmp(arg, "v1") || !strcmp(arg, "1"))
		*output = OUTPUT_V1;
	else if (!strcmp(arg, "v2") || !strcmp(arg, "2"))
		*output = OUTPUT_V2;
	else
		die("unsupported porcelain version '%s'", arg);
	return 0;
}

static int parse_optional(const struct option *opt, const char *arg, int unset)
{
	const char **value = opt->value;

	*value = unset ? "no" : arg ? arg : (const char *)opt->defval;
	return 0;
}

static int parse_renames(const struct option *opt, const char *arg, int unset)
{
	struct status_run *run = opt->value;
	const char *end;

	run->renames = !unset;
	if (arg && !unset) /* "-M=90%" and "-M90%"; the rest counts for nothing, as in Git */
		run->rename_score = diff_parse_score(arg + (*arg == '='), &end);
	return 0;
}

static void status_parse_command_line(int argc, const char **argv, struct status_run *run)
{
	struct option opts[] = {
		OPT__VERBOSE(&run->verbose),
		OPT_SET_INT('s', "short", &run->output, "show status concisely", OUTPUT_SHORT),
		OPT_BOOL('b', "branch", &run->branch, "show branch information"),
		OPT_BOOL(0, "show-stash", &run->show_stash, "show stash information"),
		OPT_BOOL(0, "ahead-behind", &run->ahead_behind,
			 "compute full ahead/behind values"),
		OPT_CALLBACK_F(0, "porcelain", &run->output, "version",
			       "machine-readable output", PARSE_OPT_OPTARG, parse_porcelain),
		OPT_SET_INT(0, "long", &run->output, "show status in long format (default)",
			    OUTPUT_LONG),
		OPT_BOOL('z', "null", &run->nul, "terminate entries with NUL"),
		{ OPTION_CALLBACK, 'u', "untracked-files", &run->untracked, "mode",
		  "show untracked files, optional modes: all, normal, no. (Default: all)",
		  PARSE_OPT_OPTARG, parse_optional, (intptr_t) "all" },
		{ OPTION_CALLBACK, 0, "ignored", &run->ignored, "mode",
		  "show ignored files, optional modes: traditional, matching, no. (Default: traditional)",
		  PARSE_OPT_OPTARG, parse_optional, (intptr_t) "traditional" },
		{ OPTION_CALLBACK, 0, "ignore-submodules", &run->ignore_submodules, "when",
		  "ignore changes to submodules, optional when: all, dirty, untracked. (Default: all)",
		  PARSE_OPT_OPTARG, parse_optional, (intptr_t) "all" },
		OPT_COLUMN(&run->columns, "list untracked files in columns"),
		OPT_CALLBACK_F(0, "renames", run, NULL, "detect renames", PARSE_OPT_NOARG,
			       parse_renames),
		OPT_CALLBACK_F('M', "find-renames", run, "n",
			       "detect renames, optionally set similarity index",
			       PARSE_OPT_OPTARG, parse_renames),
		OPT_END(),
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	(void)argc;
	if (argv[0] && pathspec_parse(&run->ps, run->prefix, run->repo->worktree, argv,
				      PATHSPEC_PREFER_FULL, &err) < 0)
		die_err(&err);
}

/* ---- configuration ---- */

static bool config_flag(struct status_run *run, const char *key, bool fallback)
{
	struct err err = ERR_INIT;
	bool on = fallback;

	if (config_get_bool(run->repo->config, key, &on, &err) < 0)
		die_err(&err);
	return on;
}

static const char *config_word(struct status_run *run, const char *key)
{
	const struct config_entry *e = config_get(run->repo->config, key);

	return e ? e->value : NULL;
}

/* Fills options that are not given from the configuration; machine formats have fixed defaults. */
static void fill_defaults(struct status_run *run)
{
	const char *untracked = run->untracked;
	struct err err = ERR_INIT;
	bool machine;

	if (run->nul && run->output <= OUTPUT_NONE)
		run->output = OUTPUT_V1;
	if (run->output == OUTPUT_UNSET)
		run->output = config_flag(run, "status.short", false) ? OUTPUT_SHORT : OUTPUT_LONG;
	if (run->output == OUTPUT_NONE)
		run->output = OUTPUT_LONG;
	machine = run->output == OUTPUT_V1 || run->output == OUTPUT_V2;
	if (run->branch < 0)
		run->branch = !machine && config_flag(run, "status.branch", false);
	if (run->show_stash < 0)
		run->show_stash = !machine && config_flag(run, "status.showstash", false);
	if (run->ahead_behind < 0)
		run->ahead_behind = machine || config_flag(run, "status.aheadbehind", true);
	if (!untracked)
		untracked = config_word(run, "status.showuntrackedfiles");
	if (status_untracked_mode(&run->untracked_mode, untracked, &err) < 0)
		die_err(&err);
	if (run->renames < 0)
		run->renames = status_rename_mode(run->repo);
	if (run->nul && run->output == OUTPUT_LONG)
		die("options '%s' and '%s' cannot be used together", "--long", "-z");
}

static void ignored_options(const struct status_run *run, struct status_options *o)
{
	if (!run->ignored || !strcmp(run->ignored, "no"))
		return;
	if (strcmp(run->ignored, "traditional") && strcmp(run->ignored, "matching"))
		die("Invalid ignored mode '%s'", run->ignored);
	o->ignored = true;
	o->ignored_matching = !strcmp(run->ignored, "matching");
	if (o->ignored_matching && o->untracked == UNTRACKED_NO)
		die("Unsupported combination of ignored and untracked-files arguments");
}

/* ---- output ---- */

static int write_text(struct status_run *run, struct err *err)
{
	struct status_format f;
	struct strbuf out = STRBUF_INIT, patches = STRBUF_INIT;
	bool machine = run->output == OUTPUT_V1 || run->output == OUTPUT_V2;
	bool color = !machine && status_wants_color(run->repo);
	int rc = status_format_init(&f, run->repo, &run->status, color, err);

	if (rc < 0)
		return rc;
	f.prefix = run->prefix;
	if (run->output == OUTPUT_V1 || !config_flag(run, "status.relativepaths", true))
		f.prefix = NULL;
	f.nul = run->nul;
	f.columns = run->columns;
	f.branch = run->branch;
	f.stable = run->output == OUTPUT_V1;
	f.show_stash = run->show_stash;
	f.ahead_behind = run->ahead_behind;
	f.show_untracked = run->untracked_mode != UNTRACKED_NO;
	switch (run->output) {
	case OUTPUT_LONG:
		if (run->verbose)
			rc = status_add_diffs(run->repo, run->conv, &run->status, run->verbose,
					      want_color(run->repo, "diff", 1), '\0', &patches,
					      err);
		f.patches = &patches;
		status_format_long(&f, &out);
		break;
	case OUTPUT_V2:
		status_format_v2(&f, &out);
		break;
	default:
		status_format_short(&f, &out);
	}
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&patches);
	strbuf_release(&out);
	return rc;
}

static int run_status(struct status_run *run, struct err *err)
{
	struct status_options o = {
		.ps = run->ps.nr ? &run->ps : NULL,
		.untracked = run->untracked_mode,
		.renames = run->renames,
		.rename_score = run->rename_score,
		.submodules_given = run->ignore_submodules != NULL,
	};
	int rc;

	ignored_options(run, &o);
	if ((rc = status_submodule_mode(&o.submodules, run->repo, run->ignore_submodules,
					err)) < 0 ||
	    (rc = index_read_repo(&run->ix, run->repo, err)) < 0 ||
	    (rc = converter_new(&run->conv, run->repo, &run->ix, ATTR_CHECKIN, err)) < 0)
		return rc;
	run->ps.match_attr = attrs_match_spec;
	run->ps.match_attr_data = converter_attrs(run->conv);
	rc = status_collect(&run->status, run->repo, &run->ix, run->conv, &o, err);
	if (rc < 0)
		return rc;
	index_update_if_able(&run->ix, run->repo);
	return write_text(run, err);
}

int cmd_status(int argc, const char **argv, struct command_ctx *ctx)
{
	struct status_run run = { .repo = ctx->repo, .prefix = ctx->prefix, .branch = -1,
				  .output = OUTPUT_UNSET, .show_stash = -1, .ahead_behind = -1, .renames = -1 };
	struct err err = ERR_INIT;
	int rc;

	if (ctx->repo)
		run.columns = column_config(ctx->repo, "status");
	status_parse_command_line(argc, argv, &run);
	column_resolve(&run.columns);
	fill_defaults(&run);
	index_init(&run.ix, ctx->repo->algo);
	status_init(&run.status);
	rc = run_status(&run, &err);
	if (rc < 0)
		rc = report_fatal(&err);
	status_release(&run.status);
	converter_free(run.conv);
	index_release(&run.ix);
	pathspec_release(&run.ps);
	if (rc)
		return rc;
	return finish_stdout();
}
