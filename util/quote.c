/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/quote.h"

/* ---- sh ---- */

void sq_quote(struct strbuf *out, const char *s)
{
	strbuf_addch(out, '\'');
	for (;;) {
		size_t n = strcspn(s, "'!");

		strbuf_add(out, s, n);
		s += n;
		if (!*s)
			break;
		strbuf_addf(out, "'\\%c'", *s++);
	}
	strbuf_addch(out, '\'');
}

void sq_quote_argv(struct strbuf *out, const char *const *argv)
{
	for (; *argv; argv++) {
		strbuf_addch(out, ' ');
		sq_quote(out, *argv);
	}
}

void sq_quote_pretty(struct strbuf *out, const char *s)
{
	const char *c = s;

	while (isalnum((unsigned char)*c) || (*c && strchr("+,-./:=@_^", *c)))
		c++;
	if (*c || c == s)
		sq_quote(out, s);
	else
		strbuf_addstr(out, s);
}

char *sq_dequote_step(const char *s, const char **end)
{
	struct strbuf word = STRBUF_INIT;

	if (*s != '\'')
		return NULL;
	for (;;) {
		const char *close = strchr(++s, '\'');

		if (!close)
			break;
		strbuf_add(&word, s, (size_t)(close - s));
		s = close + 1;
		/* The word continues after '\'' and '\!' only. */
		if (s[0] != '\\' || (s[1] != '\'' && s[1] != '!') || s[2] != '\'') {
			*end = s;
			return strbuf_detach(&word, NULL);
		}
		strbuf_addch(&word, s[1]);
		s += 2;
	}
	strbuf_release(&word);
	return NULL;
}

/* ---- C style ---- */

/* The letter after the backslash; 0: octal digits, -1: no escape needed. */
static int c_escape(unsigned char c, bool quote_high)
{
	static const char letters[] = "abtnvfr"; /* \a is 7 */

	if (c >= 7 && c <= 13)
		return letters[c - 7];
	if (c == '"' || c == '\\')
		return c;
	if (c < 0x20 || c == 0x7f || (quote_high && c >= 0x80))
		return 0;
	return -1;
}

bool quote_c_style(struct strbuf *out, const char *s, size_t len, bool quote_high)
{
	size_t clean = 0;

	while (clean < len && c_escape((unsigned char)s[clean], quote_high) < 0)
		clean++;
	if (clean == len) {
		strbuf_add(out, s, len);
		return false;
	}
	strbuf_addch(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		int esc = c_escape(c, quote_high);

		if (esc < 0)
			strbuf_addch(out, c);
		else if (esc)
			strbuf_addf(out, "\\%c", esc);
		else
			strbuf_addf(out, "\\%03o", c);
	}
	strbuf_addch(out, '"');
	return true;
}

/* The byte that the escape at s (after the backslash) stands for; -1 if malformed. */
static int c_unescape(const char *s, size_t *used)
{
	static const char letters[] = "abtnvfr";
	const char *at;

	*used = 1;
	if (*s == '"' || *s == '\\')
		return (unsigned char)*s;
	if (*s && (at = strchr(letters, *s)))
		return 7 + (int)(at - letters);
	if (s[0] < '0' || s[0] > '3')
		return -1;
	if (s[1] < '0' || s[1] > '7' || s[2] < '0' || s[2] > '7')
		return -1;
	*used = 3;
	return (s[0] - '0') << 6 | (s[1] - '0') << 3 | (s[2] - '0');
}

int unquote_c_style(struct strbuf *out, const char *s, const char **end)
{
	size_t before = out->len;

	if (*s++ != '"')
		return -1;
	while (*s != '"') {
		size_t used = 1;
		int c = (unsigned char)*s;

		if (!c)
			goto malformed;
		if (c == '\\') {
			c = c_unescape(++s, &used);
			if (c < 0)
				goto malformed;
		}
		strbuf_addch(out, c);
		s += used;
	}
	if (end)
		*end = s + 1;
	return 0;

malformed:
	strbuf_setlen(out, before);
	return -1;
}

/* ---- other languages: for-each-ref --perl, --python, --tcl ---- */

void perl_quote_mem(struct strbuf *out, const char *s, size_t len)
{
	strbuf_addch(out, '\'');
	for (; len; s++, len--) {
		if (*s == '\'' || *s == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *s);
	}
	strbuf_addch(out, '\'');
}

void python_quote(struct strbuf *out, const char *s)
{
	strbuf_addch(out, '\'');
	for (; *s; s++) {
		if (*s == '\n') {
			strbuf_addstr(out, "\\n");
			continue;
		}
		if (*s == '\'' || *s == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *s);
	}
	strbuf_addch(out, '\'');
}

void tcl_quote(struct strbuf *out, const char *s)
{
	strbuf_addch(out, '"');
	for (; *s; s++) {
		if (strchr("[]{}$\\\"", *s))
			strbuf_addf(out, "\\%c", *s);
		else if (*s >= '\t' && *s <= '\r')
			strbuf_addf(out, "\\%c", c_escape((unsigned char)*s, false));
		else
			strbuf_addch(out, *s);
	}
	strbuf_addch(out, '"');
}
