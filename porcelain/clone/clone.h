/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new repository from another one: git-clone(1). The new repository, its configuration, objects, refs, HEAD and
 * index are one operation.
 *
 * Errors:     < 0: nothing is left of it, but for the directories of the caller (`place`). CLONE_NO_CHECKOUT: the
 *             repository is complete, its files could not be written; why is in err.
 * Durability: on 0 and CLONE_NO_CHECKOUT the repository survives a power cut (P1); files of the work tree are not
 *             flushed. Cost: one flush call.
 */
#ifndef PORCELAIN_CLONE_H
#define PORCELAIN_CLONE_H

#include "compat/posix.h"
#include "config/config.h"
#include "repo/repo.h"
#include "transport/fetch/fetch-session.h"
#include "util/progress.h"

#define CLONE_NO_CHECKOUT 1

/* How the objects of a repository of this machine come. */
enum clone_objects {
	CLONE_BY_TRANSPORT,
	CLONE_BY_LINKS,	 /* hard links; copies, where links cannot be made */
	CLONE_LINKS_ONLY,
	CLONE_BY_COPIES,
	CLONE_SHARED,	 /* its objects are used where they are */
};

/* Paths are absolute. */
struct clone_place {
	const char *gitdir, *separate_git_dir;
	const char *worktree;	     /* NULL: bare */
	bool explicit_worktree;	     /* GIT_WORK_TREE */
	const char *made_from, *made_dir; /* as in struct repo_init_options */
};

struct clone_options {
	const char *url;    /* as the remote will have it */
	/* Its gitdir on this machine, and where its objects are; NULL with CLONE_BY_TRANSPORT */
	const char *source, *source_common;
	enum clone_objects objects;
	struct clone_place place;
	const char *template_dir, *ref_format; /* as in struct repo_init_options */
	const char *origin, *branch, *revision; /* branch, revision: NULL: as HEAD is there */
	bool mirror, single_branch, no_tags, no_checkout, dissociate;
	bool sparse; /* only the files of the top directory are checked out */
	const struct strvec *references; /* object directories that are used from then on */
	/* Configuration of the user and `extra`, which goes into the new repository. */
	const struct config_set *config;
	const struct config_edit *extra;
	size_t nr_extra;
	const char *bundle_uri; /* --bundle-uri; NULL: none, and */
	bool ask_for_bundles;	/* the server is asked for a list: transfer.bundleURI */
	const char *filter; /* as it was given; NULL: the remote owes nothing */
	/* settings of the fetch; clone adds the wanted objects */
	struct fetch_wanted wanted;
	struct connect_options connect;
	struct fetch_session_options session;
	int verbosity;
	bool progress;
	progress_start_fn files_progress; /* while files are written; NULL: none */
	repo_warn_fn warn, report_error; /* not NULL */
	void (*say)(void *data, const char *text); /* whole lines for standard error; not NULL */
	void *data;
};

int clone_repository(const struct clone_options *o, struct err *err);

#endif
