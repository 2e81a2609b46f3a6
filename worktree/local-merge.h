/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local changes carried over to another commit: files that both sides have changed are merged, one by
 * one.
 *
 *   struct local_merge m = { .base = …, .ours = …, .theirs = …, .label = { … } };
 *   local_merge_run(&m, r, attrs, err)
 *   … m.files: the files to write; m.stages: the conflicts …
 *   local_merge_release(&m)
 */
#ifndef WORKTREE_LOCAL_MERGE_H
#define WORKTREE_LOCAL_MERGE_H

#include "compat/posix.h"
#include "index/index.h"
#include "merge/contents.h"
#include "repo/repo.h"
#include "attr/attr.h"

struct local_merge {
	/* the commit that is left, the one to go to, the files as they are; entries of stage 0 */
	const struct index_state *base, *ours, *theirs;
	const char *label[MERGE_STAGES];
	enum merge3_style style;

	/* result */
	struct index_state files;  /* stage 0; with conflicts between markers */
	struct index_state stages; /* stages 1 to 3 of paths that have a conflict */
	struct string_list merged; /* files that are those of neither side */
};

/*
 * Renamed files are found (merge.renames, diff.renames), and changes follow them. Merged texts
 * are written as objects: a batch of the odb must be open. Nothing else is changed.
 * Errors: ERR_UNSUPPORTED names a path whose versions cannot be merged: a file and a link, a
 *         file and a directory, two commits of a submodule, a new file where one was renamed to;
 *         those of merge_blobs.
 */
MUST_USE int local_merge_run(struct local_merge *m, struct repository *r, struct attrs *attrs,
			     struct err *err);
void local_merge_release(struct local_merge *m);

#endif
