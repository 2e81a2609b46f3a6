/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/iconv.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/unicode-width.h"
#include "util/utf8.h"

/* ---- code points ---- */

int32_t utf8_next(const char **s, size_t *len)
{
	const unsigned char *p = (const unsigned char *)*s;
	size_t n;
	uint32_t c, least;

	if (!*len)
		return -1;
	if (p[0] < 0x80) {
		n = 1;
		c = p[0];
		least = 0;
	} else if ((p[0] & 0xe0) == 0xc0) {
		n = 2;
		c = p[0] & 0x1f;
		least = 0x80;
	} else if ((p[0] & 0xf0) == 0xe0) {
		n = 3;
		c = p[0] & 0x0f;
		least = 0x800;
	} else if ((p[0] & 0xf8) == 0xf0) {
		n = 4;
		c = p[0] & 0x07;
		least = 0x10000;
	} else {
		return -1;
	}
	if (n > *len)
		return -1;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* neither overlong nor a surrogate nor beyond Unicode */
	if (c < least || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return -1;
	*s += n;
	*len -= n;
	return (int32_t)c;
}

size_t text_char_len(const char *s, size_t len, bool *control)
{
	const char *end = s;
	int32_t c = utf8_next(&end, &len);

	if (c < 0)
		c = (unsigned char)*s;
	*control = c < ' ' || (c >= 0x7f && c < 0xa0);
	return end > s ? (size_t)(end - s) : 1;
}

void strbuf_add_printable(struct strbuf *out, const char *text, size_t len, const char *keep)
{
	for (size_t n; len; text += n, len -= n) {
		bool control;

		n = text_char_len(text, len, &control);
		if (control && (n > 1 || !*text || !strchr(keep, *text)))
			strbuf_addch(out, '?');
		else
			strbuf_add(out, text, n);
	}
}

bool utf8_is_valid(const char *s, size_t len)
{
	while (len) {
		if ((unsigned char)*s < 0x80) {
			s++;
			len--;
		} else if (utf8_next(&s, &len) < 0) {
			return false;
		}
	}
	return true;
}

void utf8_append(struct strbuf *sb, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (int)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addch(sb, (int)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addch(sb, (int)(0xe0 | c >> 12));
		} else {
			strbuf_addch(sb, (int)(0xf0 | c >> 18));
			strbuf_addch(sb, (int)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addch(sb, (int)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addch(sb, (int)(0x80 | (c & 0x3f)));
}

/* ---- columns ---- */

static bool in_table(uint32_t c, const struct code_range *table, size_t nr)
{
	size_t lo = 0, hi = nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c > table[mid].last)
			lo = mid + 1;
		else if (c < table[mid].first)
			hi = mid;
		else
			return true;
	}
	return false;
}

static int code_point_width(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return 0;
	if (c < 0x300)
		return 1;
	if (in_table(c, zero_width, ARRAY_SIZE(zero_width)))
		return 0;
	return 1 + in_table(c, double_width, ARRAY_SIZE(double_width));
}

size_t ansi_sequence_len(const char *s, size_t len)
{
	size_t n = 2;

	if (len < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (n < len && (isdigit((unsigned char)s[n]) || s[n] == ';'))
		n++;
	return n < len && s[n] == 'm' ? n + 1 : 0;
}

int utf8_width(const char *s, size_t len, bool skip_ansi)
{
	size_t all = len, skip;
	int width = 0;

	while (len) {
		int32_t c;

		while (skip_ansi && (skip = ansi_sequence_len(s, len))) {
			s += skip;
			len -= skip;
		}
		if (!len)
			break;
		c = utf8_next(&s, &len);
		if (c < 0) /* some other encoding: one column per byte */
			return (int)all;
		width += code_point_width((uint32_t)c);
	}
	return width;
}

/* ---- encodings ---- */

/* "UTF-8" or "utf8" for rest "8": Git accepts a dash or nothing, but no underscore. */
static bool is_utf(const char *name, const char *rest)
{
	if (!skip_iprefix(name, "utf", &name))
		return false;
	if (*name == '-')
		name++;
	return !strcasecmp(name, rest);
}

bool is_encoding_utf8(const char *name)
{
	return !name || !*name || is_utf(name, "8");
}

bool same_encoding(const char *a, const char *b)
{
	const char *rest;

	if (is_encoding_utf8(a) || is_encoding_utf8(b))
		return is_encoding_utf8(a) && is_encoding_utf8(b);
	if (skip_iprefix(b, "utf", &rest) && is_utf(a, *rest == '-' ? rest + 1 : rest))
		return true;
	return !strcasecmp(a, b);
}

static bool starts_with_bom(const char *data, size_t len, const char *bom, size_t bom_len)
{
	return len >= bom_len && !memcmp(data, bom, bom_len);
}

static bool has_bom16(const char *data, size_t len)
{
	return starts_with_bom(data, len, "\xfe\xff", 2) ||
	       starts_with_bom(data, len, "\xff\xfe", 2);
}

static bool has_bom32(const char *data, size_t len)
{
	return starts_with_bom(data, len, "\0\0\xfe\xff", 4) ||
	       starts_with_bom(data, len, "\xff\xfe\0\0", 4);
}

bool has_prohibited_utf_bom(const char *enc, const char *data, size_t len)
{
	return ((is_utf(enc, "16BE") || is_utf(enc, "16LE")) && has_bom16(data, len)) ||
	       ((is_utf(enc, "32BE") || is_utf(enc, "32LE")) && has_bom32(data, len));
}

bool has_missing_utf_bom(const char *enc, const char *data, size_t len)
{
	return (is_utf(enc, "16") && !has_bom16(data, len)) ||
	       (is_utf(enc, "32") && !has_bom32(data, len));
}

/*
 * The encoding's name for iconv. "UTF-16LE-BOM" is Git's own name: the byte order mark is no part of the text. iconv
 * takes a mark off only from "UTF-16", and writes one only there, in the order of the machine. As in Git, "UTF-16BE-BOM" can only be written.
 */
static const char *iconv_name(const char *name, bool reading)
{
	if (is_encoding_utf8(name))
		return "UTF-8";
	if (!strcasecmp(name, "latin-1"))
		return "ISO-8859-1";
	if (is_utf(name, "16LE-BOM"))
		return reading ? "UTF-16" : "UTF-16LE";
	if (is_utf(name, "16BE-BOM") && !reading)
		return "UTF-16BE";
	return name;
}

/* Encodings whose byte order mark iconv does not write. */
static void add_wanted_bom(struct strbuf *out, const char *to)
{
	if (is_utf(to, "16LE-BOM"))
		strbuf_add(out, "\xff\xfe", 2);
	else if (is_utf(to, "16BE-BOM"))
		strbuf_add(out, "\xfe\xff", 2);
}

static int convert_all(iconv_t cd, struct strbuf *out, const char *in, size_t len)
{
	char *from = (char *)in;
	bool flushing = false;

	for (;;) {
		char *to;
		size_t room, n;

		strbuf_grow(out, len + len / 2 + 32);
		to = out->buf + out->len;
		room = strbuf_avail(out);
		n = iconv(cd, flushing ? NULL : &from, flushing ? NULL : &len, &to, &room);
		strbuf_setlen(out, (size_t)(to - out->buf));
		if (n == (size_t)-1) {
			if (errno != E2BIG)
				return -1;
			continue;
		}
		if (flushing)
			return 0;
		flushing = true; /* one more call, to return to the initial shift state */
	}
}

char *reencode_string(const char *in, size_t len, const char *to,
		      const char *from, size_t *out_len)
{
	struct strbuf out = STRBUF_INIT;
	iconv_t cd = iconv_open(iconv_name(to, false), iconv_name(from, true));
	int ret;

	if (cd == (iconv_t)-1)
		return NULL;
	if (to)
		add_wanted_bom(&out, to);
	ret = convert_all(cd, &out, in, len);
	iconv_close(cd);
	if (ret < 0) {
		strbuf_release(&out);
		return NULL;
	}
	return strbuf_detach(&out, out_len);
}

/* ---- wrapping text at a column ---- */

struct wrapper {
	struct strbuf *out;
	int indent2, width;
	bool as_bytes; /* the text is not UTF-8 */
	int column;
	bool fresh; /* nothing on this line yet, not even the indent */
};

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void new_line(struct wrapper *w)
{
	strbuf_addch(w->out, '\n');
	w->column = w->indent2;
	w->fresh = true;
}

/* As in Git, a control character takes a column away. */
static int wrapped_width(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ? -1 : code_point_width(c);
}

/* Text that is not UTF-8: one column per byte outside of colour sequences. */
static int columns_of(const struct wrapper *w, const char *s, size_t len)
{
	int columns = 0;

	while (len) {
		size_t skip = ansi_sequence_len(s, len);

		if (!skip && !w->as_bytes) {
			columns += wrapped_width((uint32_t)utf8_next(&s, &len));
			continue;
		}
		columns += !skip;
		skip += !skip;
		s += skip;
		len -= skip;
	}
	return columns;
}

/* Append `blank` and one word to the line, or the word alone to the next line. */
static void put_word(struct wrapper *w, const char *word, size_t len,
		     const char *blank, size_t blank_len)
{
	int columns = columns_of(w, word, len);

	if (!w->fresh && w->column + columns > w->width)
		new_line(w);
	if (w->fresh && w->column > 0)
		strbuf_addchars(w->out, ' ', (size_t)w->column);
	else if (!w->fresh)
		strbuf_add(w->out, blank, blank_len);
	strbuf_add(w->out, word, len);
	w->column += columns;
	w->fresh = false;
}

/*
 * The text is a sequence of words with one white-space character between them (words may be
 * empty). A line break becomes a space, unless an empty line or something other than a
 * letter or digit follows: list items and indented lines keep their own lines.
 */
static void wrap(struct wrapper *w, const char *s)
{
	const char *blank = "";
	size_t blank_len = 0;

	if (!w->fresh && w->column > w->width && is_git_blank(*s)) {
		new_line(w); /* in place of the blank */
		s++;
	}
	for (;;) {
		size_t len = 0;

		while (s[len] && !is_git_blank(s[len]))
			len++;
		if (!s[len] && !len) { /* a blank at the end */
			if (!w->fresh && w->column > w->width)
				new_line(w);
			else if (!w->fresh)
				strbuf_add(w->out, blank, blank_len);
			return;
		}
		put_word(w, s, len, blank, blank_len);
		s += len;
		if (!*s)
			return;
		blank = s++;
		blank_len = 1;
		if (*blank == '\n' && *s == '\n') {
			strbuf_addch(w->out, '\n');
			new_line(w);
			s++;
			continue;
		}
		if (*blank == '\n' && !is_word_char(*s)) {
			new_line(w);
			s += is_git_blank(*s);
			continue;
		}
		if (*blank == '\n') {
			strbuf_addch(w->out, ' '); /* stays there if the word does not fit */
			blank_len = 0;
		} else if (*blank == '\t') {
			w->column |= 7;
		}
		w->column++;
	}
}

static void indent_only(struct strbuf *out, const char *s, int indent, int indent2)
{
	while (*s) {
		size_t len = strcspn(s, "\n");

		if (s[len])
			len++;
		if (indent > 0)
			strbuf_addchars(out, ' ', (size_t)indent);
		strbuf_add(out, s, len);
		s += len;
		indent = indent2;
	}
}

void strbuf_add_wrapped_text(struct strbuf *sb, const char *text, int indent1,
			     int indent2, int width)
{
	struct wrapper w = {
		.out = sb,
		.indent2 = indent2,
		.width = width,
		.as_bytes = !utf8_is_valid(text, strlen(text)),
		.column = abs(indent1),
		.fresh = indent1 >= 0,
	};

	if (width <= 0)
		indent_only(sb, text, indent1, indent2);
	else
		wrap(&w, text);
}
