/* SPDX-License-Identifier: GPL-2.0-only */
/* Hunks of a unified diff: changes that lie close together, with context. */
#ifndef DIFF_HUNK_INTERNAL_H
#define DIFF_HUNK_INTERNAL_H

#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/funcname.h"
#include "diff/text-internal.h"

struct words_regex;
struct moved_lines;
struct line_ranges;
struct hunk_printer {
	const struct diff_options *o;
	const struct text_diff *d;
	const struct funcname *funcname;
	struct strbuf *out;
	unsigned whitespace; /* rules of the file; whitespace.h */
	const struct words_regex *words; /* for --word-diff; NULL: runs of non-space characters */
	struct moved_lines *moved; /* where lines of changes are kept; NULL: print them */
	const struct line_ranges *lines; /* hunks consist of these lines of the new side; NULL: of all */
};

/* Lines first .. end-1 of both sides; changes from .. to-1 are in it. */
struct hunk {
	size_t from, to;
	size_t old_first, old_end, new_first, new_end;
};

static inline bool text_line_is_blank(const struct text_line *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (!diff_is_space(l->text[i]))
			return false;
	return true;
}

/* The next hunk at or behind change `from`; false if there is none. */
bool hunks_next(const struct hunk_printer *hp, size_t from, struct hunk *h);

/* ---- hunk-lines.c ---- */
/*
 * Cuts a hunk to lines of the new side: the result has these lines, and the old ones that changes among
 * them have removed, directly behind them included. A change that began above them keeps only its added
 * lines. The changes are copied to parts[], which has room for as many as the hunk has; out->from
 * and out->to are places in it. False: there is no change left.
 */
struct line_range;
bool hunk_clip(const struct text_diff *d, const struct hunk *h, const struct line_range *lines,
	       struct text_change *parts, struct hunk *out);
/* Is anything left of any hunk within hp->lines? */
bool hunks_any_chosen(const struct hunk_printer *hp);

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
