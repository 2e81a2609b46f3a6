/* SPDX-License-Identifier: GPL-2.0-only */
/* -U and --inter-hunk-context of commands that let the user choose changes. Without such a choice they are errors. */
#ifndef CLI_CONTEXT_OPTION_H
#define CLI_CONTEXT_OPTION_H

#include "util/parse-options.h"

struct context_option {
	int lines, between; /* -1: not given */
};
#define CONTEXT_OPTION_INIT { -1, -1 }

#define OPT_CONTEXT(c)                                                                                           \
	{ OPTION_INTEGER, 'U', "unified", OPT_VALUE(int, &(c)->lines), "n", "generate diffs with <n> lines context",             \
	  PARSE_OPT_NONEG, NULL, 0 },                                                                            \
	{ OPTION_INTEGER, 0, "inter-hunk-context", OPT_VALUE(int, &(c)->between), "n",                                           \
	  "show context between diff hunks up to the specified number of lines", PARSE_OPT_NONEG, NULL, 0 }

/* Dies with "'--unified' cannot be negative". -1 passes, as if it had not been given. */
void check_context_numbers(const struct context_option *c);
/* Dies with "the option '--unified' requires '--patch'" where nothing is chosen by hand; `choice` is "--patch". */
void check_context_choice(const struct context_option *c, bool chooses, const char *choice);

#endif
