/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of one expansion of --format; internal to pretty-*.c. */
#ifndef PRETTY_PRETTY_USER_H
#define PRETTY_PRETTY_USER_H

#include "compat/posix.h"
#include "sign/sign.h"
#include "pretty/pretty.h"

enum alignment { ALIGN_NONE, ALIGN_LEFT, ALIGN_RIGHT, ALIGN_RIGHT_STEAL, ALIGN_CENTER };
enum truncation { TRUNCATE_NONE, TRUNCATE_START, TRUNCATE_MIDDLE, TRUNCATE_END };

struct user_format {
	struct pretty_commit *pc;
	bool auto_color;
	/* for the next placeholder */
	enum alignment align;
	enum truncation truncation;
	int pad_columns;
	bool pad_to_column; /* not that wide, but up to there */
	/* %w: text from wrap_start on */
	size_t wrap_start;
	unsigned wrap_width, wrap_indent1, wrap_indent2;
	/* %G: checked when it is asked for first */
	struct signature_check signature;
	bool signature_checked;
};

/* Append text to out as f says. */
void user_format_pad(struct user_format *f, struct strbuf *text, struct strbuf *out);
void user_format_wrap_tail(struct user_format *f, struct strbuf *out, unsigned width,
			   unsigned indent1, unsigned indent2);
/* "%(trailers…)", "%(describe…)"; s at the '('. Bytes used, 0: none of them. */
size_t user_format_parenthesis(struct user_format *f, const char *s, struct strbuf *out,
			       struct err *err);

#endif
