/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --autostash: local changes are put aside before a merge or a rebase, and come back after it. The stash is named by a state
 * file meanwhile, MERGE_AUTOSTASH or rebase-merge/autostash.
 *
 *   rc = autostash_create(op, STATE_MERGE_AUTOSTASH, &stash, err)    first of all
 *   … the command, in the same operation or in others …
 *   rc = autostash_apply(op, STATE_MERGE_AUTOSTASH, &outcome, err)   as a part of the last operation
 *   rc = repo_operation_end(op, rc, err)
 *   autostash_text(outcome)                                          for standard error
 *
 * Interruption: the state file is there until the changes are back, or in refs/stash.
 * Tests:        t/t7634-autostash.sh
 */
#ifndef PORCELAIN_AUTOSTASH_H
#define PORCELAIN_AUTOSTASH_H

#include "compat/posix.h"
#include "operation/operation.h"

enum autostash_outcome {
	AUTOSTASH_NONE,	    /* there was none */
	AUTOSTASH_APPLIED,  /* the changes are back */
	AUTOSTASH_CONFLICT, /* not all of them: they are in refs/stash as well */
	AUTOSTASH_STORED    /* they are in refs/stash alone */
};
/* What Git prints, with a newline at the end. NULL for AUTOSTASH_NONE. */
const char *autostash_text(enum autostash_outcome outcome);

/*
 * Put local changes aside. *stash is the null id if there are none. An autostash that an earlier command has left behind is
 * added to refs/stash first.
 *
 * Operation:  an open one without a pending change. Afterwards it is unsealed: files and index are those of HEAD, and the
 *             index is not locked.
 * Errors:     those of stash_save_begin and stash_save_create; ERR_CONFLICT "Entry 'x' not uptodate. Cannot merge.": nothing
 *             has changed, and Git adds "Cannot save the current worktree state" and "Cannot autostash".
 * Durability: the stash and the state file are sealed before a file changes. The reset of the files is not: the caller goes on
 *             with the operation, whose last step removes the state file. A power cut before its seal leaves an earlier step,
 *             and the state file.
 * Cost:       one flush.
 */
MUST_USE int autostash_create(struct repo_operation *op, enum repo_state_file f, struct object_id *stash, struct err *err);
/*
 * Bring them back, and remove the state file, with the commit of the operation. If that does not go without conflicts, or if
 * other changes are in the way, the stash is added to the list.
 *
 * Operation:  open or unsealed; the index must not be locked by it, nor changed.
 * Cost:       no flush of its own.
 */
MUST_USE int autostash_apply(struct repo_operation *op, enum repo_state_file f, enum autostash_outcome *outcome,
			     struct err *err);
/* Only add the stash to the list: the command was given up, and index and files are not those from which it began. */
MUST_USE int autostash_store(struct repo_operation *op, enum repo_state_file f, enum autostash_outcome *outcome,
			     struct err *err);

#endif
