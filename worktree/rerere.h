/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded resolutions of conflicts, git-rerere(1): rr-cache/ID/ holds a conflict ("preimage"), its resolution
 * ("postimage"), and the conflict that was compared last ("thisimage"); conflicts that have the same id and differ in
 * the lines around them have numbers behind these names. MERGE_RR lists the conflicts of the merge in progress. Names
 * and contents are those of Git, so that each program uses what the other one has recorded.
 *
 * A command that stops at a conflict, or makes a commit:
 *
 *   struct rerere r = { .op = op, .ix = &u.ix, .autoupdate = -1, .lenient = true };
 *
 *   … files have been written, conflicts are in r.ix …
 *   rc = rerere_update(&r, &messages, err)
 *   rc = repo_operation_end(op, rc, err)
 *   … print the messages to stderr …
 *
 * Durability: records belong to the operation, and are named before MERGE_RR. A file of the working tree that gets
 *             a recorded resolution is replaced at once, by another file; it is not flushed.
 * Cost:       no flush of its own; nothing if rerere is not enabled. Files with conflicts are in memory, one at a time.
 * Tests:      t/t7640-rerere.sh
 */
#ifndef WORKTREE_RERERE_H
#define WORKTREE_RERERE_H

#include "compat/posix.h"
#include "index/pathspec.h"
#include "operation/operation.h"
#include "util/string-list.h"
#include "util/strvec.h"

/* rerere.enabled; if that is not set, is there a directory rr-cache? */
MUST_USE int rerere_is_enabled(const struct repository *r, bool *enabled, struct err *err);

struct rerere {
	struct repo_operation *op; /* its index is locked if ix is to be written */
	struct index_state *ix;	   /* not changed, unless files are staged */
	int autoupdate;		   /* stage files that get a recorded resolution; -1: as rerere.autoUpdate says */
	bool lenient;		   /* a failure becomes a message: the command does more important things */
	bool staged;		   /* result: ix has changed */
};

/*
 * Each new conflict is recorded, or gets its recorded resolution. Each conflict that has been resolved since then
 * becomes a recorded resolution. MERGE_RR is written. Lines for the user are appended to `messages`: a file that
 * cannot be read, or whose markers do not fit together, has a line "error: …" there, and the others go on.
 *
 * Errors: ERR_CORRUPT ("corrupt MERGE_RR"), those of the index and of staging.
 */
MUST_USE int rerere_update(struct rerere *rr, struct strvec *messages, struct err *err);

/* Before a merge is given up: conflicts of MERGE_RR that have no resolution are forgotten, and MERGE_RR goes. */
MUST_USE int rerere_clear(struct repo_operation *op, struct err *err);
/*
 * Forget the recorded resolutions of the conflicts that match, also of conflicts that have been resolved in the index. They
 * are recorded again as conflicts.
 */
MUST_USE int rerere_forget(struct rerere *rr, struct pathspec *ps, struct strvec *messages, struct err *err);

/* Paths whose resolutions will be recorded. */
MUST_USE int rerere_list_tracked(struct repository *r, struct string_list *out, struct err *err);
/* Paths that have no recorded resolution yet, or cannot have one. */
MUST_USE int rerere_list_remaining(struct repository *r, const struct index_state *ix, struct string_list *out,
				   struct err *err);
/* Appends a patch from each recorded conflict to the file as it is now. */
MUST_USE int rerere_add_diff(struct repository *r, struct strbuf *out, struct err *err);

#endif
