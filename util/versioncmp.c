/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/strbuf.h"
#include "util/versioncmp.h"

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *s)
{
	size_t n = 0;

	while (digit(s[n]))
		n++;
	return n;
}

/* Length of the common prefix. */
static size_t common_length(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i;
}

/* Numbers with a leading zero compare as fractions: 000 < 00 < 01 < 010 < 09 < 0 < 1. */
static int cmp_fractions(const char *a, size_t start, size_t at, const char *b)
{
	size_t i = start;

	while (i < at && a[i] == '0')
		i++;
	if (i == at && digit(a[at]) != digit(b[at]))
		return digit(a[at]) ? -1 : 1; /* zeros only: the longer number is less */
	return (unsigned char)a[at] - (unsigned char)b[at];
}

static int cmp_at(const char *a, const char *b, size_t at)
{
	size_t start = at, na, nb;

	while (start && digit(a[start - 1]))
		start--;
	if (start == at && !(digit(a[at]) && digit(b[at])))
		return (unsigned char)a[at] - (unsigned char)b[at];
	if (start < at ? a[start] == '0' : a[at] == '0' || b[at] == '0')
		return cmp_fractions(a, start, at, b);
	na = digits(a + at);
	nb = digits(b + at);
	if (na != nb)
		return na < nb ? -1 : 1;
	return (unsigned char)a[at] - (unsigned char)b[at];
}


/* The index of the suffix that `name` has where the names differ; -1: none. */
static long suffix_at(const char *name, size_t at, const char *const *suffixes, size_t nr)
{
	size_t best_start = SIZE_MAX, best_len = 0, i, start;
	long best = -1;

	for (i = 0; i < nr; i++) {
		size_t len = strlen(suffixes[i]);

		/* It may begin at the difference, contain it, or end just before it. */
		for (start = at > len ? at - len : 0; start <= at; start++)
			if (starts_with(name + start, suffixes[i]))
				break;
		if (start > at)
			continue;
		if (start < best_start || (start == best_start && len > best_len)) {
			best = (long)i;
			best_start = start;
			best_len = len;
		}
	}
	return best;
}

int version_cmp(const char *a, const char *b, const char *const *suffixes, size_t nr)
{
	size_t at = common_length(a, b);
	long sa, sb;

	if (!a[at] && !b[at])
		return 0;
	sa = suffix_at(a, at, suffixes, nr);
	sb = suffix_at(b, at, suffixes, nr);
	if (sa == sb)
		return cmp_at(a, b, at);
	if (sa >= 0 && sb >= 0)
		return sa < sb ? -1 : 1;
	return sa >= 0 ? -1 : 1;
}
