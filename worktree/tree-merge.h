/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging trees into the index and the work tree, as git-read-tree(1) does.
 *
 *   m = { .update = true, … };
 *   tree_merge_run(&m, r, &ix, conv, trees, nr, err)     nothing is changed yet
 *   index_release(&ix); ix = m.result;  …                m.result is the new index
 *   tree_merge_update_files(&m, r, conv, err)            with `update`
 *   tree_merge_release(&m)
 */
#ifndef WORKTREE_TREE_MERGE_H
#define WORKTREE_TREE_MERGE_H

#include "compat/posix.h"
#include "index/index.h"
#include "util/progress.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

#define TREE_MERGE_MAX 8

enum tree_merge_kind {
	TREE_MERGE_READ,   /* no merge: the trees, later ones over earlier ones */
	TREE_MERGE_ONE,	   /* one tree; stat data of equal entries stay */
	TREE_MERGE_TWO,	   /* from the first to the second: fast-forward */
	TREE_MERGE_THREE,  /* bases, ours, theirs */
	TREE_MERGE_BIND,   /* added to the index below `prefix` */
};

struct tree_merge {
	enum tree_merge_kind kind;
	bool reset;	   /* local changes do not matter */
	bool update;	   /* the work tree will be updated */
	bool index_only;   /* files are not checked */
	bool aggressive;   /* removals and equal additions are trivial as well */
	bool trivial_only; /* a path that is not trivial is a failure */
	bool keep_ignored; /* files that are ignored must not be overwritten either */
	bool no_sparse;	   /* the patterns of a sparse checkout do not matter */
	bool for_switch;   /* all paths in the way are told, in the words of git-checkout(1) */
	const char *prefix; /* TREE_MERGE_BIND: "dir/" */
	progress_start_fn start_meter; /* of the files that are written; or NULL */
	struct string_list *collided;  /* of worktree_write_files; or NULL */

	/* result; index of the repository's state afterwards */
	struct index_state result;
	bool local_changes; /* ERR_CONFLICT of for_switch: not untracked files alone were in the way */
	bool result_is_last_tree; /* nothing but it is in the index: its cache-tree can be primed */
	struct string_list removed;    /* files to be removed */
	/* Sparse checkouts: against their patterns, a file with changes stays; what is in the place of one, too. */
	struct string_list left, not_overwritten;
	struct string_list checked_out; /* entries of result whose files are to be written */
};

/*
 * With `update` in a sparse checkout files follow its patterns, also those that the trees leave
 * alone: files that are in no longer go, unless they have changes, others come.
 *
 * Compute m->result from ix (which is not changed) and the trees. ERR_CONFLICT: a local
 * change would be lost; Git's message ("Entry 'x' not uptodate. Cannot merge.").
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
void tree_merge_release(struct tree_merge *m); /* with the result, unless it was moved away */

#endif
