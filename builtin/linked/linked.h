/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-worktree(1): worktree-add.c, worktree-list.c, worktree-change.c (lock, unlock, prune, repair),
 * worktree-move.c (move, remove). The work is done by porcelain/linked-add.h, worktree/linked/linked.h and
 * maintain/worktree-prune.h.
 */
#ifndef BUILTIN_LINKED_LINKED_H
#define BUILTIN_LINKED_LINKED_H

#include "builtin/builtin.h"
#include "repo/worktrees.h"
#include "util/date.h"

#define WORKTREE_USAGE_ADD \
	"git worktree add [-f] [--detach] [--checkout] [--lock [--reason <string>]]\n" \
	"                 [--orphan] [(-b | -B) <new-branch>] <path> [<commit-ish>]"
#define WORKTREE_USAGE_LIST "git worktree list [-v | --porcelain [-z]]"
#define WORKTREE_USAGE_LOCK "git worktree lock [--reason <string>] <worktree>"
#define WORKTREE_USAGE_MOVE "git worktree move <worktree> <new-path>"
#define WORKTREE_USAGE_PRUNE "git worktree prune [-n] [-v] [--expire <expire>]"
#define WORKTREE_USAGE_REMOVE "git worktree remove [-f] <worktree>"
#define WORKTREE_USAGE_REPAIR "git worktree repair [<path>...]"
#define WORKTREE_USAGE_UNLOCK "git worktree unlock <worktree>"

int worktree_cmd_add(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_list(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_lock(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_unlock(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_prune(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_repair(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_move(int argc, const char **argv, struct command_ctx *ctx);
int worktree_cmd_remove(int argc, const char **argv, struct command_ctx *ctx);

/* ---- worktree-shared.c ---- */
/* Dies on a failure. */
struct worktree *worktrees_read_or_die(struct repository *r);
/* The worktree that the argument names; dies if there is none. */
const struct worktree *worktree_find_or_die(const struct worktree *list, const struct command_ctx *ctx, const char *arg);
/* A path of the command line, absolute. Caller frees. */
char *worktree_argument_path(const struct command_ctx *ctx, const char *arg);
/* May a worktree be made there, or moved to there? Dies if not. An entry that the user gives up is removed. action: "add". */
void worktree_claim_path(struct repository *r, const struct worktree *list, const char *path, const char *given, int force,
			 const char *action);
/* worktree.useRelativePaths, unless the option (-1: not given) says otherwise. */
bool worktree_wants_relative(struct repository *r, int option);
#define OPT_WORKTREE_RELATIVE(v) OPT_BOOL(0, "relative-paths", (v), "use relative paths for worktrees")
/* Returns the exit code of an operation that ends with rc. */
int worktree_end_operation(struct repo_operation *op, int rc, struct err *err);

#endif
