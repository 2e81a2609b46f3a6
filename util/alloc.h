/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation. The x-functions end the program with "fatal: out of memory" (exit code 128)
 * on failure. Sizes that come from files or the wire must be checked against a cap first,
 * or go through try_alloc, which returns NULL.
 */
#ifndef UTIL_ALLOC_H
#define UTIL_ALLOC_H

#include "compat/posix.h"

void *xmalloc(size_t len);
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *p, size_t len);
void *xreallocarray(void *p, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xconcat(const char *a, const char *b);
void *xmemdup(const void *p, size_t len);
char *xmemdupz(const void *p, size_t len); /* appends a NUL */
char *xstrfmt(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *xvstrfmt(const char *fmt, va_list ap);

/* Like malloc: NULL on failure. For sizes that come from outside. */
MUST_USE void *try_alloc(size_t len);

/* Ends the program as the functions above do, when a library reports ENOMEM. */
NORETURN void out_of_memory(void);

/* Checked size arithmetic: overflow ends the program in the same way. */
size_t st_add(size_t a, size_t b);
size_t st_mult(size_t a, size_t b);

#define FREE_AND_NULL(p) do { free(p); (p) = NULL; } while (0)
#define ALLOC_ARRAY(x, nr) ((x) = xreallocarray(NULL, (nr), sizeof(*(x))))
#define CALLOC_ARRAY(x, nr) ((x) = xcalloc((nr), sizeof(*(x))))

/* Grow array `x` (capacity `alloc`) so that it holds at least `nr`. */
#define ALLOC_GROW(x, nr, alloc)                                           \
	do {                                                               \
		if ((size_t)(nr) > (size_t)(alloc)) {                      \
			size_t want_ = alloc_growth((alloc), (nr));        \
			(x) = xreallocarray((x), want_, sizeof(*(x)));     \
			(alloc) = want_;                                   \
		}                                                          \
	} while (0)
size_t alloc_growth(size_t alloc, size_t want);

#endif
