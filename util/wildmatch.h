/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell globs with ** as gitignore(5) and pathspecs use them. */
#ifndef UTIL_WILDMATCH_H
#define UTIL_WILDMATCH_H

#include "compat/posix.h"

#define WM_CASEFOLD 1
#define WM_PATHNAME 2 /* * and ? do not match '/', ** does */

/*
 * Does the pattern match the complete text? Takes at most O(pattern * text) steps for each
 * of the two kinds of star: no pattern takes exponential time.
 */
bool wildmatch(const char *pattern, const char *text, unsigned flags);
/* Length of the part of the pattern before its first special character. */
size_t simple_length(const char *pattern);
bool has_glob_chars(const char *pattern);

#endif
