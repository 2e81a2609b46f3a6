/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): options and configuration. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "cli/edit-text.h"
#include "merge/options.h"
#include "util/alloc.h"

static const char *const rebase_usages[] = {
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> [<branch>]]",
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase>] --root [<branch>]",
	"git rebase --continue | --abort | --skip | --edit-todo",
	NULL
};

/* ---- options ---- */

static int on_gpg_sign(const struct option *opt, const char *arg, int unset)
{
	const char **key = opt->value;

	*key = unset ? NULL : arg ? arg : "";
	return 0;
}

static int parse_merges_mode(struct rebase_cmd_options *o, const char *value)
{
	if (!strcmp(value, "no-rebase-cousins") || !strcmp(value, "rebase-cousins")) {
		o->rebase_merges = true;
		o->rebase_cousins = *value == 'r';
		return 0;
	}
	return -1;
}

static int on_rebase_merges(const struct option *opt, const char *arg, int unset)
{
	struct rebase_cmd_options *o = opt->value;

	o->rebase_merges = !unset;
	if (!arg)
		return 0;
	if (!*arg)
		warning("--rebase-merges with an empty string argument is deprecated and will stop working in a "
			"future version of Git. Use --rebase-merges without an argument instead, which does the same thing.");
	else if (parse_merges_mode(o, arg))
		die("Unknown rebase-merges mode: %s", arg);
	return 0;
}

static int on_exec(const struct option *opt, const char *arg, int unset)
{
	struct strvec *exec = opt->value;
	const char *text = arg ? arg : "";

	if (unset) {
		strvec_clear(exec);
		return 0;
	}
	if (strchr(text, '\n'))
		return error("exec commands cannot contain newlines");
	if (!text[strspn(text, " \t\r\f\v")])
		return error("empty exec command");
	strvec_push(exec, text);
	return 0;
}

/* -q is the opposite of -v: the last one counts, and takes --stat along. */
static int on_verbose(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct rebase_cmd_options *o = opt->value;

	o->verbose = o->stat = !unset;
	o->quiet = unset;
	return 0;
}

static int on_quiet(const struct option *opt, const char *arg, int unset)
{
	return on_verbose(opt, arg, !unset);
}

static int on_no_stat(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *stat = opt->value;

	*stat = unset;
	return 0;
}

static int on_no_ff(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *force = opt->value;

	*force = !unset;
	return 0;
}

/* An option for git-am(1). */
static int pass_to_am(const struct option *opt, const char *arg, int unset)
{
	struct strvec *options = opt->value;

	if (opt->short_name)
		strvec_pushf(options, "-%c%s", opt->short_name, arg);
	else if (unset)
		strvec_pushf(options, "--no-%s", opt->long_name);
	else
		strvec_pushf(options, "--%s=%s", opt->long_name, arg);
	return 0;
}

static int on_no_verify(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *verify = opt->value;

	*verify = unset;
	return 0;
}

static int on_empty(const struct option *opt, const char *arg, int unset UNUSED)
{
	const char **empty = opt->value;

	*empty = !strcmp(arg, "ask") ? "stop" : arg;
	if (!strcmp(arg, "ask"))
		warning("--empty=ask is deprecated; use '--empty=stop' instead.");
	if (strcmp(*empty, "drop") && strcmp(*empty, "keep") && strcmp(*empty, "stop"))
		die("unrecognized empty type '%s'; valid values are \"drop\", \"keep\", and \"stop\".", arg);
	return 0;
}

