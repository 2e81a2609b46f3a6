/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of one text that git-grep(1) prints.
 *
 * Threads: grep_search() may run for several texts at once, each with a matcher of its own.
 * Cost: one pass over the text; two with --all-match.
 */
#ifndef GREP_SEARCH_H
#define GREP_SEARCH_H

#include "compat/posix.h"
#include "grep/pattern.h"
#include "util/color.h"
#include "util/strbuf.h"

enum grep_color {
	GREP_COLOR_CONTEXT, GREP_COLOR_FILENAME, GREP_COLOR_FUNCTION, GREP_COLOR_LINE, GREP_COLOR_COLUMN,
	GREP_COLOR_MATCH_CONTEXT, GREP_COLOR_MATCH_SELECTED, GREP_COLOR_SELECTED, GREP_COLOR_SEPARATOR,
	GREP_COLOR_NR
};
enum grep_binary { GREP_BINARY_NOTE, GREP_BINARY_TEXT, GREP_BINARY_SKIP };

struct grep_format {
	int invert, all_match, quiet, names, names_without, count, only_matching, show_name, line_number, column, nul, heading,
		blank_line, function_name, function_body;
	int before, after; /* lines of context */
	int max_count;	   /* of a text; below 0: no limit */
	enum grep_binary binary;
	bool color;
	char colors[GREP_COLOR_NR][COLOR_MAXLEN];
};

struct grep_text {
	/* Appends the name as it is printed: asked for once, if it is printed. */
	void (*add_name)(const void *names, struct strbuf *out);
	const void *names;
	const char *data; /* data[len] is NUL */
	size_t len;
	bool is_binary;
	/* Does the line name a function? */
	bool (*names_function)(const void *functions, const char *line, size_t len);
	const void *functions;
};

/* The lines of several texts. The mark between texts (a blank line, "--", or nothing) stands in front of each text. */
struct grep_output {
	struct strbuf text;
	bool has_lines;			/* of a text; not only names, counts, or "Binary file x matches" */
	size_t first_mark, mark_len;	/* where the first mark is: not to be printed in front of all */
	struct strbuf name;		/* of the present text; empty: not printed yet */
};
/* Appends the lines to print. True: a line was selected; with names_without, none was. */
bool grep_search(const struct grep_format *f, struct grep_matcher *m, const struct grep_text *t, struct grep_output *out);

#endif
