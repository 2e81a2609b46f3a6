/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding a repository: from the environment or upward from the current directory, by
 * ".git" files and linked worktrees; whether its owner is trusted (safe.directory) and its
 * format known. gitrepository-layout(5), git(1).
 */
#ifndef REPO_SETUP_INTERNAL_H
#define REPO_SETUP_INTERNAL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "refs/refs.h"
#include "repo/repo.h"
#include "util/err.h"

/* core.repositoryformatversion, extensions.*, core.bare and core.worktree. */
struct repo_format {
	int version;
	enum hash_id hash;
	bool worktree_config; /* extensions.worktreeConfig */
	int bare;	      /* -1: not set */
	char *worktree;	      /* core.worktree as written; NULL: not set */
	const struct ref_backend *refs; /* extensions.refStorage; NULL: the default */
	char *refs_dir; /* of extensions.refStorage=FORMAT://DIR, as it is written; NULL: refs are in the repository */
};
#define REPO_FORMAT_INIT { .hash = HASH_SHA1, .bare = -1 }
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
/*
 * is_git_directory with the object directory and common directory of the environment: 1, 0.
 * < 0: it looks like one, but its file "commondir" cannot be read, so that the answer is unknown.
 */
MUST_USE int gitdir_check(const char *path, const char *objdir, bool use_env, struct err *err);
/*
 * The common directory of a gitdir: from GIT_COMMON_DIR (if use_env), its file "commondir", or
 * the gitdir itself. ERR_NOT_FOUND: that file names none. Caller frees.
 */
MUST_USE int setup_commondir(char **out, const char *gitdir, bool use_env, struct err *err);

/* Check by safe.directory whether these directories may be trusted. NULLs are skipped. */
MUST_USE int setup_check_ownership(const char *gitfile, const char *worktree,
				   const char *gitdir, struct err *err);
/* safe.bareRepository: may a bare repository be found by discovery? */
MUST_USE int setup_check_bare(const char *gitdir, struct err *err);

#endif
