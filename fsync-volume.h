/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One file system that an operation writes to: what has been named on it since
 * the last seal, and the flush that makes those names durable. A part of the
 * engine in fsync-batch.c; nobody else includes it.
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
	char *last_dir;	     /* changed last of all */
	struct strvec dirs;  /* each directory that was changed, once */
	struct strset in_dirs;
	size_t in_place;     /* files changed in place with no name made since */
	char *last_in_place;
	size_t adopted;	 /* files of others, staged in this batch */
	bool sealed_all; /* the last commit has sealed the names of others, too */
};

/* fd passes to the volume. */
struct volume *volume_new(int fd, dev_t dev, const char *name, enum fs_kind kind);
void volume_free(struct volume *vol);

/*
 * Open `dir`, or the nearest directory above that exists; *dir becomes that
 * one. -1 with errno.
 */
int open_existing_dir(struct strbuf *dir);

/* ---- flushes and writebacks, counted in trace2; -1 with errno ---- */
int volume_flush_fd(const struct volume *vol, int fd);
int volume_flush_all(const struct volume *vol); /* ENOSYS: there is no such flush */
int await_writeback(int fd);
/* The platform or the file system has no such call. */
bool is_missing_call(int sys_errno);

/* A flush waits for the disk, not for a processor: more threads than those. */
#define FLUSH_THREADS 16
/* Fewer are flushed one after the other. */
#define FLUSH_THREADS_FROM 4

/* ---- names ---- */
/* Directory `dir` got, lost or changed a name. changed: by us, just now. */
void volume_touch_dir(struct volume *vol, const char *dir, bool changed);
void volume_touch_parent(struct volume *vol, const char *path, bool changed);
/* Its content has been settled; a name that is made from here on covers its size. */
void volume_touch_in_place(struct volume *vol, const char *path);

/*
 * Make durable what was touched since the last time; nothing if nothing was.
 * window: how many descriptors may be open at once. A failure is final (D6).
 */
MUST_USE int volume_seal(struct volume *vol, enum fsync_method method, size_t window,
			 struct err *err);
/*
 * The names that were made so far, before others that need them, one directory after the other
 * and without what other programs have written; the volume is sealed as a whole later.
 */
MUST_USE int volume_seal_dirs(struct volume *vol, size_t window, struct err *err);

#endif
