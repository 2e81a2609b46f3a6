/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of git-worktree(1) share. */
#include "compat/posix.h"
#include "builtin/linked/linked.h"
#include "fs/file.h"
#include "maintain/worktree-prune.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"

struct worktree *worktrees_read_or_die(struct repository *r)
{
	struct worktree *list = NULL;
	struct err err = ERR_INIT;

	if (worktrees_read(&list, r, &err) < 0)
		die_err(&err);
	return list;
}

const struct worktree *worktree_find_or_die(const struct worktree *list, const struct command_ctx *ctx, const char *arg)
{
	const struct worktree *w = worktrees_find(list, ctx->prefix, arg);

	if (!w)
		die("'%s' is not a working tree", arg);
	return w;
}

char *worktree_argument_path(const struct command_ctx *ctx, const char *arg)
{
	char *joined = is_absolute_path(arg) || !ctx->prefix ? xstrdup(arg) : xconcat(ctx->prefix, arg);
	char *path = path_absolute(joined);
	size_t len = path ? strlen(path) : 0;

	if (!path)
		die("cannot use '%s': %s", arg, strerror(errno));
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	free(joined);
	return path;
}

bool worktree_wants_relative(struct repository *r, int option)
{
	struct err err = ERR_INIT;
	bool relative = false;

	if (option >= 0)
		return option;
	if (config_get_bool(r->config, "worktree.userelativepaths", &relative, &err) < 0)
		die_err(&err);
	return relative;
}

int worktree_end_operation(struct repo_operation *op, int rc, struct err *err)
{
	return repo_operation_end(op, rc, err) < 0 ? report_fatal(err) : 0;
}

static void give_up_entry(struct repository *r, const struct worktree *w)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct err err = ERR_INIT;

	if (repo_operation_end(op, worktree_prune_one(op, r, w->id, &err), &err) < 0)
		die_err(&err);
}

void worktree_claim_path(struct repository *r, const struct worktree *list, const char *path, const char *given, int force,
			 const char *action)
{
	const struct worktree *w;
	char *reason;
	bool locked;

	if (file_exists(path) && !is_empty_dir(path))
		die("'%s' already exists", given);
	w = worktrees_find_path(list, path);
	if (!w)
		return;
	reason = worktree_lock_reason(w);
	locked = reason != NULL;
	free(reason);
	if (locked && force < 2)
		die("'%s' is a missing but locked worktree;\n"
		    "use '%s -f -f' to override, or 'unlock' and 'prune' or 'remove' to clear", given, action);
	if (!force)
		die("'%s' is a missing but already registered worktree;\n"
		    "use '%s -f' to override, or 'prune' or 'remove' to clear", given, action);
	give_up_entry(r, w);
}
