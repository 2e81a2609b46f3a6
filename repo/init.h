/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a repository, or completing one that exists. git-init(1). */
#ifndef REPO_INIT_H
#define REPO_INIT_H

#include "compat/posix.h"
#include "config/config.h"
#include "fsync/batch.h"
#include "repo/settings.h"
#include "util/err.h"

struct repo_init_file {
	const char *name; /* relative to the gitdir */
	const char *text;
};
struct repo_init_options {
	const char *gitdir;	   /* where its files are, or the .git that will be; absolute */
	const char *worktree;	   /* absolute; NULL: bare */
	const char *separate_git_dir; /* absolute; gitdir becomes a file that names it */
	const char *objdir;	   /* GIT_OBJECT_DIRECTORY; NULL: in the gitdir */
	const char *template_dir;  /* NULL: configured or built-in default; "": none */
	const char *initial_branch; /* NULL: init_default_branch */
	const char *hash_name;	   /* NULL: GIT_DEFAULT_HASH or sha1 */
	const char *ref_format;	   /* NULL: GIT_DEFAULT_REF_FORMAT, init.defaultRefFormat, or files */
	const char *shared;	   /* value of --shared, NULL: not given */
	/*
	 * The caller made the directories below made_from down to made_dir: they become
	 * durable with the rest. Absolute; NULL: none.
	 */
	const char *made_from, *made_dir;
	/* Added to a new config, after what every repository has; keys have been checked. */
	const struct config_edit *config;
	size_t nr_config;
	/* More files below the gitdir: made unless they are there (templates). Those without text are left out. */
	const struct repo_init_file *files;
	size_t nr_files;
	/* Nothing is sealed: the caller does that with what it adds, see the result. */
	bool unsealed;
	bool explicit_worktree;	   /* GIT_WORK_TREE was given: core.worktree is written */
	repo_warn_fn warn;
	void *warn_data;
};
struct repo_init_result {
	char *gitdir;		/* the real one, absolute */
	bool reinit;		/* it existed before */
	bool shared;
	char *branch;		/* that HEAD names now, NULL if it was there before */
	bool branch_is_fallback; /* it was not configured: a hint may help */
	struct fsync_batch *batch; /* of `unsealed`: all is published; for repo_operation_begin_with */
};
void repo_init_result_release(struct repo_init_result *r);
/*
 * Make a repository, or complete one that exists; nothing that exists is changed.
 * Durability: files, directories and names are in one fsync_batch of its own: HEAD is
 *             named last, and without it there is no repository.
 * Errors:     new files and directories are removed again.
 */
MUST_USE int repo_init(const struct repo_init_options *o, struct repo_init_result *out,
		       struct err *err);

/*
 * The first branch of new repositories: GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME,
 * init.defaultBranch, else "master"; *is_fallback (may be NULL) is set
 * in the last case.
 * Caller frees *out.
 */
MUST_USE int init_default_branch(const struct config_set *c, char **out, bool *is_fallback,
				 struct err *err);

#endif
