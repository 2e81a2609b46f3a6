/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell globs with ** as gitignore(5) and pathspecs use them. */
#ifndef UTIL_WILDMATCH_H
#define UTIL_WILDMATCH_H

#include "compat/posix.h"

#define WM_CASEFOLD 1
#define WM_PATHNAME 2 /* * and ? do not match '/', ** does */

/*
 * True if the whole of text matches. Bounded work: a hostile pattern costs at
 * most O(pattern * text) per star level, never exponential.
 */
bool wildmatch(const char *pattern, const char *text, unsigned flags);
/* Length of the prefix without glob characters. */
size_t simple_length(const char *pattern);
bool has_glob_chars(const char *pattern);

#endif
