/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gc.pid, which keeps a second gc away, and gc.log, in which one in the background leaves what it has
 * to say. gitrepository-layout(5), gc.logExpiry of git-config(1). Neither need last: nothing is flushed.
 */
#ifndef MAINTAIN_GC_FILES_H
#define MAINTAIN_GC_FILES_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "repo/repo.h"
#include "util/strbuf.h"

struct gc_lock {
	struct tempfile *pid_file; /* removed at exit */
};
#define GC_LOCK_INIT { NULL }

/*
 * Others are let alone if their gc.pid is not older than 12 hours and they are on another machine, or
 * alive. force: in any case. ERR_LOCKED: "gc is already running on machine 'H' pid N (use --force if
 * not)".
 */
MUST_USE int gc_lock_take(struct gc_lock *l, struct repository *r, bool force, struct err *err);
void gc_lock_release(struct gc_lock *l); /* idempotent */

/*
 * What the last one has left, if that is not older than gc.logExpiry; then *path is its file, which the
 * caller frees. 1: there is something, 0: nothing.
 */
MUST_USE int gc_log_read(struct repository *r, struct strbuf *text, char **path, struct err *err);
/* Take gc.log.lock, whose descriptor (lk->tf->fd) is for messages. */
MUST_USE int gc_log_open(struct lockfile *lk, struct repository *r, struct err *err);
/* Whatever has been written becomes gc.log; if nothing has, gc.log goes. */
void gc_log_close(struct lockfile *lk);
void gc_log_remove(struct repository *r);

#endif
