/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of transactions that go ref by ref (journal.c says how), and finishing them. */
#ifndef REFS_FILES_JOURNAL_INTERNAL_H
#define REFS_FILES_JOURNAL_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "util/strbuf.h"

/*
 * Write the record of t, if several refs change, and stage it and its removal. Its lock goes to
 * those that are held until all has been published.
 */
MUST_USE int journal_stage(struct ref_transaction *t, struct err *err);

/* Paths of records, or of what is left of them, whose writers are gone; they need not last. */
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
	ENTRY_DIFFERS, /* somebody has changed it since */
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
