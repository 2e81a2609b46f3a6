/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files in the headers of patches. */
#include "compat/posix.h"
#include "apply/patch-internal.h"
#include "apply/space.h"
#include "util/alloc.h"
#include "util/quote.h"

/* Several slashes in a row become one. */
static char *make_name(const struct patch_reader *r, const char *s, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	if (r->root)
		strbuf_addstr(&out, r->root);
	for (size_t i = 0; i < len; i++)
		if (s[i] != '/' || !out.len || out.buf[out.len - 1] != '/')
			strbuf_addch(&out, s[i]);
	return strbuf_detach(&out, NULL);
}

static char *find_quoted(const struct patch_reader *r, const char *line, int strip)
{
	struct strbuf name = STRBUF_INIT;
	const char *end, *s;
	char *out = NULL;

	if (unquote_c_style(&name, line, &end) < 0)
		goto out;
	for (s = name.buf; strip; strip--) {
		const char *slash = strchr(s, '/');

		if (!slash)
			goto out;
		s = slash + 1;
	}
	out = make_name(r, s, strlen(s));
out:
	strbuf_release(&name);
	return out;
}

/* stop: the end of the name; NULL: `ends` and the newline tell. */
static char *find_plain(const struct patch_reader *r, const char *line, const char *other, int strip, const char *stop,
			unsigned ends)
{
	const char *start = strip ? NULL : line;
	size_t len, other_len = other ? strlen(other) : 0;

	while (line != stop) {
		char c = *line;

		if (!stop && patch_is_space(c) &&
		    (c == '\n' || !((c == ' ' && !(ends & NAME_ENDS_AT_SPACE)) || (c == '\t' && !(ends & NAME_ENDS_AT_TAB)))))
			break;
		line++;
		if (c == '/' && !--strip)
			start = line;
	}
	len = start ? (size_t)(line - start) : 0;
	if (!len)
		return other ? xstrdup(other) : NULL;
	/* "file.orig" and "file" */
	if (other && other_len < len && !strncmp(other, start, other_len))
		return xstrdup(other);
	return make_name(r, start, len);
}

char *patch_find_name(const struct patch_reader *r, const char *line, int strip, unsigned ends)
{
	char *name = *line == '"' ? find_quoted(r, line, strip) : NULL;

	return name ? name : find_plain(r, line, NULL, strip, NULL, ends);
}

/* ---- traditional headers ---- */

/* Does s, len bytes, end in text of that shape? '0' is a digit. The length of the shape, or 0. */
static size_t ends_in_shape(const char *s, size_t len, const char *shape)
{
	size_t n = strlen(shape);

	if (len < n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		char c = s[len - n + i];

		if (shape[i] == '0' ? c < '0' || c > '9' : shape[i] == '+' ? c != '+' && c != '-' : c != shape[i])
			return 0;
	}
	return n;
}

