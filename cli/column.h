/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists in columns: column.ui, column.<command>, --column. git-config(1), column.ui. */
#ifndef CLI_COLUMN_H
#define CLI_COLUMN_H

#include "compat/posix.h"
#include "cli/cli.h"
#include "util/strvec.h"

#define COLUMN_ENABLED 1u
#define COLUMN_AUTO 2u	   /* if it is for a terminal; column_resolve decides */
#define COLUMN_ROW 4u	   /* rows are filled before columns */
#define COLUMN_PLAIN 8u	   /* one column */
#define COLUMN_DENSE 16u   /* columns of unequal width, to have more of them */
#define COLUMN_EXPLICIT 32u /* --column or --no-column was given */

/* What the configuration says for a command; dies of words that it does not know. r may be NULL. */
unsigned column_config(struct repository *r, const char *command);
/* --column[=<words>], value: unsigned */
int column_parse_option(const struct option *opt, const char *arg, int unset);
#define OPT_COLUMN(v, h) \
	OPT_CALLBACK_F(0, "column", OPT_VALUE(unsigned, v), "style", (h), PARSE_OPT_OPTARG, column_parse_option)
/* AUTO becomes yes or no, by standard output. */
void column_resolve(unsigned *columns);
static inline bool column_active(unsigned columns)
{
	return columns & COLUMN_ENABLED;
}

/* COLUMNS, or those of the terminal that is standard output; 80. */
int terminal_columns(void);

struct column_layout {
	const char *indent, *newline; /* NULL: "", LF */
	int width;		      /* 0: that of the terminal */
	int padding;		      /* 0: 1; < 0: none */
};
/* Append the items; colour sequences in them take no room. l may be NULL. */
void column_print(struct strbuf *out, const struct strvec *items, unsigned columns,
		  const struct column_layout *l);

#endif
