/* SPDX-License-Identifier: GPL-2.0-only */
/* git-apply(1) */
#include "compat/posix.h"
#include "apply/apply.h"
#include "builtin/builtin.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"

static const char *const usage[] = {
	"git apply [<options>] [<patch>...]",
	NULL
};

static void say_on_stderr(void *data, const char *text)
{
	(void)data;
	fflush(stdout);
	fputs(text, stderr);
}

static int resolve_name(void *repo, const char *name, struct object_id *out)
{
	return revparse_oid(repo, name, out, NULL);
}

static int add_limit(const struct option *opt, const char *arg, int unset)
{
	struct apply *a = opt->value;
	char *text = xstrfmt("%c%s", (char)opt->defval, arg);

	(void)unset;
	strvec_push(&a->limits, text);
	free(text);
	a->has_include |= opt->defval == '+';
	return 0;
}

static int set_strip(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	if (!apply_set_strip(opt->value, arg))
		die("option -p expects a non-negative integer, got '%s'", arg);
	return 0;
}

static int set_context(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	return apply_set_context(opt->value, arg) ? 0 : error("switch `C' expects %s", APPLY_CONTEXT_VALUES);
}

static int set_whitespace(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	return apply_set_whitespace(opt->value, arg) ? 0 : error("unrecognized whitespace option '%s'", arg);
}

static int set_ignore_space(const struct option *opt, const char *arg, int unset)
{
	struct apply *a = opt->value;

	(void)arg;
	a->ignore_space = !unset;
	return 0;
}

static int set_root(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	if (apply_set_root(opt->value, arg) < 0)
		return error("unable to normalize directory: '%s'", arg);
	return 0;
}

static int run_apply(struct apply *a, int argc, const char **argv)
{
	int rc = apply_run(a, argv, (size_t)argc);

	if (!rc)
		rc = finish_stdout();
	free((char *)a->root);
	a->root = NULL;
	return rc;
}

int cmd_apply(int argc, const char **argv, struct command_ctx *ctx)
{
	struct apply a;
	struct err err = ERR_INIT;
	char *fake_ancestor = NULL;
	int code, no_op = 0;
	struct option opts[] = {
		{ OPTION_CALLBACK, 0, "exclude", &a, "path", "don't apply changes matching the given path",
		  PARSE_OPT_NONEG, add_limit, '-' },
		{ OPTION_CALLBACK, 0, "include", &a, "path", "apply changes matching the given path", PARSE_OPT_NONEG,
		  add_limit, '+' },
		OPT_CALLBACK_F('p', NULL, &a, "num", "remove <num> leading slashes from traditional diff paths", 0, set_strip),
		OPT_BOOL(0, "no-add", &a.no_add, "ignore additions made by the patch"),
		OPT_BOOL(0, "stat", &a.stat, "instead of applying the patch, output diffstat for the input"),
		OPT_BOOL(0, "allow-binary-replacement", &no_op, "accept patches that touch binary files"),
		OPT_BOOL(0, "binary", &no_op, "accept patches that touch binary files"),
		OPT_BOOL(0, "numstat", &a.numstat, "show number of added and deleted lines in decimal notation"),
		OPT_BOOL(0, "summary", &a.summary, "instead of applying the patch, output a summary for the input"),
		OPT_BOOL(0, "check", &a.check, "instead of applying the patch, see if the patch is applicable"),
		OPT_BOOL(0, "index", &a.index, "make sure the patch is applicable to the current index"),
		OPT_BOOL('N', "intent-to-add", &a.intent_to_add, "mark new files with `git add --intent-to-add`"),
		OPT_BOOL(0, "cached", &a.cached, "apply a patch without touching the working tree"),
		OPT_BOOL(0, "unsafe-paths", &a.unsafe_paths, "accept a patch that touches outside the working area"),
		OPT_BOOL(0, "apply", &a.force_apply, "also apply the patch (use with --stat/--summary/--check)"),
		OPT_BOOL('3', "3way", &a.threeway, "attempt three-way merge, fall back on normal patch if that fails"),
		OPT_SET_INT(0, "ours", &a.favor, "for conflicts, use our version", MERGE3_TAKE_OURS),
		OPT_SET_INT(0, "theirs", &a.favor, "for conflicts, use their version", MERGE3_TAKE_THEIRS),
		OPT_SET_INT(0, "union", &a.favor, "for conflicts, use a union version", MERGE3_UNION),
		OPT_STRING(0, "build-fake-ancestor", &a.fake_ancestor, "file",
			   "build a temporary index based on embedded index information"),
		OPT_BOOL('z', NULL, &a.null_term, "paths are separated with NUL character"),
		OPT_CALLBACK_F('C', NULL, &a, "n", "ensure at least <n> lines of context match", 0, set_context),
		OPT_CALLBACK(0, "whitespace", &a, "action", "detect new or modified lines that have whitespace errors",
			     set_whitespace),
		OPT_CALLBACK_F(0, "ignore-space-change", &a, NULL, "ignore changes in whitespace when finding context",
			       PARSE_OPT_NOARG, set_ignore_space),
		OPT_CALLBACK_F(0, "ignore-whitespace", &a, NULL, "ignore changes in whitespace when finding context",
			       PARSE_OPT_NOARG, set_ignore_space),
		OPT_BOOL('R', "reverse", &a.reverse, "apply the patch in reverse"),
		OPT_BOOL(0, "unidiff-zero", &a.unidiff_zero, "don't expect at least one line of context"),
		OPT_BOOL(0, "reject", &a.reject, "leave the rejected hunks in corresponding *.rej files"),
		OPT_BOOL(0, "allow-overlap", &a.allow_overlap, "allow overlapping hunks"),
		OPT__VERBOSITY(&a.verbosity),
		OPT_BOOL(0, "inaccurate-eof", &a.inaccurate_eof, "tolerate incorrectly detected missing new-line at the end of file"),
		OPT_BOOL(0, "recount", &a.recount, "do not trust the line counts in the hunk headers"),
		OPT_CALLBACK(0, "directory", &a, "root", "prepend <root> to all filenames", set_root),
		OPT_BOOL(0, "allow-empty", &a.allow_empty, "don't return error for empty patches"),
		OPT_END()
	};

	apply_init(&a, ctx->repo, ctx->prefix);
	a.say = say_on_stderr;
	a.print = print_and_clear;
	a.resolve = resolve_name;
	a.data = ctx->repo;
	if (apply_config(&a, command_config(ctx->repo), &err) < 0) {
		report_error(&err);
		apply_release(&a);
		return 128;
	}
	argc = parse_options(argc, argv, opts, usage, 0);
	if (a.fake_ancestor && ctx->prefix && !is_absolute_path(a.fake_ancestor))
		a.fake_ancestor = fake_ancestor = path_join(ctx->prefix, a.fake_ancestor);
	code = run_apply(&a, argc, argv);
	apply_release(&a);
	free(fake_ancestor);
	return code;
}