static int parse_rebase_words(struct rebase_cmd_options *o, int argc, const char **argv, bool show_usage)
{
	struct option opts[] = {
		OPT_STRING(0, "onto", &o->onto, "revision", "rebase onto given branch instead of upstream"),
		OPT_BOOL(0, "keep-base", &o->keep_base, "use the merge-base of upstream and branch as the current base"),
		OPT_CALLBACK_F(0, "no-verify", &o->verify, NULL, "allow pre-rebase hook to run", PARSE_OPT_NOARG, on_no_verify),
		OPT_CALLBACK_F('q', "quiet", o, NULL, "be quiet. implies --no-stat", PARSE_OPT_NOARG, on_quiet),
		OPT_CALLBACK_F('v', "verbose", o, NULL, "display a diffstat of what changed upstream", PARSE_OPT_NOARG, on_verbose),
		OPT_CALLBACK_F('n', "no-stat", &o->stat, NULL, "do not show diffstat of what changed upstream",
			       PARSE_OPT_NOARG, on_no_stat),
		OPT_STRVEC(0, "trailer", &o->trailers, "trailer", "add custom trailer(s)"),
		OPT_BOOL(0, "signoff", &o->signoff, "add a Signed-off-by trailer to each commit"),
		OPT_BOOL(0, "committer-date-is-author-date", &o->committer_date, "make committer date match author date"),
		OPT_BOOL(0, "reset-author-date", &o->reset_author, "ignore author date and use current date"),
		{ OPTION_BOOL, 0, "ignore-date", OPT_VALUE(int, &o->reset_author), NULL, "synonym of --reset-author-date", PARSE_OPT_HIDDEN,
		  NULL, 1 },
		{ OPTION_BOOL, 0, "allow-empty-message", OPT_VALUE(int, &o->empty_message), NULL, "always so", PARSE_OPT_HIDDEN, NULL, 1 },
		{ OPTION_BOOL, 'p', "preserve-merges", OPT_VALUE(int, &o->preserve), NULL, "replaced by --rebase-merges",
		  PARSE_OPT_HIDDEN | PARSE_OPT_NONEG, NULL, 1 },
		OPT_CALLBACK('C', NULL, &o->apply_options, "n", "passed to 'git apply'", pass_to_am),
		OPT_BOOL(0, "ignore-whitespace", &o->ignore_whitespace, "ignore changes in whitespace"),
		OPT_CALLBACK(0, "whitespace", &o->apply_options, "action", "passed to 'git apply'", pass_to_am),
		OPT_BOOL('f', "force-rebase", &o->force, "cherry-pick all commits, even if unchanged"),
		OPT_CALLBACK_F(0, "no-ff", &o->force, NULL, "cherry-pick all commits, even if unchanged", PARSE_OPT_NOARG,
			       on_no_ff),
		OPT_CMDMODE(0, "continue", &o->mode, "continue", REBASE_CONTINUE),
		OPT_CMDMODE(0, "skip", &o->mode, "skip current patch and continue", REBASE_SKIP),
		OPT_CMDMODE(0, "abort", &o->mode, "abort and check out the original branch", REBASE_ABORT),
		OPT_CMDMODE(0, "quit", &o->mode, "abort but keep HEAD where it is", REBASE_QUIT),
		OPT_CMDMODE(0, "edit-todo", &o->mode, "edit the todo list during an interactive rebase", REBASE_EDIT_TODO),
		OPT_CMDMODE(0, "show-current-patch", &o->mode, "show the patch file being applied or merged",
			    REBASE_SHOW_PATCH),
		{ OPTION_BOOL, 0, "apply", OPT_VALUE(int, &o->apply), NULL, "use apply strategies to rebase", PARSE_OPT_NONEG, NULL, 1 },
		{ OPTION_BOOL, 'm', "merge", OPT_VALUE(int, &o->merge), NULL, "use merging strategies to rebase", PARSE_OPT_NONEG, NULL, 1 },
		{ OPTION_BOOL, 'i', "interactive", OPT_VALUE(int, &o->interactive), NULL, "let the user edit the list of commits to rebase",
		  PARSE_OPT_NONEG, NULL, 1 },
		OPT_BOOL(0, "rerere-autoupdate", &o->rerere_autoupdate,
			 "update the index with reused conflict resolution if possible"),
		OPT_CALLBACK_F(0, "empty", &o->empty, "(drop|keep|stop)", "how to handle commits that become empty",
			       PARSE_OPT_NONEG, on_empty),
		{ OPTION_BOOL, 'k', "keep-empty", OPT_VALUE(int, &o->keep_empty), NULL, "keep commits which start empty", PARSE_OPT_HIDDEN,
		  NULL, 1 },
		OPT_BOOL(0, "autosquash", &o->autosquash, "move commits that begin with squash!/fixup! under -i"),
		OPT_BOOL(0, "update-refs", &o->update_refs, "update branches that point to commits that are being rebased"),
		OPT_CALLBACK_F('S', "gpg-sign", &o->sign_key, "key-id", "GPG-sign commits", PARSE_OPT_OPTARG, on_gpg_sign),
		OPT_BOOL(0, "autostash", &o->autostash, "automatically stash/stash pop before and after"),
		OPT_CALLBACK('x', "exec", &o->exec, "exec", "add exec lines after each commit of the editable list", on_exec),
		OPT_CALLBACK_F('r', "rebase-merges", o, "mode", "try to rebase merges instead of skipping them",
			       PARSE_OPT_OPTARG, on_rebase_merges),
		OPT_BOOL(0, "fork-point", &o->fork_point, "use 'merge-base --fork-point' to refine upstream"),
		OPT_STRING('s', "strategy", &o->strategy, "strategy", "use the given merge strategy"),
		OPT_STRVEC('X', "strategy-option", &o->strategy_options, "option",
			   "pass the argument through to the merge strategy"),
		OPT_BOOL(0, "root", &o->root, "rebase all reachable commits up to the root(s)"),
		OPT_BOOL(0, "reschedule-failed-exec", &o->reschedule, "automatically re-schedule any `exec` that fails"),
		OPT_BOOL(0, "reapply-cherry-picks", &o->reapply,
			 "apply all changes, even those already present upstream"),
		OPT_END()
	};

	if (show_usage)
		usage_with_options(rebase_usages, opts);
	return parse_options(argc, argv, opts, rebase_usages, 0);
}

