/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging notes: git-notes(1), "merge".
 *
 *	struct notes_merge m = { .repo = r, .local = "refs/notes/commits", .remote = "refs/notes/x", ... };
 *	notes_merge_run(&m, op, err)
 *	notes_merge_release(&m)
 *
 * State. A merge with conflicts leaves the ref alone. The notes that are merged become the commit NOTES_MERGE_PARTIAL, the
 * others are files of NOTES_MERGE_WORKTREE, and NOTES_MERGE_REF is a symbolic ref to the ref. Both refs and the
 * files are published by one operation, the files first: a crash in between leaves files that `--abort` removes.
 * notes_merge_conclude makes a commit from both, with the parents of the partial one. The ref changes and both refs go
 * in one transaction, and the files after it. Stock Git can conclude or abort a merge that we have begun, and the
 * other way round.
 *
 * Errors:     ERR_EXISTS: another merge is in progress. Nothing has changed then.
 * Durability: that of the operation. Cost: no flush of its own. All notes of three trees are read.
 */
#ifndef NOTES_NOTES_MERGE_H
#define NOTES_NOTES_MERGE_H

#include "compat/posix.h"
#include "notes/notes.h"

enum notes_strategy { NOTES_MANUAL, NOTES_OURS, NOTES_THEIRS, NOTES_UNION, NOTES_MERGE_CAT_SORT_UNIQ };
/* False: no such strategy. */
bool notes_strategy_parse(const char *name, enum notes_strategy *out);

#define NOTES_MERGE_VERBOSITY 2 /* the default */

struct notes_merge {
	struct repository *repo;
	const char *local, *remote; /* names of refs; remote may be any name of a commit */
	enum notes_strategy strategy;
	int verbosity;
	const char *author, *committer; /* ident lines */
	bool advise;			/* messages say how to go on */
	void (*report)(void *data, const char *line);
	void (*warn)(void *data, const char *line);
	void *data;
	/* results */
	size_t conflicts;
	bool changed; /* the ref gets another value */
};

/* Queues all changes in the operation, and in its transaction of refs. Nothing if m->changed and m->conflicts are 0. */
MUST_USE int notes_merge_run(struct notes_merge *m, struct repo_operation *op, struct err *err);
/* --commit */
MUST_USE int notes_merge_conclude(struct notes_merge *m, struct repo_operation *op, struct err *err);
/* --abort */
MUST_USE int notes_merge_abort(struct notes_merge *m, struct repo_operation *op, struct err *err);

#endif
