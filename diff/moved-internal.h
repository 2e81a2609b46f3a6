/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --color-moved: lines that are removed in one place and added in another have colours of their
 * own. Whether a line has moved is known only when all lines of all files are, so they are kept
 * aside, with their places in the text, and put there at the end.
 */
#ifndef DIFF_MOVED_INTERNAL_H
#define DIFF_MOVED_INTERNAL_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "diff/whitespace.h"

struct moved_lines;
/* Lines for the text that begins at out->len. NULL: the options want nothing of it. */
struct moved_lines *moved_lines_new(const struct diff_options *o, const struct strbuf *out);
void moved_lines_free(struct moved_lines *m);
/*
 * A line of a change, which comes, with a newline, where `out` ends now. Its text is copied; `whitespace`: the
 * rules of the file.
 */
void moved_lines_add(struct moved_lines *m, const struct strbuf *out, const struct ws_line *line,
		     unsigned whitespace);
/* Put all of them where they belong. */
void moved_lines_finish(struct moved_lines *m, struct strbuf *out);

/* The options' values. false: no such mode. */
bool moved_parse_mode(struct diff_options *o, const char *value);
MUST_USE int moved_parse_whitespace(struct diff_options *o, const char *value, struct err *err);

#endif
