/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temporary files that never outlive this process: they are removed by tempfile_delete, on exit and
 * on a fatal signal. Their list is process-wide and async-signal-safe. The child of a fork leaves
 * them alone.
 */
#ifndef FS_TEMPFILE_H
#define FS_TEMPFILE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "util/err.h"

struct tempfile {
	char *path; /* owned */
	int fd;	    /* -1 once closed or handed over */
};

/* O_CREAT|O_EXCL|O_CLOEXEC at exactly that path. ERR_EXISTS if it is there. */
MUST_USE int tempfile_create(struct tempfile **out, const char *path, int mode, struct err *err);
/*
 * The same for a file that other processes must not see before it is marked. `mark` is called with
 * the descriptor and its stat before the name appears if the platform and the file system allow this
 * (O_TMPFILE), else right after. A kill at any moment then leaves either no file or, with
 * O_TMPFILE, a marked one.
 */
MUST_USE int tempfile_create_marked(struct tempfile **out, const char *path, int mode,
				    void (*mark)(int fd, const struct stat *st, void *data), void *data,
				    struct err *err);
/*
 * Open a file without a name in the directory of path (O_TMPFILE). -1 with errno if the system has
 * no such files. The caller owns the descriptor.
 */
int tempfile_open_nameless(const char *path, int mode);
/*
 * One more name for the open file fd, which the caller keeps. st: the result of fstat(fd).
 * ERR_EXISTS: the name is taken; other errors are in err->sys_errno (EMLINK, EXDEV, ...).
 */
MUST_USE int tempfile_create_link(struct tempfile **out, const char *path, int fd,
				  const struct stat *st, struct err *err);
/* "dir/prefixXXXXXX" with random letters. */
MUST_USE int tempfile_create_in(struct tempfile **out, const char *dir,
				const char *prefix, int mode, struct err *err);
/* A directory with such a name, mode 0700; it is removed with its contents. */
MUST_USE int tempfile_create_dir(struct tempfile **out, const char *dir, const char *prefix,
				 struct err *err);
/* Watch a file or directory that exists already, for removal on exit. */
struct tempfile *tempfile_register(const char *path);
/*
 * A directory that we fill over a long time. It is removed with all its contents, however deep. keep_top: the
 * directory existed before, and stays, empty. made_parents: how many directories above it we have made; each of
 * them is removed if it is empty. Other threads of ours may still make files in it while a signal removes it.
 */
struct tempfile *tempfile_register_tree(const char *path, bool keep_top, unsigned made_parents);
/*
 * Watch an open file that existed before, and to which we are about to append. At exit and on a
 * signal the file is not removed but cut back to keep_bytes (-1: the file is new, remove it).
 * fd passes to the tempfile if 0 is returned.
 */
MUST_USE int tempfile_adopt_append(struct tempfile **out, const char *path, int fd,
				   off_t keep_bytes, struct err *err);
/* Remove this file after all others at exit and on a fatal signal. */
void tempfile_remove_last(struct tempfile *t);
/* Keep this file at exit and on a fatal signal, as long as `keep` is set. */
void tempfile_keep_at_exit(struct tempfile *t, bool keep);
MUST_USE int tempfile_close(struct tempfile *t, struct err *err);
/* Close, unlink, free; *t becomes NULL; NULL is fine. */
void tempfile_delete(struct tempfile **t);
/* Stop watching the file, which stays; free; *t becomes NULL. */
void tempfile_forget(struct tempfile **t);
/*
 * For a caller that stages the file itself: the descriptor (-1 if closed) passes to the
 * caller. The file stays watched until tempfile_forget or tempfile_delete.
 */
int tempfile_release_fd(struct tempfile *t);
/*
 * Hand the file to the batch, which renames it to final_path at publish, or removes it if that
 * does not happen. The batch owns the tempfile from here on, on all outcomes; *t becomes NULL.
 */
MUST_USE int tempfile_stage(struct tempfile **t, struct fsync_batch *b,
			    enum fsync_component component, enum publish_class order,
			    const char *final_path, bool make_parents, struct err *err);

#endif
