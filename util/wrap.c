/* SPDX-License-Identifier: GPL-2.0-only */
/* Wrapping of text at a column: the last part of util/utf8.h. */
#include "compat/posix.h"
#include "util/utf8.h"

struct wrapper {
	struct strbuf *out;
	int indent2, width;
	bool as_bytes; /* the text is not UTF-8 */
	int column;
	bool fresh; /* nothing on this line yet, not even the indent */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

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

/* Text that is not UTF-8: a column for each byte outside colour sequences. */
static int columns_of(const struct wrapper *w, const char *s, size_t len)
{
	int columns = 0;

	if (!w->as_bytes)
		return utf8_width(s, len, true);
	while (len) {
		size_t skip = ansi_sequence_len(s, len);

		columns += !skip;
		skip += !skip;
		s += skip;
		len -= skip;
	}
	return columns;
}

/* Put one word on the line, behind the blank before it, or on the next line. */
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
 * The text is words with one blank character between any two of them (words may
 * be empty: two blanks in a row). A line break gives way to a space, unless an
 * empty line or something other than a letter or a digit comes behind it: lists
 * and indented lines stay lines of their own.
 */
static void wrap(struct wrapper *w, const char *s)
{
	const char *blank = "";
	size_t blank_len = 0;

	for (;;) {
		size_t len = 0;

		while (s[len] && !is_blank(s[len]))
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
			s += is_blank(*s);
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