static size_t fraction_len(const char *s, size_t len)
{
	size_t end = len, n;

	while (end && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	if (end == len || !end || s[end - 1] != '.')
		return 0;
	n = ends_in_shape(s, end - 1, " 00:00:00");
	return n ? len - end + 1 + n : 0;
}

static size_t blanks_before(const char *s, size_t len)
{
	size_t end = len;

	while (end && s[end - 1] == ' ')
		end--;
	return len - end;
}

/* How much of the end of the line is a date, perhaps with a time, and the blanks before it. */
static size_t time_len(const char *s, size_t len)
{
	size_t end = len, n;

	if (!len || s[len - 1] < '0' || s[len - 1] > '9')
		return 0;
	n = ends_in_shape(s, end, " +0000");
	if (!n)
		n = ends_in_shape(s, end, " +00:00");
	end -= n;
	n = fraction_len(s, end);
	if (!n)
		n = ends_in_shape(s, end, " 00:00:00");
	end -= n;
	n = ends_in_shape(s, end, "0000-00-00");
	if (!n)
		n = ends_in_shape(s, end, "00-00-00");
	if (!n)
		return 0;
	end -= n;
	if (end && s[end - 1] == '\t')
		return len - end + 1;
	n = blanks_before(s, end);
	return n ? len - end + n : 0;
}

char *patch_find_traditional_name(const struct patch_reader *r, const char *line, const char *other, int strip)
{
	size_t len = strcspn(line, "\n"), time;
	char *name = *line == '"' ? find_quoted(r, line, strip) : NULL;

	if (name)
		return name;
	time = time_len(line, len);
	if (!time)
		return find_plain(r, line, other, strip, NULL, NAME_ENDS_AT_TAB);
	return find_plain(r, line, other, strip, line + len - time, 0);
}

bool patch_is_dev_null(const char *s)
{
	return skip_prefix(s, "/dev/null", &s) && patch_is_space(*s);
}

bool patch_has_epoch(const char *line)
{
	const char *tab = NULL, *s, *zone;
	long hour, minute, offset, day;

	for (s = line; *s != '\n'; s++)
		if (*s == '\t')
			tab = s + 1;
	if (!tab)
		return false;
	if (skip_prefix(tab, "1969-12-31 ", &s))
		day = 24;
	else if (skip_prefix(tab, "1970-01-01 ", &s))
		day = 0;
	else
		return false;
	if (!ends_in_shape(s, 6, "00:00:") || s[0] > '2' || s[3] > '5' || !skip_prefix(s + 6, "00", &zone))
		return false;
	if (*zone == '.' && zone[1] == '0')
		for (zone++; *zone == '0';)
			zone++;
	if (*zone++ != ' ' || (*zone != '+' && *zone != '-') || zone[1] > '2')
		return false;
	if (!ends_in_shape(zone + 1, 5, "0000\n") && !(ends_in_shape(zone + 1, 5, "00:00") && zone[6] == '\n'))
		return false;
	hour = strtol(s, NULL, 10);
	minute = strtol(s + 3, NULL, 10);
	offset = strtol(zone + 1, NULL, 10);
	if (zone[3] == ':')
		offset = offset * 60 + strtol(zone + 4, NULL, 10);
	else
		offset = offset / 100 * 60 + offset % 100;
	return hour * 60 + minute - (*zone == '-' ? -offset : offset) == day * 60;
}

/* ---- "diff --git" ---- */

/* Behind `strip` components; NULL: there are not so many. */
static const char *skip_components(const struct patch_reader *r, const char *s, const char *end)
{
	int left = r->strip;

	if (!left)
		return s < end && *s == '/' ? NULL : s;
	for (const char *at = s; at < end; at++)
		if (*at == '/' && --left <= 0)
			return at == s ? NULL : at + 1;
	return NULL;
}

static char *rooted(const struct patch_reader *r, const char *s, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	if (r->root)
		strbuf_addstr(&out, r->root);
	strbuf_add(&out, s, len);
	return strbuf_detach(&out, NULL);
}

/* The first name is quoted; as in Git, the second one has to be, too. */
static char *common_of_quoted(const struct patch_reader *r, const char *line, const char *end)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	const char *at, *a, *b;
	char *out = NULL;

	if (unquote_c_style(&first, line, &at) < 0)
		goto out;
	a = skip_components(r, first.buf, first.buf + first.len);
	while (at < end && patch_is_space(*at))
		at++;
	if (!a || unquote_c_style(&second, at, NULL) < 0)
		goto out;
	b = skip_components(r, second.buf, second.buf + second.len);
	if (b && !strcmp(a, b))
		out = rooted(r, a, strlen(a));
out:
	strbuf_release(&first);
	strbuf_release(&second);
	return out;
}

static char *common_with_quoted(const struct patch_reader *r, const char *name, const char *quote)
{
	struct strbuf second = STRBUF_INIT;
	const char *rest, *b;
	size_t len;
	char *out = NULL;

	if (unquote_c_style(&second, quote, &rest) < 0)
		goto out;
	b = skip_components(r, second.buf, second.buf + second.len);
	len = b ? strlen(b) : 0;
	if (b && len < (size_t)(quote - name) && !strncmp(b, name, len) && patch_is_space(name[len]))
		out = rooted(r, b, len);
out:
	strbuf_release(&second);
	return out;
}

char *patch_common_name(const struct patch_reader *r, const char *line, const char *end)
{
	const char *name, *quote;

	if (*line == '"')
		return common_of_quoted(r, line, end);
	name = skip_components(r, line, end);
	if (!name)
		return NULL;
	quote = memchr(name, '"', (size_t)(end - name));
	if (quote)
		return common_with_quoted(r, name, quote);
	for (const char *at = name; at < end; at++) {
		size_t len = (size_t)(at - name);
		const char *b;

		if (*at != ' ' && *at != '\t')
			continue;
		if (at + 1 == end)
			return NULL;
		b = skip_components(r, at + 1, end);
		if (!b)
			return NULL;
		if ((size_t)(end - b) == len && !strncmp(name, b, len))
			return rooted(r, name, len);
	}
	return NULL;
}
