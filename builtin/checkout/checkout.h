/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-checkout(1), git-switch(1), git-restore(1): checkout.c has the options, checkout-args.c finds
 * out what the arguments name, checkout-move.c goes to a branch or commit, checkout-carry.c takes
 * local changes along (--merge), checkout-tell.c reports the result, checkout-paths.c restores files. A request that cannot be carried out ends in
 * die() before anything is locked.
 */
#ifndef BUILTIN_CHECKOUT_CHECKOUT_H
#define BUILTIN_CHECKOUT_CHECKOUT_H

#include "builtin/builtin.h"
#include "cli/context-option.h"
#include "cli/path-args.h"
#include "operation/operation.h"
#include "porcelain/autostash.h"
#include "porcelain/branch.h"
#include "worktree/unpack-trees.h"

struct checkout {
	struct repository *r;
	const char *prefix;
	enum checkout_command { CHECKOUT, SWITCH, RESTORE } command;
	/* options; -1: not given */
	int quiet, force, discard, detach, reflog, merge, progress, guess, overwrite_ignore;
	int ignore_other, overlay, staged, worktree, ours /* 1, theirs 2 */, ignore_unmerged, ignore_skip;
	int patch, auto_advance, recurse;
	struct context_option context;
	enum branch_track track;
	const char *new_branch, *reset_branch, *orphan, *conflict, *source;
	struct pathspec_args pathspec_args;
	/* what to check out */
	const char *arg;   /* as given, or the ref that it was completed to; NULL: nothing */
	char *guessed;	   /* the remote's branch from which one is made */
	char *name;	   /* of the branch, or the revision with "@{-1}" replaced; NULL: HEAD */
	char *branch;	   /* the full ref, if HEAD is to name one */
	bool has_commit, has_tree;
	bool only_new_branch; /* "checkout -b name", without anything else */
	bool count;	   /* say how many paths were updated: without "--" */
	struct object_id commit, tree;
	/* the state before */
	char *old_branch; /* NULL: detached */
	bool unborn, broken; /* broken: HEAD, or its branch, cannot be read; unborn as well */
	struct object_id old_commit;
	/* at work */
	struct repo_operation *op;
	struct index_state ix;
	struct converter *conv;
	/* --merge: local changes were in the way, and were merged */
	enum autostash_outcome ended_autostash; /* of a merge that the switch has ended */
	bool carried, carried_conflict;
	struct object_id autostash; /* they, as they were: once it is not null, a ref names it */
};

/* checkout-args.c: finds arg, name, branch, commit, tree. Returns the rest: paths. */
const char **checkout_find_start(struct checkout *co, const char **argv);
/* checkout-move.c: to another branch or commit; the exit code. */
int checkout_move(struct checkout *co);
/* checkout-paths.c: files from the index or a tree; the exit code. */
int checkout_paths(struct checkout *co, const char **argv);
/* The same for hunks that the user chooses; paths may be missing. */
int checkout_hunks(struct checkout *co, const char **argv);

/* checkout-carry.c */
/*
 * Merge local changes into the new commit: files are changed, co->ix is the new index.
 * Durability: before the first file is touched, the user's work as it is now is an object that
 *             CHECKOUT_AUTOSTASH_HEAD names, sealed (P1; test: t0110, "killed").
 * Errors:     ERR_CONFLICT: untracked files are in the way; nothing has been changed then, nor
 *             with any other error while co->autostash is null.
 */
MUST_USE int checkout_carry(struct checkout *co, struct err *err);
/* The refs that come with it: the autostash goes, or is an entry of the stash list. */
MUST_USE int checkout_carry_refs(struct checkout *co, struct ref_transaction *t, struct err *err);
void checkout_carry_tell(const struct checkout *co);
/* After a failure: where local changes are, those of an earlier one included. */
void checkout_carry_advise(const struct checkout *co);

/* checkout-tell.c */
void checkout_tell(struct checkout *co, bool existed);
MUST_USE int checkout_show_changes(struct checkout *co, struct err *err);
bool checkout_head_stays(const struct checkout *co);

/* checkout-shared.c */
/* Locked, for the operation; and the converter for comparing files with it. */
MUST_USE int checkout_read_index(struct checkout *co, struct err *err);
/* Files, and co->ix: what m has found. */
MUST_USE int checkout_write_files(struct checkout *co, struct unpack_trees *m, struct err *err);
/* Filters get the origin of the files, unless it is the index. */
void checkout_set_origin(const struct checkout *co, struct converter *conv);
/* post-checkout: 1 if it failed, else 0 */
int checkout_run_hook(struct checkout *co, const struct object_id *from, const struct object_id *to,
		      bool moved);
/* How meters are started: --progress, --quiet; or NULL. */
progress_start_fn checkout_meter(const struct checkout *co);

#endif
