/* SPDX-License-Identifier: GPL-2.0-only */
/* One repo_init while it runs: what its two files share. */
#ifndef REPO_INIT_INTERNAL_H
#define REPO_INIT_INTERNAL_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "repo/init.h"
#include "repo/setup-internal.h"
#include "util/strvec.h"

struct init_job {
	char *gitdir;	   /* where the files go */
	struct fsync_batch *batch;
	struct config_set *config; /* outside, and of a repository that is there */
	struct repo_format format;
	int shared_perm;
	bool reinit, reflogs_configured, template_has_head;
	struct strbuf template_config; /* "config" of the template: a new config begins with it */
	struct strvec made;  /* directories, in order of creation */
	struct strvec files; /* new files */
};
/* The directory and its missing parents; removed again by repo_init if that fails. */
MUST_USE int init_mkdir(struct init_job *j, const char *path, struct err *err);
#define INIT_EXECUTABLE 1u
#define INIT_REPLACE 2u /* else a file that is there stays */
/* Stage a new file. */
MUST_USE int init_write(struct init_job *j, const char *path, const char *content, size_t len,
			unsigned flags, enum publish_class order, struct err *err);
/*
 * What the template has and the repository does not: --template, GIT_TEMPLATE_DIR,
 * init.templateDir, or a small built-in one.
 */
MUST_USE int init_copy_templates(struct init_job *j, const struct repo_init_options *o,
				 struct err *err);

#endif
