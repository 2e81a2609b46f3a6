/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes follow a commit that is rewritten: "notes.rewrite.<command>", "notes.rewriteRef" and
 * "notes.rewriteMode" of git-config(1), GIT_NOTES_REWRITE_REF and GIT_NOTES_REWRITE_MODE.
 *
 *	notes_rewrite_open(&n, repo, "amend", err)    before anything is changed
 *	notes_rewrite_copy(n, &copy, op, t, err)      when the new commit has its name
 *	notes_rewrite_free(n)
 *
 * The notes are part of the operation that moves the branch: both have happened, or neither, and
 * a notes ref that cannot be read or locked stops the rewriting before it has changed anything.
 * Stock Git copies them in transactions of their own, one for each ref, after the hook
 * post-commit and before post-rewrite.
 */
#ifndef NOTES_NOTES_REWRITE_H
#define NOTES_NOTES_REWRITE_H

#include "compat/posix.h"
#include "operation/operation.h"

struct notes_rewrite;

/*
 * Which notes, and how. *out is NULL if none are to be copied. Warns of refs that are refused or
 * missing, and of unknown modes. Errors: a bad value of the configuration.
 */
MUST_USE int notes_rewrite_open(struct notes_rewrite **out, struct repository *r,
				const char *command, struct err *err);
void notes_rewrite_free(struct notes_rewrite *n); /* NULL is fine */

struct notes_pair {
	struct object_id from, to;
};
struct notes_copy {
	const struct notes_pair *pairs;
	size_t nr;
	const char *author, *committer; /* ident lines of the commit of notes */
	const char *by;			/* the command, as its message names it: "git commit --amend" */
};
/*
 * For each pair, give `to` the notes of `from`, in the objects and refs that `op` and its transaction `t`
 * change. n may be NULL. Once for a transaction.
 *
 * Durability: that of the operation.
 * Cost:       no flush of its own. For each ref the directories of notes on the way to the
 *             names (history/notes.h), and one commit.
 */
MUST_USE int notes_rewrite_copy(struct notes_rewrite *n, const struct notes_copy *copy,
				struct repo_operation *op, struct ref_transaction *t,
				struct err *err);

#endif
