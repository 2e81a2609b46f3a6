/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers of the formats email and mboxrd: From:, Date: and Subject: of RFC 2822, and the MIME headers that say that
 * a body is not ASCII.
 *
 * Texts that are not ASCII become encoded words of RFC 2047 ("=?UTF-8?q?=C3=A4?="). A header longer than a line
 * is folded: the line that follows begins with a blank.
 */
#include "compat/posix.h"
#include "pretty/pretty-internal.h"
#include "util/utf8.h"

#define HEADER_COLUMNS 78
#define ENCODED_COLUMNS 76 /* RFC 2047, section 2 */

static const char *charset_of(const struct pretty *p)
{
	return p->encoding ? p->encoding : "UTF-8";
}

/* In ISO-2022 ESC begins other characters. */
static bool is_outside_ascii(unsigned char c)
{
	return c >= 0x80 || c == 0x1b;
}

static bool has_outside_ascii(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_outside_ascii((unsigned char)s[i]))
			return true;
	return false;
}

static size_t length_of_last_line(const struct strbuf *sb)
{
	const char *eol = sb->len ? memrchr(sb->buf, '\n', sb->len) : NULL;

	return eol ? (size_t)(sb->buf + sb->len - eol - 1) : sb->len;
}

/* ---- encoded words: RFC 2047 ---- */

/* Also line ends, and text that would be taken for an encoded word as it stands. */
static bool needs_encoding(const char *s, size_t len)
{
	return has_outside_ascii(s, len) || memchr(s, '\n', len) || memmem(s, len, "=?", 2);
}

/* phrase: a name, where fewer characters may stand for themselves (section 5, rule 3). */
static bool is_encoded(unsigned char c, bool phrase)
{
	if (is_outside_ascii(c) || isspace(c) || iscntrl(c))
		return true;
	if (phrase)
		return !isalnum(c) && !strchr("!*+-/", c);
	return strchr("=?_", c);
}

/* Bytes of the character at s: an encoded word ends between characters. */
static size_t character_len(const char *s, size_t len, bool utf8)
{
	const char *next = s;

	return utf8 && utf8_next(&next, &len) >= 0 ? (size_t)(next - s) : 1;
}

static void begin_encoded_word(struct strbuf *out, const char *charset)
{
	strbuf_addf(out, "=?%s?q?", charset);
}

/* The text begins at the end of `out`, where the line may hold a part of the header. */
static void add_encoded(struct strbuf *out, const char *s, size_t len, const char *charset, bool phrase)
{
	bool utf8 = *charset && is_encoding_utf8(charset);
	size_t n, width;

	begin_encoded_word(out, charset);
	for (; len; s += n, len -= n) {
		bool encoded;

		n = character_len(s, len, utf8);
		encoded = n > 1 || is_encoded((unsigned char)*s, phrase);
		width = encoded ? 3 * n : 1;
		if (length_of_last_line(out) + width + strlen("?=") > ENCODED_COLUMNS) {
			strbuf_addstr(out, "?=\n ");
			begin_encoded_word(out, charset);
		}
		for (size_t i = 0; i < n && encoded; i++)
			strbuf_addf(out, "=%02X", (unsigned char)s[i]);
		if (!encoded)
			strbuf_addch(out, *s);
	}
	strbuf_addstr(out, "?=");
}

/* The text goes on in the line that `out` ends in. */
static void add_folded(struct strbuf *out, const char *s)
{
	strbuf_add_wrapped_text(out, s, -(int)length_of_last_line(out), 1, HEADER_COLUMNS);
}

/* ---- the headers ---- */

/* A name with characters that have a meaning in addresses is a quoted string. */
static void quote_name(struct strbuf *out, const char *name, size_t len)
{
	bool special = false;

	for (size_t i = 0; i < len; i++)
		special |= name[i] && strchr("()<>[]:;@\\,.\"", name[i]);
	if (special)
		strbuf_addch(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '"' || name[i] == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, name[i]);
	}
	if (special)
		strbuf_addch(out, '"');
}

void email_add_address(const struct pretty *p, const char *name, size_t name_len, const char *mail, size_t mail_len,
		       struct strbuf *out)
{
	size_t columns = HEADER_COLUMNS;

	if (p->email_encode && needs_encoding(name, name_len)) {
		add_encoded(out, name, name_len, charset_of(p), true);
		columns = ENCODED_COLUMNS;
	} else {
		struct strbuf quoted = STRBUF_INIT;

		quote_name(&quoted, name, name_len);
		add_folded(out, quoted.buf);
		strbuf_release(&quoted);
	}
	if (length_of_last_line(out) + strlen(" <") + mail_len + strlen(">") > columns)
		strbuf_addch(out, '\n');
	strbuf_addstr(out, " <");
	strbuf_add(out, mail, mail_len);
	strbuf_addch(out, '>');
}

static void add_subject_line(const struct pretty *p, const char *subject, size_t len, struct strbuf *out)
{
	strbuf_addstr(out, "Subject: ");
	if (p->email_prefix && *p->email_prefix)
		strbuf_addf(out, "[%s] ", p->email_prefix);
	if (p->email_encode && needs_encoding(subject, len))
		add_encoded(out, subject, len, charset_of(p), false);
	else
		add_folded(out, subject);
	strbuf_addch(out, '\n');
}

bool email_is_8bit(const char *s, size_t len)
{
	return has_outside_ascii(s, len);
}

void email_add_subject(const struct pretty *p, const char *subject, size_t len, bool is_8bit, struct strbuf *out)
{
	const struct email_style *style = p->email;

	add_subject_line(p, subject, len, out);
	if (is_8bit && !(style && style->multipart))
		strbuf_addf(out, "MIME-Version: 1.0\n"
			    "Content-Type: text/plain; charset=%s\n"
			    "Content-Transfer-Encoding: 8bit\n", charset_of(p));
	if (style && style->headers)
		strbuf_addstr(out, style->headers);
	if (style && style->multipart)
		strbuf_addstr(out, style->multipart);
}

void email_add_quote(struct strbuf *out, const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] == '>')
		n++;
	if (len - n >= 5 && !memcmp(line + n, "From ", 5))
		strbuf_addch(out, '>');
}
