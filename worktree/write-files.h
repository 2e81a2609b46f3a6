/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the files of many index entries, in threads where that helps. */
#ifndef WORKTREE_WRITE_FILES_H
#define WORKTREE_WRITE_FILES_H

#include "compat/posix.h"
#include "util/progress.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

/*
 * Call it before anything is removed: it reads the settings and fetches missing contents together
 * (odb_prefetch).
 */
MUST_USE int worktree_write_prepare(struct repository *r, struct index_state *ix, const struct string_list *paths,
				    struct err *err);

/*
 * Remove files of entries that leave the index, and the directories that are empty then, as
 * worktree_remove_entry does. Goes on after a failure; the first is returned. Sorted paths are fast.
 * `paths` is made by worktree_remove_add(), with the modes of the entries; 0: not known. A submodule goes only if its
 * directory is empty. A directory in the place of a file stays, and so does a file in the place of a submodule, with a warning.
 */
void worktree_remove_add(struct string_list *paths, const char *path, unsigned mode);
MUST_USE int worktree_remove_files(const struct repository *r, const struct string_list *paths,
				   struct err *err);

/* Each may be NULL. */
struct write_files_options {
	progress_start_fn files;     /* the meter "Updating files" */
	progress_start_fn filtering; /* the meter "Filtering content", of delayed files */
	struct string_list *collided; /* paths of files that are the same for the file system */
};

/*
 * Write the files of entries of ix by their paths, over whatever is there: it has been decided
 * that it may go. First all that is in their places is removed, and directories are made. Then
 * regular files whose conversion runs no program are written by worker threads
 * (checkout.workers, checkout.thresholdForParallelism; by default one per processor from 100
 * files on). Meanwhile this thread talks to the filters; when all that is done, it makes the
 * symbolic links, so that no thread ever meets a link which this very call has made, and then
 * waits for what the filters have delayed. Whatever is in the place of a file by then is not
 * replaced, unless it is this call's own file of an entry that comes earlier in the index.
 * Stat data of the entries are filled in. Goes on after a failure; the first is returned.
 *
 * Durability: where an operation of `r` is going on, its batch awaits the contents before HEAD and the index name them (D1,
 *             D7), and its seal covers them on the same file system (fsync_batch_await). Until then files may be missing
 *             or short after a power cut; so they may be without an operation, or where each file would need a
 *             flush. The index, which has their size, then tells them as modified.
 * Errors:     also those of writebacks so far; of the others the commit of the operation tells.
 */
MUST_USE int worktree_write_files(struct repository *r, struct index_state *ix,
				  const struct string_list *paths, struct converter *c,
				  const struct write_files_options *o, struct err *err);

/*
 * Does the operation that is going on await the contents of files that worktree_write_files() writes, and does its seal
 * cover their names? Then a caller need not add them to the operation again.
 */
bool worktree_files_are_sealed(const struct repository *r);

#endif
