/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stash comes back: a merge of the tree of the index and that of the stash, whose base is the commit on which the stash
 * was made. What `stash apply`, `stash pop` and --autostash share.
 *
 *   struct stash_apply a = { .stash = &stash };
 *
 *   rc = stash_apply_run(&a, op, err)        files, then the index, which becomes the operation's
 *   … pop: stash_apply_keep_files(&a, err), stash_drop(op, &stash, err) …
 *   rc = repo_operation_end(op, rc, err)
 *   stash_apply_release(&a)                  after the operation
 *
 * Interruption: worktree/merge-result.h; the untracked files of the stash are among the files.
 * Cost:         no flush of its own.
 * Tests:        t/t7630-stash.sh, t/t7632-stash-faults.sh
 */
#ifndef PORCELAIN_STASH_APPLY_H
#define PORCELAIN_STASH_APPLY_H

#include "compat/posix.h"
#include "merge/trees.h"
#include "porcelain/stash.h"
#include "worktree/merge-result.h"

struct stash_apply {
	const struct stash *stash;
	bool index; /* stage the staged changes of the stash again */
	const char *label[MERGE_STAGES]; /* NULL: "Stash base", "Updated upstream", "Stashed changes" */

	/* result */
	struct merge_result merge; /* messages and conflicts; if has_merge */
	bool has_merge;
	bool nothing_to_merge;	    /* no tracked file differs between the stash and its base */
	bool index_lost;	    /* `index` was set, but there were conflicts */
	struct string_list in_the_way; /* untracked files that are there already, and stay */

	/* internal */
	struct repo_operation *op;
	struct repository *r;
	struct result_update update; /* update.ix: the index */
	struct index_state before;   /* as it was */
	struct object_id from, to, staged; /* trees: the index before, files, the index after */
	bool has_staged;
	struct index_state untracked;
};

/*
 * Errors: ERR_CONFLICT  local changes are in the way, the message is Git's; or the index has unmerged paths ("could not write
 *                       index"), or --index is not possible ("conflicts in index. Try without --index."). Nothing is changed.
 */
MUST_USE int stash_apply_run(struct stash_apply *a, struct repo_operation *op, struct err *err);
/* The end of the operation awaits the files that were written (D1): they are all that there is once the stash is dropped. */
MUST_USE int stash_apply_keep_files(struct stash_apply *a, struct err *err);
/* Did all of it come back? */
bool stash_apply_is_clean(const struct stash_apply *a);
void stash_apply_release(struct stash_apply *a);

#endif
