/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receive.denyCurrentBranch=updateInstead: git-config(1), githooks(5), push-to-checkout. The work is done by commands in
 * the work tree, which may have attributes, filters and an index of their own.
 */
#include "compat/posix.h"
#include "receive/receive.h"
#include "repo/hook.h"
#include "repo/worktrees.h"
#include "util/alloc.h"

struct checkout {
	struct receive_server *s;
	const struct worktree *w;
	const char *hex;
	char *tree; /* directory of the files */
	struct strvec env;
};

/* The main worktree can be set by core.worktree. */
static char *tree_path(const struct receive_server *s, const struct worktree *w)
{
	const struct config_entry *e = w->id ? NULL : config_get(s->repo->config, "core.worktree");

	if (!e || !e->value)
		return xstrdup(w->path);
	return *e->value == '/' ? xstrdup(e->value) : xstrfmt("%s/%s", w->gitdir, e->value);
}

static void prepare(struct checkout *co)
{
	for (const char *const *v = repo_local_env; *v; v++)
		strvec_push(&co->env, *v);
	strvec_pushf(&co->env, "GIT_DIR=%s", co->w->gitdir);
	strvec_pushf(&co->env, "GIT_WORK_TREE=%s", co->tree);
}

/* Returns the exit code, or < 0. Its output goes to the client. */
static int run_in_worktree(struct checkout *co, const struct strvec *args, const char *dir, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	strvec_pushv(&cp.args, args->v);
	strvec_pushv(&cp.env, co->env.v);
	cp.dir = dir;
	return receive_run(co->s, &cp, NULL, 0, err);
}

static int run_git(struct checkout *co, const char *const *words, struct err *err)
{
	struct strvec args = STRVEC_INIT;
	int code;

	strvec_push(&args, "git");
	strvec_pushv(&args, words);
	code = run_in_worktree(co, &args, co->tree, err);
	strvec_clear(&args);
	return code;
}

/* Returns NULL when it is done, else the reason for the failure. */
static const char *deploy(struct checkout *co)
{
	const struct hash_algo *algo = co->s->repo->algo;
	char empty[HASH_MAX_HEX + 1];
	const char *head = oid_is_null(&co->w->head_oid) ? empty : "HEAD";
	const char *refresh[] = { "update-index", "-q", "--ignore-submodules", "--refresh", NULL };
	const char *unstaged[] = { "diff-files", "--quiet", "--ignore-submodules", "--", NULL };
	const char *staged[] = { "diff-index", "--quiet", "--cached", "--ignore-submodules", head, "--", NULL };
	const char *update[] = { "read-tree", "-u", "-m", co->hex, NULL };

	oid_to_hex_r(empty, &algo->empty_tree);
	if (run_git(co, refresh, NULL))
		return "Up-to-date check failed";
	if (run_git(co, unstaged, NULL))
		return "Working directory has unstaged changes";
	if (run_git(co, staged, NULL))
		return "Working directory has staged changes";
	return run_git(co, update, NULL) ? "Could not update working tree to new HEAD" : NULL;
}

static const char *run_hook(struct checkout *co, char *path)
{
	struct strvec args = STRVEC_INIT;
	int code;

	strvec_push(&args, path);
	strvec_push(&args, co->hex);
	strvec_pushv(&co->env, co->s->hook_env.v);
	code = run_in_worktree(co, &args, NULL, NULL); /* hooks of a push run in the repository itself */
	strvec_clear(&args);
	return code ? "push-to-checkout hook declined" : NULL;
}

int receive_update_worktree(struct receive_server *s, struct push_command *c, const struct worktree *w,
			    struct err *err UNUSED)
{
	struct checkout co = { .s = s, .w = w, .env = STRVEC_INIT };
	char *hook = repo_find_hook(s->repo, "push-to-checkout"), hex[HASH_MAX_HEX + 1];
	const char *why;

	oid_to_hex_r(hex, &c->new_oid);
	co.hex = hex;
	co.tree = tree_path(s, w);
	prepare(&co);
	why = hook ? run_hook(&co, hook) : deploy(&co);
	if (why)
		push_command_refuse(c, "%s", why);
	strvec_clear(&co.env);
	free(co.tree);
	free(hook);
	return 0;
}
