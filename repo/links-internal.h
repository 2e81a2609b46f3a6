/* SPDX-License-Identifier: GPL-2.0-only */
/* How the linked worktrees of a repository and the repository itself name each other. */
#ifndef REPO_LINKS_INTERNAL_H
#define REPO_LINKS_INTERNAL_H

#include "compat/posix.h"
#include "util/err.h"

struct repo_link {
	char *id;	    /* the directory below worktrees/ */
	char *dot_git;	    /* the worktree's ".git" file, absolute */
	bool relative;	    /* what that file says is a relative path */
	bool relative_back; /* what the file worktrees/ID/gitdir says is one */
};
struct repo_links {
	struct repo_link *v;
	size_t nr, alloc;
};
/* Those worktrees whose ".git" file is there. */
MUST_USE int repo_links_read(struct repo_links *out, const char *commondir, struct err *err);
void repo_links_release(struct repo_links *l);

#endif
