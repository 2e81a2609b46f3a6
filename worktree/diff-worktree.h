/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the index, the files of the work tree and a tree: what git-diff(1),
 * git-diff-files(1) and git-diff-index(1) compare.
 *
 *   struct worktree_diff d = { .repo = r, .ix = &ix, .conv = c, .o = &o, .submodules = s };
 *
 *   o.read = worktree_diff_read; o.read_data = &d;
 *   worktree_diff_files(&d, &q, &err);    or worktree_diff_index()
 *   diff_process(&q, &o, &err); …
 *
 * Pairs come in the order of the index. Files count as changed by their stat data; content is
 * read only of entries that are racy. Call worktree_refresh_index() first to have those
 * compared that were only touched.
 * Cost: an lstat for each entry, in threads; none with `cached`.
 */
#ifndef WORKTREE_DIFF_WORKTREE_H
#define WORKTREE_DIFF_WORKTREE_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "worktree/diff-submodules.h"
#include "worktree/worktree.h"

struct worktree_diff {
	struct repository *repo;
	struct index_state *ix;
	struct converter *conv;
	const struct diff_options *o;
	const struct diff_submodules *submodules;
	/* Unmerged paths with both sides go here, if it is not NULL. */
	struct diff_combined_list *combined;
	unsigned stage;	       /* unmerged paths: which one is compared with the file; 0: none */
	bool refreshed;	       /* the index has been: what counts as changed has another content */
	bool missing_is_same;  /* diff-index -m */
	bool ita_is_entry;     /* --ita-visible-in-index */
};

/* The index against files. */
MUST_USE int worktree_diff_files(struct worktree_diff *d, struct diff_queue *q, struct err *err);
/* A tree (NULL: the empty one) against the index (cached), or against files. */
MUST_USE int worktree_diff_index(struct worktree_diff *d, struct diff_queue *q,
				 const struct object_id *tree, bool cached, struct err *err);
/* For diff_options.read, with a struct worktree_diff. */
MUST_USE int worktree_diff_read(void *d, const struct diff_file *file, struct object_buf *out,
				struct err *err);
/* For diff_options.measure. */
MUST_USE int worktree_diff_measure(void *d, const struct diff_file *file, uint64_t *size, struct object_id *oid, struct err *err);

#endif
