/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/wildmatch.h"

size_t simple_length(const char *pattern)
{
	return strcspn(pattern, "*?[\\");
}

bool has_glob_chars(const char *pattern)
{
	return pattern[simple_length(pattern)] != '\0';
}

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 'a' - 'A') : c;
}

static unsigned char upper(unsigned char c)
{
	return c >= 'a' && c <= 'z' ? (unsigned char)(c - 'a' + 'A') : c;
}

/* ---- [classes] ---- */

/*
 * The classes of the C locale. Functions of ours: each one of the C library in a table is looked up by name at the start of
 * every program.
 */
#define CLASSES(X) X(alnum) X(alpha) X(blank) X(cntrl) X(digit) X(graph) X(lower) X(print) X(punct) X(space) X(upper) X(xdigit)
#define CLASS_FUNCTION(name)           \
	static int in_##name(int c)    \
	{                              \
		return is##name(c);    \
	}
#define CLASS_ENTRY(name) { #name, in_##name },
CLASSES(CLASS_FUNCTION)

/* Is c in [:alpha:] and so on? -1: no such class. */
static int in_named_class(const char *name, size_t len, unsigned char c)
{
	static const struct {
		const char *name;
		int (*test)(int);
	} classes[] = { CLASSES(CLASS_ENTRY) };

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			return c < 0x80 && classes[i].test(c) != 0;
	return -1;
}

static bool in_range(unsigned char from, unsigned char to, unsigned char c, unsigned flags)
{
	if (from <= c && c <= to)
		return true;
	if (!(flags & WM_CASEFOLD))
		return false;
	return (from <= lower(c) && lower(c) <= to) || (from <= upper(c) && upper(c) <= to);
}

/*
 * p follows the '['. 1: c is in the class, 0: it is not, -1: the class is malformed, so the
 * pattern matches nothing. *end follows the ']'.
 */
static int match_class(const char *p, unsigned char c, unsigned flags, const char **end)
{
	bool negated = *p == '!' || *p == '^', hit = false;
	const char *start;

	if (negated)
		p++;
	for (start = p; *p != ']' || p == start;) {
		unsigned char from;
		const char *close;

		if (!*p)
			return -1;
		if (p[0] == '[' && p[1] == ':') {
			close = strchr(p + 2, ']');
			if (!close)
				return -1;
			if (close > p + 2 && close[-1] == ':') {
				size_t len = (size_t)(close - 1 - (p + 2));
				int in = in_named_class(p + 2, len, c);

				if (in < 0)
					return -1;
				hit |= in;
				if (flags & WM_CASEFOLD)
					hit |= in_named_class(p + 2, len, lower(c)) ||
					       in_named_class(p + 2, len, upper(c));
				p = close + 1;
				continue;
			}
		}
		if (*p == '\\' && !*++p)
			return -1;
		from = (unsigned char)*p++;
		hit |= in_range(from, from, c, flags); /* also the start of an empty range */
		if (p[0] == '-' && p[1] && p[1] != ']') {
			if (*++p == '\\' && !*++p)
				return -1;
			hit |= in_range(from, (unsigned char)*p++, c, flags);
		}
	}
	*end = p + 1;
	return hit != negated;
}

/* ---- the match ---- */

/*
 * Does the single pattern element at *p match c? Advances *p past it. *bad: the pattern is
 * malformed and matches nothing.
 */
static bool match_one(const char **p, unsigned char c, unsigned flags, bool *bad)
{
	bool slash = c == '/' && flags & WM_PATHNAME;
	unsigned char want = (unsigned char)*(*p)++;
	int in;

	switch (want) {
	case '?':
		return c && !slash;
	case '[':
		in = match_class(*p, c, flags, p);
		*bad = in < 0;
		return in > 0 && c && !slash;
	case '\\':
		want = (unsigned char)**p;
		if (!want) {
			*bad = true;
			return false;
		}
		(*p)++;
		break;
	}
	if (flags & WM_CASEFOLD)
		return lower(want) == lower(c);
	return want == c;
}

/* Where to resume after a mismatch: `pattern` after the star, `text` one byte further. */
struct retry {
	const char *pattern, *text;
};

/*
 * Backtracking to the last star of each kind is enough. If the part of the pattern between
 * two stars matches at several places, the leftmost one leaves the most text for the second
 * star, so the first one need not be tried again. A "*" that cannot match a slash is given
 * up at the next slash; then the last "**" is tried with more text. Hence at most
 * pattern * text steps for each of the two kinds.
 */
bool wildmatch(const char *pattern, const char *text, unsigned flags)
{
	const char *p = pattern, *t = text;
	struct retry star = { NULL, NULL }, deep = { NULL, NULL };

	for (;;) {
		bool bad = false;

		if (*p == '*') {
			const char *first = p;

			while (*p == '*')
				p++;
			if (flags & WM_PATHNAME && p - first > 1 &&
			    (first == pattern || first[-1] == '/')) {
				if (!*p)
					return true;
				if (*p == '/') {
					deep = (struct retry){ ++p, t };
					star.pattern = NULL;
					continue;
				}
			}
			star = (struct retry){ p, t };
			if (!*p && (!(flags & WM_PATHNAME) || !strchr(t, '/')))
				return true;
			continue;
		}
		if (!*p && !*t)
			return true;
		if (*p && *t && match_one(&p, (unsigned char)*t, flags, &bad)) {
			t++;
			continue;
		}
		if (bad)
			return false;
		if (star.pattern && *star.text &&
		    !(*star.text == '/' && flags & WM_PATHNAME)) {
			p = star.pattern;
			t = ++star.text;
			continue;
		}
		if (!deep.pattern || !(t = strchr(deep.text, '/')))
			return false;
		deep.text = ++t;
		p = deep.pattern;
		star.pattern = NULL;
	}
}