void rebase_usage(void)
{
	static struct rebase_cmd_options none;

	(void)parse_rebase_words(&none, 0, NULL, true);
	exit(129);
}

/* ---- configuration ---- */

/* Those of the merge backend that an option overrides; -1: not set. */
struct rebase_settings {
	int autosquash, update_refs, rebase_merges, reschedule;
};

static void get_bool(struct rebase_cmd *c, const char *key, int *out)
{
	struct err err = ERR_INIT;
	bool on = *out > 0;
	int rc = config_get_bool(c->r->config, key, &on, &err);

	if (rc < 0)
		die_err(&err);
	if (rc > 0)
		*out = on;
}

static const char *get_string(struct rebase_cmd *c, const char *key)
{
	const struct config_entry *e = config_get(c->r->config, key);

	return e ? e->value : NULL;
}

static void read_missing_check(struct rebase_cmd *c)
{
	const char *value = get_string(c, "rebase.missingcommitscheck");

	if (!value || !strcasecmp(value, "ignore"))
		return;
	if (!strcasecmp(value, "warn"))
		c->missing = REBASE_MISSING_WARN;
	else if (!strcasecmp(value, "error"))
		c->missing = REBASE_MISSING_ERROR;
	else
		warning("unrecognized setting %s for option rebase.missingCommitsCheck. Ignoring.", value);
}

/* "true", "rebase-cousins", "no-rebase-cousins". */
static void read_rebase_merges(struct rebase_cmd *c, struct rebase_settings *set)
{
	const struct config_entry *e = config_get(c->r->config, "rebase.rebasemerges");
	const char *value = e ? e->value : NULL;
	int on = value ? config_parse_maybe_bool(value) : true;

	if (!e)
		return;
	if (on < 0 && parse_merges_mode(&c->o, value))
		die("Unknown rebase-merges mode: %s", value);
	set->rebase_merges = on < 0 ? c->o.rebase_merges : on;
	c->o.rebase_merges = -1;
}

static bool prefers_apply(struct rebase_cmd *c)
{
	const char *value = get_string(c, "rebase.backend");

	if (value && strcmp(value, "merge") && strcmp(value, "apply"))
		die("Unknown rebase backend: %s", value);
	return value && *value == 'a';
}

static void read_cleanup(struct rebase_cmd *c)
{
	const char *setting = pick_cleanup_setting(c->r, &c->cleanup);

	if (setting && c->cleanup == CLEANUP_DEFAULT)
		warning("invalid commit message cleanup mode '%s'", setting);
}

static void read_config(struct rebase_cmd *c, struct rebase_settings *set)
{
	struct rebase_cmd_options *o = &c->o;
	int sign = false, abbreviates = false;

	o->stat = o->fork_point = o->autosquash = o->update_refs = o->autostash = o->reapply = o->reschedule = -1;
	o->rerere_autoupdate = o->rebase_merges = o->keep_empty = -1;
	o->verify = true;
	if (!c->r) /* -h outside of a repository */
		return;
	get_bool(c, "rebase.stat", &o->stat);
	get_bool(c, "rebase.autosquash", &set->autosquash);
	get_bool(c, "rebase.updaterefs", &set->update_refs);
	get_bool(c, "rebase.autostash", &o->autostash);
	get_bool(c, "rebase.forkpoint", &o->fork_point);
	get_bool(c, "rebase.reschedulefailedexec", &set->reschedule);
	get_bool(c, "rebase.abbreviatecommands", &abbreviates);
	get_bool(c, "commit.gpgsign", &sign);
	c->abbreviates = abbreviates;
	if (sign)
		o->sign_key = "";
	read_rebase_merges(c, set);
	read_missing_check(c);
	read_cleanup(c);
	c->comment_char = edit_comment_char(c->r);
}

