/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparing two texts line by line. The result is a list of changes; between two of
 * them the lines are equal.
 *
 * Steps: each line gets a number, equal lines the same; common lines at both ends are left
 * out, and so are lines without counterpart or with too many; Myers' search finds a short
 * edit script for the rest, with limits on its cost; finally each group of changed lines
 * is moved to the position that a reader expects (see text-slide.c). The algorithms patience and
 * histogram first cut the texts where they certainly correspond.
 */
#ifndef DIFF_TEXT_H
#define DIFF_TEXT_H

#include "compat/posix.h"
#include "diff/diff.h"

/* Larger texts are treated as binary: line numbers fit into 32 bits. */
#define TEXT_MAX_SIZE ((uint64_t)1023 * 1024 * 1024)

struct text_line {
	const char *text; /* with its newline, if it has one */
	size_t len;
};

/* Lines first .. first+nr-1 (counted from 0) of each side replace each other. */
struct text_change {
	size_t old_first, old_nr;
	size_t new_first, new_nr;
	bool ignorable; /* blank lines only, and those are to be ignored */
};

struct text_side {
	struct text_line *lines;
	size_t nr;
	uint32_t *id;	  /* equal lines have equal ids, on both sides */
	uint8_t *changed; /* [-1] and [nr] are there and 0 */
};

struct text_diff {
	struct text_side side[2]; /* old, new */
	struct text_change *changes;
	size_t nr;
};

/* The texts must stay until text_diff_release. Cannot fail. */
void text_diff(struct text_diff *d, const char *old_text, size_t old_len,
	       const char *new_text, size_t new_len, const struct diff_options *o);
void text_diff_release(struct text_diff *d);

/* Append the line without ignored whitespace: equal lines have the same bytes then. */
void text_add_canonical(struct strbuf *out, const struct text_line *l, unsigned ignore);

#endif
