/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/utf8.h"

static void test_every_code_point(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (uint32_t c = 0; c < 0x110000; c++) {
		const char *s;
		size_t len;
		bool surrogate = c >= 0xd800 && c <= 0xdfff;

		strbuf_reset(&sb);
		utf8_append(&sb, c);
		s = sb.buf;
		len = sb.len;
		assert_int_equal(utf8_next(&s, &len), surrogate ? -1 : (int32_t)c);
		assert_int_equal(len, surrogate ? 3 : 0);
	}
	strbuf_release(&sb);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "\xc3(",
		"\xff", "a\xe4",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(utf8_is_valid(bad[i], strlen(bad[i])));
	assert_true(utf8_is_valid("a\0\xc3\xa4", 4));
	assert_true(utf8_is_valid("", 0));
	assert_false(utf8_is_valid("\xe2\x82\xac", 2));
}

static int width(const char *s)
{
	return utf8_width(s, strlen(s), true);
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(width("abc"), 3);
	assert_int_equal(width("\xc3\xa4"), 1);
	assert_int_equal(width("e\xcc\x81"), 1);     /* e, acute */
	assert_int_equal(width("\xe6\xbc\xa2"), 2);  /* Han */
	assert_int_equal(width("\xef\xbc\xa1"), 2);  /* full-width A */
	assert_int_equal(width("\xea\xb0\x80"), 2);  /* Hangul */
	assert_int_equal(width("\xe2\x80\x8b"), 0);  /* zero-width space */
	assert_int_equal(width("\033[1;31mred\033[m"), 3);
	assert_int_equal(utf8_width("\033[mx", 4, false), 3);
	assert_int_equal(width("\033[1;31"), 5); /* unfinished: ESC has no width */
	assert_int_equal(width("\xe4\xf6"), 2); /* Latin-1: bytes */
	assert_int_equal(width("\xc3\xa4\xff"), 3);
}

static void check_convert(const char *in, size_t len, const char *to, const char *from,
			  const char *want, size_t want_len)
{
	size_t out_len = 77;
	char *out = reencode_string(in, len, to, from, &out_len);

	if (!want) {
		assert_null(out);
		assert_int_equal(out_len, 77);
		return;
	}
	assert_non_null(out);
	assert_int_equal(out_len, want_len);
	assert_memory_equal(out, want, want_len);
	assert_int_equal(out[out_len], 0);
	free(out);
}

static void test_convert(void **state)
{
	char *big = xmalloc(100000);
	size_t len;
	char *out;

	(void)state;
	check_convert("\xe4", 1, "UTF-8", "ISO-8859-1", "\xc3\xa4", 2);
	check_convert("\xe4", 1, "utf8", "latin-1", "\xc3\xa4", 2);
	check_convert("\xc3\xa4", 2, "ISO-8859-1", NULL, "\xe4", 1);
	check_convert("\xe2\x82\xac", 3, "ISO-8859-1", "UTF-8", NULL, 0);
	check_convert("\xff", 1, "UTF-16", "UTF-8", NULL, 0);
	check_convert("a", 1, "no-such-encoding", "UTF-8", NULL, 0);
	check_convert("a", 1, "UTF-16LE", "UTF-8", "a\0", 2);
	check_convert("a", 1, "UTF-16LE-BOM", "UTF-8", "\xff\xfe" "a\0", 4);
	check_convert("a", 1, "utf-16be-bom", "UTF-8", "\xfe\xff\0a", 4);
	check_convert("", 0, "ISO-8859-1", "UTF-8", "", 0);
	/* stateful: the end goes back to the initial state */
	check_convert("\xe6\xbc\xa2", 3, "ISO-2022-JP", "UTF-8", "\033$B4A\033(B", 8);
	memset(big, 'x', 100000);
	out = reencode_string(big, 100000, "UTF-32LE", "UTF-8", &len);
	assert_int_equal(len, 400000);
	free(out);
	free(big);
}

static void test_names(void **state)
{
	(void)state;
	assert_true(is_encoding_utf8(NULL) && is_encoding_utf8("utf8"));
	assert_true(is_encoding_utf8("UTF-8") && !is_encoding_utf8("UTF-16"));
	assert_true(same_encoding("UTF-8", "utf8") && same_encoding(NULL, "UTF-8"));
	assert_true(same_encoding("UTF-16le", "utf16LE"));
	assert_true(same_encoding("EUC-JP", "euc-jp"));
	assert_false(same_encoding("UTF-16", "UTF-16LE"));
	assert_false(same_encoding("UTF-8", "ISO-8859-1"));
}

static void test_boms(void **state)
{
	(void)state;
	assert_true(has_missing_utf_bom("UTF-16", "a\0", 2));
	assert_true(has_missing_utf_bom("utf32", "", 0));
	assert_false(has_missing_utf_bom("UTF-16", "\xff\xfe", 2));
	assert_false(has_missing_utf_bom("UTF-16LE", "a\0", 2));
	assert_true(has_prohibited_utf_bom("UTF-16LE", "\xff\xfe", 2));
	assert_true(has_prohibited_utf_bom("UTF32BE", "\0\0\xfe\xff", 4));
	assert_false(has_prohibited_utf_bom("UTF-16LE", "\xff", 1));
	assert_false(has_prohibited_utf_bom("UTF-16", "\xff\xfe", 2));
}

static void check_wrap(int width, int indent1, int indent2, const char *in, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_wrapped_text(&sb, in, indent1, indent2, width);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void test_wrap(void **state)
{
	(void)state;
	check_wrap(10, 0, 0, "foo bar baz quux", "foo bar\nbaz quux");
	check_wrap(10, 2, 4, "foo bar baz", "  foo bar\n    baz");
	check_wrap(10, -8, 1, "foo bar", "\n foo bar");
	check_wrap(9, -3, 1, "foo bar", "foo\n bar");
	check_wrap(20, 0, 0, "one\ntwo\n- item\n\nthree", "one two\n- item\n\nthree");
	check_wrap(5, 0, 0, "averylongword x", "averylongword\nx");
	check_wrap(6, 0, 0, "\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6 x", "\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\nx");
	check_wrap(4, 0, 0, "\033[31mab\033[m cd", "\033[31mab\033[m\ncd");
	check_wrap(0, 1, 2, "a\nb\n", " a\n  b\n");
	check_wrap(10, 3, 0, "", "");
}

static void test_controls(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		bool control;
	} chars[] = {
		{ "a", 1, false }, { "\033[", 1, true }, { "\177", 1, true }, { "\n", 1, true }, { "\302\233x", 2, true },
		{ "\302\200", 2, true }, { "\302\237", 2, true }, { "\302\240", 2, false }, { "\303\233", 2, false },
		{ "\342\233\204", 3, false }, { "\233x", 1, true }, { "\342\233", 1, false }, { "\240", 1, false }, { "\377", 1, false },
	};
	struct strbuf sb = STRBUF_INIT;
	bool control;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(chars); i++) {
		assert_int_equal(text_char_len(chars[i].text, strlen(chars[i].text), &control), chars[i].len);
		assert_int_equal(control, chars[i].control);
	}
	assert_int_equal(text_char_len("", 1, &control), 1);
	assert_true(control);
	strbuf_add_printable(&sb, "a\tb\nc\0d\302\233\233\303\251", 12, "\t");
	assert_string_equal(sb.buf, "a\tb?c?d??\303\251");
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code_point),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_convert),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_boms),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
