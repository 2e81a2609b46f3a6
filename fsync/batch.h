/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine of durability: one operation (a command, or a request of a
 * server) owns one fsync_batch, and everything it writes goes through it.
 *
 *   b = fsync_batch_new(&opts);
 *   fsync_batch_stage(b, &staging, err)    per file: writeback starts, no wait
 *   ...
 *   fsync_batch_commit(b, err)             settle, publish in order, seal
 *   fsync_batch_free(b)                    without commit: all is undone
 *
 * Writers do not know the method. A staged file is not visible under its
 * final name before publish. See Documentation/Durability for D1 to D8 and the
 * table of file systems.
 *
 * States (`publish` stands for publish, publish_objects and the first half of commit):
 *
 *        +------ done, no name waits for a seal -----+
 *        v                                           |
 *   -> OPEN ----- publish -----> SETTLING ----> PUBLISHING <-- settled --+
 *       ^  \                     ^   |            |   |                  |
 *       |   \ commit             |   |            |   +--> CALLING -> SETTLING
 *       |    v                   |   |            |
 *       |  SEALING               |   |            | done
 *       |   | ^                  |   |            v
 *       +---+ +---- commit ---- UNSEALED <--------+
 *                                    |
 *       any of these -- a flush or a writeback failed --> FAILED
 *
 *   OPEN        files may be staged; no name waits for a seal
 *   SETTLING    the writebacks are awaited (D1)
 *   PUBLISHING  names change, in the order of fsync/order.h
 *   CALLING     a PUBLISH_CALL runs, and stages more. What it has staged is settled before the next name
 *   UNSEALED    as OPEN, but names are visible that the next seal makes durable
 *   SEALING     names become durable (D2)
 *   FAILED      nothing is published any more, and no commit succeeds (D6)
 *
 * A failure that is not one of a flush or a writeback (a rename, a call) leads from PUBLISHING or CALLING to
 * OPEN or UNSEALED.
 *
 * Invariants (each is a BUG() where it does not hold):
 *   B1  a name changes in PUBLISHING only, and each PUBLISHING follows a SETTLING that succeeded (D1)
 *   B2  files are staged in OPEN, UNSEALED, CALLING and FAILED only: nothing is published that was
 *       not settled. In FAILED staging fails
 *   B3  no name waits for a seal in OPEN; one does in UNSEALED, until a commit succeeds (D2)
 *   B4  nothing leads out of FAILED: every later step fails with the message of the first failure (D6)
 *   B5  nothing is staged after a publish, a commit or an abort, whatever its result
 *
 * Threads: stage and start may be called from several threads at once, but not while the owning
 * thread is in another call; the others only from that thread.
 * Tests: t/unit/test-fsync-batch.c walks the drawing, and every call that it does not allow.
 */
#ifndef FSYNC_BATCH_H
#define FSYNC_BATCH_H

#include "compat/fskind.h"
#include "compat/posix.h"
#include "fsync/order.h"
#include "util/err.h"
#include "write-or-die.h"

enum publish_how {
	PUBLISH_RENAME,	      /* tmp_path to final_path, replacing */
	/* final_path has been written already (reflog append); if it was made for
	 * that, say so by fsync_batch_note_dir */
	PUBLISH_IN_PLACE,
	/* another process published final_path, perhaps without a flush: we settle its content, and
	 * seal its name and that of its directory, as if they were ours; a
	 * common flush settles many */
	PUBLISH_ADOPT,
	/*
	 * `write` changes final_path in place when its turn has come: what it writes
	 * names things (a reflog line names a commit) that must be there before, even
	 * if we are killed in between (D4). All of a class are then awaited together,
	 * before the next class.
	 */
	PUBLISH_WRITE,
	PUBLISH_UNLINK,	      /* remove final_path (missing is fine) */
	/*
	 * `call` is run when its turn has come, after all that was staged before has been
	 * settled. What it stages, in later classes, is settled when it returns: by itself,
	 * even where other contents are flushed with all of the file system. For files under
	 * a lock that others wait for. final_path: a file on the same file system.
	 */
	PUBLISH_CALL,
	/* nothing on disk: `done` is called when its turn has come; no paths */
	PUBLISH_NOTE,
};

