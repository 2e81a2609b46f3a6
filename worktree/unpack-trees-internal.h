/* SPDX-License-Identifier: GPL-2.0-only */
/* One merge of trees while it runs; what the files of unpack-trees share. */
#ifndef WORKTREE_UNPACK_TREES_INTERNAL_H
#define WORKTREE_UNPACK_TREES_INTERNAL_H

#include "worktree/sparse.h"
#include "worktree/unpack-trees.h"

/* The entries at one path; NULL where there is none. */
struct place {
	const char *name;
	size_t len;
	struct index_entry *cur;      /* the index, stage 0 */
	struct index_entry *unmerged; /* the index, first of its higher stages */
	struct index_entry *tree[UNPACK_TREES_MAX];
};

/* Why a path cannot be merged. */
enum refusal {
	OVERWRITTEN,
	NOT_UPTODATE,
	UNTRACKED_IN_DIR,
	UNTRACKED_FILE,
	UNTRACKED_PARENT,
	CURRENT_DIR, /* a file in the place of the caller's directory */
	REFUSALS
};

struct merger {
	struct unpack_trees *m;
	struct repository *r;
	struct index_state *ix;
	struct converter *c;
	struct index_state trees[UNPACK_TREES_MAX];
	size_t nr;
	struct err *err;
	struct lstat_cursor cursor;
	struct strbuf clear;	/* "a/b/": nothing untracked is in the place of these */
	struct sparse *sparse;	/* NULL: everything is checked out */
	struct ignore *ignore;	/* made when it is first needed */
	struct string_list in_the_way[REFUSALS]; /* for_switch */
	bool refused;
};

/* Apply the rules of the kind of merge to one path: append to the result (unpack-trees-rules.c). */
MUST_USE int unpack_trees_place(struct merger *mg, const struct place *p);
/* Are they the same file? NULL is only the same as NULL. */
bool unpack_trees_same(const struct index_entry *a, const struct index_entry *b);

/* ---- files that must not be lost (unpack-trees-guard.c) ---- */

/* ERR_CONFLICT; with for_switch 0, and the pass goes on, to find all that is in the way. */
MUST_USE int unpack_trees_refuse(struct merger *mg, enum refusal why, const char *path);
/* After the pass: a directory in which the process was started does not become a file. */
MUST_USE int unpack_trees_check_cwd(struct merger *mg);
/* ERR_CONFLICT, with all that was found in the way, if there was anything. */
MUST_USE int unpack_trees_tell_refused(struct merger *mg);
/* As worktree_entry_changed, whatever the index says of files that need not be looked at. */
MUST_USE int unpack_trees_compare(struct merger *mg, struct index_entry *e, enum worktree_change *change);
/*
 * Fails if the file of an entry that will be changed or removed has local changes. `reset` discards
 * such changes, except for entries that are marked assume-unchanged or skip-worktree.
 */
MUST_USE int unpack_trees_check_uptodate(struct merger *mg, struct index_entry *e);
/*
 * The same for an entry that another one replaces. A submodule at another commit, whose directory stays, may get a third
 * commit, but no file takes its place.
 */
MUST_USE int unpack_trees_check_replaced(struct merger *mg, struct index_entry *e, const struct index_entry *by);
/* Fails if an untracked file is where a new entry will be written. */
MUST_USE int unpack_trees_check_absent(struct merger *mg, const struct index_entry *e);
/*
 * An entry stays as it is: is its file out, by the patterns of a sparse checkout? One with changes
 * stays in, one whose place is taken stays out; both are noted.
 */
MUST_USE int unpack_trees_find_border(struct merger *mg, struct index_entry *e, bool *out);
/* Neither the index nor the new tree has it: a file that has come in its place is in the way. */
MUST_USE int unpack_trees_check_gone(struct merger *mg, const struct index_entry *e);

#endif
