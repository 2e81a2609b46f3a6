/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HISTORY_REACH_ROOTS_INTERNAL_H
#define HISTORY_REACH_ROOTS_INTERNAL_H

#include "compat/posix.h"
#include "history/reach/roots.h"

struct roots_walk {
	struct repository *repo;
	const struct roots_options *o;
	root_fn fn;
	void *data;
	struct err *err;
};

static inline bool roots_want(const struct roots_walk *w, unsigned kinds)
{
	return (w->o->kinds & kinds) != 0;
}

/* The index at `path`, which need not exist; `gitdir` is its worktree's. */
MUST_USE int roots_visit_index(struct roots_walk *w, const char *worktree, const char *gitdir, const char *path);
/* Names of objects in files of a worktree's directory. */
MUST_USE int roots_visit_state(struct roots_walk *w, const char *worktree, const char *gitdir);

#endif
