/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new linked worktree; git-worktree(1), "add". Its links, a new branch, HEAD, the index and the files are one operation.
 *
 * Errors:     < 0: nothing is left of it, but for a directory that was there before.
 * Durability: on 0 the worktree survives a power cut (P1). While it is being made, it is locked: the reason is
 *             "initializing". After a crash `git worktree remove -f -f`, or prune where no list shows it, takes it away.
 * Cost:       one flush call.
 */
#ifndef PORCELAIN_LINKED_ADD_H
#define PORCELAIN_LINKED_ADD_H

#include "compat/posix.h"
#include "porcelain/branch.h"
#include "repo/repo.h"
#include "util/progress.h"

struct linked_add_options {
	const char *path;	 /* absolute */
	const char *branch;	 /* refs/heads/NAME, of HEAD; NULL: detached */
	const char *start;	 /* how the user named the commit */
	struct object_id commit; /* null: the branch is unborn */
	bool new_branch;	 /* made from the commit, or reset to it */
	enum branch_track track;
	const char *lock_reason; /* NULL: the new worktree is not locked */
	bool no_checkout, relative;
	progress_start_fn start_meter; /* of files; or NULL */
};
/* *out is the new worktree as a repository; the working directory is its top. *text: what tracking tells, or advice beside an error. */
MUST_USE int linked_add(struct repository *r, const struct linked_add_options *o, struct repository **out,
			  struct strbuf *text, struct err *err);

#endif
