/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the repository is: discovery from the current directory and the
 * environment, ".git" files, linked worktrees, whose it is (safe.directory), and
 * whether we understand its format. gitrepository-layout(5), git(1).
 */
#ifndef REPO_SETUP_H
#define REPO_SETUP_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"

/* What repositoryformatversion, extensions.*, core.bare and core.worktree say. */
struct repo_format {
	int version;
	enum hash_id hash;
	bool worktree_config; /* extensions.worktreeConfig */
	int bare;	      /* -1: not said */
	char *worktree;	      /* core.worktree as written; NULL: not said */
};
#define REPO_FORMAT_INIT { 0, HASH_SHA1, false, -1, NULL }
void repo_format_release(struct repo_format *f);

/*
 * From commondir/config (and gitdir/config.worktree where that is enabled).
 * ERR_UNSUPPORTED names version or extensions that we do not know. A missing file
 * is format 0.
 */
MUST_USE int repo_format_read(struct repo_format *out, const char *gitdir,
			      const char *commondir, struct err *err);

struct repo_place {
	char *gitdir;	 /* as git rev-parse --git-dir prints it */
	char *commondir; /* the same text as gitdir unless linked */
	char *worktree;	 /* absolute; NULL if there is none */
	char *prefix;	 /* cwd below worktree with '/', NULL at its top or outside */
	bool bare;
	bool cwd_outside; /* there is a work tree, but the cwd is not in it */
	struct repo_format format;
};
void repo_place_release(struct repo_place *p);

/*
 * Find the repository. On success the cwd is the top of the work tree if it was
 * inside of it, else as it was. Nothing changes on failure.
 * ERR_NOT_FOUND     no repository here
 * ERR_UNSUPPORTED   there is one, of a format that we do not know
 * ERR_ABORTED       there is one, but safe.directory or safe.bareRepository forbids it
 */
MUST_USE int setup_find_repository(struct repo_place *out, struct err *err);
/* Is this directory a repository's gitdir? (HEAD, objects, refs) */
bool is_git_directory(const char *path);
/* Follow a ".git" file to the gitdir's real path; NULL if it is none (err:
 * ERR_NOT_FOUND) or is broken. Caller frees. */
char *read_gitfile(const char *path, struct err *err);
/* The same with the object directory that the environment may give. */
bool gitdir_is_usable(const char *path, const char *objdir, bool use_env);
/* The common directory of a gitdir: from GIT_COMMON_DIR (if use_env), its file
 * "commondir", or the gitdir itself. Caller frees. */
MUST_USE int setup_commondir(char **out, const char *gitdir, bool use_env, struct err *err);

/* safe.directory: may what is in these directories be trusted? NULLs are skipped. */
MUST_USE int setup_check_ownership(const char *gitfile, const char *worktree,
				   const char *gitdir, struct err *err);
/* safe.bareRepository: may a bare repository be found by discovery? */
MUST_USE int setup_check_bare(const char *gitdir, struct err *err);

#endif
