/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store and the paths that the files of refs/files/ share. A ref lives in one of
 * two places: a loose file, which wins, or a line of packed-refs. A reader of both reads the loose file
 * first and then a packed-refs that is at least as new: a ref that is
 * being packed meanwhile is then seen in one of the two, always.
 */
#ifndef REFS_FILES_FILES_INTERNAL_H
#define REFS_FILES_FILES_INTERNAL_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "refs/refs-backend.h"

struct packed_refs;

struct files_store {
	struct ref_store base; /* first */
	char *gitdir, *commondir;
	bool objects_elsewhere;
	int shared_perm;
	long lock_timeout_ms, packed_lock_timeout_ms;
	struct packed_refs *packed; /* last snapshot; see packed_refs_get */
};
static inline struct files_store *files_store(const struct ref_store *rs)
{
	return (struct files_store *)rs;
}

/* ---- places (paths.c) ---- */
/* The file of a ref, and of its log, with worktree prefixes understood. */
void ref_path(const struct ref_store *rs, const char *name, struct strbuf *out);
void reflog_path(const struct ref_store *rs, const char *name, struct strbuf *out);
/* Only shared refs can be packed. */
bool ref_may_be_packed(const struct ref_store *rs, const char *name);

/*
 * The other worktrees: their gitdir, and the prefix of the names of their own
 * refs ("main-worktree/", "worktrees/ID/"). A non-zero return of fn ends it.
 */
typedef int (*worktree_fn)(void *data, const char *gitdir, const char *prefix, struct err *err);
MUST_USE int ref_other_worktrees(const struct ref_store *rs, worktree_fn fn, void *data,
				 struct err *err);

/* Remove the file of a ref or of a log at publication; missing is fine. */
MUST_USE int ref_file_stage_removal(const char *path, enum publish_class order,
				    struct fsync_batch *b, struct err *err);

/* ---- directories (paths.c) ---- */
/*
 * For walks: a directory, or a symbolic link to one (git-new-workdir makes such links). A link to a directory that
 * `path` goes through is not followed: it leads nowhere new.
 */
bool ref_dir_is_walked(const char *path);
/*
 * Make missing directories above path, and note each directory that got a new name in the
 * batch. Others may remove empty directories at any time: callers try again.
 */
MUST_USE int ref_make_parents(const struct ref_store *rs, const char *path,
			      struct fsync_batch *b, struct err *err);
#define REF_DIR_TRIES 40
void ref_dir_pause(int try); /* before a try; the first ones come at once */
/*
 * Make way for a file at path: remove the empty directories that are left there,
 * with the locks of dead owners in them. ERR_EXISTS: something else is in there.
 */
MUST_USE int ref_clear_dir(const char *path, struct err *err);
/*
 * The same for a log, and with the logs in there: those of refs that are no more, left by a crash
 * between the removals of both. The caller has checked that no ref can be below.
 */
MUST_USE int reflog_clear_dir(const char *path, struct err *err);
/* The empty directories above a removed ref or its log; never refs/heads itself. */
void ref_remove_empty_parents(const struct ref_store *rs, const char *name, bool log);

/* ---- the table's functions (struct ref_backend) ---- */
/* iterator.c */
MUST_USE int files_foreach(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data,
			   struct err *err);
/* import.c */
MUST_USE int files_import(struct ref_store *rs, const struct ref_import *im, struct fsync_batch *b, struct err *err);
/* pack.c, verify.c */
MUST_USE int files_pack_is_due(struct ref_store *rs, bool *due, struct err *err);
MUST_USE int files_pack(struct ref_store *rs, const struct refs_pack_options *o,
			struct fsync_batch *b, struct err *err);
MUST_USE int files_verify(struct ref_store *rs, const struct ref_verify_options *o,
			  size_t *errors, struct err *err);

#endif
