/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local changes are put aside: a stash is made of them, and index and files go back to HEAD. What `stash push` and
 * --autostash share.
 *
 *   struct stash_save s = { .message = … };
 *
 *   rc = stash_save_begin(&s, op, err)     lock and read the index, find the changes
 *   … s.has_changes …
 *   rc = stash_save_create(&s, err)        s.stash; all that can be refused has been
 *   … queue a ref, or a state file, that holds it …
 *   rc = repo_operation_commit(op, err)    it is sealed
 *   rc = stash_save_clear(&s, err)         files, then the index
 *   rc = repo_operation_end(op, rc, err)
 *   stash_save_release(&s)                 after the operation
 *
 * Durability: the first commit seals the stash before any file changes. WORKTREE_UPDATE leads an interrupted command on to
 *             the end (worktree/merge-result.h, goes_on): what it takes away is in the stash.
 * Cost:       two flushes, however many files there are.
 * Tests:      t/t7630-stash.sh, t/t7632-stash-faults.sh
 */
#ifndef PORCELAIN_STASH_SAVE_H
#define PORCELAIN_STASH_SAVE_H

#include "compat/posix.h"
#include "index/pathspec.h"
#include "porcelain/stash.h"
#include "worktree/merge-result.h"

struct stash_save {
	/* Which changes; ps, without items for all, is lent. */
	struct pathspec *ps;
	bool untracked, ignored; /* ignored: both kinds */
	bool staged;		 /* those of the index alone */
	bool keep_index;	 /* staged changes stay, in the files as well */
	bool as_reset; /* ORIG_HEAD, HEAD's log and states of operations change as by reset --hard, if all changes go */
	const char *message;	 /* NULL: "WIP on …" */
	/*
	 * After stash_save_begin: the files are these entries, HEAD with the changes that the user has chosen, and no file is
	 * changed by stash_save_clear. NULL: all changes.
	 */
	struct index_state *chosen;

	/* result */
	bool has_changes, has_staged;
	char *seen; /* for each item of ps: does the index have such a path? */
	struct object_id head;
	char *branch; /* in full; NULL: HEAD is detached */
	struct object_id stash;
	struct strbuf log; /* message of the entry */
	/* `staged`: the staged changes cannot be taken out of the files. The stash may be kept, but not cleared away. */
	bool cannot_clear;

	/* internal */
	struct repo_operation *op;
	struct repository *r;
	struct object_id head_tree, from, to;
	struct index_state ix;	      /* as it is */
	struct index_state untracked_files;
	struct result_update update;  /* update.ix: with all changes of files */
	struct worktree_changes changes;
	struct string_list untracked_paths, head_files; /* head_files: in HEAD, and not in the index */
	struct string_list new_files;			/* in the index, and not in HEAD */
	struct string_list missing_files;		/* those of them that are gone */
};

/* Errors: ERR_NOT_FOUND  "You do not have the initial commit yet"
 *         ERR_CONFLICT   the index has unmerged paths, or a command was interrupted */
MUST_USE int stash_save_begin(struct stash_save *s, struct repo_operation *op, struct err *err);
/* Errors: ERR_CONFLICT: an entry is only intended to be added, or untracked files are in the way. */
MUST_USE int stash_save_create(struct stash_save *s, struct err *err);
MUST_USE int stash_save_clear(struct stash_save *s, struct err *err);
void stash_save_release(struct stash_save *s);

#endif
