/* SPDX-License-Identifier: GPL-2.0-only */
/* git-remote(1): the subcommands. */
#include "compat/posix.h"
#include "builtin/remote/remote.h"

static const char *const usage[] = {
	"git remote [-v | --verbose]",
	"git remote add [-t <branch>] [-m <master>] [-f] [--tags | --no-tags] [--mirror=<fetch|push>] <name> <url>",
	"git remote rename [--[no-]progress] <old> <new>",
	"git remote remove <name>",
	"git remote set-head <name> (-a | --auto | -d | --delete | <branch>)",
	"git remote [-v | --verbose] show [-n] <name>",
	"git remote prune [-n | --dry-run] <name>",
	"git remote [-v | --verbose] update [-p | --prune] [(<group> | <remote>)...]",
	"git remote set-branches [--add] <name> <branch>...",
	"git remote get-url [--push] [--all] <name>",
	"git remote set-url [--push] <name> <newurl> [<oldurl>]",
	"git remote set-url --add <name> <newurl>",
	"git remote set-url --delete <name> <url>",
	NULL
};

int cmd_remote(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct {
		const char *name;
		int (*run)(int argc, const char **argv, struct repository *r, bool verbose);
	} subcommands[] = {
		{ "add", remote_cmd_add }, { "rename", remote_cmd_rename }, { "rm", remote_cmd_remove },
		{ "remove", remote_cmd_remove }, { "set-head", remote_cmd_set_head },
		{ "set-branches", remote_cmd_set_branches }, { "get-url", remote_cmd_get_url },
		{ "set-url", remote_cmd_set_url }, { "show", remote_cmd_show }, { "prune", remote_cmd_prune },
		{ "update", remote_cmd_update },
	};
	int verbose = 0, code;
	struct option opts[] = {
		OPT_BOOL('v', "verbose", &verbose, "be verbose; must be placed before a subcommand"),
		OPT_END()
	};
	bool ended;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_KEEP_DASHDASH);
	ended = argc && !strcmp(argv[0], "--");
	argv += ended;
	argc -= ended;
	if (!argc) {
		remote_list(ctx->repo, verbose);
		return finish_stdout();
	}
	for (size_t i = 0; !ended && i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[0], subcommands[i].name)) {
			code = subcommands[i].run(argc, argv, ctx->repo, verbose);
			return finish_stdout() ? 128 : code;
		}
	die_no_subcommand(argv[0], usage, opts);
}
