/* SPDX-License-Identifier: GPL-2.0-only */
/* Transactions of refs in files. */
#ifndef REFS_FILES_UPDATE_INTERNAL_H
#define REFS_FILES_UPDATE_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "refs/files/loose-internal.h"
#include "refs/refs-backend.h"

struct packed_refs;

struct files_update {
	struct ref_update base; /* first */
	const char *redo_old; /* as redo_applies wants it to be; NULL: no matter */
	struct lockfile lock;
	struct loose_value current; /* the loose file */
	bool in_loose, in_packed;
};
static inline struct files_update *files_update(const struct ref_update *u)
{
	return (struct files_update *)u;
}

/*
 * The locks that go when all has been published, or given up: by an entry of the batch, which
 * can outlive the transaction.
 */
struct held_locks {
	unsigned refcount;
	struct lockfile *locks;
	size_t nr, alloc;
};
void held_locks_put(struct held_locks *h);
/* Takes the lock over. */
void held_locks_add(struct held_locks *h, struct lockfile *lk);

struct files_transaction {
	struct ref_transaction base; /* first */
	struct packed_refs *packed; /* as seen after every lock was taken */
	char *free_parent; /* no ref stands in the way of names below this */
	size_t open_fds, max_open_fds;
	/* P6: all values change by one rename of packed-refs (update-whole.c). */
	bool whole;
	struct lock_origin origin;
	struct lockfile redo_lock; /* held: a record is written if several refs change */
	struct held_locks *held;
};
static inline struct files_transaction *files_transaction(const struct ref_transaction *t)
{
	return (struct files_transaction *)t;
}

/* Lock, read, split: one update (update-lock.c). */
MUST_USE int update_lock(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Old value, name conflicts, new value; once all is locked (update-check.c). */
MUST_USE int update_check(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* ERR_CONFLICT if a ref of that name cannot be made beside what is there. */
MUST_USE int check_name_available(struct ref_transaction *t, const char *name, struct err *err);
/* Write and stage all (update-stage.c). */
MUST_USE int transaction_stage(struct ref_transaction *t, struct err *err);
/* Its line in a reflog, if there is one (update-log.c). */
MUST_USE int update_stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Can it go the whole way? As far as can be told before its refs are locked, and after. */
bool transaction_may_be_whole(const struct ref_transaction *t);
bool transaction_is_whole(const struct ref_transaction *t);
MUST_USE int transaction_stage_whole(struct ref_transaction *t, struct err *err);

/* ---- the record of a transaction that goes ref by ref (redo.c) ---- */
/*
 * The lock that whoever writes a record holds. What an earlier record leaves to be done is done
 * then, and sealed; if it cannot be done now, the lock is not taken.
 */
MUST_USE int redo_lock(struct ref_store *rs, struct lockfile *lk, long timeout_ms,
		       const struct fsync_policy *policy, struct err *err);
/* The record, if several refs change, and its removal. t->redo_lock is held. */
MUST_USE int redo_stage(struct ref_transaction *t, struct err *err);
/* There is a record, or a lock, and nobody who takes care of it. */
bool redo_is_due(const struct ref_store *rs);
/* As far as it can be done now. */
void redo_what_is_due(struct ref_store *rs, const struct fsync_policy *policy);
/* Is the ref, read under its lock, what u->redo_old says that it was? */
bool redo_applies(const struct ref_store *rs, const struct ref_update *u);

/* ---- the table's functions (struct ref_backend; transaction.c, redo.c) ---- */
MUST_USE int files_lock(struct ref_transaction *t, struct err *err);
MUST_USE int files_stage(struct ref_transaction *t, struct err *err);
void files_unlock(struct ref_transaction *t);
void files_release(struct ref_transaction *t);
void files_update_clear(struct ref_update *u);
void files_recover(struct ref_store *rs, const struct fsync_policy *policy);

#endif
