/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pull(1): options and configuration. Most options go on to fetch or merge as they are. */
#include "compat/posix.h"
#include "builtin/pull/pull-cmd.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git pull [<options>] [<repository> [<refspec>...]]",
	NULL
};

/* ---- options ---- */

static int pass_on(const struct option *opt, const char *arg, int unset)
{
	struct strvec *args = opt->value;

	if (!opt->long_name)
		strvec_pushf(args, "-%c", opt->short_name);
	else if (unset)
		strvec_pushf(args, "--no-%s", opt->long_name);
	else if (arg)
		strvec_pushf(args, "--%s=%s", opt->long_name, arg);
	else
		strvec_pushf(args, "--%s", opt->long_name);
	return 0;
}

static int on_ff(const struct option *opt, const char *arg UNUSED, int unset)
{
	const char **ff = opt->value;

	*ff = !strcmp(opt->long_name, "ff-only") ? "--ff-only" : unset ? "--no-ff" : "--ff";
	return 0;
}

/* "merges" and "interactive" are ways to rebase. False: it is no value of pull.rebase. */
static bool parse_rebase(const char *value, int *out)
{
	int on = config_parse_maybe_bool(value);

	if (on >= 0)
		*out = on ? REBASE_TRUE : REBASE_FALSE;
	else if (!strcmp(value, "merges") || !strcmp(value, "m"))
		*out = REBASE_MERGES;
	else if (!strcmp(value, "interactive") || !strcmp(value, "i"))
		*out = REBASE_INTERACTIVE;
	else
		return false;
	return true;
}

static void tell_superseded(const char *value)
{
	if (!strcmp(value, "preserve") || !strcmp(value, "p"))
		error("%s: 'preserve' superseded by 'merges'", value);
}

static int on_rebase(const struct option *opt, const char *arg, int unset)
{
	int *rebase = opt->value;

	*rebase = unset ? REBASE_FALSE : REBASE_TRUE;
	if (!arg || parse_rebase(arg, rebase))
		return 0;
	tell_superseded(arg);
	return error("invalid value for '%s': '%s'", "--rebase", arg);
}

#define PASS(to, s, l, h) OPT_CALLBACK_F(s, l, &p->to, NULL, h, PARSE_OPT_NOARG, pass_on)
#define PASS_ARG(to, s, l, a, h) OPT_CALLBACK(s, l, &p->to, a, h, pass_on)
#define PASS_OPTARG(to, s, l, a, h) OPT_CALLBACK_F(s, l, &p->to, a, h, PARSE_OPT_OPTARG, pass_on)

