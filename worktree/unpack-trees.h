/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging trees into the index and the work tree, as git-read-tree(1) does.
 *
 *   m = { .update = true, … };
 *   unpack_trees_run(&m, r, &ix, conv, trees, nr, err)     nothing is changed yet
 *   index_release(&ix); ix = m.result;  …                m.result is the new index
 *   unpack_trees_update_files(&m, r, conv, err)            with `update`
 *   unpack_trees_release(&m)
 */
#ifndef WORKTREE_UNPACK_TREES_H
#define WORKTREE_UNPACK_TREES_H

#include "compat/posix.h"
#include "index/index.h"
#include "util/progress.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

#define UNPACK_TREES_MAX 8

enum unpack_trees_kind {
	UNPACK_TREES_READ,   /* no merge: the trees, later ones over earlier ones */
	UNPACK_TREES_ONE,	   /* one tree; stat data of equal entries stay */
	UNPACK_TREES_TWO,	   /* from the first to the second: fast-forward */
	UNPACK_TREES_THREE,  /* bases, ours, theirs */
	UNPACK_TREES_BIND,   /* added to the index below `prefix` */
};

struct unpack_trees {
	enum unpack_trees_kind kind;
	bool reset;	   /* local changes do not matter */
	bool update;	   /* the work tree will be updated */
	bool index_only;   /* files are not checked */
	bool aggressive;   /* removals and equal additions are trivial as well */
	bool trivial_only; /* a path that is not trivial is a failure */
	bool keep_ignored; /* files that are ignored must not be overwritten either */
	bool no_sparse;	   /* the patterns of a sparse checkout do not matter */
	bool for_switch;   /* report all paths in the way, in the words of git-checkout(1) */
	bool for_merge;    /* the same in the words of git-merge(1); with for_switch */
	const char *prefix; /* UNPACK_TREES_BIND: "dir/" */
	progress_start_fn start_meter; /* of the files that are written; or NULL */
	struct string_list *collided;  /* of worktree_write_files; or NULL */
	/* Called before the first file changes, if one does, when contents that were missing have been fetched; or NULL. */
	int (*before_files)(void *data, struct err *err);
	void *before_files_data;

	/* result; index of the repository's state afterwards */
	struct index_state result;
	bool local_changes; /* ERR_CONFLICT of for_switch: not untracked files alone were in the way */
	bool result_is_last_tree; /* nothing but it is in the index: its cache-tree can be primed */
	struct string_list removed;    /* files to be removed */
	/*
	 * Sparse checkouts: files kept against the patterns because they have changes, and paths
	 * that were not overwritten.
	 */
	struct string_list left, not_overwritten;
	struct string_list checked_out; /* entries of result whose files are to be written */
};

/*
 * If `update` is set, files of a sparse checkout follow its patterns, also those that the trees leave
 * alone: files that are in no longer go, unless they have changes, others come.
 *
 * Compute m->result from ix (which is not changed) and the trees. ERR_CONFLICT: a local
 * change would be lost; Git's message ("Entry 'x' not uptodate. Cannot merge.").
 */
MUST_USE int unpack_trees_run(struct unpack_trees *m, struct repository *r, struct index_state *ix,
			    struct converter *c, const struct object_id *trees, size_t nr,
			    struct err *err);
/*
 * Remove and write files. `ix` holds the entries of m->result. Goes on after a
 * failure; the first one is returned.
 */
MUST_USE int unpack_trees_update_files(struct unpack_trees *m, struct repository *r,
				     struct index_state *ix, struct converter *c,
				     struct err *err);
/* The files of a tree, as entries of stage 0. On failure `out` is to be released as well. */
MUST_USE int unpack_trees_list(struct repository *r, const struct object_id *tree, struct index_state *out,
			       struct err *err);
void unpack_trees_release(struct unpack_trees *m); /* with the result, unless it was moved away */

#endif
