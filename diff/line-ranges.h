/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a text as ranges, and the lines of its older version from which they come. */
#ifndef DIFF_LINE_RANGES_H
#define DIFF_LINE_RANGES_H

#include "compat/posix.h"
#include "diff/diff.h"

/* Lines begin .. end-1, counted from 0. */
struct line_range {
	size_t begin, end;
};

/* In order, none is empty, and there are lines between any two. */
struct line_ranges {
	struct line_range *items;
	size_t nr, alloc;
};
#define LINE_RANGES_INIT { NULL, 0, 0 }

/* An empty range adds nothing; ranges that touch become one. */
void line_ranges_add(struct line_ranges *r, size_t begin, size_t end);
void line_ranges_add_all(struct line_ranges *r, const struct line_ranges *other);
void line_ranges_release(struct line_ranges *r);
/* Lines of the longest one. */
size_t line_ranges_longest(const struct line_ranges *r);

/*
 * The lines of the pair's old side that `lines` of the new one come from are added to *out. Where a
 * change replaces one of them, they come from all that it replaces. *touched: is there such a change, or
 * one that has removed lines from among them?
 *
 * The changes are those of the plain search, whatever `o` says: no option moves the ranges.
 */
MUST_USE int diff_lines_back(struct line_ranges *out, bool *touched, struct diff_pair *p,
			     const struct line_ranges *lines, const struct diff_options *o,
			     struct err *err);

#endif
