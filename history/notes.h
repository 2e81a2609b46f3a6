/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trees in which notes are kept, git-notes(1): the note of an object is the blob whose name
 * is the hex name of that object. Where there are many, the first two digits are a directory,
 * and so on within it.
 *
 *	t = notes_tree_new(odb, &tree, NOTES_WRITABLE)
 *	notes_tree_find(t, &commit, &blob, err)
 *	notes_tree_put(t, &commit, &blob, err)
 *	notes_tree_write(t, &tree, err)
 *	notes_tree_free(t)
 *
 * Which refs lead to such trees is the business of pretty/notes.c, which shows notes, and of
 * notes/, which copies them.
 *
 * Errors:     ERR_CORRUPT, ERR_NOT_FOUND, … of a tree on the way that cannot be read.
 * Durability: written objects become part of the open batch of objects.
 * Cost:       only directories on the way to a requested note are read and written, each once;
 *             all of them where the notes get other directories (see notes_tree_write).
 */
#ifndef HISTORY_NOTES_H
#define HISTORY_NOTES_H

#include "compat/posix.h"
#include "odb/odb.h"

struct notes_tree;
/* For find alone, or for all the rest too: needs an open batch of objects, see odb_write. */
enum notes_access { NOTES_READ_ONLY, NOTES_WRITABLE };

/* Reads nothing yet. tree NULL: no notes yet. The object database must outlive it. */
struct notes_tree *notes_tree_new(struct odb *odb, const struct object_id *tree,
				  enum notes_access access);
void notes_tree_free(struct notes_tree *t);

/* Read the top, for its errors. */
MUST_USE int notes_tree_read(struct notes_tree *t, struct err *err);
/* Each note, in the order of the names of objects. Stops at a non-zero result, and returns it. Reads all directories. */
MUST_USE int notes_tree_foreach(struct notes_tree *t,
				int (*fn)(void *data, const struct object_id *oid, const struct object_id *note,
					  struct err *err),
				void *data, struct err *err);
/* 1: *note is the blob; 0: there is none; < 0. */
MUST_USE int notes_tree_find(struct notes_tree *t, const struct object_id *oid,
			     struct object_id *note, struct err *err);
/* Replaces an older note. The function does not check that the blob exists. */
MUST_USE int notes_tree_put(struct notes_tree *t, const struct object_id *oid,
			    const struct object_id *note, struct err *err);
/* Nothing happens if there is none. */
MUST_USE int notes_tree_remove(struct notes_tree *t, const struct object_id *oid,
			       struct err *err);
/*
 * The tree as it is now. Notes are in directories where each of the 16 first digits has at
 * least two of them, or a directory that had no reason to be read; else all of them are in one
 * tree. That is asked for the top, and again for each directory that has been read. Entries
 * that are no notes stay where they are.
 */
MUST_USE int notes_tree_write(struct notes_tree *t, struct object_id *out, struct err *err);

/*
 * The text of both, with an empty line between them, as a new blob. If one of them is empty, the result
 * is the other one.
 */
MUST_USE int notes_concatenate(struct odb *odb, const struct object_id *first,
			       const struct object_id *second, struct object_id *out,
			       struct err *err);

#endif
