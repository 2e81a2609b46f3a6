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
/* "dir/prefixXXXXXX" with random letters. */
MUST_USE int tempfile_create_in(struct tempfile **out, const char *dir,
				const char *prefix, int mode, struct err *err);
/* Watch a file or directory that exists already, for removal on exit. */
struct tempfile *tempfile_register(const char *path);
MUST_USE int tempfile_close(struct tempfile *t, struct err *err);
/* Close, unlink, free; *t becomes NULL; NULL is fine. */
void tempfile_delete(struct tempfile **t);
/* Forget it: the file stays. */
void tempfile_forget(struct tempfile **t);
/*
 * Hand it to the batch: renamed to final_path at publish, removed if that does
 * not come about. The tempfile belongs to the batch from here on in all outcomes;
 * *t becomes NULL.
 */
MUST_USE int tempfile_stage(struct tempfile **t, struct fsync_batch *b,
			    enum fsync_component component, enum publish_class order,
			    const char *final_path, bool make_parents, struct err *err);

#endif
