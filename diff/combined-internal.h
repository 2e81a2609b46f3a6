/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text beside several older ones, line by line: which lines are new to which of them, and which
 * lines of theirs are gone. combined-lines.c; combined-hunks.c chooses the lines to show.
 */
#ifndef DIFF_COMBINED_INTERNAL_H
#define DIFF_COMBINED_INTERNAL_H

#include "compat/posix.h"
#include "diff/text-internal.h"

#define COMBINED_MAX DIFF_COMBINED_MAX /* old sides: each has a bit */

/* A line of old sides that the new text has no more. */
struct lost_line {
	const char *text; /* without its newline */
	size_t len;
	uint64_t sides; /* which ones */
};

/* A line of the new text, and the lost lines in front of it. */
struct combined_line {
	const char *text; /* without its newline */
	size_t len;
	uint64_t added; /* the old sides that have no such line here */
	struct lost_line *lost;
	size_t nr_lost;
	bool shown, without_lost;
};

struct combined_text {
	struct combined_line *lines; /* nr + 1: the last one stands for the end */
	size_t nr;
	size_t nr_sides;
	uint64_t all; /* a bit for each */
};

/* The texts must stay until combined_release. */
void combined_init(struct combined_text *t, const struct text_line *text, size_t nr_sides);
/* Compare with old side `side`. */
void combined_add_side(struct combined_text *t, size_t side, const struct text_line *old,
		       const struct text_line *text, const struct diff_options *o);
/* Side `side` has the same text as the earlier side `as`. */
void combined_repeat_side(struct combined_text *t, size_t side, size_t as);
void combined_release(struct combined_text *t);

/*
 * Set `shown`: lines at which something has changed, and context. dense: not if some of the old
 * sides all have the same, and the new text has that unchanged. false: there are none.
 */
bool combined_choose(struct combined_text *t, size_t context, bool dense);
/* All hunks, with the colours and prefixes of the options. */
void combined_print(const struct combined_text *t, const struct diff_options *o,
		    struct strbuf *out);

#endif
