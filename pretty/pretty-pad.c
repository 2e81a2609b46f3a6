/* SPDX-License-Identifier: GPL-2.0-only */
/* %<(N), %>(N), %>>(N), %><(N): columns, not bytes. */
#include "compat/posix.h"
#include "util/utf8.h"
#include "pretty/pretty-user.h"

static int columns(const char *s, size_t len)
{
	int w = utf8_width(s, len, true);

	return w < 0 ? (int)len : w;
}

/* Bytes of one character or colour sequence at s, and its columns. */
static size_t step(const char *s, size_t len, int *width)
{
	const char *p = s;
	size_t left = len, n = ansi_sequence_len(s, len);

	*width = 0;
	if (n)
		return n;
	if (utf8_next(&p, &left) < 0) {
		*width = 1;
		return 1;
	}
	*width = columns(s, p - s);
	return p - s;
}

/* Put ".." in place of the columns [from, from + width). */
static void replace_columns(struct strbuf *text, int from, int width)
{
	struct strbuf out = STRBUF_INIT;
	bool dots = false;
	int col = 0, w;
	size_t i, n;

	for (i = 0; i < text->len; i += n, col += w) {
		n = step(text->buf + i, text->len - i, &w);
		if (w && col >= from && col < from + width) {
			if (!dots)
				strbuf_addstr(&out, "..");
			dots = true;
			continue;
		}
		strbuf_add(&out, text->buf + i, n);
	}
	strbuf_swap(text, &out);
	strbuf_release(&out);
}

static void truncate_text(struct strbuf *text, enum truncation how, int width, int room)
{
	int cut = width - (room - 2);

	if (how == TRUNCATE_START)
		replace_columns(text, 0, cut);
	else if (how == TRUNCATE_MIDDLE)
		replace_columns(text, room / 2 - 1, cut);
	else if (how == TRUNCATE_END)
		replace_columns(text, room - 2, cut);
}

/* Where the last line of out ends. */
static int current_column(const struct strbuf *out)
{
	const char *start = out->buf + out->len;

	while (start > out->buf && start[-1] != '\n')
		start--;
	return columns(start, out->buf + out->len - start);
}

/* %>>: too wide for its room, it takes that of blanks before it. */
static int steal_blanks(struct strbuf *out, int missing)
{
	int i = 0;

	while (i < missing && out->len && out->buf[out->len - 1] == ' ') {
		strbuf_setlen(out, out->len - 1);
		i++;
	}
	return i;
}

void user_format_pad(struct user_format *f, struct strbuf *text, struct strbuf *out)
{
	int room = f->pad_columns, width = columns(text->buf, text->len), blanks, left = 0;

	if (f->pad_to_column)
		room -= current_column(out);
	if (f->align == ALIGN_RIGHT_STEAL && width > room)
		room += steal_blanks(out, width - room);
	if (width > room) {
		if (room >= 2 || !f->pad_to_column)
			truncate_text(text, f->truncation, width, room);
		strbuf_addbuf(out, text);
		return;
	}
	blanks = room - width;
	if (f->align == ALIGN_RIGHT || f->align == ALIGN_RIGHT_STEAL)
		left = blanks;
	else if (f->align == ALIGN_CENTER)
		left = blanks / 2;
	strbuf_addchars(out, ' ', left);
	strbuf_addbuf(out, text);
	strbuf_addchars(out, ' ', blanks - left);
}
