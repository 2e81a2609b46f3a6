/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of transactions that go ref by ref (journal.c says how), and finishing them.
 *
 * States of a record ID. Each is visible in the files ID, ID.new and ID.lock, so that another process, or the
 * next one after a power cut, sees it:
 *
 *             lock           ID.new is complete          the batch renames ID.new to ID
 *   -> NONE --------> LOCKED -------------------> STAGED -------------------------> HAPPENED
 *       ^               |                           |                                  |
 *       |<-- given up --+<-------- given up --------+                                  |
 *       |                                                                              |
 *       |<------- all refs have changed: ID is removed, then the lock -----------------+
 *       |                                                                              |
 *       |            a kill, a power cut, or a disk that refuses, in LOCKED, STAGED, HAPPENED or FINISHING
 *       |                                          |
 *       |                        lock              v
 *       +<--- the rest done --- FINISHING <---- ABANDONED
 *                                   |
 *                                   +--- an entry differs ---> SET_ASIDE
 *
 *   NONE       no file of that name
 *   LOCKED     ID.lock is held by the writer: the transaction has not happened
 *   STAGED     ID.new is complete, and staged: it has not happened yet
 *   HAPPENED   ID is there, under its lock: the transaction has happened, its refs change one by one
 *   ABANDONED  no living process holds the lock, but ID, ID.new or a stale lock is there
 *   FINISHING  the process that finishes the transaction holds the lock; ID.new is gone
 *   SET_ASIDE  ID.set-aside: left to a person
 *
 * Invariants (each is a BUG() where it does not hold):
 *   J1  a state follows another as drawn, and in no other way
 *   J2  a transaction writes one record at most, before any of its refs changes (P6)
 *   J3  the lock of a record has its name before ID.new and ID, and loses it after: an ID
 *       without a held lock is ABANDONED
 *   J4  a record is read, removed or set aside in FINISHING only
 *   J5  its writer holds the locks of its refs until they have changed. A process that waits for
 *       the lock of a record holds no lock of a ref
 */
#ifndef REFS_FILES_JOURNAL_INTERNAL_H
#define REFS_FILES_JOURNAL_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "util/strbuf.h"

enum record_state {
	RECORD_NONE,
	RECORD_LOCKED,
	RECORD_STAGED,
	RECORD_HAPPENED,
	RECORD_ABANDONED,
	RECORD_FINISHING,
	RECORD_SET_ASIDE,
	RECORD_STATE_NR
};
/* J1 */
void record_enter_state(enum record_state *state, enum record_state next);

/*
 * Write the record of t, if several refs change, and stage it and its removal. Its lock is held until
 * all has been published, like the locks of refs.
 */
MUST_USE int journal_stage(struct ref_transaction *t, struct err *err);

/*
 * Lists paths of records, or of their remaining files, whose writers are dead; some may vanish
 * meanwhile.
 */
MUST_USE int journal_abandoned(const struct ref_store *rs, struct string_list *out,
			       struct err *err);
/* Does one of these change a ref that t locks? */
bool journal_names_ours(const struct ref_transaction *t, const struct string_list *paths);

/*
 * Each entry of a record, in order; the strings last as long as *record. ERR_NOT_FOUND: there
 * is none. ERR_CORRUPT: it is damaged; fn has not been called.
 */
typedef void (*journal_entry_fn)(void *data, const char *name, const char *old,
				 const char *new);
MUST_USE int journal_read(const struct ref_store *rs, const char *path, struct strbuf *record,
			  journal_entry_fn fn, void *data, struct err *err);
/* What an entry says, and the ref, read under its lock: */
enum journal_entry_state {
	ENTRY_APPLIES, /* it is as it was */
	ENTRY_IS_DONE, /* it has the new value */
	ENTRY_DIFFERS, /* another process has changed it since */
};
enum journal_entry_state journal_entry_state(const struct ref_update *u);
/* A record of which one entry differs gets this suffix: it is left to a person. */
#define JOURNAL_SET_ASIDE ".set-aside"

/* Recovery waits for no lock longer than this, whatever is configured. */
#define RECOVERY_TIMEOUT_MS 1000
/*
 * Finish all that are abandoned (struct ref_backend). ERR_...: one cannot be finished now; the
 * others are.
 */
MUST_USE int files_recover(struct ref_store *rs, const struct fsync_policy *policy,
			   struct err *err);

#endif
