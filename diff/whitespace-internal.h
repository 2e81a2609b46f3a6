/* SPDX-License-Identifier: GPL-2.0-only */
/* Whitespace that core.whitespace calls an error, shown in added lines. */
#ifndef DIFF_WHITESPACE_INTERNAL_H
#define DIFF_WHITESPACE_INTERNAL_H

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
/* "+" and the text, without newline, in colours. blank_at_eof: one of those lines. */
void whitespace_add_new_line(struct strbuf *out, const struct diff_options *o,
			     const char *text, size_t len, bool blank_at_eof);

#endif
