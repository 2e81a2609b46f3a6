/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One operation: everything that a command, or a request of a server, changes in a
 * repository, published together and sealed once. It owns the fsync_batch. Its participants
 * (objects, index, refs, state, files) own what they change; the operation calls them in a fixed order.
 * The order in which changes are then named is that of fsync/order.h.
 *
 *   op = repo_operation_begin(r);
 *   repo_operation_lock_index(op, err)            what the command needs of these,
 *   repo_operation_open_objects(op, err)          in the order that it likes;
 *   odb_write(r->odb, ...)
 *   repo_operation_set_index(op, &ix)
 *   repo_operation_begin_refs(op, 0, &t, err)
 *   ref_transaction_update(t, ...)
 *   config_file_edit(path, &edit, repo_operation_batch(op), err)
 *   rc = repo_operation_end(op, rc, err)          commit if rc is 0, else abort
 *
 * States:
 *
 *            begin              prepare               (all staged)
 *              |    +-----------------------> STAGING ------------> PREPARED
 *              v    |                            |                  |  |
 *         +-> OPEN -+                     failed |   commit,publish |  | abort
 *         |    |    |                            v                  |  |
 *         |    |    +-- abort -------------> ABORTING <-------------|--+
 *         |    |                               | ^  ^               v
 *         |    | show_objects                  | |  +-- failed - PUBLISHING
 *         |    v                               | |                |     |
 *         |  UNSEALED -- prepare -> STAGING    | |        (publish)   (commit)
 *         |    |   ^                           | |                |     |
 *         |    |   +---------------------------|-|----------------+     |
 *         |    +-- abort ----------------------|-+                      |
 *         +------------------------------------+------------------------+
 *              |
 *              +-- free (OPEN only)
 *
 *   OPEN        changes may be added; no name of the operation waits for a seal
 *   STAGING     the participants stage, and the hook of the refs is asked
 *   PREPARED    all is staged, all locks are held; no change is visible
 *   PUBLISHING  the batch gives names, seals them (commit), and the participants learn the result
 *   UNSEALED    as OPEN, but names are visible that the next commit seals
 *   ABORTING    the participants give up all that is not published
 *
 * `commit` and `publish` prepare first, if need be. A failure of any of these ends in OPEN: all that
 * is not published has been given up, the caller has the error, and the operation may be used again.
 * So it may be after a commit, an abort or a publish, for programs that answer their input step by step.
 *
 * Invariants (each is a BUG() where it does not hold):
 *   I1  a repository has one operation at a time
 *   I2  changes are added in OPEN and UNSEALED only: all that is staged has been prepared
 *   I3  a state follows another as drawn, and in no other way
 *   I4  a participant is pending in STAGING, PREPARED or PUBLISHING, or because the command has begun a
 *       change; it is not after ABORTING, nor after PUBLISHING
 *   I5  an operation is freed in OPEN, with no participant pending: a command that forgets to commit must
 *       not look as if it had succeeded, and one that publishes must not forget the seal (D2).
 *       repo_operation_end_unsealed alone frees in UNSEALED
 *   I6  a failed flush fails the batch for good (D6), and so every later step (fsync/batch.h)
 *
 * Errors:     a failed call gives up all that has not been published: staged files and locks
 *             are removed. The codes of fsync_batch_commit, of the index and of refs.
 * Durability: on 0 of commit, everything survives power loss (P1), as far as core.fsync
 *             covers it.
 * Cost:       that of one fsync_batch_commit, however much has been changed.
 * Tests:      t/unit/test-operation.c walks the drawing, and every call that it does not allow.
 */
#ifndef OPERATION_OPERATION_H
#define OPERATION_OPERATION_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "fsync/batch.h"
#include "index/index.h"
#include "refs/refs.h"
#include "repo/repo.h"
#include "repo/state.h"
#include "util/err.h"

struct repo_operation;

enum operation_state {
	OPERATION_OPEN,
	OPERATION_STAGING,
	OPERATION_PREPARED,
	OPERATION_PUBLISHING,
	OPERATION_UNSEALED,
	OPERATION_ABORTING,
	OPERATION_STATE_NR
};
enum operation_state repo_operation_state(const struct repo_operation *op);

/* One at a time for a repository: a second one is a BUG. Costs nothing until it is used. */
struct repo_operation *repo_operation_begin(struct repository *r);
/*
 * The same in a repository that has just been made: with the batch of that (repo/init.h), which becomes the
 * operation's. Both are sealed together.
 */
struct repo_operation *repo_operation_begin_with(struct repository *r, struct fsync_batch *batch);
/* For a configuration file of the user or the system, where there may be no repository. */
struct repo_operation *repo_operation_begin_outside(const struct fsync_policy *policy);

struct repository *repo_operation_repository(const struct repo_operation *op); /* NULL: outside of one */
/* For functions that stage what they write. Only the operation publishes or commits it. */
struct fsync_batch *repo_operation_batch(struct repo_operation *op);

/* ---- objects ---- */
/* From now on odb_write and its like work. May be called again. */
MUST_USE int repo_operation_open_objects(struct repo_operation *op, struct err *err);