struct fsync_staging {
	enum fsync_component component;
	enum publish_class order;
	enum publish_how how;
	/* passes to the batch in all outcomes; -1: none (the batch then opens the
	 * file itself, which is second best, see D7) */
	int fd;
	const char *tmp_path;   /* copied */
	const char *final_path; /* copied */
	bool make_parents;      /* create missing directories of final_path */
	bool started;		/* fsync_batch_start has been called for it */
	/*
	 * Another batch, with `hidden`, has settled its content before: nothing is done to it but what takes a flush of the
	 * whole file system. fd is -1.
	 */
	bool settled;
	/*
	 * Called once, from the owning thread, when the entry is published, or
	 * given up: then the owner removes or restores the files (may be NULL: then the batch unlinks
	 * tmp_path itself).
	 */
	void (*done)(void *data, bool published);
	/* PUBLISH_WRITE only: 0 and the descriptor, which passes to the batch */
	int (*write)(void *data, int *fd, struct err *err);
	int (*call)(void *data, struct err *err); /* PUBLISH_CALL only */
	void *data;
};

struct fsync_batch_options {
	struct fsync_policy policy;
	/*
	 * What it names is hidden from others: another batch gives it the names that count. Contents are settled, so that their
	 * errors are reported here (D7); nothing is flushed for the sake of names, and nothing is committed.
	 */
	bool hidden;
	bool alone; /* never a syncfs, as it waits for what others have written; for a file or two */
	unsigned window;   /* descriptors in flight; 0: default (256), less if
			      RLIMIT_NOFILE is small */
	/* mode of created parent directories for core.sharedRepository; NULL:
	 * mkdir 0777 under the umask */
	int (*make_dir)(void *data, const char *path); /* 0, or -1 with errno */
	void *make_dir_data;
	/*
	 * Called before the first name that is to be sealed becomes visible (true), and once it
	 * has been sealed (false), unless the seal fails. NULL: no call. fs/owner.h has one.
	 */
	void (*note_unsealed)(void *data, bool unsealed);
	void *note_unsealed_data;
	/*
	 * Where no journal orders names, a file that is replaced gets this second name until the
	 * seal. Otherwise the disk could have the old name still, and the inode as a free one already.
	 * The batch frees the path. NULL: no second names. fs/owner.h has one.
	 */
	char *(*second_name)(const char *path);
};

enum fsync_batch_state {
	BATCH_OPEN,
	BATCH_SETTLING,
	BATCH_PUBLISHING,
	BATCH_CALLING,
	BATCH_UNSEALED,
	BATCH_SEALING,
	BATCH_FAILED,
	BATCH_STATE_NR
};

struct fsync_batch;
enum fsync_batch_state fsync_batch_state(const struct fsync_batch *b);
/* GIT_TEST_FSYNC=0: nothing is flushed or awaited. */
struct fsync_batch *fsync_batch_new(const struct fsync_batch_options *opts);
/* An empty batch goes on by other rules. */
void fsync_batch_set_options(struct fsync_batch *b, const struct fsync_batch_options *opts);
const struct fsync_policy *fsync_batch_policy(const struct fsync_batch *b);
/* Would each new file of that component below dir, which exists, be flushed by itself? */
bool fsync_batch_flushes_each(struct fsync_batch *b, enum fsync_component component,
			      const char *dir);

/*
 * Take over a file that has been written: start its writeback if the policy
 * covers its component, and queue its publication.
 * Ownership: the entry is the batch's in all outcomes; after a failure it is
 * given up by the next call of the owning thread that ends the batch.
 * Errors: ERR_IO if a writeback that fell out of the window failed; the batch
 * is then poisoned (D6): every later call fails with that message.
 */
MUST_USE int fsync_batch_stage(struct fsync_batch *b, const struct fsync_staging *s,
			       struct err *err);

/*
 * Before stage, from any thread: `fd` is a file of that component, completely written, which will
 * be at `path`. Starts its writeback, if that is what stage would do. A failure spoils the batch.
 */
void fsync_batch_start(struct fsync_batch *b, enum fsync_component component, const char *path,
		       int fd);

