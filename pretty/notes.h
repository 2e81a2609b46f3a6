/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes on commits, read only: git-notes(1). */
#ifndef PRETTY_NOTES_H
#define PRETTY_NOTES_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/strvec.h"

struct notes;
/* core.notesRef, GIT_NOTES_REF or refs/notes/commits. Caller frees. */
char *notes_default_ref(struct repository *r);
/* The default and those of notes.displayRef, GIT_NOTES_DISPLAY_REF. */
MUST_USE int notes_display_refs(struct repository *r, struct strvec *out, struct err *err);
/* refs: full names or short ones ("build" is refs/notes/build); those that do not
 * exist are passed over. */
MUST_USE int notes_open(struct notes **out, struct repository *r, const struct strvec *refs,
			struct err *err);
void notes_free(struct notes *n);
/* raw: just the text, else "\nNotes:\n    text\n". Nothing if there is no note. */
void notes_format(struct notes *n, const struct object_id *oid, struct strbuf *out, bool raw);

#endif