/* One object alone, as an operation of its own. */
MUST_USE int repo_operation_write_object(struct repository *r, enum object_type type,
					 const void *data, size_t size,
					 struct object_id *oid, struct err *err);

/* ---- the index ---- */
MUST_USE int repo_operation_lock_index(struct repo_operation *op, struct err *err);
/* That lock, held or not; for a command that lets children see the new index in it. */
struct lockfile *repo_operation_index_lock(struct repo_operation *op);
/* The locked index becomes `ix`, which must live until the commit; that writes it. */
void repo_operation_set_index(struct repo_operation *op, struct index_state *ix);
/* The arguments of the hook post-index-change (INDEX_CHANGED_..., index/index.h); 0 if this is not called. */
void repo_operation_set_index_effects(struct repo_operation *op, unsigned effects);

/* ---- refs ---- */
/*
 * The ref transaction of the operation; one at a time. It is prepared by the commit, which
 * tells its results; it lives until the next one is begun, or the operation freed.
 */
struct ref_transaction *repo_operation_new_refs(struct repo_operation *op, unsigned flags);
/* The one that is open; NULL: none. */
struct ref_transaction *repo_operation_refs(const struct repo_operation *op);
/* The same as repo_operation_new_refs, with reflog entries by the committer. On failure *out is untouched. */
MUST_USE int repo_operation_begin_refs(struct repo_operation *op, unsigned flags,
				       struct ref_transaction **out, struct err *err);

/* ---- operations in progress: repo/state.h ---- */
/*
 * The file gets that text: before the refs if it is new, since that begins an operation (P7); by its
 * class if it is there. The commit makes the objects that it names durable first (D4).
 */
MUST_USE int repo_operation_write_state(struct repo_operation *op, enum repo_state_file f, const char *text,
					size_t len, struct err *err);
/* A file in the directory `dir` of the table; its text names no objects. */
MUST_USE int repo_operation_write_state_in(struct repo_operation *op, enum repo_state_file dir, const char *name,
					   const char *text, size_t len, struct err *err);
/* The file, or the directory with all that is in it, goes after the refs have changed. A missing one is fine. */
MUST_USE int repo_operation_remove_state(struct repo_operation *op, enum repo_state_file f, struct err *err);
/* The same for all files that end by STATE_ENDS_BY_COMMIT, or by STATE_ENDS_BY_SWITCH. */
MUST_USE int repo_operation_end_state(struct repo_operation *op, unsigned by, struct err *err);

/* ---- other files ---- */
/* Removed after the refs have changed, if it is there. */
MUST_USE int repo_operation_remove_file(struct repo_operation *op, const char *path,
					struct err *err);
/* An editor, or another child, has written the file, in place or anew: made durable as it stands. */
MUST_USE int repo_operation_add_written_file(struct repo_operation *op, const char *path,
					     struct err *err);

/* ---- children ---- */
/*
 * Before a child that may look at new objects: publish them, and seal what a later flush of
 * that child would not bring along (D4). All else stays staged. From OPEN it leads to UNSEALED; in
 * STAGING, PUBLISHING and ABORTING, where hooks run, the state stays.
 */
MUST_USE int repo_operation_show_objects(struct repo_operation *op, struct err *err);

/* ---- steps ---- */
/*
 * Everything up to the first name: stages objects and index, takes the locks of the refs and
 * checks them. The commit does this itself; a command whose input asks for it may come first.
 */
MUST_USE int repo_operation_prepare(struct repo_operation *op, struct err *err);
MUST_USE int repo_operation_commit(struct repo_operation *op, struct err *err);
/* All that is there so far gets its names, not sealed: others may go on with it. */
MUST_USE int repo_operation_publish(struct repo_operation *op, struct err *err);
/*
 * The same before the command makes names in `dir` that are not members of the operation: what no later seal there
 * would bring along is sealed (D4).
 */
MUST_USE int repo_operation_publish_before(struct repo_operation *op, const char *dir, struct err *err);
/* Nothing of it happens. Names that have been published stay, and the caller reports a failure. */
void repo_operation_abort(struct repo_operation *op);
/*
 * The same for a transaction that the user has begun, and aborts: the hook of the refs runs, even if
 * the transaction was not prepared.
 */
void repo_operation_abort_and_tell(struct repo_operation *op);

/* ---- the end ---- */
/*
 * The usual end: commits if rc, the result so far, is 0, else aborts; frees in all outcomes.
 * Returns rc, or what the commit returned. op may be NULL if rc is not 0.
 */
MUST_USE int repo_operation_end(struct repo_operation *op, int rc, struct err *err);
/*
 * The same without a seal: publishes if rc is 0. For a child whose parent is our own, and seals what
 * the child has published together with its own refs; or for files that are removed again by this command.
 */
MUST_USE int repo_operation_end_unsealed(struct repo_operation *op, int rc, struct err *err);
/* After commit or abort; in any other state, or with a change pending, a BUG (I5). NULL is fine. */
void repo_operation_free(struct repo_operation *op);

#endif
