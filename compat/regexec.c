/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/regexec.h"

/* text[len] is NUL. Each piece between two NULs is searched; only the first begins a line, only the last ends one. */
static int search_pieces(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags)
{
	size_t at = 0;
	int rc;

	for (;;) {
		size_t end = at + strlen(text + at);

		rc = regexec(regex, text + at, nr, m, flags | (at ? REG_NOTBOL : 0) | (end < len ? REG_NOTEOL : 0));
		if (rc != REG_NOMATCH || end >= len)
			break;
		at = end + 1;
	}
	for (size_t i = 0; i < nr && !rc && at; i++) {
		if (m[i].rm_so < 0)
			continue;
		m[i].rm_so += (regoff_t)at;
		m[i].rm_eo += (regoff_t)at;
	}
	return rc;
}

int compat_regexec_range(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags)
{
	char *copy;
	int rc;

	if (len > INT_MAX)
		return REG_ESPACE;
	if (flags & REGEXEC_NUL_ENDED)
		return search_pieces(regex, text, len, nr, m, flags & ~REGEXEC_NUL_ENDED);
	copy = malloc(len + 1);
	if (!copy)
		return REG_ESPACE;
	memcpy(copy, text, len);
	copy[len] = '\0';
	rc = search_pieces(regex, copy, len, nr, m, flags);
	free(copy);
	return rc;
}

int regexec_range(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags)
{
#if defined(REG_STARTEND) && !defined(NO_REG_STARTEND)
	regmatch_t range[1];

	if (len > INT_MAX) /* more than a regoff_t can count */
		return REG_ESPACE;
	if (!nr)
		m = range;
	m[0].rm_so = 0;
	m[0].rm_eo = (regoff_t)len;
	return regexec(regex, text, nr, m, (flags & ~REGEXEC_NUL_ENDED) | REG_STARTEND);
#else
	return compat_regexec_range(regex, text, len, nr, m, flags);
#endif
}
