/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees into the index, and on into the work tree: the merges of git-read-tree(1).
 *
 *   m = { .update = true, … };
 *   tree_merge_run(&m, r, &ix, conv, trees, nr, err)     nothing is changed yet
 *   index_release(&ix); ix = m.result;  …                take over m.result
 *   tree_merge_update_files(&m, r, conv, err)            with `update`
 *   tree_merge_release(&m)
 */
#ifndef WORKTREE_TREE_MERGE_H
#define WORKTREE_TREE_MERGE_H

#include "compat/posix.h"
#include "index/index.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

#define TREE_MERGE_MAX 8

enum tree_merge_kind {
	TREE_MERGE_READ,   /* no merge: the trees, later ones over earlier ones */
	TREE_MERGE_ONE,	   /* one tree; stat data of equal entries stay */
	TREE_MERGE_TWO,	   /* from the first to the second: fast-forward */
	TREE_MERGE_THREE,  /* bases, ours, theirs */
	TREE_MERGE_BIND,   /* below `prefix`, beside what is there */
};

struct tree_merge {
	enum tree_merge_kind kind;
	bool reset;	   /* local changes do not matter */
	bool update;	   /* files will follow */
	bool index_only;   /* files are not looked at */
	bool aggressive;   /* removals and equal additions are trivial, too */
	bool trivial_only; /* a path that is not trivial is a failure */
	const char *prefix; /* TREE_MERGE_BIND: "dir/" */

	/* result; index of the repository's state afterwards */
	struct index_state result;
	struct string_list removed;    /* files that go */
	struct string_list checked_out; /* entries of result whose files are written */
};

/*
 * Compute m->result from ix (which stays as it is) and the trees. A local change that
 * would be lost is ERR_CONFLICT with git's message ("Entry 'x' not uptodate. Cannot merge.").
 */
MUST_USE int tree_merge_run(struct tree_merge *m, struct repository *r, struct index_state *ix,
			    struct converter *c, const struct object_id *trees, size_t nr,
			    struct err *err);
/*
 * Remove and write files. `ix` holds the entries of m->result. Goes on after a
 * failure; the first one is returned.
 */
MUST_USE int tree_merge_update_files(struct tree_merge *m, struct repository *r,
				     struct index_state *ix, struct converter *c,
				     struct err *err);
void tree_merge_release(struct tree_merge *m); /* not the result, if it was taken over */

#endif
