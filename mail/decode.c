/* SPDX-License-Identifier: GPL-2.0-only */
/* Transfer encodings (RFC 2045), encoded words (RFC 2047) and character sets. */
#include "compat/posix.h"
#include "hash/hash.h"
#include "mail/mail-internal.h"
#include "util/alloc.h"
#include "util/utf8.h"

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

void mail_decode_base64(struct strbuf *out, const char *s, size_t len)
{
	unsigned bits = 0;
	int nr = 0;

	for (; len && *s; s++, len--) {
		int value = base64_value(*s);

		if (value < 0)
			continue;
		bits = bits << 6 | (unsigned)value;
		nr += 6;
		if (nr >= 8) {
			nr -= 8;
			strbuf_addch(out, (int)(bits >> nr & 0xff));
		}
	}
}

void mail_decode_qp(struct strbuf *out, const char *s, size_t len, bool header)
{
	for (size_t i = 0; i < len && s[i]; i++) {
		if (s[i] == '=' && (i + 1 == len || !s[i + 1] || s[i + 1] == '\n'))
			return;
		if (s[i] == '=' && i + 2 < len && hex_value((unsigned char)s[i + 1]) >= 0 &&
		    hex_value((unsigned char)s[i + 2]) >= 0) {
			strbuf_addch(out, hex_value((unsigned char)s[i + 1]) << 4 | hex_value((unsigned char)s[i + 2]));
			i += 2;
		} else {
			strbuf_addch(out, header && s[i] == '_' ? ' ' : s[i]);
		}
	}
}

/* ---- character sets ---- */

bool mail_to_charset(const struct mail_options *o, struct strbuf *text, const char *charset)
{
	size_t len;
	char *out;

	if (!o->charset || !*charset || same_encoding(o->charset, charset))
		return true;
	out = reencode_string(text->buf, text->len, o->charset, charset, &len);
	if (!out) {
		char *message = xstrfmt("cannot convert from %s to %s", charset, o->charset);

		o->report_error(message);
		free(message);
		return false;
	}
	strbuf_attach(text, out, len, len + 1);
	return true;
}

/* ---- encoded words ---- */

struct encoded_word {
	const char *charset, *text, *end; /* end: behind "?=" */
	size_t charset_len, text_len;
	char encoding; /* 'q', 'b' */
};

/* "=?CHARSET?E?TEXT?=" at s, which is NUL-terminated. */
static bool parse_encoded_word(struct encoded_word *w, const char *s)
{
	const char *p = strchr(s + 2, '?'), *end;

	if (!p || !p[1] || p[2] != '?')
		return false;
	w->charset = s + 2;
	w->charset_len = (size_t)(p - s) - 2;
	w->encoding = (char)tolower((unsigned char)p[1]);
	w->text = p + 3;
	end = strstr(w->text, "?=");
	if (!end || (w->encoding != 'q' && w->encoding != 'b'))
		return false;
	w->text_len = (size_t)(end - w->text);
	w->end = end + 2;
	return true;
}

static bool add_encoded_word(const struct mail_options *o, const struct encoded_word *w, struct strbuf *out)
{
	char *charset = xmemdupz(w->charset, w->charset_len);
	struct strbuf text = STRBUF_INIT;
	bool ok;

	if (w->encoding == 'b')
		mail_decode_base64(&text, w->text, w->text_len);
	else
		mail_decode_qp(&text, w->text, w->text_len, true);
	ok = mail_to_charset(o, &text, charset);
	strbuf_addbuf(out, &text);
	strbuf_release(&text);
	free(charset);
	return ok;
}

static bool is_space_only(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	return s == end;
}

bool mail_decode_header(const struct mail_options *o, struct strbuf *text)
{
	struct strbuf out = STRBUF_INIT;
	const char *pos = text->buf, *word;
	struct encoded_word w;
	bool ok = false;

	while ((word = strstr(pos, "=?"))) {
		/* white space between two of them does not count */
		if (!is_space_only(pos, word))
			strbuf_add(&out, pos, (size_t)(word - pos));
		if (!parse_encoded_word(&w, word)) { /* Git has no error if a good one precedes it */
			ok = pos != text->buf;
			goto out;
		}
		if (!add_encoded_word(o, &w, &out))
			goto out;
		pos = w.end;
	}
	strbuf_addstr(&out, pos);
	strbuf_swap(text, &out);
	ok = true;
out:
	strbuf_release(&out);
	return ok;
}
