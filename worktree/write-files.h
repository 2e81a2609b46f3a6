/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the files of many index entries, in threads where that helps. */
#ifndef WORKTREE_WRITE_FILES_H
#define WORKTREE_WRITE_FILES_H

#include "compat/posix.h"
#include "util/progress.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

/* What is missing of the contents is fetched, together (odb_prefetch): before anything is removed. */
MUST_USE int worktree_prefetch(struct repository *r, struct index_state *ix, const struct string_list *paths,
			       struct err *err);

/*
 * Write the files of entries of ix by their paths, over whatever is there: it has been decided
 * that it may go. Regular files whose conversion runs no program are written by worker threads
 * (checkout.workers, checkout.thresholdForParallelism; by default one per processor from 100
 * files on); all others follow, symbolic links last, so that no thread ever meets a link which
 * this very call has made. Leading directories are made first, links and files in their place
 * removed. Stat data of the entries are filled in. Goes on after a failure; the first is returned.
 *
 * Durability: files of the work tree are not flushed. After a power cut some may be missing or
 *             short; the index, which has their size, then tells them as modified.
 */
MUST_USE int worktree_write_files(struct repository *r, struct index_state *ix,
				  const struct string_list *paths, struct converter *c,
				  struct progress *progress, struct err *err);

#endif