/* ---- together ---- */

static void refuse_pair(bool both, const char *a, const char *b)
{
	if (both)
		die("options '%s' and '%s' cannot be used together", a, b);
}

/* True: `option` needs the other backend. It is an error where --apply was given. */
static bool needs_merge(const struct rebase_cmd_options *o, bool given, const char *option)
{
	if (given && o->apply)
		die("%s requires the merge backend", option);
	return given;
}

/* git-rebase(1), INCOMPATIBLE OPTIONS: the choice of a backend. */
static bool chooses_merge(const struct rebase_cmd_options *o)
{
	bool merges = needs_merge(o, o->empty, "--empty");

	if (!o->keep_base)
		merges |= needs_merge(o, o->reapply >= 0, o->reapply ? "--reapply-cherry-picks" : "--no-reapply-cherry-picks");
	merges |= needs_merge(o, o->exec.nr, "--exec");
	merges |= needs_merge(o, o->strategy || o->strategy_options.nr, "--strategy");
	merges |= needs_merge(o, o->root && !o->onto, "--root without --onto");
	merges |= needs_merge(o, o->trailers.nr, "--trailer");
	return merges || o->merge || o->interactive || o->keep_empty >= 0;
}

static void refuse_with_apply(bool given, const char *option)
{
	if (given)
		die("%s requires the merge backend", option);
}

static void check_apply(const struct rebase_cmd_options *o, const struct rebase_settings *set)
{
	if (o->rebase_merges < 0 && set->rebase_merges > 0)
		die("apply options are incompatible with rebase.rebaseMerges.  Consider adding --no-rebase-merges");
	if (o->update_refs < 0 && set->update_refs > 0)
		die("apply options are incompatible with rebase.updateRefs.  Consider adding --no-update-refs");
	refuse_with_apply(o->update_refs > 0, "--update-refs");
	refuse_with_apply(o->rebase_merges > 0, "--rebase-merges");
	refuse_with_apply(o->autosquash > 0, "--autosquash");
}

/* What an option for git-am(1) has to be. */
static void check_apply_option(struct rebase_cmd_options *o, const char *option)
{
	static const char *const actions[] = { "warn", "nowarn", "error", "error-all", "fix", "strip" };
	const char *value;
	size_t i = 0;

	if (skip_prefix(option, "-C", &value) && value[strspn(value, "0123456789")])
		die("switch `C' expects a numerical value");
	if (!skip_prefix(option, "--whitespace=", &value))
		return;
	while (i < ARRAY_SIZE(actions) && strcmp(value, actions[i]))
		i++;
	if (i == ARRAY_SIZE(actions))
		die("Invalid whitespace option: '%s'", value);
	o->fixes_whitespace |= !strcmp(value, "fix") || !strcmp(value, "strip");
}

/* --apply, its options, or else rebase.backend. */
static bool choose_apply(struct rebase_cmd *c, const struct rebase_settings *set)
{
	struct rebase_cmd_options *o = &c->o;
	const bool backend = prefers_apply(c);
	bool merges;

	needs_merge(o, o->keep_empty >= 0, o->keep_empty ? "--keep-empty" : "--no-keep-empty");
	if (o->apply && (o->merge || o->interactive))
		die("apply options and merge options cannot be used together");
	for (size_t i = 0; i < o->apply_options.nr; i++)
		check_apply_option(o, o->apply_options.v[i]);
	merges = chooses_merge(o);
	if (merges && o->apply_options.nr)
		die("apply options and merge options cannot be used together");
	if (o->apply || o->apply_options.nr)
		check_apply(o, set);
	else if (merges || o->update_refs > 0 || o->rebase_merges > 0 || o->autosquash > 0)
		return false;
	return o->apply || o->apply_options.nr || backend;
}

