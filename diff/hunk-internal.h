/* SPDX-License-Identifier: GPL-2.0-only */
/* Hunks of a unified diff: changes that lie close together, with context. */
#ifndef DIFF_HUNK_INTERNAL_H
#define DIFF_HUNK_INTERNAL_H

#include "compat/posix.h"
#include "diff/text-internal.h"

/* What names the function that a line is in. */
struct funcname;
/* `patterns` as in struct diff_driver; NULL: the default. ERR_INVALID: bad pattern. */
MUST_USE int funcname_new(struct funcname **out, const char *patterns, struct err *err);
void funcname_free(struct funcname *f);

struct hunk_printer {
	const struct diff_options *o;
	const struct text_diff *d;
	const struct funcname *funcname;
	struct strbuf *out;
};

/* Is there any hunk? There are changes without one: those that are ignorable. */
bool hunks_any(const struct text_diff *d, const struct diff_options *o);
/* Lines added and deleted in all hunks. */
void hunks_count(const struct text_diff *d, const struct diff_options *o, uint64_t *added,
		 uint64_t *deleted);
/* All hunks. */
void hunks_print(const struct hunk_printer *hp);
/* The whole old text gone, the whole new one come: for rewrites. */
void hunks_print_rewrite(const struct hunk_printer *hp);

#endif
