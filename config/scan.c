/* SPDX-License-Identifier: GPL-2.0-only */
/* The grammar of config files (git-config(1), CONFIGURATION FILE) and of keys. */
#include "compat/posix.h"
#include "config/config-internal.h"

bool config_is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool config_is_name_char(int c)
{
	return config_is_alpha(c) || (c >= '0' && c <= '9') || c == '-';
}

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

void config_scan_init(struct config_scanner *s, const char *buf, size_t len)
{
	memset(s, 0, sizeof(*s));
	s->buf = buf;
	s->len = len;
	s->line = 1;
	strbuf_init(&s->section, 0);
	strbuf_init(&s->key, 0);
	strbuf_init(&s->value, 0);
	if (len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3)) /* byte order mark */
		s->pos = 3;
}

void config_scan_release(struct config_scanner *s)
{
	strbuf_release(&s->section);
	strbuf_release(&s->key);
	strbuf_release(&s->value);
}

static bool at_crlf(const struct config_scanner *s)
{
	return s->buf[s->pos] == '\r' && s->pos + 1 < s->len && s->buf[s->pos + 1] == '\n';
}

/* CRLF counts as LF; the end of the file, too, so that the last line needs no LF. */
static int peek(const struct config_scanner *s)
{
	if (s->pos >= s->len || at_crlf(s))
		return '\n';
	return (unsigned char)s->buf[s->pos];
}

static int next(struct config_scanner *s)
{
	int c = peek(s);

	if (s->pos >= s->len) {
		s->eof = true;
		return c;
	}
	s->pos += at_crlf(s) ? 2 : 1;
	if (c == '\n')
		s->line++;
	return c;
}

/* `"name"]` of a header, after the blank; a backslash quotes the next byte. */
static bool scan_subsection(struct config_scanner *s)
{
	int c;

	while ((c = peek(s)) == ' ' || c == '\t' || c == '\r')
		next(s);
	if (c != '"')
		return false;
	next(s);
	strbuf_addch(&s->section, '.');
	while ((c = peek(s)) != '"') {
		if (c == '\\') {
			next(s);
			c = peek(s);
		}
		if (c == '\n' || !c)
			return false;
		strbuf_addch(&s->section, c);
		next(s);
	}
	next(s);
	if (peek(s) != ']')
		return false;
	next(s);
	return true;
}

static enum config_token scan_section(struct config_scanner *s)
{
	strbuf_reset(&s->section);
	s->dotted = false;
	for (;;) {
		int c = peek(s);

		if (c == ']') {
			if (!s->section.len)
				return CONFIG_TOKEN_BAD;
			next(s);
			break;
		}
		if (c == ' ' || c == '\t') {
			if (!scan_subsection(s)) /* the section itself may have no name */
				return CONFIG_TOKEN_BAD;
			break;
		}
		if (!config_is_name_char(c) && c != '.')
			return CONFIG_TOKEN_BAD;
		s->dotted |= c == '.';
		strbuf_addch(&s->section, lower(c));
		next(s);
	}
	strbuf_addch(&s->section, '.');
	s->end = s->pos;
	return CONFIG_TOKEN_SECTION;
}

/* The byte that a backslash and c stand for; -1 if there is no such escape. */
static int unescape(int c)
{
	switch (c) {
	case 't': return '\t';
	case 'b': return '\b';
	case 'n': return '\n';
	case '\\':
	case '"': return c;
	default: return -1;
	}
}

/*
 * The value up to the end of the line, or of its last continuation line. `keep` is its length
 * without trailing white space.
 */
static bool scan_value(struct config_scanner *s)
{
	bool quoted = false, comment = false, continued = false;
	size_t keep = 0;

	for (;;) {
		int c = peek(s);

		if (c == '\n') {
			if (quoted)
				return false;
			next(s);
			s->open_end = continued && s->eof;
			strbuf_setlen(&s->value, keep);
			return true;
		}
		next(s);
		continued = false;
		if (comment)
			continue;
		if (!c)
			return false;
		if (!quoted && config_is_space(c)) {
			if (s->value.len)
				strbuf_addch(&s->value, c);
			continue;
		}
		if (!quoted && (c == ';' || c == '#')) {
			comment = true;
			continue;
		}
		if (c == '"') {
			quoted = !quoted;
		} else if (c == '\\') {
			c = peek(s);
			continued = c == '\n';
			if (!continued) {
				c = unescape(c);
				if (c < 0)
					return false;
				strbuf_addch(&s->value, c);
			}
			next(s);
		} else {
			strbuf_addch(&s->value, c);
		}
		keep = s->value.len;
	}
}

static enum config_token scan_entry(struct config_scanner *s)
{
	int c;

	strbuf_reset(&s->key);
	strbuf_reset(&s->value);
	strbuf_addbuf(&s->key, &s->section);
	while (config_is_name_char(c = peek(s))) {
		strbuf_addch(&s->key, lower(c));
		next(s);
	}
	while ((c = peek(s)) == ' ' || c == '\t')
		next(s);
	s->has_value = c == '=';
	if (c != '=' && c != '\n')
		return CONFIG_TOKEN_BAD;
	next(s);
	if (s->has_value && !scan_value(s))
		return CONFIG_TOKEN_BAD;
	s->end = s->pos;
	return CONFIG_TOKEN_ENTRY;
}

enum config_token config_scan(struct config_scanner *s)
{
	while (s->pos < s->len && config_is_space(peek(s)))
		next(s);
	s->start = s->end = s->pos;
	s->token_line = s->line;
	if (s->pos >= s->len)
		return CONFIG_TOKEN_END;
	if (peek(s) == '#' || peek(s) == ';') {
		while (peek(s) != '\n')
			next(s);
		s->end = s->pos;
		return CONFIG_TOKEN_COMMENT;
	}
	if (peek(s) == '[') {
		next(s);
		return scan_section(s);
	}
	return config_is_alpha(peek(s)) ? scan_entry(s) : CONFIG_TOKEN_BAD;
}

/* ---- keys as users type them ---- */

static int bad_key(struct strbuf *sb, struct err *err, const char *key)
{
	strbuf_release(sb);
	return err_set(err, ERR_INVALID, "invalid key: %s", key);
}

int config_key_parse(struct strbuf *out, const char *key, struct err *err)
{
	const char *first = strchr(key, '.'), *last = strrchr(key, '.'), *p;
	struct strbuf sb = STRBUF_INIT;

	if (!last || last == key)
		return err_set(err, ERR_INVALID, "key does not contain a section: %s", key);
	if (!last[1])
		return err_set(err, ERR_INVALID, "key does not contain variable name: %s", key);

	for (p = key; p < first; p++) {
		if (!config_is_name_char((unsigned char)*p))
			return bad_key(&sb, err, key);
		strbuf_addch(&sb, lower(*p));
	}
	if (memchr(first, '\n', last - first)) {
		strbuf_release(&sb);
		return err_set(err, ERR_INVALID, "invalid key (newline): %s", key);
	}
	strbuf_add(&sb, first, last + 1 - first);
	if (!config_is_alpha((unsigned char)last[1]))
		return bad_key(&sb, err, key);
	for (p = last + 1; *p; p++) {
		if (!config_is_name_char((unsigned char)*p))
			return bad_key(&sb, err, key);
		strbuf_addch(&sb, lower(*p));
	}
	strbuf_swap(out, &sb);
	strbuf_release(&sb);
	return 0;
}
