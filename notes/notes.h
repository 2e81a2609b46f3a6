/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing notes: git-notes(1). The trees in which they are kept are read and written by history/notes.h.
 *
 *	notes_ref_open(&n, repo, "refs/notes/commits", NOTES_WRITABLE, err)
 *	notes_ref_put(&n, &commit, &blob, err)
 *	notes_ref_queue(&n, op, t, &words, err)       a commit, and the ref in the transaction
 *	notes_ref_release(&n)
 *
 * A ref that does not exist holds no notes. The ref changes only if it still has the value that was read.
 *
 * Errors:     ERR_INVALID: the ref leads to no tree, or (when it is changed) to no commit.
 * Durability: that of the operation. Cost: no flush of its own.
 */
#ifndef NOTES_NOTES_H
#define NOTES_NOTES_H

#include "compat/posix.h"
#include "history/notes.h"
#include "operation/operation.h"

#define NOTES_PREFIX "refs/notes/"

struct notes_ref {
	struct repository *repo;
	char *name;
	struct object_id tip; /* null: there is no such ref */
	struct notes_tree *tree;
	bool changed;
};

/* The committer and author of a commit of notes, its message, and the message of the reflog. */
struct notes_words {
	const char *author, *committer; /* ident lines */
	const char *message;
	const char *reflog; /* without "notes: " */
};

/* NOTES_WRITABLE: the objects of the operation must be open. */
MUST_USE int notes_ref_open(struct notes_ref *n, struct repository *r, const char *name, enum notes_access access,
			    struct err *err);
/* Idempotent, also without notes_ref_open if n is zeroed. */
void notes_ref_release(struct notes_ref *n);
MUST_USE int notes_ref_put(struct notes_ref *n, const struct object_id *oid, const struct object_id *note,
			   struct err *err);
/* 1: there was a note, 0: none. */
MUST_USE int notes_ref_remove(struct notes_ref *n, const struct object_id *oid, struct err *err);
/* A commit on top of the ref. Nothing happens if no note has changed. */
MUST_USE int notes_ref_queue(struct notes_ref *n, struct repo_operation *op, struct ref_transaction *t,
			     const struct notes_words *words, struct err *err);
/* A commit of notes with any parents. */
MUST_USE int notes_write_commit(struct repo_operation *op, const struct object_id *tree,
				const struct object_id *parents, size_t nr_parents, const struct notes_words *words,
				struct object_id *out, struct err *err);

/* ---- two notes become one: notes-combine.c ---- */

enum notes_combination {
	NOTES_CONCATENATE,
	NOTES_OVERWRITE, /* also by none */
	NOTES_CAT_SORT_UNIQ,
	NOTES_KEEP,
};
/*
 * `to` gets the note of `from`: without a note there, as it is, else combined. Returns < 0 alone for failures.
 */
MUST_USE int notes_ref_copy(struct notes_ref *n, const struct object_id *from, const struct object_id *to,
			    enum notes_combination how, struct err *err);
/* The lines of both, sorted, each once, as a blob. Either may be NULL: none. */
MUST_USE int notes_sort_lines(struct odb *odb, const struct object_id *first, const struct object_id *second,
			      struct object_id *out, struct err *err);

#endif
