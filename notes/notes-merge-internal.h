/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a merge of notes. */
#ifndef NOTES_NOTES_MERGE_INTERNAL_H
#define NOTES_NOTES_MERGE_INTERNAL_H

#include "compat/posix.h"
#include "notes/notes-merge.h"
#include "util/strbuf.h"

/* The notes of an object; null: none. */
struct notes_change {
	struct object_id oid, base, local, remote;
};

/* ---- notes-merge-changes.c ---- */
/* Passes a line on if m->verbosity is at least `level`. */
void notes_merge_say(const struct notes_merge *m, int level, const char *fmt, ...) PRINTF_LIKE(3, 4);
/*
 * The objects whose note the remote side has changed, and not in the same way as the local one. *out is owned by the
 * caller. Trees may be NULL: no notes.
 */
MUST_USE int notes_merge_changes(struct odb *odb, const struct object_id *base, const struct object_id *local,
				 const struct object_id *remote, struct notes_change **out, size_t *nr,
				 struct err *err);
/* The text with markers of a conflict; binary notes stay ours. */
MUST_USE int notes_merge_text(const struct notes_merge *m, const struct notes_change *c, struct strbuf *out,
			      struct err *err);

/* ---- notes-merge-state.c ---- */
/* ERR_EXISTS: there are files of an older merge. */
MUST_USE int notes_merge_check_worktree(const struct notes_merge *m, struct err *err);
/* ERR_EXISTS: another worktree merges into the same ref. */
MUST_USE int notes_merge_check_ref(const struct notes_merge *m, struct err *err);
/* NOTES_MERGE_PARTIAL and NOTES_MERGE_REF. */
MUST_USE int notes_merge_queue_state(const struct notes_merge *m, struct repo_operation *op,
				     const struct object_id *partial, struct err *err);

#endif
