/* SPDX-License-Identifier: GPL-2.0-only */
/* Quoting, paths, colours. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "scratch.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/path.h"
#include "util/quote.h"

/* ---- quoting ---- */

static void check_sq(const char *plain, const char *quoted)
{
	struct strbuf sb = STRBUF_INIT;
	const char *end;
	char *back;

	sq_quote(&sb, plain);
	assert_string_equal(sb.buf, quoted);
	strbuf_addstr(&sb, " rest");
	back = sq_dequote_step(sb.buf, &end);
	assert_string_equal(back, plain);
	assert_string_equal(end, " rest");
	free(back);
	strbuf_release(&sb);
}

static void test_sq(void **state)
{
	static const char *const argv[] = { "a b", "--x", "", NULL };
	struct strbuf sb = STRBUF_INIT;
	const char *end = "untouched";

	(void)state;
	check_sq("", "''");
	check_sq("plain", "'plain'");
	check_sq("it's", "'it'\\''s'");
	check_sq("!", "''\\!''");
	check_sq("''", "''\\'''\\'''");
	assert_null(sq_dequote_step("bare", &end));
	assert_null(sq_dequote_step("'open", &end));
	assert_null(sq_dequote_step("'open'\\''", &end));
	assert_string_equal(end, "untouched");
	sq_quote_argv(&sb, argv);
	assert_string_equal(sb.buf, " 'a b' '--x' ''");
	strbuf_reset(&sb);
	for (size_t i = 0; argv[i]; i++)
		sq_quote_pretty(&sb, argv[i]);
	assert_string_equal(sb.buf, "'a b'--x''");
	strbuf_release(&sb);
}


static void check_c(const char *plain, const char *quoted, const char *quoted_high)
{
	struct strbuf sb = STRBUF_INIT, back = STRBUF_INIT;

	for (int high = 0; high < 2; high++) {
		const char *want = high ? quoted_high : quoted, *end = NULL;

		strbuf_reset(&sb);
		assert_int_equal(quote_c_style(&sb, plain, strlen(plain), high),
				 *want == '"');
		assert_string_equal(sb.buf, want);
		if (*want != '"')
			continue;
		strbuf_reset(&back);
		assert_int_equal(unquote_c_style(&back, sb.buf, &end), 0);
		assert_string_equal(back.buf, plain);
		assert_string_equal(end, "");
	}
	strbuf_release(&sb);
	strbuf_release(&back);
}

static void test_c_style(void **state)
{
	static const char *const malformed[] = {
		"x", "\"", "\"a", "\"\\", "\"\\\"", "\"\\q\"", "\"\\4\"", "\"\\18\"",
		"\"\\400\"", "\"\\12",
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	check_c("plain name", "plain name", "plain name");
	check_c("tab\t", "\"tab\\t\"", "\"tab\\t\"");
	check_c("q\"b\\", "\"q\\\"b\\\\\"", "\"q\\\"b\\\\\"");
	check_c("\a\b\n\v\f\r\001\x7f", "\"\\a\\b\\n\\v\\f\\r\\001\\177\"",
		"\"\\a\\b\\n\\v\\f\\r\\001\\177\"");
	check_c("\xc3\xa4", "\xc3\xa4", "\"\\303\\244\"");
	check_c("\xc3\xa4\t", "\"\xc3\xa4\\t\"", "\"\\303\\244\\t\"");
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		assert_int_equal(unquote_c_style(&sb, malformed[i], NULL), -1);
		assert_int_equal(sb.len, 0);
	}
	strbuf_release(&sb);
}

static void test_languages(void **state)
{
	static const char text[] = "a'b\\\"$[]{}\n\t";
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	perl_quote_mem(&sb, text, strlen(text));
	assert_string_equal(sb.buf, "'a\\'b\\\\\"$[]{}\n\t'");
	strbuf_reset(&sb);
	python_quote(&sb, text);
	assert_string_equal(sb.buf, "'a\\'b\\\\\"$[]{}\\n\t'");
	strbuf_reset(&sb);
	tcl_quote(&sb, text);
	assert_string_equal(sb.buf, "\"a'b\\\\\\\"\\$\\[\\]\\{\\}\\n\\t\"");
	strbuf_release(&sb);
}

