/* SPDX-License-Identifier: GPL-2.0-only */
/* See trace-redact.h. */
#include "compat/posix.h"
#include "util/strbuf.h"
#include "util/trace-redact.h"

bool trace_redacts(void)
{
	static const char *const off[] = { "", "0", "false", "no", "off" };
	const char *value = getenv("GIT_TRACE_REDACT");

	for (size_t i = 0; value && i < ARRAY_SIZE(off); i++)
		if (!strcasecmp(value, off[i]))
			return false;
	return true;
}

/*
 * The password of an authority "user:password@host" that starts at `p`: the text between the first ':' and the last '@'
 * before the first '/' or blank. libcurl and url_parse take the last '@', too. False: there is no password.
 */
static bool find_password(const char *p, const char **start, const char **end)
{
	const char *stop = p + strcspn(p, "/ \t\n"), *colon = memchr(p, ':', stop - p), *at = stop;

	while (at > p && at[-1] != '@')
		at--;
	if (!colon || at == p || colon > at - 1)
		return false;
	*start = colon + 1;
	*end = at - 1;
	return true;
}

void trace_add_redacted(struct strbuf *out, const char *text)
{
	const char *scheme, *start, *end;

	if (!trace_redacts()) {
		strbuf_addstr(out, text);
		return;
	}
	while ((scheme = strstr(text, "://"))) {
		const char *authority = scheme + 3;

		if (find_password(authority, &start, &end)) {
			strbuf_add(out, text, start - text);
			strbuf_addstr(out, "<REDACTED>");
			text = end;
		} else {
			strbuf_add(out, text, authority - text);
			text = authority;
		}
	}
	strbuf_addstr(out, text);
}
