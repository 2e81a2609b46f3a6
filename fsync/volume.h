/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One file system that an operation writes to: the names made on it since the last seal, and the
 * flush that makes these names durable. A part of the engine in fsync/batch.c; no other file
 * includes it.
 */
#ifndef FSYNC_VOLUME_H
#define FSYNC_VOLUME_H

#include "compat/fskind.h"
#include "compat/posix.h"
#include "util/err.h"
#include "util/map.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "write-or-die.h"

struct volume {
	dev_t dev;
	enum fs_kind kind;
	/*
	 * A directory on it, opened before the first file is staged: syncfs
	 * reports the write errors that happened since (D6).
	 */
	int fd;
	char *name;	     /* a path on it, for messages */
	bool unflushed;	     /* contents that must be flushed before the first name */
	/* Names made since the last seal, as far as the policy covers them. */
	bool dirty;
	int order;	     /* highest enum publish_class among them */
#define NO_CLASS -1	     /* only directories that were made; they have no order */
	char *last_dir;	     /* the directory that was changed last */
	struct strvec dirs;  /* each directory that was changed, once */
	struct strset in_dirs;
	size_t in_place;     /* files changed in place with no name made since */
	char *last_in_place;
	size_t adopted;	 /* files of other processes, staged in this batch */
	bool sealed_all; /* the last seal covered names of other processes, too */
};

/* fd passes to the volume. */
struct volume *volume_new(int fd, dev_t dev, const char *name, enum fs_kind kind);
void volume_free(struct volume *vol);

/*
 * Open `dir`, or the nearest existing directory above it; *dir becomes its path. -1 with errno.
 */
int open_existing_dir(struct strbuf *dir);

/* ---- flushes and writebacks, counted in trace2; -1 with errno ---- */
int volume_flush_fd(const struct volume *vol, int fd);
int volume_flush_all(const struct volume *vol); /* ENOSYS: there is no such flush */
int await_writeback(int fd);
/* The platform or the file system has no such call. */
bool is_missing_call(int sys_errno);

/* A flush waits for the disk, not for a processor: use more threads than there are processors. */
#define FLUSH_THREADS 16
/* Fewer files are flushed one after the other. */
#define FLUSH_THREADS_FROM 4

/* ---- names ---- */
/* Directory `dir` got, lost or changed a name. changed: this process has changed it just now. */
void volume_touch_dir(struct volume *vol, const char *dir, bool changed);
void volume_touch_parent(struct volume *vol, const char *path, bool changed);
/* The content of the file has been settled. The seal of a name that is made from now on covers its size. */
void volume_touch_in_place(struct volume *vol, const char *path);

/*
 * Make the names touched since the last seal durable. Does nothing if there are none.
 * window: how many descriptors may be open at once. A failure is final (D6).
 */
MUST_USE int volume_seal(struct volume *vol, enum fsync_method method, size_t window,
			 struct err *err);
/*
 * Make the names made so far durable, before other names that need them. Flushes one directory after
 * the other, and nothing that other programs have written. The whole volume is sealed later.
 */
MUST_USE int volume_seal_dirs(struct volume *vol, size_t window, struct err *err);

#endif
