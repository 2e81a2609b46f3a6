/* SPDX-License-Identifier: GPL-2.0-only */
/* "move" and "remove" of git-worktree(1) */
#include "compat/posix.h"
#include "builtin/linked/linked.h"
#include "fs/file.h"
#include "index/index.h"
#include "maintain/worktree-prune.h"
#include "operation/operation.h"
#include "porcelain/status-format.h"
#include "worktree/linked/linked.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/status.h"

/* ---- may it go? ---- */

static const struct worktree *find_linked(const struct worktree *list, const struct command_ctx *ctx, const char *arg)
{
	const struct worktree *w = worktree_find_or_die(list, ctx, arg);

	if (!w->id)
		die("'%s' is a main working tree", arg);
	return w;
}

static void refuse_locked(const struct worktree *w, int force, const char *action)
{
	char *reason = force < 2 ? worktree_lock_reason(w) : NULL;

	if (reason && *reason)
		die("cannot %s a locked working tree, lock reason: %s\n"
		    "use '%s -f -f' to override or unlock first", action, reason, action);
	if (reason)
		die("cannot %s a locked working tree;\n"
		    "use '%s -f -f' to override or unlock first", action, action);
}

/* Does the directory belong to this entry? */
static void check_link(const struct worktree *w, const char *action)
{
	char *dot_git = path_join(w->path, ".git"), *there, *gitdir = path_real(w->gitdir, 0);

	if (!file_exists(dot_git))
		die("validation failed, cannot %s working tree: '%s' does not exist", action, dot_git);
	there = read_gitfile(dot_git, NULL);
	if (!there)
		die("validation failed, cannot %s working tree: '%s' is not a .git file", action, dot_git);
	if (!gitdir || strcmp(there, gitdir))
		die("validation failed, cannot %s working tree: '%s' does not point back to '%s'", action, w->path,
		    gitdir ? gitdir : w->gitdir);
	free(gitdir);
	free(there);
	free(dot_git);
}

static bool has_submodules(struct repository *wt)
{
	char *modules = path_join(wt->gitdir, "modules");
	bool found = is_directory(modules) && !is_empty_dir(modules);
	struct err err = ERR_INIT;
	struct index_state ix;

	free(modules);
	if (found)
		return true;
	if (index_read_repo(&ix, wt, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < ix.nr && !found; i++)
		found = MODE_IS_GITLINK(ix.entries[i]->mode);
	index_release(&ix);
	return found;
}

static struct repository *open_worktree(const struct worktree *w)
{
	struct repository *wt = NULL;
	struct err err = ERR_INIT;

	if (repo_open_at(&wt, w->gitdir, w->path, &err) < 0)
		die_err(&err);
	return wt;
}

static void refuse_submodules(const struct worktree *w)
{
	struct repository *wt = open_worktree(w);

	if (has_submodules(wt))
		die("working trees containing submodules cannot be moved or removed");
	repo_free(wt);
}

static int collect_changes(struct repository *wt, struct status *st, struct err *err)
{
	const struct config_entry *e = config_get(wt->config, "status.showuntrackedfiles");
	struct status_options o = { .submodules = SUBMODULES_ALL, .submodules_given = true, .renames = 0 };
	struct converter *conv = NULL;
	struct index_state ix;
	int rc = status_untracked_mode(&o.untracked, e ? e->value : NULL, err);

	if (!rc)
		rc = index_read_repo(&ix, wt, err);
	if (rc < 0)
		return rc;
	rc = converter_new(&conv, wt, &ix, ATTR_CHECKIN, err);
	if (!rc)
		rc = status_collect(st, wt, &ix, conv, &o, err);
	converter_free(conv);
	index_release(&ix);
	return rc;
}

/* What would be lost without --force. Its files are looked at from its top. */
static void refuse_unclean(const struct worktree *w, const char *arg)
{
	struct repository *wt = open_worktree(w);
	char *cwd = path_absolute(".");
	struct err err = ERR_INIT;
	struct status st;

	if (has_submodules(wt))
		die("working trees containing submodules cannot be moved or removed");
	if (!cwd || chdir(w->path) < 0)
		die("could not chdir to '%s': %s", w->path, strerror(errno));
	status_init(&st);
	if (collect_changes(wt, &st, &err) < 0)
		die_err(&err);
	if (st.nr || st.untracked.nr)
		die("'%s' contains modified or untracked files, use --force to delete it", arg);
	status_release(&st);
	if (chdir(cwd) < 0)
		die("could not chdir to '%s': %s", cwd, strerror(errno));
	free(cwd);
	repo_free(wt);
}

/* ---- move ---- */

static int move_worktree(struct repository *r, const struct worktree *w, const struct worktree_move *m)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct err err = ERR_INIT;

	return worktree_end_operation(op, worktree_move(r, op, w, m, &err), &err);
}

int worktree_cmd_move(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_MOVE, NULL };
	int force = 0, relative = -1, rc;
	struct option options[] = {
		OPT__FORCE(&force, "force move even if worktree is dirty or locked"),
		OPT_WORKTREE_RELATIVE(&relative), OPT_END()
	};
	const struct worktree *w;
	struct worktree *list;
	struct worktree_move m;
	char *to, *given;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc != 2)
		usage_with_options(usage, options);
	list = worktrees_read_or_die(ctx->repo);
	w = find_linked(list, ctx, argv[0]);
	to = worktree_argument_path(ctx, argv[1]);
	given = xstrdup(argv[1]);
	if (is_directory(to)) {
		const char *name = path_basename(w->path);
		char *inside = path_join(to, name), *shown = path_join(given, name);

		free(to);
		free(given);
		to = inside;
		given = shown;
	}
	worktree_claim_path(ctx->repo, list, to, given, force, "move");
	refuse_submodules(w);
	refuse_locked(w, force, "move");
	check_link(w, "move");
	m = (struct worktree_move){ to, given, worktree_wants_relative(ctx->repo, relative) };
	rc = move_worktree(ctx->repo, w, &m);
	free(to);
	free(given);
	worktrees_free(list);
	return rc;
}

/* ---- remove ---- */

static int remove_worktree(struct repository *r, const struct worktree *w)
{
	struct err why = ERR_INIT, err = ERR_INIT;
	struct repo_operation *op = repo_operation_begin(r);
	int failed = 0, rc;

	if (file_exists(w->path) && remove_tree(w->path, false, &why) < 0) {
		error("failed to delete '%s': %s", w->path, err_message(&why));
		err_release(&why);
		failed = 255;
	}
	rc = worktree_end_operation(op, worktree_prune_one(op, r, w->id, &err), &err);
	return rc ? rc : failed;
}

int worktree_cmd_remove(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_REMOVE, NULL };
	int force = 0, rc;
	struct option options[] = { OPT__FORCE(&force, "force removal even if worktree is dirty or locked"), OPT_END() };
	const struct worktree *w;
	struct worktree *list;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc != 1)
		usage_with_options(usage, options);
	list = worktrees_read_or_die(ctx->repo);
	w = find_linked(list, ctx, argv[0]);
	refuse_locked(w, force, "remove");
	if (file_exists(w->path)) {
		check_link(w, "remove");
		if (!force)
			refuse_unclean(w, argv[0]);
	}
	rc = remove_worktree(ctx->repo, w);
	worktrees_free(list);
	return rc;
}
