/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dates, quoted names, globs, colours, command lines, encodings. The first byte selects which;
 * a second string follows the first NUL.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/date.h"
#include "util/parse-options.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/utf8.h"
#include "util/wildmatch.h"

static void dates(const char *s)
{
	struct date_mode mode = DATE_MODE_INIT;
	struct strbuf sb = STRBUF_INIT;
	timestamp_t t;
	bool bad;
	int tz;

	if (!date_parse(s, &t, &tz)) {
		date_format(&sb, t, tz, &mode);
		if (!sb.len)
			abort();
	}
	date_approxidate(s, &bad);
	if (!date_mode_parse(&mode, s))
		date_format(&sb, 1234567890, 130, &mode);
	date_mode_release(&mode);
	strbuf_release(&sb);
}

/* Unquoting a quoted string gives the string. */
static void quoting(const char *s)
{
	struct strbuf sb = STRBUF_INIT, back = STRBUF_INIT;
	struct strvec sv = STRVEC_INIT;
	const char *end;
	char *word;

	if (quote_c_style(&sb, s, strlen(s), true) &&
	    (unquote_c_style(&back, sb.buf, &end) || *end || strcmp(back.buf, s)))
		abort();
	unquote_c_style(&back, s, &end);
	strbuf_reset(&sb);
	sq_quote(&sb, s);
	word = sq_dequote_step(sb.buf, &end);
	if (!word || *end || strcmp(word, s))
		abort();
	free(word);
	free(sq_dequote_step(s, &end));
	strvec_split_cmdline(&sv, s);
	strvec_clear(&sv);
	strbuf_release(&sb);
	strbuf_release(&back);
}

static void globs(const char *pattern, const char *text)
{
	for (unsigned flags = 0; flags < 4; flags++)
		wildmatch(pattern, text, flags);
	if (!has_glob_chars(text) && !wildmatch(text, text, WM_PATHNAME))
		abort();
}

static void paths(const char *s)
{
	struct strbuf sb = STRBUF_INIT;
	char *again;

	strbuf_addstr(&sb, s);
	if (!strbuf_path_normalize(&sb)) {
		again = xstrdup(sb.buf);
		if (path_normalize(again, again) || strcmp(again, sb.buf))
			abort();
		free(again);
	}
	strbuf_release(&sb);
}

static void numbers_and_colors(const char *s)
{
	char out[COLOR_MAXLEN];
	uint64_t u;
	int i;

	color_parse(s, out);
	parse_magnitude(s, &u);
	parse_int_strict(s, &i);
}

static void encodings(const char *s, size_t len)
{
	struct strbuf sb = STRBUF_INIT;
	size_t out_len, back_len;
	char *out, *back;

	strbuf_add_wrapped_text(&sb, s, 3, 5, 20);
	utf8_width(s, len, true);
	out = reencode_string(s, len, "UTF-16LE", "UTF-8", &out_len);
	if (out) {
		back = reencode_string(out, out_len, "UTF-8", "UTF-16LE", &back_len);
		if (!back || back_len != len || memcmp(back, s, len))
			abort();
		free(back);
	} else if (utf8_is_valid(s, len)) {
		abort();
	}
	free(out);
	strbuf_release(&sb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s;
	size_t first;

	if (!size)
		return 0;
	s = xmemdupz(data + 1, size - 1);
	first = strlen(s);
	switch (data[0] % 6) {
	case 0:
		dates(s);
		break;
	case 1:
		quoting(s);
		break;
	case 2:
		globs(s, first < size - 1 ? s + first + 1 : "");
		break;
	case 3:
		paths(s);
		break;
	case 4:
		numbers_and_colors(s);
		break;
	case 5:
		encodings(s, first);
	}
	free(s);
	return 0;
}
