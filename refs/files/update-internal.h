/* SPDX-License-Identifier: GPL-2.0-only */
/* Transactions of refs in files. */
#ifndef REFS_FILES_UPDATE_INTERNAL_H
#define REFS_FILES_UPDATE_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/refs-backend.h"

struct packed_refs;

struct files_update {
	struct ref_update base; /* first */
	/* What a record says that it was and will be; NULL: it is from no record. */
	const char *journal_old, *journal_new;
	struct lockfile lock;
	struct prepared_value *prepared; /* of values_prepare; NULL: none */
	struct loose_value current; /* the loose file */
	time_t mtime; /* of it */
	unsigned mtime_nsec;
	bool in_loose, in_packed;
};
static inline struct files_update *files_update(const struct ref_update *u)
{
	return (struct files_update *)u;
}

/*
 * The locks that go when all has been published, or given up: by an entry of the batch, which
 * can outlive the transaction (held-locks.c).
 */
struct held_locks {
	unsigned refcount;
	struct lockfile *locks;
	size_t nr, alloc;
};
struct held_locks *held_locks_new(void);
void held_locks_put(struct held_locks *h);
/* Let go of all. */
void held_locks_release(struct held_locks *h);
/* Takes the lock over. */
void held_locks_add(struct held_locks *h, struct lockfile *lk);

struct files_transaction {
	struct ref_transaction base; /* first */
	struct packed_refs *packed; /* as seen after every lock was taken */
	char *free_parent; /* no ref stands in the way of names below this */
	const char *unlogged; /* the name of a ref in whose directory there are no reflogs */
	size_t open_fds, max_open_fds;
	long lock_timeout_ms, packed_timeout_ms, patience_ms;
	/* P6: all values change by one rename of packed-refs; else under a record. */
	bool via_packed;
	bool loose_via_packed; /* those with loose files too */
	bool looked_for_abandoned;
	/* The name conflict just found is one that Git finds after the lock: with a packed ref, or with an update queued later. */
	bool found_late;
	enum record_state record; /* as far as this process has come: NONE, LOCKED, STAGED */
	struct lock_group locks;
	struct held_locks *held;
	struct prepared_values *values; /* of values_prepare; NULL: none */
};
static inline struct files_transaction *files_transaction(const struct ref_transaction *t)
{
	return (struct files_transaction *)t;
}

/* Lock, read, split: one update (update-lock.c). */
MUST_USE int update_lock(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Old value, name conflicts, new value; once all is locked (update-lock.c). */
MUST_USE int update_check(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Write and stage all (update-stage.c). */
MUST_USE int transaction_stage(struct ref_transaction *t, struct err *err);

/* ---- values (values.c) ---- */
/*
 * Begin the files of new values of many refs, once they are in order and before their locks are
 * taken: see values.c.
 */
void values_prepare(struct ref_transaction *t);
/* The file that becomes the lock of u, with its value in it; NULL: there is none. */
struct nameless_lock *value_file(struct ref_transaction *t, const struct ref_update *u);
/* Give up the files that have not become locks. */
void values_release(struct ref_transaction *t);
/* The value into the lock, unless it is there, and the lock is open. */
MUST_USE int value_write(struct ref_transaction *t, struct ref_update *u, struct err *err);

/* ---- packed-refs (update-packed.c) ---- */
/*
 * Can several refs change by one rename, and is that cheap? As far as can be seen before they
 * are locked, and after.
 */
bool can_commit_via_packed(struct ref_transaction *t);
bool all_are_packable(const struct ref_transaction *t);
/* Stage the change of packed-refs, to be written at its turn. */
MUST_USE int update_stage_packed(struct ref_transaction *t, struct err *err);

/* ---- the table's functions (struct ref_backend; transaction.c) ---- */
MUST_USE int files_lock(struct ref_transaction *t, struct err *err);
MUST_USE int files_stage(struct ref_transaction *t, struct err *err);
void files_unlock(struct ref_transaction *t);
void files_release(struct ref_transaction *t);
void files_update_clear(struct ref_update *u);

#endif
