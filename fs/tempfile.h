/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temporary files that never outlive us: removed by tempfile_delete, on exit
 * and on a fatal signal (process-wide list, async-signal-safe; the child of a
 * fork leaves them alone).
 */
#ifndef FS_TEMPFILE_H
#define FS_TEMPFILE_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "util/err.h"

struct tempfile {
	char *path; /* owned */
	int fd;	    /* -1 once closed or handed over */
};

/* O_CREAT|O_EXCL|O_CLOEXEC at exactly that path. ERR_EXISTS if it is there. */
MUST_USE int tempfile_create(struct tempfile **out, const char *path, int mode, struct err *err);
/*
 * The same for a file that must not be seen before it has been marked: `mark` is called with the
 * descriptor, and what fstat says of it, before the name appears, where the platform and the file
 * system allow that (O_TMPFILE), else right after. A kill at any moment then leaves either no
 * file or a marked one.
 */
MUST_USE int tempfile_create_marked(struct tempfile **out, const char *path, int mode,
				    void (*mark)(int fd, const struct stat *st, void *data), void *data,
				    struct err *err);
/*
 * A file without a name in the directory of path (O_TMPFILE); -1 with errno where there is
 * no such thing. The descriptor is the caller's.
 */
int tempfile_open_nameless(const char *path, int mode);
/*
 * One more name for the open file fd, which stays the caller's; st is what fstat says of
 * it. ERR_EXISTS: the name is taken; else err->sys_errno tells (EMLINK, EXDEV, ...).
 */
MUST_USE int tempfile_create_link(struct tempfile **out, const char *path, int fd,
				  const struct stat *st, struct err *err);
/* "dir/prefixXXXXXX" with random letters. */
MUST_USE int tempfile_create_in(struct tempfile **out, const char *dir,
				const char *prefix, int mode, struct err *err);
/* A directory of that kind of name for us alone (0700), removed with all that is in it. */
MUST_USE int tempfile_create_dir(struct tempfile **out, const char *dir, const char *prefix,
				 struct err *err);
/* Watch a file or directory that exists already, for removal on exit. */
struct tempfile *tempfile_register(const char *path);
/*
 * A directory that we fill over a long time: removed with all that is in it, however deep. keep_top: it was there
 * before us, and stays, empty. made_parents: so many directories above it are ours, and go if nothing else is in
 * them. Others of our threads may still make files in it while a signal removes it.
 */
struct tempfile *tempfile_register_tree(const char *path, bool keep_top, unsigned made_parents);
/*
 * Watch an open file that was there before us and that we are about to append to:
 * where others are removed, it is cut back to keep_bytes (-1: it is new, remove it).
 * fd passes to the tempfile if 0 is returned.
 */
MUST_USE int tempfile_adopt_append(struct tempfile **out, const char *path, int fd,
				   off_t keep_bytes, struct err *err);
/* At exit and on a fatal signal it is removed after all others. */
void tempfile_remove_last(struct tempfile *t);
/* ... or stays, for as long as this is set. */
void tempfile_keep_at_exit(struct tempfile *t, bool keep);
MUST_USE int tempfile_close(struct tempfile *t, struct err *err);
/* Close, unlink, free; *t becomes NULL; NULL is fine. */
void tempfile_delete(struct tempfile **t);
/* Forget it: the file stays. */
void tempfile_forget(struct tempfile **t);
/*
 * For those who stage it themselves: the descriptor (-1 if closed) passes to the
 * caller, the file stays watched until tempfile_forget or tempfile_delete.
 */
int tempfile_release_fd(struct tempfile *t);
/*
 * Hand it to the batch: renamed to final_path at publish, removed if that does
 * not come about. The tempfile belongs to the batch from here on in all outcomes;
 * *t becomes NULL.
 */
MUST_USE int tempfile_stage(struct tempfile **t, struct fsync_batch *b,
			    enum fsync_component component, enum publish_class order,
			    const char *final_path, bool make_parents, struct err *err);

#endif
