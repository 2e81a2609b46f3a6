/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * String functions that some C libraries lack. Included by compat/posix.h, which gives them their usual
 * names there.
 */
#ifndef COMPAT_TEXT_H
#define COMPAT_TEXT_H

#include <stddef.h>

/* As memrchr(3): the last c of the first n bytes of s; NULL: there is none. */
static inline void *compat_memrchr(const void *s, int c, size_t n)
{
	const unsigned char *p = (const unsigned char *)s + n;

	while (p > (const unsigned char *)s)
		if (*--p == (unsigned char)c)
			return (void *)p;
	return NULL;
}

/* As strchrnul(3): the first c of s, or its end. */
static inline char *compat_strchrnul(const char *s, int c)
{
	while (*s && *s != (char)c)
		s++;
	return (char *)s;
}

#endif