/* ---- paths ---- */

static void test_normalize(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: ".." leads above the start */
	} cases[] = {
		{ "", "" },		{ "a", "a" },		{ "a/", "a/" },
		{ "./a", "a" },		{ "a/.", "a/" },	{ "a//b", "a/b" },
		{ "a/./b/../c", "a/c" }, { "a/..", "" },	{ "a/b/..", "a/" },
		{ "..", NULL },		{ "a/../..", NULL },	{ "/", "/" },
		{ "///a", "/a" },	{ "/..", NULL },	{ "/a/../b", "/b" },
		{ ".../x", ".../x" },	{ "..a/b..", "..a/b.." }, { ".", "" },
		{ "/a/..", "/" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[64];
		struct strbuf sb = STRBUF_INIT;
		int ret;

		strcpy(buf, cases[i].in);
		ret = path_normalize(buf, buf);
		assert_int_equal(ret, cases[i].out ? 0 : -1);
		if (!ret)
			assert_string_equal(buf, cases[i].out);
		strbuf_addstr(&sb, cases[i].in);
		ret = strbuf_path_normalize(&sb);
		assert_int_equal(ret, cases[i].out ? 0 : -1);
		assert_string_equal(sb.buf, ret ? cases[i].in : cases[i].out);
		assert_int_equal(sb.len, strlen(sb.buf));
		strbuf_release(&sb);
	}
}

