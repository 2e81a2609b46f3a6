/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of revparse share. */
#ifndef HISTORY_REVPARSE_INTERNAL_H
#define HISTORY_REVPARSE_INTERNAL_H

#include "compat/posix.h"
#include "history/revparse.h"

/* Added to a hint: of that very type, not leading to it. */
#define HINT_EXACT 16

/*
 * ERR_NOT_FOUND without a message: nothing has that name. The outermost caller explains
 * it (revparse_explain), as the same text may be tried in several meanings.
 */
MUST_USE int rev_parse_expr(struct repository *r, const char *name, size_t len,
			    enum object_type hint, struct object_id *oid, struct err *err);

/* 4 or more hex digits (revparse-abbrev.c). */
MUST_USE int rev_parse_abbrev(struct repository *r, const char *name, size_t len,
			      enum object_type hint, struct object_id *oid, struct err *err);
/* ":/text": the youngest commit from any ref; from `start` only, if given (revparse-text.c). */
MUST_USE int rev_parse_text(struct repository *r, const char *text, size_t len,
			    const struct object_id *start, struct object_id *oid,
			    struct err *err);
/* ":path", ":2:path", "REV:path" (revparse-path.c); name holds a colon outside of braces. */
MUST_USE int rev_parse_path(struct repository *r, const char *name, const char *colon,
			    struct revparse_result *out, struct err *err);
int rev_explain_path(struct repository *r, const char *name, const char *colon,
		     struct err *err);

#endif
