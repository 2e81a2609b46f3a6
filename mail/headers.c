/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of mails: RFC 2822, read leniently. */
#include "compat/posix.h"
#include "mail/mail-internal.h"

#define NAME_MAX_BYTES 60 /* a longer name is taken for something else */

bool mail_header_is(const struct strbuf *line, const char *name, const char **value)
{
	const char *p;

	if (!skip_iprefix(line->buf, name, &p) || *p != ':')
		return false;
	p++;
	while (isspace((unsigned char)*p))
		p++;
	*value = p;
	return true;
}

bool mail_header_parameter(const char *header, const char *name, struct strbuf *value)
{
	const char *p = strcasestr(header, name);
	size_t len;

	strbuf_reset(value);
	if (!p)
		return false;
	p += strlen(name);
	if (*p == '"') {
		p++;
		len = strcspn(p, "\"");
	} else {
		len = strcspn(p, "; \t");
	}
	strbuf_add(value, p, len);
	return true;
}

void mail_join_spaces(struct strbuf *s)
{
	size_t out = 0;

	for (size_t i = 0; i < s->len; i++) {
		bool space = isspace((unsigned char)s->buf[i]);

		if (!space || !out || s->buf[out - 1] != ' ')
			s->buf[out++] = space ? ' ' : s->buf[i];
	}
	strbuf_setlen(s, out);
}

/* ---- Subject: ---- */

/* How many bytes at `at` are no part of the title; 0: none. *skip: bytes that stay. */
static size_t prefix_length(const struct mail_options *o, const char *s, size_t at, size_t *skip)
{
	const char *p = s + at, *end;
	size_t len;

	*skip = 0;
	if (!strncasecmp(p, "re:", 3))
		return 3;
	if (*p == ' ' || *p == '\t' || *p == ':')
		return 1;
	if (*p != '[' || !(end = strchr(p, ']')))
		return 0;
	len = (size_t)(end - p) + 1;
	if (!o->keep_brackets || (len >= 7 && memmem(p, len, "PATCH", 5)))
		return len;
	*skip = len + (isspace((unsigned char)p[len]) != 0);
	return 0;
}

void mail_clean_subject(const struct mail_options *o, struct strbuf *subject)
{
	size_t at = 0, skip, remove;

	while (at < subject->len) {
		remove = prefix_length(o, subject->buf, at, &skip);
		if (!remove && !skip)
			break;
		strbuf_remove(subject, at, remove);
		at += skip;
	}
	strbuf_trim(subject);
}

/* ---- From: ---- */

/* Take quotes, the backslashes before characters, and comments in parentheses away. */
static void unquote(struct strbuf *s)
{
	struct strbuf out = STRBUF_INIT;
	int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < s->len; i++) {
		char c = s->buf[i];

		if (c == '\\' && (quoted || depth) && i + 1 < s->len) {
			strbuf_addch(&out, s->buf[++i]);
		} else if (c == '"' && !depth) {
			quoted = !quoted;
		} else if (!quoted && (c == '(' || (c == ')' && depth))) {
			depth += c == '(' ? 1 : -1;
			strbuf_addch(&out, c);
		} else {
			strbuf_addch(&out, c);
		}
	}
	strbuf_swap(s, &out);
	strbuf_release(&out);
}

/* A name that cannot be one gives way to the address. */
static void choose_name(struct strbuf *name, const struct strbuf *candidate, const struct strbuf *email)
{
	bool bad = !candidate->len || candidate->len > NAME_MAX_BYTES || strpbrk(candidate->buf, "@<>");

	strbuf_reset(name);
	strbuf_addbuf(name, bad ? email : candidate);
}

/* "NAME <ADDRESS>" where the address has no "@". */
static void parse_without_at(struct strbuf *from, struct strbuf *name, struct strbuf *email)
{
	const char *open = strchr(from->buf, '<'), *close = open ? strchr(open, '>') : NULL;
	struct strbuf before = STRBUF_INIT;

	if (!close || email->len)
		return;
	strbuf_add(email, open + 1, (size_t)(close - open) - 1);
	strbuf_add(&before, from->buf, (size_t)(open - from->buf));
	strbuf_trim(&before);
	choose_name(name, &before, email);
	strbuf_release(&before);
}

void mail_parse_from(struct strbuf *from, struct strbuf *name, struct strbuf *email)
{
	const char *sign;
	size_t start, len;

	if (!strchr(from->buf, '@')) {
		parse_without_at(from, name, email);
		return;
	}
	unquote(from);
	sign = strchr(from->buf, '@');
	for (start = (size_t)(sign - from->buf); start; start--) {
		if (isspace((unsigned char)from->buf[start - 1]))
			break;
		if (from->buf[start - 1] == '<') {
			from->buf[start - 1] = ' ';
			break;
		}
	}
	len = strcspn(from->buf + start, " \n\t\r\v\f>");
	strbuf_reset(email);
	strbuf_add(email, from->buf + start, len);
	strbuf_remove(from, start, len + (start + len < from->len));
	mail_join_spaces(from);
	strbuf_trim(from);
	if (from->len && from->buf[0] == '(' && from->buf[from->len - 1] == ')') {
		strbuf_remove(from, 0, 1);
		strbuf_setlen(from, from->len - 1);
	}
	choose_name(name, from, email);
}
