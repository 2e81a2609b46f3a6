/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of revparse share. */
#ifndef HISTORY_REVPARSE_INTERNAL_H
#define HISTORY_REVPARSE_INTERNAL_H

#include "compat/posix.h"
#include "history/revparse.h"

/*
 * Failures without a message mean "not found": whoever asked last decides what to
 * say about it.
 */
MUST_USE int rev_parse_expr(struct repository *r, const char *name, size_t len,
			    enum object_type hint, struct object_id *oid, struct err *err);

/* A ref, maybe with "@{…}" behind (rev-ref.c). */
MUST_USE int rev_parse_ref(struct repository *r, const char *name, size_t len,
			   struct object_id *oid, struct err *err);
/* 4 or more hex digits (rev-abbrev.c). */
MUST_USE int rev_parse_abbrev(struct repository *r, const char *name, size_t len,
			      enum object_type hint, struct object_id *oid, struct err *err);
/* ":/text": the youngest commit from any ref; from `start` only, if given (rev-text.c). */
MUST_USE int rev_parse_text(struct repository *r, const char *text, size_t len,
			    const struct object_id *start, struct object_id *oid,
			    struct err *err);
/* ":path", ":2:path", "REV:path" (rev-path.c); name holds a colon outside of braces. */
MUST_USE int rev_parse_path(struct repository *r, const char *name, const char *colon,
			    struct revparse_result *out, struct err *err);
int rev_explain_path(struct repository *r, const char *name, const char *colon,
		     struct err *err);
/* The colon that divides REV from path, or NULL. */
const char *rev_find_colon(const char *name);

bool rev_warn_ambiguous(const struct repository *r); /* core.warnAmbiguousRefs */

#endif
