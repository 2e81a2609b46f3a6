/* SPDX-License-Identifier: GPL-2.0-only */
/* The work trees of a repository: gitrepository-layout(5), worktrees/. */
#ifndef REPO_WORKTREES_H
#define REPO_WORKTREES_H

#include "compat/posix.h"
#include "repo/repo.h"

struct worktree {
	char *path;   /* absolute, of the work tree; of a bare repository, the repository's */
	char *id;     /* below worktrees/; NULL: the main one */
	char *gitdir; /* absolute: where its HEAD and its index are */
	char *head;   /* the branch that HEAD names, "refs/heads/main"; NULL: detached */
	struct object_id head_oid; /* null: unborn, or broken */
	bool is_bare, is_current;
	struct worktree *next;
};

/* The main one first, the others by id. Free with worktrees_free. */
MUST_USE int worktrees_read(struct worktree **out, struct repository *r, struct err *err);
void worktrees_free(struct worktree *list);
/*
 * The reason in the file "locked", "" if it has none; NULL: the worktree is not locked, as the main one never is. Caller
 * frees.
 */
char *worktree_lock_reason(const struct worktree *w);
/*
 * The worktree that a user's argument names: by the last components of its path, if no other worktree has the same ones, or by
 * a path, which begins at `prefix`. NULL: none.
 */
const struct worktree *worktrees_find(const struct worktree *list, const char *prefix, const char *arg);
/* The linked worktree that is registered for this absolute path, whether it is there or not; or NULL. */
const struct worktree *worktrees_find_path(const struct worktree *list, const char *path);
/*
 * The worktree that uses this branch: it is checked out there, or a rebase or bisection of it
 * is in progress (repo/state.h). NULL: none.
 */
const struct worktree *worktrees_find_branch(const struct worktree *list, const char *refname);

#endif