static void check_relative(const char *to, const char *from, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_relative_path(&sb, to, from);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void test_path_text(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	(void)state;
	check_relative("/a/b", "/a", "b");
	check_relative("/a", "/a/b", "..");
	check_relative("/a", "/a", ".");
	check_relative("/a/bc", "/a/b", "../bc");
	check_relative("/x", "/", "x");
	check_relative("/", "/x/y", "../..");
	assert_string_equal(path_inside("/a/b", "/a"), "b");
	assert_string_equal(path_inside("/a", "/a/"), "");
	assert_null(path_inside("/ab", "/a"));
	assert_string_equal(path_inside("/a", "/"), "a");
	assert_null(path_inside("a", "/"));
	assert_true(path_is_below("a/b", "a"));
	assert_false(path_is_below("a", "a"));
	assert_false(path_is_below("ab", "a"));
	assert_false(path_is_below("a", "a/b"));
	assert_true(paths_nest("a/b", "a") && paths_nest("a", "a/b"));
	assert_false(paths_nest("a/b", "a/c") || paths_nest("a", "a"));
	assert_string_equal(path_basename("/a/b"), "b");
	assert_string_equal(path_basename("b"), "b");
	path_dirname(&sb, "/a//b");
	strbuf_addch(&sb, ' ');
	path_dirname(&sb, "b");
	strbuf_addch(&sb, ' ');
	path_dirname(&sb, "/b");
	assert_string_equal(sb.buf, "/a . /");
	s = path_join("a/", "/b");
	assert_string_equal(s, "a/b");
	free(s);
	s = path_join("", "b");
	assert_string_equal(s, "b");
	free(s);
	strbuf_release(&sb);
}

static void check_owned(char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void test_path_real(void **state)
{
	char *directory = scratch_new();

	(void)state;
	assert_int_equal(mkdir(at(directory, "sub"), 0777), 0);
	assert_int_equal(symlink("sub", at(directory, "link")), 0);
	check_owned(path_real(at(directory, "link"), 0), at(directory, "sub"));
	check_owned(path_real(at(directory, "link/x"), 0), NULL);
	assert_int_equal(errno, ENOENT);
	check_owned(path_real(at(directory, "link/x/"), 1), at(directory, "sub/x"));
	check_owned(path_real(at(directory, "link/x/y"), 1), NULL);
	check_owned(path_real(at(directory, "link/x/y"), 2), at(directory, "sub/x/y"));
	check_owned(path_real(at(directory, "link/x/.."), 2), NULL);
	assert_int_equal(chdir(at(directory, "sub")), 0);
	check_owned(path_real("new", 1), at(directory, "sub/new"));
	check_owned(path_absolute("new"), at(directory, "sub/new"));
	check_owned(path_absolute("/x"), "/x");
	check_owned(xgetcwd(), at(directory, "sub"));
	assert_int_equal(chdir("/"), 0);
	scratch_remove(directory);
}

static void test_homes(void **state)
{
	(void)state;
	setenv("HOME", "/home/me", 1);
	unsetenv("XDG_CONFIG_HOME");
	check_owned(path_expand_user("~/x"), "/home/me/x");
	check_owned(path_expand_user("~"), "/home/me");
	check_owned(path_expand_user("x/~"), "x/~");
	check_owned(path_expand_user("~no-such-user-here/x"), NULL);
	check_owned(xdg_config_path("config"), "/home/me/.config/git/config");
	setenv("XDG_CONFIG_HOME", "/xdg", 1);
	check_owned(xdg_config_path("config"), "/xdg/git/config");
	setenv("XDG_CONFIG_HOME", "", 1);
	unsetenv("HOME");
	check_owned(path_expand_user("~/x"), NULL);
	check_owned(xdg_config_path("config"), NULL);
}

/* ---- colours, compared with those of stock Git ---- */

static void test_color(void **state)
{
	static const struct {
		const char *value, *want; /* NULL: malformed */
	} cases[] = {
		{ "bold red", "\033[1;31m" },
		{ "red bold", "\033[1;31m" },
		{ "ul blue #ff0ab3", "\033[4;34;48;2;255;10;179m" },
		{ "#f0b", "\033[38;2;255;0;187m" },
		{ "reset", "\033[m" },
		{ "normal", "" },
		{ "", "" },
		{ "-1", "" },
		{ "12 bold no-ul", "\033[1;24;94m" },
		{ "brightblack BrightWhite", "\033[90;107m" },
		{ "default default", "\033[39;49m" },
		{ "nobold italic strike", "\033[3;9;22m" },
		{ "255 3 dim reverse blink", "\033[2;5;7;38;5;255;43m" },
		{ "normal red", "\033[41m" },
		{ "reset red", "\033[;31m" },
		{ " 7  8 ", "\033[37;100m" },
		{ "red blue green", NULL },
		{ "256", NULL },
		{ "-2", NULL },
		{ "#ff", NULL },
		{ "#gg0000", NULL },
		{ "BOLD", NULL },
		{ "brightdefault", NULL },
		{ "averyveryverylongwordthatisnocolor", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char out[COLOR_MAXLEN] = "untouched";
		int ret = color_parse(cases[i].value, out);

		assert_int_equal(ret, cases[i].want ? 0 : -1);
		assert_string_equal(out, cases[i].want ? cases[i].want : "untouched");
	}
	assert_int_equal(color_when_parse("Always"), COLOR_ALWAYS);
	assert_int_equal(color_when_parse("true"), COLOR_AUTO);
	assert_int_equal(color_when_parse("yes"), COLOR_UNSET);
	assert_true(color_wanted(COLOR_ALWAYS, -1, false));
	assert_false(color_wanted(COLOR_NEVER, -1, true));
	setenv("TERM", "xterm", 1);
	assert_true(color_wanted(COLOR_AUTO, -1, true));
	setenv("TERM", "dumb", 1);
	assert_false(color_wanted(COLOR_AUTO, -1, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sq),
		cmocka_unit_test(test_c_style),
		cmocka_unit_test(test_languages),
		cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_path_text),
		cmocka_unit_test(test_path_real),
		cmocka_unit_test(test_homes),
		cmocka_unit_test(test_color),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
