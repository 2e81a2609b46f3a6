/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/wildmatch.h"

struct match {
	const char *pattern, *text;
	bool path, plain; /* with WM_PATHNAME, without */
};

static const struct match matches[] = {
	{ "", "", true, true },
	{ "", "a", false, false },
	{ "a", "", false, false },
	{ "foo", "foo", true, true },
	{ "foo", "fo", false, false },
	{ "f?o", "foo", true, true },
	{ "*", "", true, true },
	{ "*", "foo", true, true },
	{ "*", "a/b", false, true },
	{ "*f", "foof", true, true },
	{ "*ab*ab*c", "abababc", true, true },
	{ "*ob*a*r*", "foobar", true, true },
	{ "a?b", "a/b", false, true },
	{ "a[!x]b", "a/b", false, true },
	{ "a[/]b", "a/b", false, true },
	/* stars across slashes */
	{ "**", "a/b/c", true, true },
	{ "**/foo", "foo", true, false },
	{ "**/foo", "a/b/foo", true, true },
	{ "**/foo", "a/xfoo", false, false },
	{ "foo/**", "foo/a/b", true, true },
	{ "foo/**", "foo", false, false },
	{ "foo/**/bar", "foo/bar", true, false },
	{ "foo/**/bar", "foo/a/b/bar", true, true },
	{ "foo/**/bar", "fooxbar", false, false },
	{ "**/a*b/**/c?", "x/aqb/y/z/cd", true, true },
	{ "**/x*y/*z", "x1/xay/xby/qz", true, true },
	{ "**/a/b/c", "a/b/a/b/c", true, true },
	{ "foo**bar", "foo/x/bar", false, true },
	{ "foo**bar", "fooxbar", true, true },
	{ "a**/b", "a/c/b", false, true },
	{ "*/*/*", "a/b/c", true, true },
	{ "*/*/*", "a/b", false, false },
	{ "*/*", "a/b/c", false, true },
	/* backslashes */
	{ "\\*", "*", true, true },
	{ "\\*", "a", false, false },
	{ "a\\", "a\\", false, false },
	{ "\\a\\b", "ab", true, true },
	{ "*\\?", "a?", true, true },
	/* classes */
	{ "[a-c]x", "bx", true, true },
	{ "[!a-c]", "b", false, false },
	{ "[^a-c]", "d", true, true },
	{ "[]a]", "]", true, true },
	{ "[!]a]", "b", true, true },
	{ "[a-]", "-", true, true },
	{ "[-a]", "-", true, true },
	{ "[\\]]", "]", true, true },
	{ "[\\a-\\c]", "b", true, true },
	{ "[c-a]", "b", false, false },
	{ "[c-a]", "c", true, true },
	{ "[[:alpha:]_]", "_", true, true },
	{ "[[:digit:][:upper:]]", "Q", true, true },
	{ "[[:space:]]", "x", false, false },
	{ "[[:nosuch:]]", "a", false, false },
	{ "[[:alpha]", "a", true, true },
	{ "[a", "[a", false, false },
	{ "[", "[", false, false },
	{ "*[", "[", false, false },
	{ "[a-", "a", false, false },
	{ "[[:", "[", false, false },
};

static void test_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		const struct match *m = &matches[i];

		if (wildmatch(m->pattern, m->text, WM_PATHNAME) != m->path)
			fail_msg("'%s' '%s' with slashes apart", m->pattern, m->text);
		if (wildmatch(m->pattern, m->text, 0) != m->plain)
			fail_msg("'%s' '%s' with slashes as any", m->pattern, m->text);
	}
}

static void test_casefold(void **state)
{
	(void)state;
	assert_true(wildmatch("FoO*[a-c]", "fOoXB", WM_CASEFOLD));
	assert_true(wildmatch("[A-C]", "b", WM_CASEFOLD));
	assert_true(wildmatch("[[:upper:]]", "b", WM_CASEFOLD));
	assert_true(wildmatch("[[:lower:]]", "B", WM_CASEFOLD));
	assert_false(wildmatch("foo", "FOO", 0));
	assert_false(wildmatch("[!a]", "A", WM_CASEFOLD));
}

/* Patterns for which a matcher that backtracks to every star takes exponential time. */
static void test_hostile_patterns_end(void **state)
{
	enum { N = 20000 };
	char *text = xmalloc(N + 1), *pattern = xmalloc(3 * 200 + 3);

	(void)state;
	memset(text, 'a', N);
	text[N] = '\0';
	for (size_t i = 0; i < 200; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	strcpy(pattern + 400, "b");
	assert_false(wildmatch(pattern, text, 0));
	assert_false(wildmatch(pattern, text, WM_PATHNAME));
	for (size_t i = 1; i < N; i += 2)
		text[i] = '/';
	for (size_t i = 0; i < 200; i++)
		memcpy(pattern + 3 * i, "**/", 3);
	strcpy(pattern + 600, "b");
	assert_false(wildmatch(pattern, text, WM_PATHNAME));
	free(pattern);
	free(text);
}

static void test_simple_length(void **state)
{
	(void)state;
	assert_int_equal(simple_length("abc*d"), 3);
	assert_int_equal(simple_length("abc"), 3);
	assert_int_equal(simple_length("a\\b"), 1);
	assert_true(has_glob_chars("a[b") && has_glob_chars("?"));
	assert_false(has_glob_chars("a]b{}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_casefold),
		cmocka_unit_test(test_hostile_patterns_end),
		cmocka_unit_test(test_simple_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
