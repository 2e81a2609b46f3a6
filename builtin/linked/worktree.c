/* SPDX-License-Identifier: GPL-2.0-only */
/* git-worktree(1) */
#include "compat/posix.h"
#include "builtin/linked/linked.h"
#include "util/alloc.h"

static const char *const usage[] = {
	WORKTREE_USAGE_ADD, WORKTREE_USAGE_LIST, WORKTREE_USAGE_LOCK, WORKTREE_USAGE_MOVE, WORKTREE_USAGE_PRUNE,
	WORKTREE_USAGE_REMOVE, WORKTREE_USAGE_REPAIR, WORKTREE_USAGE_UNLOCK, NULL
};

static const struct subcommand subcommands[] = {
	{ "add", worktree_cmd_add },	 { "list", worktree_cmd_list },	    { "lock", worktree_cmd_lock },
	{ "move", worktree_cmd_move },	 { "prune", worktree_cmd_prune },   { "remove", worktree_cmd_remove },
	{ "repair", worktree_cmd_repair }, { "unlock", worktree_cmd_unlock },
};

int cmd_worktree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct option options[] = { OPT_END() };
	command_fn run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);

	if (run)
		return run(argc - 1, argv + 1, ctx);
	argc = parse_options(argc, argv, options, usage, 0);
	die_no_subcommand(argc ? argv[0] : NULL, usage, options);
}
