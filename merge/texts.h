/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two changed versions of a text and what they come from, merged line by line: git-merge-file(1).
 *
 *   struct merge3 m = MERGE3_INIT;
 *
 *   m.side[MERGE3_BASE] = …; m.side[MERGE3_OURS] = …; m.side[MERGE3_THEIRS] = …;
 *   conflicts = merge3_texts(&m, &out);
 *
 * Where both have changed the same or adjoining lines there is a conflict, unless both have made
 * the same change; it is shown between lines of markers, or resolved as `favor` says.
 */
#ifndef MERGE_TEXTS_H
#define MERGE_TEXTS_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "util/strbuf.h"

enum merge3_side { MERGE3_OURS, MERGE3_BASE, MERGE3_THEIRS };
/* Conflicts: both sides; with the base between them; the same, without what both sides have in common at the ends. */
enum merge3_style { MERGE3_MERGE, MERGE3_DIFF3, MERGE3_ZDIFF3 };
enum merge3_favor { MERGE3_CONFLICT, MERGE3_TAKE_OURS, MERGE3_TAKE_THEIRS, MERGE3_UNION };

struct merge3 {
	struct merge3_text {
		const char *text;
		size_t len;
		const char *label; /* behind the marker; NULL: none */
	} side[3];		   /* by enum merge3_side; not owned */
	enum merge3_style style;
	enum merge3_favor favor;
	size_t marker_size;
	enum diff_algorithm algorithm;
	bool minimal;	 /* as in struct diff_options */
	unsigned ignore; /* DIFF_IGNORE_*: such changes are none */
	/*
	 * Conflicts with less than four lines between them become one (MERGE3_MERGE alone); and those
	 * with any number of lines without a letter or digit.
	 */
	bool join_over_blank;
};
#define MERGE3_INIT { .marker_size = 7 }

/* Append the merged text. Returns the number of conflicts that are in it. Cannot fail. */
size_t merge3_texts(const struct merge3 *m, struct strbuf *out);

/* "merge", "diff3", "zdiff3"; false: no such style. */
bool merge3_parse_style(enum merge3_style *style, const char *name);

#endif