static int given_or(int given, int setting)
{
	return given >= 0 ? given : setting;
}

static void choose_backend(struct rebase_cmd *c, const struct rebase_settings *set)
{
	struct rebase_cmd_options *o = &c->o;

	c->state.applies = choose_apply(c, set);
	if (c->state.applies && o->reschedule > 0)
		die("--reschedule-failed-exec requires --exec or --interactive");
	o->reschedule = given_or(o->reschedule, set->reschedule);
	o->update_refs = c->state.applies ? 0 : given_or(o->update_refs, set->update_refs);
	o->rebase_merges = c->state.applies ? 0 : given_or(o->rebase_merges, set->rebase_merges);
	o->autosquash = c->state.applies ? 0 : given_or(o->autosquash, set->autosquash);
	o->keep_empty = given_or(o->keep_empty, true);
	if (o->ignore_whitespace && c->state.applies)
		strvec_push(&o->apply_options, "--ignore-whitespace");
	else if (o->ignore_whitespace)
		o->force = true;
}

/* --continue and the like are the only argument. */
static void check_modes(const struct rebase_cmd_options *o, int argc)
{
	if (o->mode != REBASE_START && argc != 2)
		rebase_usage();
}

static void check_merge_options(struct rebase_cmd *c)
{
	struct merge_trees unused = { 0 };
	struct err err = ERR_INIT;

	if (merge_options_config(&unused, c->r->config, &err))
		die_err(&err);
	if (merge_options_strategy_of_pick(&unused, c->o.strategy, &err) < 0)
		die_err(&err);
}

static void choose_empty(struct rebase_cmd *c)
{
	const struct rebase_cmd_options *o = &c->o;
	bool stops = o->empty ? !strcmp(o->empty, "stop") : o->interactive;
	bool keeps = o->empty ? !strcmp(o->empty, "keep") : o->exec.nr && !o->interactive;

	c->state.empty = stops ? REBASE_EMPTY_STOP : keeps ? REBASE_EMPTY_KEEP : REBASE_EMPTY_DROP;
}

static void keep_settings(struct rebase_cmd *c)
{
	struct rebase_cmd_options *o = &c->o;
	struct rebase_state *s = &c->state;

	s->quiet = o->quiet;
	s->verbose = o->verbose;
	s->signoff = o->signoff;
	s->reset_author_date = o->reset_author;
	s->committer_date_is_author_date = o->committer_date;
	s->reschedule_failed_exec = o->reschedule > 0;
	s->rerere_autoupdate = o->rerere_autoupdate;
	s->strategy = o->strategy ? xstrdup(o->strategy) : NULL;
	s->sign_key = o->sign_key ? xstrdup(o->sign_key) : NULL;
	strvec_pushv(&s->strategy_options, o->strategy_options.v);
	if (o->ignore_whitespace && !s->applies)
		strvec_push(&s->strategy_options, "ignore-space-change");
	strvec_pushv(&s->trailers, o->trailers.v);
	choose_empty(c);
}

static void fill_defaults(struct rebase_cmd_options *o)
{
	if (o->stat < 0)
		o->stat = false;
	if (o->reapply < 0)
		o->reapply = o->keep_base > 0;
	if (o->signoff || o->reset_author || o->committer_date || o->trailers.nr)
		o->force = true;
}

int rebase_parse_options(struct rebase_cmd *c, int argc, const char **argv)
{
	struct rebase_cmd_options *o = &c->o;
	struct rebase_settings set = { -1, -1, -1, -1 };
	int total = argc;

	read_config(c, &set);
	argc = parse_rebase_words(o, argc, argv, false);
	if (o->preserve)
		die("--preserve-merges was replaced by --rebase-merges\n"
		    "Note: Your `pull.rebase` configuration may also be set to 'preserve',\n"
		    "which is no longer supported; use 'merges' instead");
	check_modes(o, total);
	if (o->mode != REBASE_START)
		return argc;
	if (argc > 2 || (o->root && argc > 1))
		rebase_usage();
	refuse_pair(o->keep_base && o->onto, "--keep-base", "--onto");
	refuse_pair(o->keep_base && o->root, "--keep-base", "--root");
	refuse_pair(o->root && o->fork_point > 0, "--root", "--fork-point");
	choose_backend(c, &set);
	check_merge_options(c);
	fill_defaults(o);
	keep_settings(c);
	return argc;
}
