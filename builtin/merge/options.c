/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): options and configuration. */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "cli/edit-text.h"
#include "util/alloc.h"

#define DEFAULT_LOG 20

const char *const merge_usage[] = {
	"git merge [<options>] [<commit>...]",
	"git merge --abort",
	"git merge --continue",
	"git merge --quit",
	NULL
};

/* ---- options ---- */

static int on_gpg_sign(const struct option *opt, const char *arg, int unset)
{
	const char **key = opt->value;

	*key = unset ? NULL : arg ? arg : "";
	return 0;
}

static int on_stat(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *stat = opt->value;

	*stat = unset ? MERGE_STAT_NONE : MERGE_STAT_FULL;
	return 0;
}

static int on_no_stat(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	int *stat = opt->value;

	*stat = MERGE_STAT_NONE;
	return 0;
}

static int on_compact(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *stat = opt->value;

	*stat = unset ? MERGE_STAT_NONE : MERGE_STAT_COMPACT;
	return 0;
}

static int on_ff(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct merge_cmd_options *o = opt->value;

	o->ff = unset ? MERGE_FF_NEVER : MERGE_FF_ALLOW;
	o->ff_given = true;
	return 0;
}

static int on_ff_only(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	struct merge_cmd_options *o = opt->value;

	o->ff = MERGE_FF_ONLY;
	o->ff_given = true;
	return 0;
}

/* The first of --abort, --quit and --continue, which must be alone. */
static int find_mode(const int *modes, int argc, const struct option *opts)
{
	static const char *const name[] = { [MERGE_MODE_ABORT] = "--abort", [MERGE_MODE_QUIT] = "--quit",
					    [MERGE_MODE_CONTINUE] = "--continue" };

	for (int mode = MERGE_MODE_ABORT; mode <= MERGE_MODE_CONTINUE; mode++) {
		if (!modes[mode])
			continue;
		if (argc != 2) {
			fprintf(stderr, "fatal: %s expects no arguments\n\n", name[mode]);
			usage_with_options(merge_usage, opts);
		}
		return mode;
	}
	return MERGE_MODE_MERGE;
}

static int parse_words(struct merge_cmd_options *o, int argc, const char **argv)
{
	int modes[MERGE_MODE_CONTINUE + 1] = { 0 }, rest;
	struct option opts[] = {
		OPT_CALLBACK_F('n', NULL, &o->stat, NULL, "do not show a diffstat at the end of the merge",
			       PARSE_OPT_NOARG, on_no_stat),
		OPT_CALLBACK_F(0, "stat", &o->stat, NULL, "show a diffstat at the end of the merge", PARSE_OPT_NOARG,
			       on_stat),
		OPT_CALLBACK_F(0, "summary", &o->stat, NULL, "(synonym to --stat)", PARSE_OPT_NOARG, on_stat),
		OPT_CALLBACK_F(0, "compact-summary", &o->stat, NULL,
			       "show a compact summary at the end of the merge", PARSE_OPT_NOARG, on_compact),
		{ OPTION_INTEGER, 0, "log", OPT_VALUE(int, &o->log), "n", "add (at most <n>) entries from shortlog to the message",
		  PARSE_OPT_OPTARG, NULL, DEFAULT_LOG },
		OPT_BOOL(0, "squash", &o->squash, "leave index and files merged, without a commit"),
		OPT_BOOL(0, "commit", &o->commit, "make a commit if the merge succeeds (default)"),
		OPT_BOOL('e', "edit", &o->edit, "edit message before committing"),
		OPT_STRING(0, "cleanup", &o->cleanup_name, "mode", "how to strip spaces and #comments from message"),
		OPT_CALLBACK_F(0, "ff", o, NULL, "allow fast-forward (default)", PARSE_OPT_NOARG, on_ff),
		OPT_CALLBACK_F(0, "ff-only", o, NULL, "abort if fast-forward is not possible",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, on_ff_only),
		OPT_BOOL(0, "rerere-autoupdate", &o->rerere_autoupdate,
			 "update the index with reused conflict resolution if possible"),
		OPT_BOOL(0, "verify-signatures", &o->verify_signatures,
			 "verify that the named commit has a valid GPG signature"),
		OPT_STRVEC('s', "strategy", &o->strategies, "strategy", "merge strategy to use"),
		OPT_STRVEC('X', "strategy-option", &o->strategy_options, "option=value",
			   "option for selected merge strategy"),
		OPT_STRVEC('m', "message", &o->messages, "message", "merge commit message (for a non-fast-forward merge)"),
		OPT_STRING('F', "file", &o->file, "path", "read message from file"),
		OPT_STRING(0, "into-name", &o->into_name, "name", "use <name> instead of the real target"),
		OPT__VERBOSITY(&o->verbosity),
		OPT_BOOL(0, "abort", &modes[MERGE_MODE_ABORT], "abort the current in-progress merge"),
		OPT_BOOL(0, "quit", &modes[MERGE_MODE_QUIT], "--abort but leave index and working tree alone"),
		OPT_BOOL(0, "continue", &modes[MERGE_MODE_CONTINUE], "continue the current in-progress merge"),
		OPT_BOOL(0, "allow-unrelated-histories", &o->allow_unrelated, "allow merging unrelated histories"),
		OPT_BOOL(0, "progress", &o->progress, "force progress reporting"),
		OPT_CALLBACK_F('S', "gpg-sign", &o->sign_key, "key-id", "GPG sign commit", PARSE_OPT_OPTARG, on_gpg_sign),
		OPT_BOOL(0, "autostash", &o->autostash, "automatically stash/stash pop before and after"),
		OPT_BOOL(0, "overwrite-ignore", &o->overwrite_ignore, "update ignored files (default)"),
		OPT_BOOL(0, "signoff", &o->signoff, "add a Signed-off-by trailer"),
		OPT_BOOL(0, "verify", &o->verify, "run the hooks pre-merge-commit and commit-msg (default)"),
		OPT_END()
	};

	rest = parse_options(argc, argv, opts, merge_usage, 0);
	o->mode = find_mode(modes, argc, opts);
	return rest;
}

