/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lock file "PATH.lock" is created with O_EXCL and filled with the new content. The operation's
 * batch renames it over PATH.
 *
 * The extended attribute user.git.lock holds the mark of the owner (fs/owner.h), on file systems
 * where the mark proves something. If the owner is provably gone, another process takes the lock
 * over, serialised, and reports it once (P5). The attribute is written before the lock gets its
 * name. It stays when the file is renamed: without a journal, the disk could have the removal of
 * the attribute but not the rename, and the lock would have no owner. After the rename the
 * attribute is not read any more. A mark counts only for the file for which it was written, not
 * for a copy or another name of it.
 *
 *   struct lockfile lk = LOCKFILE_INIT;
 *   lockfile_hold(&lk, path, 0, timeout_ms, err)
 *   write to lk.tf->fd
 *   lockfile_stage(&lk, batch, FSYNC_INDEX, PUBLISH_INDEX, err)
 *   fsync_batch_commit(batch, err)
 */
#ifndef FS_LOCKFILE_H
#define FS_LOCKFILE_H

#include "compat/posix.h"
#include "fs/owner.h"
#include "fs/tempfile.h"

struct lockfile {
	struct tempfile *tf; /* NULL: not held */
	char *target;	     /* final path, symlinks resolved; owned */
	bool started;	     /* made from a nameless_lock that was written and started (fsync_batch_start) */
};
#define LOCKFILE_INIT { NULL, NULL, false }

#define LOCK_NO_DEREF 1u  /* replace a symlink instead of its target */
#define LOCK_MAKE_DIRS 2u /* create leading directories */

/*
 * Take the lock of `path`. timeout_ms 0: try once; -1: try forever; else retry with random
 * back-off. ERR_LOCKED: "unable to create 'P.lock': File exists" and Git's advice, with the pid of
 * the owner if it is known. ERR_INVALID without LOCK_NO_DEREF: too many symlinks, or a device or a
 * pipe (/dev/null), whose place no file takes.
 */
MUST_USE int lockfile_hold(struct lockfile *lk, const char *path, unsigned flags,
			   long timeout_ms, struct err *err);
/*
 * As lockfile_hold, but waits up to patience_ms in all while the owner is known to be alive, or
 * while the lock passes from one process to another. patience_ms is ignored if timeout_ms is 0 or -1.
 */
MUST_USE int lockfile_hold_patiently(struct lockfile *lk, const char *path, unsigned flags, long timeout_ms,
				     long patience_ms, struct err *err);

/*
 * The locks of one operation share the owner's mark, which is made once for each directory. Locks
 * that are only removed later, never written or renamed, also share one file (own_files false):
 * each lock is a link to it. This costs one call per lock instead of one file per lock. Such a lock
 * excludes other processes like any other, and can be taken over if its owner is gone.
 *
 *   struct lock_group g = LOCK_GROUP_INIT(dir)      dir: on the same file system
 *   lockfile_hold_in_group(&lk, path, timeout_ms, &g, err)
 *   ...
 *   lock_group_release(&g)                          before or after the locks go
 *
 * If a link cannot be made (another file system, no O_TMPFILE, a limit), the lock gets a file of its
 * own. lk->tf->fd is -1 for a lock that shares its file: do not call lockfile_reopen or
 * lockfile_stage for it. The path is not dereferenced.
 */
struct lock_group {
	const char *dir; /* not owned */
	bool own_files;	 /* may change from lock to lock */
	long patience_ms; /* see lockfile_hold_patiently */
	struct nameless_lock *prepared; /* for the next lock, if it has a file of its own */
	int fd;		 /* the shared file; -1: not made yet */
	struct stat st;
	unsigned links;
	bool refused;
	struct strbuf marked_dir; /* the directory for which `owner` was made */
	char owner[OWNER_TEXT_MAX + 1];
};
#define LOCK_GROUP_INIT(dir_) { .dir = (dir_), .fd = -1, .marked_dir = STRBUF_INIT }
/* Names per file; ext4 allows 65,000. */
#define LOCK_GROUP_LINKS 30000u
MUST_USE int lockfile_hold_in_group(struct lockfile *lk, const char *path, long timeout_ms,
				    struct lock_group *g, struct err *err);
void lock_group_release(struct lock_group *g); /* idempotent */

/*
 * A file without a name that bears our mark. It can be filled before the lock is taken, and gets the
 * name of the lock later. fd -1: there is no file. Only the calling thread may use the group.
 */
struct nameless_lock {
	int fd; /* -1 once it has become a lock */
	struct stat st;
};
void lockfile_make_nameless(struct nameless_lock *n, const char *path, struct lock_group *g);
void nameless_lock_release(struct nameless_lock *n); /* idempotent */

static inline bool lockfile_is_held(const struct lockfile *lk) { return lk->tf != NULL; }
/* Close the descriptor but keep the lock (another program will write it). */
MUST_USE int lockfile_close(struct lockfile *lk, struct err *err);
/* Open the closed lock file again for writing, truncated. */
MUST_USE int lockfile_reopen(struct lockfile *lk, struct err *err);
MUST_USE int lockfile_stage(struct lockfile *lk, struct fsync_batch *b,
			    enum fsync_component component, enum publish_class order,
			    struct err *err);
void lockfile_rollback(struct lockfile *lk); /* idempotent */
void lockfile_release(struct lockfile *lk);  /* rollback and free */

/*
 * State of the owner of a lock (fs/owner.h). LOCK_OWNER_UNKNOWN also if the lock disappears meanwhile.
 * *pid: the owner's process id, for messages; pid may be NULL.
 */
enum lock_owner lock_owner_of(const char *lock_path, pid_t *pid);
/* P5: remove a lock whose owner is provably gone. False: there is no lock, or it stays. */
bool lockfile_remove_stale(const char *lock_path);

/*
 * Called once per take-over ("removed stale lock 'x'; its owner, process N, is gone").
 * Default: prints to standard error. Tests replace it.
 */
extern void (*lockfile_takeover_report)(const char *lock_path, pid_t pid);

#endif