/*
 * For files that have their final names already and are not taken back: those of the working tree, which the next names
 * (the index, HEAD) stand for.
 *
 * fsync_batch_awaits: are contents of new files below dir, which exists, written back and awaited? Not where only a
 *                     flush of each file would do (FS_EACH).
 * fsync_batch_await:  if so, after the last write, from any thread: `fd` passes to the batch, its writeback
 *                     starts, and the next publish or commit awaits it before its first name (D1, D7). A failure spoils
 *                     the batch (D6).
 * fsync_batch_check:  the failure so far, if there is one.
 *
 * Durability: the contents are on the disk, or in its cache, when the next name is made; a seal on the same file system
 *             makes them durable. Their names have no order.
 * Cost:       no flush, whatever the method; up to `window` more descriptors.
 */
bool fsync_batch_awaits(struct fsync_batch *b, enum fsync_component component, const char *dir);
void fsync_batch_await(struct fsync_batch *b, const char *path, int fd);
MUST_USE int fsync_batch_check(struct fsync_batch *b, struct err *err);

/*
 * Settle and publish what has been staged so far, without sealing: others
 * (hooks, children) can then see it. D1 holds; D2 is left to commit. The batch stays
 * open. Errors as fsync_batch_commit.
 */
MUST_USE int fsync_batch_publish(struct fsync_batch *b, struct err *err);

/*
 * Like it, for objects and the files derived from them alone; all else stays staged. For hooks that
 * may look at new objects but not at new refs yet.
 */
MUST_USE int fsync_batch_publish_objects(struct fsync_batch *b, struct err *err);

/*
 * After a publish, before children that may make names of their own in `dir` of what they
 * see: seals what no later flush there would bring along (D4). Errors as
 * fsync_batch_commit.
 */
MUST_USE int fsync_batch_seal_for(struct fsync_batch *b, const char *dir, struct err *err);

/*
 * Settle, publish, seal. The batch is empty afterwards and may be used again.
 * Durability: on 0, names and contents survive power loss (P1), as far as
 *             the policy covers them.
 * Errors:     ERR_IO         no entry that was open has been published
 *             ERR_LOCKED     the same: a lock that is taken last is not to be had
 *             ERR_UNCERTAIN  some names visible, durability unknown
 *             In both cases the batch has given up all other entries.
 * Cost:       method batch: 1 flush on ext4, XFS and btrfs; where no journal orders the
 *             names, 2 and one more for each phase of fsync/order.h, two calls each; where the kernel would
 *             lose write errors, one for each file and directory;
 *             0 if nothing that the policy covers was staged.
 */
MUST_USE int fsync_batch_commit(struct fsync_batch *b, struct err *err);

/* Does the batch make published files of this component durable? Not with writeout-only. */
bool fsync_batch_seals(const struct fsync_batch *b, enum fsync_component component);
/*
 * After a successful commit: did it seal all names on the file systems of these directories, also
 * names that other processes had published before? Not if it had nothing to seal there, or flushed
 * single directories. (Both directories may be the same, here and below.)
 */
bool fsync_batch_has_sealed_all(struct fsync_batch *b, const char *dir, const char *other);
/*
 * For an answer that rests on what others have published in these directories: flushes all of
 * their file systems. 1 if it did, 0 if the policy asks for no flush. A failure is final (D6).
 */
MUST_USE int fsync_batch_flush_others(struct fsync_batch *b, const char *dir, const char *other,
				      struct err *err);

/*
 * D8: remove `path`, a file that the staged ones replace, after the next commit has sealed them. If that fails, or the batch
 * is aborted, the file stays, for another process to find.
 */
void fsync_batch_remove_after_seal(struct fsync_batch *b, const char *path);

/* Nothing is staged that waits to be published. */
bool fsync_batch_is_empty(const struct fsync_batch *b);
/* Give up everything that is not published (done(false)); keeps b usable. */
void fsync_batch_abort(struct fsync_batch *b);
void fsync_batch_free(struct fsync_batch *b); /* aborts; NULL is fine */

/*
 * A name was made or removed outside (mkdir of a repository, a moved file): seal
 * must cover directory `dir`. Call it after the change, and before the next one
 * in another directory: on a journalling file system the last one stands for all.
 */
void fsync_batch_note_dir(struct fsync_batch *b, enum fsync_component component,
			  const char *dir);

#endif
