/* SPDX-License-Identifier: GPL-2.0-only */
/* --format of the listing commands: %(atom), %%, %n, %xNN. */
#ifndef CLI_LIST_FORMAT_H
#define CLI_LIST_FORMAT_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

typedef int (*list_format_atom_fn)(void *data, struct strbuf *out, const char *atom,
				   struct err *err);
/* `command` is named in messages: "bad COMMAND format: …". */
MUST_USE int list_format_expand(struct strbuf *out, const char *format, const char *command,
				list_format_atom_fn atom, void *data, struct err *err);

/*
 * --abbrev[=<n>]: int; 0 none, -1 the automatic length. --no-abbrev is 0.
 */
#define OPT_ABBREV(v) { OPTION_CALLBACK, 0, "abbrev", OPT_VALUE(int, v), "n", \
	"use <n> digits to display object names", PARSE_OPT_OPTARG, list_parse_abbrev, 0 }
struct option;
int list_parse_abbrev(const struct option *opt, const char *arg, int unset);

#endif
