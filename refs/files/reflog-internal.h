/* SPDX-License-Identifier: GPL-2.0-only */
/* Reflogs: one file per ref below logs/, a line per change. */
#ifndef REFS_FILES_REFLOG_INTERNAL_H
#define REFS_FILES_REFLOG_INTERNAL_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "refs/refs-backend.h"

MUST_USE int reflog_stage_removal(struct ref_store *rs, const char *name,
				  enum publish_class order, struct fsync_batch *b,
				  struct err *err);
/*
 * line[len] is the LF and becomes a NUL; false if it is no entry. `ident` holds what
 * e->ident points to.
 */
bool reflog_parse_line(const struct ref_store *rs, char *line, size_t len,
		       struct reflog_entry *e, struct strbuf *ident);
/* Append the lines of a log, whole ones only. ERR_NOT_FOUND: there is none. */
MUST_USE int reflog_read(const struct ref_store *rs, const char *name, struct strbuf *out,
			 struct err *err);
/* Logs of refs that are no more, in the place of a directory that `name` needs. */
bool reflog_remove_orphan_above(const struct ref_store *rs, const char *name);
/* ref_transaction_inherit_log, when the lock of `to` is held and its name has been checked. */
MUST_USE int reflog_stage_renamed(struct ref_store *rs, const char *from, const char *to,
				  const struct object_id *oid, const char *ident,
				  const char *msg, struct fsync_batch *b, struct err *err);
/* Append the line for a change. */
void reflog_format_entry(struct strbuf *out, const struct object_id *old_oid, const struct object_id *new_oid,
			 const char *ident, const char *msg);
/* Lines at the end of a log. create: the log is made if it is not there. */
MUST_USE int reflog_stage_lines(struct ref_store *rs, const char *name, bool create, const struct strbuf *lines,
				struct fsync_batch *b, struct err *err);

/* ---- the table's functions (struct ref_backend) ---- */
bool files_reflog_exists(struct ref_store *rs, const char *name);
MUST_USE int files_reflog_foreach(struct ref_store *rs, const char *name, bool newest_first,
				  reflog_fn fn, void *data, struct err *err);
MUST_USE int files_reflogs_foreach(struct ref_store *rs, bool everywhere,
				   int (*fn)(void *data, const char *name), void *data,
				   struct err *err);
MUST_USE int files_reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags,
				  reflog_keep_fn keep, void *data, struct fsync_batch *b,
				  struct err *err);
MUST_USE int files_reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b,
				 struct err *err);
MUST_USE int files_reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e,
				 struct fsync_batch *b, struct err *err);

#endif