/* ---- configuration ---- */

static void get_bool(struct merge_cmd *m, const char *key, int *out)
{
	struct err err = ERR_INIT;
	bool on = *out;

	if (config_get_bool(m->r->config, key, &on, &err) < 0)
		die_err(&err);
	*out = on;
}

static void read_stat(struct merge_cmd *m)
{
	static const char *const keys[] = { "merge.diffstat", "merge.stat" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct config_entry *e = config_get(m->r->config, keys[i]);
		int on = true;

		if (!e)
			continue;
		if (e->value && !strcmp(e->value, "compact")) {
			m->o.stat = MERGE_STAT_COMPACT;
			continue;
		}
		get_bool(m, keys[i], &on);
		m->o.stat = on ? MERGE_STAT_FULL : MERGE_STAT_NONE;
	}
}

static void read_ff(struct merge_cmd *m)
{
	const struct config_entry *e = config_get(m->r->config, "merge.ff");
	int on = true;

	if (!e)
		return;
	if (e->value && !strcmp(e->value, "only")) {
		m->o.ff = MERGE_FF_ONLY;
		return;
	}
	get_bool(m, "merge.ff", &on);
	m->o.ff = on ? MERGE_FF_ALLOW : MERGE_FF_NEVER;
}

static void read_log(struct merge_cmd *m)
{
	static const char *const keys[] = { "merge.summary", "merge.log" };
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		bool is_bool = false;
		int n = 0, rc = config_get_bool_or_int(m->r->config, keys[i], &is_bool, &n, &err);

		if (rc < 0)
			die_err(&err);
		if (rc > 0)
			m->o.log = is_bool && n ? DEFAULT_LOG : n;
	}
	if (m->o.log < 0)
		die("negative length in '%s'", "merge.log");
}

static void read_config(struct merge_cmd *m)
{
	struct merge_cmd_options *o = &m->o;
	const struct config_entry *e = config_get(m->r->config, "commit.cleanup");
	int sign = false;

	o->stat = MERGE_STAT_FULL;
	o->squash = o->commit = o->edit = o->progress = o->rerere_autoupdate = -1;
	o->overwrite_ignore = o->verify = true;
	read_stat(m);
	read_ff(m);
	read_log(m);
	get_bool(m, "merge.verifysignatures", &o->verify_signatures);
	get_bool(m, "merge.autostash", &o->autostash);
	get_bool(m, "commit.gpgsign", &sign);
	if (sign)
		o->sign_key = "";
	if (e)
		o->cleanup_name = e->value;
}

/* branch.<name>.mergeOptions */
static void read_branch_options(struct merge_cmd *m)
{
	const char *name = m->branch;
	const struct config_entry *e;
	struct strvec *words = &m->o.branch_words;
	const char **argv;
	char *key;

	if (!name || !skip_prefix(name, "refs/heads/", &name))
		return;
	key = xstrfmt("branch.%s.mergeoptions", name);
	e = config_get(m->r->config, key);
	if (e && e->value) {
		strvec_push(words, "branch.*.mergeoptions");
		if (strvec_split_cmdline(words, e->value) < 0)
			die("Bad branch.%s.mergeoptions string: %s", name, "unclosed quote");
		argv = xmemdup(words->v, (words->nr + 1) * sizeof(*argv)); /* it is changed */
		(void)parse_words(&m->o, (int)words->nr, argv);
		free(argv);
	}
	free(key);
}

/* ---- together ---- */

static void conflict(const char *a, const char *b)
{
	die("options '%s' and '%s' cannot be used together", a, b);
}

static void check_squash(struct merge_cmd_options *o)
{
	if (o->squash <= 0)
		return;
	if (o->ff == MERGE_FF_NEVER)
		conflict("--squash", "--no-ff.");
	if (o->commit > 0)
		conflict("--squash", "--commit.");
	o->commit = 0;
}

int merge_parse_options(struct merge_cmd *m, int argc, const char **argv)
{
	struct merge_cmd_options *o = &m->o;

	if (!m->r)
		return parse_words(o, argc, argv);
	read_config(m);
	read_branch_options(m);
	argc = parse_words(o, argc, argv);
	if (o->verbosity < 0)
		o->stat = MERGE_STAT_NONE;
	if (o->log < 0)
		o->log = 0;
	m->comment_char = edit_comment_char(m->r);
	check_squash(o);
	if (o->commit < 0)
		o->commit = true;
	if (o->cleanup_name && cleanup_mode_parse(o->cleanup_name, &m->cleanup) < 0)
		die("Invalid cleanup mode %s", o->cleanup_name);
	return argc;
}
