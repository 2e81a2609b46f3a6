/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"

void out_of_memory(void)
{
	static const char msg[] = "fatal: out of memory\n";
	ssize_t ignored = write(2, msg, sizeof(msg) - 1);

	(void)ignored;
	exit(128);
}

static void *checked(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

void *xmalloc(size_t len)
{
	return checked(malloc(len ? len : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	if (!nr || !size)
		nr = size = 1;
	return checked(calloc(nr, size));
}

void *xrealloc(void *p, size_t len)
{
	return checked(realloc(p, len ? len : 1));
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	return xrealloc(p, st_mult(nr, size));
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t len)
{
	return xmemdupz(s, strnlen(s, len));
}

char *xconcat(const char *a, const char *b)
{
	size_t len = strlen(a), more = strlen(b);
	char *out = xmalloc(len + more + 1);

	memcpy(out, a, len);
	memcpy(out + len, b, more + 1);
	return out;
}

void *xmemdup(const void *p, size_t len)
{
	void *copy = xmalloc(len);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

char *xmemdupz(const void *p, size_t len)
{
	char *copy = xmalloc(st_add(len, 1));

	if (len)
		memcpy(copy, p, len);
	copy[len] = '\0';
	return copy;
}

char *xvstrfmt(const char *fmt, va_list ap)
{
	char *out;

	if (vasprintf(&out, fmt, ap) < 0)
		out_of_memory(); /* or too long for an int */
	return out;
}

char *xstrfmt(const char *fmt, ...)
{
	va_list ap;
	char *out;

	va_start(ap, fmt);
	out = xvstrfmt(fmt, ap);
	va_end(ap);
	return out;
}

void *try_alloc(size_t len)
{
	return malloc(len ? len : 1);
}

size_t st_add(size_t a, size_t b)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		out_of_memory();
	return sum;
}

size_t st_mult(size_t a, size_t b)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		out_of_memory();
	return product;
}

size_t alloc_growth(size_t alloc, size_t want)
{
	size_t grown = st_add(alloc, alloc / 2 + 16);

	return grown < want ? want : grown;
}
