/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-submodule(1), where there are no submodules: then most of it has nothing to do. Tools call it always. Where
 * there are some, COMMAND_REST leaves it to GIT_FALLBACK.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/submodule-option.h"
#include "index/index.h"
#include "index/pathspec.h"
#include "util/alloc.h"
#include "attr/attr.h"

static const char usage_text[] =
	"usage: git submodule [--quiet] [--cached]\n"
	"   or: git submodule [--quiet] add [<options>] [--] <repository> [<path>]\n"
	"   or: git submodule [--quiet] status [--cached] [--recursive] [--] [<path>...]\n"
	"   or: git submodule [--quiet] init [--] [<path>...]\n"
	"   or: git submodule [--quiet] deinit [-f|--force] (--all| [--] <path>...)\n"
	"   or: git submodule [--quiet] update [<options>] [--] [<path>...]\n"
	"   or: git submodule [--quiet] set-branch (--default|--branch <branch>) [--] <path>\n"
	"   or: git submodule [--quiet] set-url [--] <path> <newurl>\n"
	"   or: git submodule [--quiet] summary [--cached|--files] [--summary-limit <n>] [commit] [--] [<path>...]\n"
	"   or: git submodule [--quiet] foreach [--recursive] <command>\n"
	"   or: git submodule [--quiet] sync [--recursive] [--] [<path>...]\n"
	"   or: git submodule [--quiet] absorbgitdirs [--] [<path>...]\n";

/* Options, each between blanks; one that ends in "=" has a value. */
static const struct submodule_command {
	const char *name, *options;
	enum { PATHS, ANYTHING, ONE_SUBMODULE } rest;
} subcommands[] = {
	{ "absorbgitdirs", " -q --quiet ", PATHS },
	{ "add", " -b= --branch= -f --force -q --quiet --progress --reference= --ref-format= --dissociate --name= --depth= ",
	  ANYTHING },
	{ "deinit", " -f --force -q --quiet --all ", PATHS },
	{ "foreach", " -q --quiet --recursive ", ANYTHING },
	{ "init", " -q --quiet ", PATHS },
	{ "set-branch", " -q --quiet -d --default -b= --branch= ", ONE_SUBMODULE },
	{ "set-url", " -q --quiet ", ONE_SUBMODULE },
	{ "status", " -q --quiet --cached --recursive ", PATHS },
	{ "summary", " --cached --files -n= --summary-limit= --for-status ", ANYTHING },
	{ "sync", " -q --quiet --recursive ", PATHS },
	{ "update", " -q --quiet -v --progress -i --init --require-init --remote -N --no-fetch -f --force -r --rebase -m "
		    "--merge --checkout --reference= --ref-format= --dissociate --depth= -j= --jobs= --recursive "
		    "--recommend-shallow --no-recommend-shallow --single-branch --no-single-branch --filter= ", PATHS },
};

/* Usage errors of this command end with 1. */
static NORETURN void die_of_usage(void)
{
	fputs(usage_text, stderr);
	set_exit_code(1);
	exit(1);
}

static const struct submodule_command *find_submodule_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	return NULL;
}

/* How many arguments the option takes: 1, or 2 with its value behind it; 0: there is no such option. */
static int option_length(const struct submodule_command *sub, const char *arg)
{
	size_t len = strcspn(arg, "=");
	bool attached = arg[1] != '-' && arg[1] && arg[2]; /* -j4 */
	char *plain = xstrfmt(" %.*s ", (int)len, arg), *valued = xstrfmt(" %.*s= ", attached ? 2 : (int)len, arg);
	int n = 0;

	if (strstr(sub->options, valued))
		n = attached || arg[len] ? 1 : 2;
	else if (!arg[len] && strstr(sub->options, plain))
		n = 1;
	free(plain);
	free(valued);
	return n;
}

/* Is `name`, with or without its dashes, among the options in front of the rest? */
static bool has_option(const char **argv, const char **rest, const char *name)
{
	for (; argv < rest; argv++)
		if (!strcmp(*argv, name))
			return true;
	return false;
}

static const char **skip_options(const struct submodule_command *sub, const char **argv)
{
	while (*argv && **argv == '-' && (*argv)[1]) {
		int n = option_length(sub, *argv);

		if (!strcmp(*argv, "--"))
			return argv + 1;
		if (!n || (n == 2 && !argv[1]))
			die_of_usage();
		argv += n;
	}
	return argv;
}

/* As Git does before it looks for submodules in them. */
static int check_paths(struct command_ctx *ctx, const char **paths)
{
	struct pathspec ps;
	struct attrs *attrs;
	struct index_state ix;
	struct err err = ERR_INIT;
	char *seen;
	int code = 0;

	index_init(&ix, ctx->repo->algo);
	if (pathspec_parse(&ps, ctx->prefix, ctx->repo->worktree, paths, 0, &err) < 0 ||
	    index_read_repo(&ix, ctx->repo, &err) < 0 ||
	    attrs_new_for_pathspec(&attrs, &ps, ctx->repo, &ix, &err) < 0)
		die_err(&err);
	seen = xcalloc(ps.nr + 1, 1);
	for (size_t i = 0; i < ix.nr; i++)
		(void)pathspec_match(&ps, ix.entries[i]->name, ix.entries[i]->name_len, false, seen);
	for (size_t i = 0; i < ps.nr; i++)
		if (!seen[i])
			code = error("pathspec '%s' did not match any file(s) known to git", ps.items[i].original);
	free(seen);
	index_release(&ix);
	attrs_free(attrs);
	pathspec_release(&ps);
	return code ? 1 : 0;
}

static int run_without_submodules(const struct submodule_command *sub, const char **argv, struct command_ctx *ctx)
{
	const char **rest = skip_options(sub, argv);

	if (!strcmp(sub->name, "add"))
		return *rest ? COMMAND_REST : (die_of_usage(), 1);
	if (sub->rest == ONE_SUBMODULE && !*rest)
		die_of_usage();
	if (sub->rest == ONE_SUBMODULE)
		die("no submodule mapping found in .gitmodules for path '%s'", *rest);
	if (!strcmp(sub->name, "deinit") && !*rest && !has_option(argv, rest, "--all"))
		die("Use '--all' if you really want to deinitialize all submodules");
	if (!strcmp(sub->name, "summary") && has_option(argv, rest, "--cached") && has_option(argv, rest, "--files"))
		die("options '%s' and '%s' cannot be used together", "--cached", "--files");
	return sub->rest == PATHS && *rest ? check_paths(ctx, rest) : 0;
}

int cmd_submodule(int argc UNUSED, const char **argv, struct command_ctx *ctx)
{
	const struct submodule_command *sub;
	bool cached = false;

	if (argv[1] && !strcmp(argv[1], "-h")) {
		fputs(usage_text, stdout);
		return 0;
	}
	if (!ctx->repo->worktree || ctx->repo->bare)
		die("git submodule cannot be used without a working tree.");
	for (argv++; *argv && **argv == '-'; argv++) {
		cached |= !strcmp(*argv, "--cached");
		if (strcmp(*argv, "-q") != 0 && strcmp(*argv, "--quiet") != 0 && strcmp(*argv, "--cached") != 0)
			die_of_usage();
	}
	sub = find_submodule_command(*argv ? *argv : "status");
	if (!sub || (cached && *argv && strcmp(sub->name, "status") != 0))
		die_of_usage();
	if (has_submodules(ctx->repo, NULL))
		return COMMAND_REST;
	return run_without_submodules(sub, *argv ? argv + 1 : argv, ctx);
}