int pull_parse_options(struct pull_cmd *p, int argc, const char **argv)
{
	struct option opts[] = {
		OPT__VERBOSITY(&p->verbosity),
		PASS(both, 0, "progress", "force progress reporting"),
		PASS_OPTARG(fetch_args, 0, "recurse-submodules", "on-demand", "fetch submodules, too"),
		OPT_GROUP("Options related to merging"),
		OPT_CALLBACK_F('r', "rebase", &p->rebase, "false|true|merges|interactive",
			       "incorporate changes by rebasing rather than merging", PARSE_OPT_OPTARG, on_rebase),
		PASS(merge_args, 'n', NULL, "do not show a diffstat at the end of the merge"),
		PASS(merge_args, 0, "stat", "show a diffstat at the end of the merge"),
		PASS(merge_args, 0, "summary", "(synonym to --stat)"),
		PASS(merge_args, 0, "compact-summary", "show a compact summary at the end of the merge"),
		PASS_OPTARG(merge_args, 0, "log", "n", "add (at most <n>) entries from shortlog to the message"),
		PASS(merge_args, 0, "signoff", "add a Signed-off-by trailer"),
		PASS(merge_args, 0, "squash", "leave index and files merged, without a commit"),
		PASS(merge_args, 0, "commit", "make a commit if the merge succeeds (default)"),
		PASS(merge_args, 0, "edit", "edit message before committing"),
		PASS_ARG(merge_args, 0, "cleanup", "mode", "how to strip spaces and #comments from message"),
		OPT_CALLBACK_F(0, "ff", &p->ff, NULL, "allow fast-forward", PARSE_OPT_NOARG, on_ff),
		OPT_CALLBACK_F(0, "ff-only", &p->ff, NULL, "abort if fast-forward is not possible",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, on_ff),
		PASS(merge_args, 0, "verify", "run the hooks pre-merge-commit and commit-msg (default)"),
		PASS(merge_args, 0, "verify-signatures", "verify that the named commit has a valid GPG signature"),
		OPT_BOOL(0, "autostash", &p->autostash, "automatically stash/stash pop before and after"),
		PASS_ARG(merge_args, 's', "strategy", "strategy", "merge strategy to use"),
		PASS_ARG(merge_args, 'X', "strategy-option", "option=value", "option for selected merge strategy"),
		PASS_OPTARG(merge_args, 'S', "gpg-sign", "key-id", "GPG sign commit"),
		PASS(merge_args, 0, "allow-unrelated-histories", "allow merging unrelated histories"),
		OPT_GROUP("Options related to fetching"),
		PASS(fetch_args, 0, "all", "fetch from all remotes"),
		OPT_BOOL('a', "append", &p->append, "append to .git/FETCH_HEAD instead of overwriting"),
		PASS_ARG(fetch_args, 0, "upload-pack", "path", "path to upload pack on remote end"),
		PASS(fetch_args, 'f', "force", "force overwrite of local branch"),
		PASS(fetch_args, 't', "tags", "fetch all tags and associated objects"),
		PASS(fetch_args, 'p', "prune", "prune remote-tracking branches no longer on remote"),
		PASS_ARG(fetch_args, 'j', "jobs", "n", "number of submodules fetched in parallel"),
		OPT_BOOL(0, "dry-run", &p->dry_run, "dry run"),
		PASS(fetch_args, 'k', "keep", "keep downloaded pack"),
		PASS_ARG(fetch_args, 0, "depth", "depth", "deepen history of shallow clone"),
		PASS_ARG(fetch_args, 0, "shallow-since", "time", "deepen history of shallow repository based on time"),
		PASS_ARG(fetch_args, 0, "shallow-exclude", "ref", "deepen history of shallow clone, excluding ref"),
		PASS_ARG(fetch_args, 0, "deepen", "n", "deepen history of shallow clone"),
		OPT_CALLBACK_F(0, "unshallow", &p->fetch_args, NULL, "convert to a complete repository",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, pass_on),
		PASS(fetch_args, 0, "update-shallow", "accept refs that update .git/shallow"),
		PASS_ARG(fetch_args, 0, "refmap", "refmap", "specify fetch refmap"),
		PASS_ARG(fetch_args, 'o', "server-option", "server-specific", "option to transmit"),
		PASS(fetch_args, '4', "ipv4", "use IPv4 addresses only"),
		PASS(fetch_args, '6', "ipv6", "use IPv6 addresses only"),
		PASS_ARG(fetch_args, 0, "negotiation-tip", "revision",
			 "report that we have only objects reachable from this object"),
		PASS_ARG(fetch_args, 0, "negotiation-restrict", "revision",
			 "report that we have only objects reachable from this object"),
		PASS_ARG(fetch_args, 0, "negotiation-include", "revision", "always send this ref as one that we have"),
		PASS(fetch_args, 0, "show-forced-updates", "check for forced-updates on all updated branches"),
		PASS(fetch_args, 0, "set-upstream", "set upstream for git pull/fetch"),
		OPT_END()
	};

	return parse_options(argc, argv, opts, usage, 0);
}

/* ---- configuration ---- */

static void read_rebase(struct pull_cmd *p, const char *key)
{
	const struct config_entry *e = config_get(p->r->config, key);

	if (!e || p->rebase != REBASE_UNSET || parse_rebase(e->value, &p->rebase))
		return;
	tell_superseded(e->value);
	die("invalid value for '%s': '%s'", key, e->value);
}

static void read_ff(struct pull_cmd *p)
{
	const struct config_entry *e = config_get(p->r->config, "pull.ff");
	int on = e ? config_parse_maybe_bool(e->value) : -1;

	if (!e || p->ff)
		return;
	if (on >= 0)
		p->ff = on ? "--ff" : "--no-ff";
	else if (!strcmp(e->value, "only"))
		p->ff = "--ff-only";
	else
		die("invalid value for '%s': '%s'", "pull.ff", e->value);
}

/* --rebase and --no-rebase on the command line outweigh "pull.ff = only". */
void pull_read_config(struct pull_cmd *p)
{
	const char *branch = p->branch;
	bool ff_given = p->ff;

	read_ff(p);
	if (p->rebase != REBASE_UNSET && !ff_given && p->ff && !strcmp(p->ff, "--ff-only"))
		p->ff = "--ff";
	if (branch && skip_prefix(branch, "refs/heads/", &branch)) {
		char *key = xstrfmt("branch.%s.rebase", branch);

		read_rebase(p, key);
		free(key);
	}
	read_rebase(p, "pull.rebase");
}
