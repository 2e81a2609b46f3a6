/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files by which a repository and its linked worktrees name each other: gitrepository-layout(5), worktrees/ID/gitdir, and
 * the ".git" file of the worktree. worktree.useRelativePaths of git-config(1).
 */
#ifndef WORKTREE_LINKED_LINKED_H
#define WORKTREE_LINKED_LINKED_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "fsync/batch.h"
#include "repo/repo.h"
#include "util/string-list.h"

/* ---- a new one (entry.c) ---- */
/*
 * A worktree that is being made. It is locked meanwhile, with the reason "initializing". What there is of it is removed again if
 * linked_entry_end gets a failure, and on a signal.
 *
 *   rc = linked_entry_make(&e, r, &place, err)    the working directory is its top then
 *   changes of e.wt by e.op: HEAD, index, files
 *   rc = linked_entry_end(&e, rc, err)            commits: one seal for all; e.wt is the caller's then
 */
struct linked_place {
	const char *path;	 /* absolute; nothing is there, or an empty directory */
	const char *lock_reason; /* NULL: it is not locked at the end */
	bool relative;		 /* the links are relative paths */
};
struct linked_entry {
	struct repository *r;
	struct repository *wt;	   /* it, as a repository */
	struct repo_operation *op; /* of wt */
	/* private */
	const struct linked_place *place;
	struct fsync_batch *batch; /* until the operation has it */
	char *gitdir, *path;	   /* without symbolic links */
	struct tempfile *gitdir_watch, *path_watch;
};
struct repo_operation;
MUST_USE int linked_entry_make(struct linked_entry *e, struct repository *r, const struct linked_place *place, struct err *err);
MUST_USE int linked_entry_end(struct linked_entry *e, int rc, struct err *err);

/* ---- links (links.c) ---- */
/* The file gets that text when the batch is published. */
MUST_USE int worktree_stage_text(struct fsync_batch *b, const char *path, const char *text, struct err *err);

struct worktree_links {
	const char *gitdir; /* worktrees/ID */
	const char *path;   /* of the worktree. Both absolute, without symbolic links */
	bool relative;
};
/* Both files. Relative ones need the format below; it is staged before them. */
MUST_USE int worktree_stage_links(struct fsync_batch *b, const struct worktree_links *l, struct err *err);
/* extensions.relativeWorktrees, unless the repository has it. */
MUST_USE int worktree_stage_relative_format(struct repository *r, struct fsync_batch *b, struct err *err);

struct worktree;

/* ---- move.c ---- */
/*
 * "move" of git-worktree(1): the directory gets another name at once, the links are members of `op`. After a crash in between,
 * `git worktree repair` in the moved directory mends them.
 */
struct worktree_move {
	const char *to;	   /* absolute, not there */
	const char *given; /* as the user has it, for messages */
	bool relative;
};
MUST_USE int worktree_move(struct repository *r, struct repo_operation *op, const struct worktree *w, const struct worktree_move *m,
			   struct err *err);

/* ---- repair.c ---- */
/*
 * "repair" of git-worktree(1): first the ".git" files of all linked worktrees that are there, then what the repository knows
 * of those at `paths`. `tell` gets "NAME OF THE FAULT: FILE", for faults that are mended (true) or cannot be mended.
 * Durability: the files are members of `op`, which the caller commits.
 */
struct worktree_repair {
	struct repository *r;
	struct repo_operation *op;
	bool relative;
	bool relinked; /* set: a link has been mended */
	void (*tell)(void *data, bool mended, const char *text);
	void *data;
};
MUST_USE int worktrees_repair(struct worktree_repair *x, const struct string_list *paths, struct err *err);

#endif
