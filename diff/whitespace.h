/* SPDX-License-Identifier: GPL-2.0-only */
/* Whitespace that core.whitespace calls an error, shown in added lines. */
#ifndef DIFF_WHITESPACE_H
#define DIFF_WHITESPACE_H

#include "compat/posix.h"
#include "diff/diff.h"

#define WS_BLANK_AT_EOL 0x100u
#define WS_SPACE_BEFORE_TAB 0x200u
#define WS_INDENT_WITH_NON_TAB 0x400u
#define WS_CR_AT_EOL 0x800u
#define WS_BLANK_AT_EOF 0x1000u
#define WS_TAB_IN_INDENT 0x2000u
#define WS_TAB_WIDTH 0x3fu /* these bits are the width */
#define WS_DEFAULT (WS_BLANK_AT_EOL | WS_SPACE_BEFORE_TAB | WS_BLANK_AT_EOF | 8u)

/* A value of core.whitespace. ERR_INVALID: rules that contradict each other. */
MUST_USE int whitespace_parse(unsigned *rule, const char *value, struct err *err);

/* Lines whose errors are shown: options.ws_highlight. */
#define WS_SHOW_NEW 1u
#define WS_SHOW_OLD 2u
#define WS_SHOW_CONTEXT 4u

/* A line of a patch, without its newline. */
struct ws_line {
	char sign; /* NUL: none */
	enum diff_color color; /* NEW, OLD or CONTEXT: what it is */
	enum diff_color paint; /* how it is shown */
	bool reverse_sign;     /* the sign is shown apart, in the reverse of `color`; new lines show no errors */
	const char *text;
	size_t len;
	bool blank_at_eof; /* one of those lines */
};
/* The line in its colours, errors marked where they are to be. */
void whitespace_add_line(struct strbuf *out, const struct diff_options *o, unsigned rule,
			 const struct ws_line *l);
/* The text alone, errors marked. */
void whitespace_add_text(struct strbuf *out, const struct diff_options *o, unsigned rule,
			 enum diff_color color, const char *text, size_t len);
/* WS_* that the line (without newline) violates. */
unsigned whitespace_errors(unsigned rule, const char *text, size_t len);
/* "trailing whitespace, tab in indent" */
void whitespace_describe(struct strbuf *out, unsigned errors);
/* "old,context", "all"; false: an unknown word. */
bool whitespace_parse_highlight(unsigned *out, const char *value);

#endif
