/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "PATH.lock": taken with O_EXCL, filled with the new content, renamed over
 * PATH by the operation's batch. The owner's mark (fs/owner.h) is written into the extended
 * attribute user.git.lock, where it can be proved there: a lock whose owner is provably gone is
 * taken over, serialised, and said once (P5). The attribute is there before the lock has
 * its name, and stays when the file is renamed: nobody looks at it any more, and without a
 * journal the disk could have its removal and not the rename, so that the lock would be nobody's.
 * It counts for the file alone for which it was written, not for copies or other names of that.
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
	bool started;	     /* it was a nameless_lock, written and started (fsync_batch_start) */
};
#define LOCKFILE_INIT { NULL, NULL, false }

#define LOCK_NO_DEREF 1u  /* replace a symlink instead of its target */
#define LOCK_MAKE_DIRS 2u /* create leading directories */

/*
 * timeout_ms 0: one try; -1: forever; else retry with random back-off.
 * ERR_LOCKED: "unable to create 'P.lock': File exists" and the advice that
 * users know, with the owner's pid where it is known.
 */
MUST_USE int lockfile_hold(struct lockfile *lk, const char *path, unsigned flags,
			   long timeout_ms, struct err *err);
/*
 * timeout_ms: for whoever holds it. As long as an owner is known to be alive, or the lock goes from hand to hand, patience_ms
 * in all; of no meaning if timeout_ms is 0 or -1.
 */
MUST_USE int lockfile_hold_patiently(struct lockfile *lk, const char *path, unsigned flags, long timeout_ms,
				     long patience_ms, struct err *err);

/*
 * Many locks of one operation share what can be shared: the owner's mark, which is made once for
 * each directory; and, if they will only be removed, never written or renamed (own_files
 * false), the file: all are names of one, a call per lock instead of a file per lock. They
 * exclude others and are taken over from the dead as any other.
 *
 *   struct lock_group g = LOCK_GROUP_INIT(dir)      dir: on the same file system
 *   lockfile_hold_in_group(&lk, path, timeout_ms, &g, err)
 *   ...
 *   lock_group_release(&g)                          before or after the locks go
 *
 * Where names cannot be added (other file system, no O_TMPFILE, a limit), a
 * file of its own is made instead. lk->tf->fd is -1 for a lock that shares its file:
 * lockfile_reopen and lockfile_stage are not for it. The path is not dereferenced.
 */
struct lock_group {
	const char *dir; /* not owned */
	bool own_files;	 /* may change from lock to lock */
	long patience_ms; /* as of lockfile_hold_patiently */
	struct nameless_lock *prepared; /* for the next lock, if it has a file of its own */
	int fd;		 /* of the shared file; -1: not made yet */
	struct stat st;
	unsigned links;
	bool refused;
	struct strbuf marked_dir; /* whose mark this is */
	char owner[OWNER_TEXT_MAX + 1];
};
#define LOCK_GROUP_INIT(dir_) { .dir = (dir_), .fd = -1, .marked_dir = STRBUF_INIT }
/* Names per file; ext4 allows 65,000. */
#define LOCK_GROUP_LINKS 30000u
MUST_USE int lockfile_hold_in_group(struct lockfile *lk, const char *path, long timeout_ms,
				    struct lock_group *g, struct err *err);
void lock_group_release(struct lock_group *g); /* idempotent */

/*
 * A file without a name that bears our mark and gets the name of a lock later: it can be filled
 * before the lock is taken. fd -1: there is none. The group is one of the calling thread alone.
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

/* Whose is it (fs/owner.h)? LOCK_OWNER_UNKNOWN, too, if it went while it was looked at. *pid: for messages; may be NULL. */
enum lock_owner lock_owner_of(const char *lock_path, pid_t *pid);
/* P5: a lock whose owner is provably gone is removed; false: there is none, or it stays. */
bool lockfile_remove_stale(const char *lock_path);

/*
 * Told once per take-over ("removed stale lock 'x'; its owner, process N, is gone").
 * Default: standard error. Tests put their own here.
 */
extern void (*lockfile_takeover_report)(const char *lock_path, pid_t pid);

#endif
