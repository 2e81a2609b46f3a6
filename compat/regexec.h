/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPAT_REGEXEC_H
#define COMPAT_REGEXEC_H

#include "compat/posix.h"
#include <regex.h>

/* Flag of regexec_range: text[len] can be read, and is NUL. */
#define REGEXEC_NUL_ENDED (1 << 24)

/*
 * regexec(3) on text that no NUL ends. m[0..nr - 1]: offsets from `text`. Returns regexec's failure; REG_ESPACE if the text
 * is longer than an int can count.
 * Cost: without REG_STARTEND (musl) the text is copied, unless REGEXEC_NUL_ENDED is given; no match goes beyond a
 * NUL there.
 */
int regexec_range(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags);

/* The same without REG_STARTEND. */
int compat_regexec_range(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags);

#endif
