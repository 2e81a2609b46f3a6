/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of a comparison of two texts (text.h); what the files of text-*.c share. */
#ifndef DIFF_TEXT_INTERNAL_H
#define DIFF_TEXT_INTERNAL_H

#include "compat/posix.h"
#include "diff/text.h"

/* A power of two near the square root of n, for limits. */
size_t text_rough_root(size_t n);

/* ---- the steps ---- */

/* Lines begin .. end-1. */
struct text_range {
	size_t begin, end;
};
static inline size_t text_range_nr(struct text_range r)
{
	return r.end - r.begin;
}

/* Lines of both sides that are compared with each other. */
struct text_box {
	struct text_range side[2];
};
/* Boxes wait to be solved in any order, so that no recursion goes deep. */
struct text_marker {
	struct text_diff *d;
	const struct diff_options *o;
	struct text_box *boxes;
	size_t nr_boxes, alloc_boxes;
	/* Scratch, by id: all counts are 0 between boxes, places are undefined. */
	uint32_t *count[2], *place[2];
	uint32_t *next;	 /* histogram: by line of the old side */
	bool swapped;	 /* Myers' search takes the new side as the first */
	uint64_t effort; /* lines looked at by histogram */
};
void text_push_box(struct text_marker *m, struct text_box box);
/* All lines of the box are changed. */
void text_mark_all(struct text_marker *m, struct text_box box);
void text_mark_myers(struct text_marker *m, struct text_box box);
/* Neither side of the box is empty. */
void text_patience_box(struct text_marker *m, struct text_box box);
void text_histogram_box(struct text_marker *m, struct text_box box);

/* Sequences of ids to be compared, and where the marks of their elements go. */
struct myers_input {
	const uint32_t *id;
	const uint32_t *line; /* element i is this line */
	uint8_t *changed;
	size_t nr;
};
void myers_mark(const struct myers_input *a, const struct myers_input *b, bool minimal);

/* Slide the groups of one side: of the old one (0), of the new one (1). */
void text_slide_groups(struct text_marker *m, int side);

#endif
