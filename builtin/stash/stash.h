/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-stash(1): push.c puts changes aside, apply.c brings them back, show.c shows an entry, transfer.c exports
 * and imports the list, report.c has what they share, stash.c the rest. The work is done by porcelain/stash.h, stash-save.h and stash-apply.h.
 */
#ifndef BUILTIN_STASH_STASH_H
#define BUILTIN_STASH_STASH_H

#include "builtin/builtin.h"
#include "operation/operation.h"
#include "porcelain/stash.h"

/* ---- usages ---- */
#define STASH_USAGE_SHOW "git stash show [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]"
#define STASH_USAGE_POP "git stash pop [--index] [-q | --quiet] [<stash>]"
#define STASH_USAGE_APPLY \
	"git stash apply [--index] [-q | --quiet] [--label-ours=<label>] [--label-theirs=<label>] [--label-base=<label>] [<stash>]"
#define STASH_USAGE_BRANCH "git stash branch <branchname> [<stash>]"
#define STASH_USAGE_PUSH \
	"git stash [push] [-p | --patch] [-S | --staged] [-k | --[no-]keep-index] [-q | --quiet]\n" \
	"          [-u | --include-untracked] [-a | --all] [(-m | --message) <message>]\n" \
	"          [--pathspec-from-file=<file> [--pathspec-file-nul]]\n" \
	"          [--] [<pathspec>...]"
#define STASH_USAGE_SAVE \
	"git stash save [-p | --patch] [-S | --staged] [-k | --[no-]keep-index] [-q | --quiet]\n" \
	"          [-u | --include-untracked] [-a | --all] [<message>]"
#define STASH_USAGE_CREATE "git stash create [<message>]"
#define STASH_USAGE_EXPORT "git stash export (--print | --to-ref <ref>) [<stash>...]"
#define STASH_USAGE_IMPORT "git stash import <commit>"

int stash_cmd_push(int argc, const char **argv, struct command_ctx *ctx);
/* `push` was not said. */
int stash_cmd_push_assumed(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_save(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_create(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_apply(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_pop(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_branch(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_show(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_export(int argc, const char **argv, struct command_ctx *ctx);
int stash_cmd_import(int argc, const char **argv, struct command_ctx *ctx);

/* ---- report.c ---- */
/* The entry that at most one argument names. 0, or the exit code: the reason has been printed. */
int stash_find_argument(struct repository *r, int argc, const char **argv, struct stash *out);
/* The same for one that is in the list. */
int stash_find_listed(struct repository *r, int argc, const char **argv, struct stash *out);
/* Print why a stash could not be made or applied. Returns the exit code. */
int stash_report_failure(struct repository *r, int rc, struct err *err);
void stash_tell_dropped(const struct stash *s);
/* Caller frees. NULL: there are none. */
char *stash_join_words(int argc, const char **argv);

#endif
