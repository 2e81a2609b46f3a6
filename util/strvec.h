/* SPDX-License-Identifier: GPL-2.0-only */
/* A growable, NULL-terminated array of owned strings, usable as argv. Pushing copies. */
#ifndef UTIL_STRVEC_H
#define UTIL_STRVEC_H

#include "compat/posix.h"

struct strvec {
	const char **v; /* v[nr] is NULL; never NULL itself */
	size_t nr, alloc;
};

extern const char *strvec_empty[1];
#define STRVEC_INIT { strvec_empty, 0, 0 }

void strvec_init(struct strvec *sv);
const char *strvec_push(struct strvec *sv, const char *s);
const char *strvec_pushf(struct strvec *sv, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strvec_pushv(struct strvec *sv, const char *const *v);
void strvec_pushl(struct strvec *sv, ...); /* until NULL */

void strvec_remove(struct strvec *sv, size_t pos);
void strvec_insert(struct strvec *sv, size_t pos, const char *s);
/* Append the words of a command line, with quotes as in a shell; -1: open quote, -2: a backslash at the end. */
int strvec_split_cmdline(struct strvec *sv, const char *line);
void strvec_clear(struct strvec *sv);

bool strvec_contains(const struct strvec *sv, const char *s); /* looks at each */
/* Sort by strcmp and drop duplicates. */
void strvec_sort_unique(struct strvec *sv);
/* The same, and drop each string that begins with another one: as a prefix it matches nothing new. */
void strvec_sort_prefixes(struct strvec *sv);

#endif
