/* SPDX-License-Identifier: GPL-2.0-only */
/* Hunks of a unified diff: changes that lie close together, with context. */
#ifndef DIFF_HUNK_INTERNAL_H
#define DIFF_HUNK_INTERNAL_H

#include "compat/posix.h"
#include "diff/text-internal.h"

/* Patterns of lines that name functions. */
struct funcname;
struct words_regex;
struct moved_lines;
/* `patterns` as in struct diff_driver; NULL: the default. ERR_INVALID: bad pattern. */
MUST_USE int funcname_new(struct funcname **out, const char *patterns, bool icase,
			  struct err *err);
void funcname_free(struct funcname *f);
/* Does the line name a function? Sets the name, unless `out` is NULL. NULL: the default. */
bool funcname_of_line(const struct funcname *f, const struct text_line *l, struct strbuf *out);

struct hunk_printer {
	const struct diff_options *o;
	const struct text_diff *d;
	const struct funcname *funcname;
	struct strbuf *out;
	unsigned whitespace; /* rules of the file; whitespace-internal.h */
	const struct words_regex *words; /* of --word-diff; NULL: what is no space */
	struct moved_lines *moved; /* where lines of changes are kept; NULL: print them */
};

/* ---- words.c ---- */
/* ERR_INVALID: a bad pattern. NULL: none. */
MUST_USE int words_regex_new(struct words_regex **out, const char *pattern, bool icase,
			     struct err *err);
void words_regex_free(struct words_regex *w);
void words_print_change(const struct hunk_printer *hp, const struct text_change *c);
void words_print_context(const struct hunk_printer *hp, const struct text_line *l);

/*
 * Empty lines that the new text has more of at its end are shown as errors: those at
 * or behind new_line that come when the old text has reached old_line (from 1).
 */
struct blank_at_eof {
	size_t old_line, new_line; /* 0: there are none */
};
struct blank_at_eof hunks_blank_at_eof(const struct text_diff *d);

/* Is there any hunk? Ignorable changes alone make none. */
bool hunks_any(const struct text_diff *d, const struct diff_options *o);
/* Lines added and deleted in all hunks. */
void hunks_count(const struct text_diff *d, const struct diff_options *o, uint64_t *added,
		 uint64_t *deleted);
/* All hunks. */
void hunks_print(const struct hunk_printer *hp);
/* One hunk that replaces the complete old text by the new one: for rewrites. */
void hunks_print_rewrite(const struct hunk_printer *hp);

#endif
