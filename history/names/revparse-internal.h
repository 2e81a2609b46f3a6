/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of revparse share. */
#ifndef HISTORY_NAMES_REVPARSE_INTERNAL_H
#define HISTORY_NAMES_REVPARSE_INTERNAL_H

#include "compat/posix.h"
#include "history/commit-graph.h"
#include "history/grafts.h"
#include "history/names/revparse.h"

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

/* ---- revparse-parents.c ---- */
struct parent_links {
	struct repository *repo;
	struct grafts grafts;
	struct commit_graph *graph; /* NULL: there is none, or it is not worth while */
};
/* steps: the greatest number that will be asked for; 0: only the commits themselves. */
MUST_USE int parent_links_open(struct parent_links *l, struct repository *r, unsigned steps,
			       struct err *err);
void parent_links_release(struct parent_links *l); /* also after a failed open */
/* op '^': *oid becomes its n-th parent, 0: the commit itself; '~': its n-th first ancestor. */
MUST_USE int parent_links_follow(const struct parent_links *l, char op, unsigned n,
				 struct object_id *oid, struct err *err);

#endif
