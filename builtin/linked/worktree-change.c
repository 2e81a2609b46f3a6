/* SPDX-License-Identifier: GPL-2.0-only */
/* "lock", "unlock", "prune" and "repair" of git-worktree(1) */
#include "compat/posix.h"
#include "builtin/linked/linked.h"
#include "maintain/worktree-prune.h"
#include "operation/operation.h"
#include "worktree/linked/linked.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- lock and unlock ---- */

/* The linked worktree that the only argument names, which argv[0] is afterwards; *list is to be freed. */
static const struct worktree *parse_lockable(int argc, const char **argv, const struct option *options, const char *const *usage,
					     struct command_ctx *ctx, struct worktree **list)
{
	const struct worktree *w;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc != 1)
		usage_with_options(usage, options);
	*list = worktrees_read_or_die(ctx->repo);
	w = worktree_find_or_die(*list, ctx, argv[0]);
	if (!w->id)
		die("The main working tree cannot be locked or unlocked");
	return w;
}

static int lock_worktree(struct repository *r, const struct worktree *w, const char *reason)
{
	struct repo_operation *op = repo_operation_begin(r);
	char *path = path_join(w->gitdir, "locked");
	char *text = xstrfmt("%s%s", reason, *reason && !ends_with(reason, "\n") ? "\n" : "");
	struct err err = ERR_INIT;
	int rc = worktree_stage_text(repo_operation_batch(op), path, text, &err);

	free(text);
	free(path);
	return worktree_end_operation(op, rc, &err);
}

int worktree_cmd_lock(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_LOCK, NULL };
	const char *reason = "";
	struct option options[] = { OPT_STRING(0, "reason", &reason, "string", "reason for locking"), OPT_END() };
	const struct worktree *w;
	struct worktree *list;
	char *old;
	int rc;

	w = parse_lockable(argc, argv, options, usage, ctx, &list);
	old = worktree_lock_reason(w);
	if (old && *old)
		die("'%s' is already locked, reason: %s", argv[0], old);
	if (old)
		die("'%s' is already locked", argv[0]);
	rc = lock_worktree(ctx->repo, w, reason ? reason : "");
	worktrees_free(list);
	return rc;
}

int worktree_cmd_unlock(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_UNLOCK, NULL };
	struct option options[] = { OPT_END() };
	struct err err = ERR_INIT;
	struct repo_operation *op;
	const struct worktree *w;
	struct worktree *list;
	char *path, *old;
	int rc;

	w = parse_lockable(argc, argv, options, usage, ctx, &list);
	old = worktree_lock_reason(w);
	if (!old)
		die("'%s' is not locked", argv[0]);
	free(old);
	op = repo_operation_begin(ctx->repo);
	path = path_join(w->gitdir, "locked");
	rc = repo_operation_remove_file(op, path, &err);
	rc = worktree_end_operation(op, rc, &err);
	free(path);
	worktrees_free(list);
	return rc;
}

/* ---- prune ---- */

static int parse_prune_expiry(const struct option *opt, const char *arg, int unset)
{
	timestamp_t *expire = opt->value;

	*expire = 0;
	if (!unset && date_parse_expiry(arg, expire) < 0)
		die("malformed expiration date '%s'", arg);
	return 0;
}

static void tell_prunable(struct repository *r, timestamp_t expire_before)
{
	struct string_list ids = STRING_LIST_INIT;
	struct err err = ERR_INIT;

	if (worktrees_find_prunable(&ids, r, expire_before, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < ids.nr; i++)
		fprintf(stderr, "Removing worktrees/%s: %s\n", ids.items[i].string, (const char *)ids.items[i].util);
	string_list_clear(&ids, NULL);
}

int worktree_cmd_prune(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_PRUNE, NULL };
	timestamp_t expire_before = TIME_MAX;
	int dry_run = 0, verbose = 0;
	struct option options[] = {
		OPT__DRY_RUN(&dry_run, "do not remove, show only"),
		OPT_COUNTUP('v', "verbose", &verbose, "report pruned working trees"),
		OPT_CALLBACK(0, "expire", &expire_before, "expiry-date", "prune missing working trees older than <time>",
			     parse_prune_expiry),
		OPT_END()
	};
	struct err err = ERR_INIT;
	struct repo_operation *op;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	if (dry_run || verbose)
		tell_prunable(ctx->repo, expire_before);
	if (dry_run)
		return 0;
	op = repo_operation_begin(ctx->repo);
	return worktree_end_operation(op, worktree_prune_run(op, ctx->repo, expire_before, &err), &err);
}

/* ---- repair ---- */

static void tell_repair(void *data, bool mended, const char *text)
{
	bool *failed = data;

	if (mended) {
		fprintf(stderr, "repair: %s\n", text);
	} else {
		*failed = true;
		error("%s", text);
	}
}

int worktree_cmd_repair(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_REPAIR, NULL };
	int relative = -1, rc;
	bool failed = false;
	struct option options[] = { OPT_WORKTREE_RELATIVE(&relative), OPT_END() };
	struct string_list paths = STRING_LIST_INIT;
	struct worktree_repair x = { .r = ctx->repo, .tell = tell_repair, .data = &failed };
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, options, usage, 0);
	for (int i = 0; i < argc; i++) {
		char *path = is_absolute_path(argv[i]) || !ctx->prefix ? xstrdup(argv[i]) : xconcat(ctx->prefix, argv[i]);

		string_list_append(&paths, path);
		free(path);
	}
	if (!argc)
		string_list_append(&paths, ".");
	x.relative = worktree_wants_relative(ctx->repo, relative);
	x.op = repo_operation_begin(ctx->repo);
	rc = worktree_end_operation(x.op, worktrees_repair(&x, &paths, &err), &err);
	string_list_clear(&paths, NULL);
	return rc ? rc : failed;
}
