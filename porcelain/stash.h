/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local changes as a commit, in the form of git-stash(1): its tree is that of the tracked files as
 * they are, its first parent HEAD, its second one a commit of the index, its third one, if there is one, a commit of
 * untracked files. refs/stash is the newest entry of the list, its reflog has the others. How changes are put aside:
 * porcelain/stash-save.h; how they come back: porcelain/stash-apply.h.
 */
#ifndef PORCELAIN_STASH_H
#define PORCELAIN_STASH_H

#include "operation/operation.h"
#include "attr/convert.h"

struct stash_source {
	const struct object_id *head;
	const char *branch;	   /* HEAD's, in full; NULL or "HEAD": detached */
	struct index_state *index; /* as it was read; its cached trees are brought up to date */
	struct index_state *files; /* the same with all changes of files: stash_add_changes */
	const struct object_id *untracked; /* a commit: stash_create_untracked; NULL: none */
	const char *message;		   /* NULL: "WIP on BRANCH: …" */
};

/* The changes of tracked files go into ix, their contents into the open batch of the odb. */
MUST_USE int stash_add_changes(struct repository *r, struct index_state *ix, struct converter *conv,
			       struct err *err);
/* Append "on BRANCH: 1234567 subject". */
MUST_USE int stash_add_place(struct repository *r, const struct object_id *head, const char *branch, struct strbuf *out,
			     struct err *err);
/* Append the message of the stash, which is that of its log entry as well. */
MUST_USE int stash_add_message(struct repository *r, const struct stash_source *s, struct strbuf *out, struct err *err);
/* Write the commit that has the entries of `untracked`. */
MUST_USE int stash_create_untracked(struct repository *r, const struct stash_source *s, struct index_state *untracked,
				    struct object_id *out, struct err *err);
/*
 * Write the commit and the objects that it needs as a part of the open operation of r. A user without a
 * configured name is "git stash".
 */
MUST_USE int stash_create(struct repository *r, const struct stash_source *s, struct object_id *out,
			  struct err *err);
/* Queue it as the newest entry of the list: refs/stash and its log. */
MUST_USE int stash_queue_entry(struct ref_transaction *t, const struct object_id *stash,
			       const char *message, struct err *err);

/* ---- the list ---- */

struct stash {
	char *name; /* "refs/stash@{0}", or as it was given */
	bool listed; /* it is an entry of the list */
	size_t position; /* 0: the newest entry */
	struct object_id commit, base, index, untracked; /* commits */
	bool has_untracked;
	struct object_id tree, base_tree, index_tree, untracked_tree;
};

/*
 * Find what the user names: NULL the newest entry, "1" the one before it, "stash@{yesterday}", or any commit that looks
 * like a stash.
 *
 * Ownership: *out is to be released if 0 is returned.
 * Errors:    ERR_NOT_FOUND  "No stash entries found." (the list is empty), or "X is not a valid reference"
 *            ERR_INVALID    the commit is not stash-like, or the log is too short: git-stash(1) ends with 128
 */
MUST_USE int stash_find(struct repository *r, const char *name, struct stash *out, struct err *err);
/* The same for a commit. */
MUST_USE int stash_read(struct repository *r, const struct object_id *commit, struct stash *out, struct err *err);
void stash_release(struct stash *s);
bool stash_list_is_empty(struct repository *r);
/*
 * Remove the entry from the list, as a part of the operation; refs/stash goes with the last one.
 *
 * Errors: ERR_CONFLICT: the list has changed.
 * Locks:  those of refs/stash, until the operation has been published.
 */
MUST_USE int stash_drop(struct repo_operation *op, const struct stash *s, struct err *err);

#endif
