/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-parse: what its files share. */
#ifndef BUILTIN_REV_PARSE_REV_PARSE_H
#define BUILTIN_REV_PARSE_REV_PARSE_H

#include "compat/posix.h"
#include "builtin/builtin.h"

int rev_parse_parseopt(int argc, const char **argv);
int rev_parse_sq_quote(int argc, const char **argv);

enum path_format { PATH_FORMAT_DEFAULT, PATH_FORMAT_ABSOLUTE, PATH_FORMAT_RELATIVE };
/*
 * "--git-dir", "--show-toplevel", "--is-bare-repository" and all others that ask
 * about places: 1 if arg was one of them and has been answered, 2 if it used up `next`
 * as well, 0 if it is something else.
 */
int rev_parse_place_option(struct repository *r, const char *arg, const char *next,
			   enum path_format *format);

#endif
