/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a merge goes into the index and the working tree: what merge, pull, cherry-pick, revert and rebase
 * share once the trees have been merged in memory.
 *
 *   struct result_update u = { .from = &head_tree, .to = &result.tree, .stages = &result.stages };
 *
 *   rc = result_update_begin(&u, op, err)    takes the lock of the index and reads it
 *   rc = result_update_plan(&u, err)         nothing is changed yet
 *   rc = result_update_run(&u, err)          files, then u.ix
 *   … refs and state files of the operation …
 *   rc = repo_operation_end(op, rc, err)
 *   result_update_release(&u)                after the operation
 *
 * A file, or an entry of the index, that differs from `from` is a local change. It stays where both trees have the
 * same version, and is in the way where they do not.
 *
 * Interruption: before the first file changes, the state file WORKTREE_UPDATE names both trees. It goes with the
 * index. If it is there without a running command, the files that differ between the trees are the old ones, the new
 * ones, or incomplete; none of them had a local change. result_update_undo brings files and index back to HEAD, or on to
 * `to` with goes_on.
 *
 * Durability: WORKTREE_UPDATE and the objects are published unsealed before the first file changes; an ordered journal keeps
 *             that order, and without one, or where the working tree is on another file system, they are sealed. Contents of
 *             files are awaited before HEAD and the index change (worktree/write-files.h).
 * Cost:       no flush of its own where a journal keeps the order; else that of the early seal.
 * Tests:      t/t7600-merge.sh, t/t0119-merge-faults.sh
 */
#ifndef WORKTREE_MERGE_RESULT_H
#define WORKTREE_MERGE_RESULT_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "worktree/unpack-trees.h"

struct result_update {
	const struct object_id *from, *to; /* trees */
	const struct index_state *stages;  /* conflicts: entries of stages 1 to 3, sorted; NULL: none */
	progress_start_fn start_meter;	   /* of the files that are written; or NULL */
	bool keep_ignored;		   /* files that are ignored must not be overwritten either */
	const char *origin_name;	   /* for filters: the name of the commit whose tree `to` is; may be NULL */
	const struct object_id *origin;
	bool of_checkout; /* refusals are in the words of git-checkout(1) */
	bool head_stays; /* HEAD does not change: it does not tell how far an interrupted command came */
	bool goes_on;	 /* an interrupted command is brought to its end: a stash has what it takes away */

	struct index_state *before; /* takes the index as it was, and its cached trees, for the caller; NULL: it is released */

	struct index_state ix; /* the index: as it was, then as it is to be; without cached trees if `before` has them */

	/* internal */
	struct repo_operation *op;
	struct repository *r;
	struct converter *conv;
	struct unpack_trees plan;
};

/* Errors: those of repo_operation_lock_index and index_read_repo. */
MUST_USE int result_update_begin(struct result_update *u, struct repo_operation *op, struct err *err);
/* ERR_CONFLICT: local changes are in the way. The message is that of git-merge(1), without "error: ". */
MUST_USE int result_update_plan(struct result_update *u, struct err *err);
/*
 * Publishes the objects of the operation, changes the files, and makes u->ix the index of the operation. After a failure
 * WORKTREE_UPDATE stays.
 */
MUST_USE int result_update_run(struct result_update *u, struct err *err);
void result_update_release(struct result_update *u);

/*
 * The marker alone, for other commands that change files from one tree to another, without local changes among them: names
 * WORKTREE_UPDATE and all that the operation holds. The operation removes it (STATE_ENDS_BY_SWITCH, STATE_ENDS_BY_COMMIT).
 */
MUST_USE int result_update_mark(struct repo_operation *op, const struct object_id *from, const struct object_id *to,
				struct err *err);

/* Was a command interrupted while it changed files? */
bool result_update_is_unfinished(const struct repository *r);
/* ERR_CONFLICT if so: for commands that would build on these files, or forget that they are incomplete. */
MUST_USE int result_update_refuse_unfinished(const struct repository *r, struct err *err);
/*
 * Undo such a command, as an operation of its own: the files that it meant to change, and their entries in the index,
 * become those of the old tree. If HEAD has moved to the new tree already, they follow it instead, but for files that were
 * edited since: a file system without ordered names may have lost the new files. Does nothing if no command was interrupted.
 *
 * Errors: ERR_CONFLICT (a file is as neither tree has it: a user has edited it since; nothing is changed), ERR_CORRUPT, those
 *         of the lock and of files. WORKTREE_UPDATE stays: it may be called again.
 */
MUST_USE int result_update_undo(struct repository *r, struct err *err);

#endif
