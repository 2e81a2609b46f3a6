/* SPDX-License-Identifier: GPL-2.0-only */
/* Pathspecs: magic, prefix, matching of files and directories. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "index/pathspec.h"
#include "util/alloc.h"
#include "util/err.h"

static bool has_foo(void *data, const char *attr, const char *path, size_t len)
{
	(void)data;
	(void)len;
	return !strcmp(attr, "foo") && strstr(path, "foo");
}

static void parse(struct pathspec *ps, const char *prefix, const char *a, const char *b)
{
	const char *argv[] = { a, a ? b : NULL, NULL };
	struct err err = ERR_INIT;

	if (pathspec_parse(ps, prefix, "/top/dir", argv, PATHSPEC_PREFER_CWD, &err))
		fail_msg("'%s': %s", a, err_message(&err));
	ps->match_attr = has_foo;
}

static bool matches(const char *prefix, const char *a, const char *b, const char *path)
{
	struct pathspec ps;
	bool ret;

	parse(&ps, prefix, a, b);
	ret = pathspec_match(&ps, path, strlen(path), path[strlen(path) - 1] == '/', NULL);
	pathspec_release(&ps);
	return ret;
}

static void test_files(void **state)
{
	static const struct {
		const char *prefix, *a, *b, *path;
		bool want;
	} t[] = {
		{ NULL, NULL, NULL, "a", true },
		{ "d/", NULL, NULL, "a", false },
		{ "d/", NULL, NULL, "d/a", true },
		{ NULL, "a", NULL, "a", true },
		{ NULL, "a", NULL, "ab", false },
		{ NULL, "a", NULL, "a/b", true },
		{ NULL, "a/", NULL, "a/b", true },
		{ NULL, "a/", NULL, "a", false },
		{ NULL, "a/", NULL, "a/", true },
		{ NULL, "./a//b/../c", NULL, "a/c", true },
		{ NULL, ".", NULL, "x/y", true },
		{ NULL, "*.c", NULL, "x/y.c", true },
		{ NULL, "*.c", NULL, "x/y.h", false },
		{ NULL, "*", NULL, "x/y.h", true },
		{ NULL, "d/*.c", NULL, "d/e/f.c", true },
		{ NULL, ":(glob)d/*.c", NULL, "d/e/f.c", false },
		{ NULL, ":(glob)d/**/*.c", NULL, "d/e/f.c", true },
		{ NULL, ":(glob)**/f.c", NULL, "f.c", true },
		{ NULL, "[ab]x", NULL, "bx", true },
		{ NULL, "[ab]x", NULL, "bx/y", false },
		{ NULL, "x\\*y", NULL, "x*y", true },
		{ NULL, "x\\*y", NULL, "xzy", false },
		{ NULL, ":(literal)x*y", NULL, "x*y", true },
		{ NULL, ":(literal)x*y", NULL, "xzy", false },
		{ NULL, ":(icase)A/b", NULL, "a/B/c", true },
		{ NULL, ":(icase)*.C", NULL, "a/B.c", true },
		{ "D/", ":(icase)a", NULL, "d/a", false },
		{ "D/", ":(icase)a", NULL, "D/A", true },
		{ "d/", "*.c", NULL, "d/x.c", true },
		{ "d/", "*.c", NULL, "x.c", false },
		{ "d/", "../*.c", NULL, "x.c", true },
		{ "d/", ":/x", NULL, "x", true },
		{ "d/", ":(top)x", NULL, "d/x", false },
		{ "d*/", "x", NULL, "d*/x", true },
		{ "d*/", "x", NULL, "dd/x", false },
		{ NULL, ":!x", NULL, "y", true },
		{ NULL, ":!x", NULL, "x/z", false },
		{ "d/", ":!x", NULL, "d/y", true },
		{ "d/", ":!x", NULL, "y", false },
		{ NULL, "*.c", ":^d", "a.c", true },
		{ NULL, "*.c", ":^d", "d/a.c", false },
		{ NULL, "d", ":(exclude,glob)d/*", "d/a", false },
		{ NULL, "d", ":(exclude,glob)d/*", "d/a/b", true },
		{ NULL, "/top/dir/a", NULL, "a/b", true },
		{ NULL, "/top/dir", NULL, "a/b", true },
		{ NULL, ":(attr:foo)", NULL, "a/foo", true },
		{ NULL, ":(attr:foo)", NULL, "a/bar", false },
		{ NULL, ":(attr:foo)a", NULL, "b/foo", false },
		{ NULL, ":(attr:foo,glob)*", NULL, "foo", true },
		{ NULL, ":", NULL, "b/foo", true },
		{ NULL, ":!:x", NULL, "x", false },
		{ NULL, ":(prefix:2)D/x", NULL, "D/x", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (matches(t[i].prefix, t[i].a, t[i].b, t[i].path) != t[i].want)
			fail_msg("prefix %s, '%s' '%s' and '%s': should%s match",
				 t[i].prefix ? t[i].prefix : "none", t[i].a, t[i].b ? t[i].b : "",
				 t[i].path, t[i].want ? "" : " not");
}

static void test_directories(void **state)
{
	static const struct {
		const char *a, *b, *dir;
		enum pathspec_match want;
	} t[] = {
		{ NULL, NULL, "a", PATHSPEC_MATCH },
		{ "a", NULL, "a", PATHSPEC_MATCH },
		{ "a", NULL, "a/b", PATHSPEC_MATCH },
		{ "a/b", NULL, "a", PATHSPEC_MATCH_BELOW },
		{ "a/b", NULL, "a/", PATHSPEC_MATCH_BELOW },
		{ "a/b", NULL, "a/bc", PATHSPEC_NO_MATCH },
		{ "ab", NULL, "a", PATHSPEC_NO_MATCH },
		{ "a/b/", NULL, "a/b", PATHSPEC_MATCH },
		{ "b", NULL, "a", PATHSPEC_NO_MATCH },
		{ "*.c", NULL, "a", PATHSPEC_MATCH_BELOW },
		{ "a/*.c", NULL, "a/b", PATHSPEC_MATCH_BELOW },
		{ "a/*.c", NULL, "b", PATHSPEC_NO_MATCH },
		{ "a*", NULL, "ab", PATHSPEC_MATCH_BELOW },
		{ "a*", NULL, "b", PATHSPEC_NO_MATCH },
		{ "a", ":!a", "a", PATHSPEC_NO_MATCH },
		{ "a", ":!a/b", "a", PATHSPEC_MATCH_BELOW },
		{ "a", ":!*.c", "a", PATHSPEC_MATCH_BELOW },
		{ ":(attr:foo)", NULL, "a", PATHSPEC_MATCH_BELOW },
		{ ":(attr:foo)a", NULL, "a/c", PATHSPEC_MATCH_BELOW },
		{ ":(attr:foo)a", NULL, "b", PATHSPEC_NO_MATCH },
		{ "a", NULL, "", PATHSPEC_MATCH_BELOW },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct pathspec ps;
		enum pathspec_match got;

		parse(&ps, NULL, t[i].a, t[i].b);
		got = pathspec_match_dir(&ps, t[i].dir, strlen(t[i].dir));
		if (got != t[i].want)
			fail_msg("'%s' '%s' for '%s/': %d, not %d", t[i].a, t[i].b ? t[i].b : "",
				 t[i].dir, got, t[i].want);
		pathspec_release(&ps);
	}
}

static void test_errors(void **state)
{
	static const struct {
		const char *arg, *msg;
	} t[] = {
		{ "", "empty string is not a valid pathspec. please use . instead if you meant to "
		      "match all paths" },
		{ "../x", "../x: '../x' is outside repository at '/top/dir'" },
		{ "/etc/x", "/etc/x: '/etc/x' is outside repository at '/top/dir'" },
		{ "/top/dir2", "/top/dir2: '/top/dir2' is outside repository at '/top/dir'" },
		{ ":(foo)a", "Invalid pathspec magic 'foo' in ':(foo)a'" },
		{ ":(top", "Missing ')' at the end of pathspec magic in ':(top'" },
		{ ":%a", "Unimplemented pathspec magic '%' in ':%a'" },
		{ ":(literal,glob)a", ":(literal,glob)a: 'literal' and 'glob' are incompatible" },
		{ ":(attr:)a", "attr spec must not be empty" },
		{ ":(attr:a,attr:b)a", "Only one 'attr:' specification is allowed." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		const char *argv[] = { t[i].arg, NULL };
		struct err err = ERR_INIT;
		struct pathspec ps;

		assert_int_equal(pathspec_parse(&ps, NULL, "/top/dir", argv, 0, &err), ERR_INVALID);
		assert_string_equal(err_message(&err), t[i].msg);
		err_release(&err);
	}
}

static void test_seen(void **state)
{
	const char *argv[] = { "a", "*.c", "zzz", ":!nothing", NULL };
	struct pathspec ps;
	char seen[4] = { 0 };

	(void)state;
	assert_int_equal(pathspec_parse(&ps, NULL, "/top", argv, 0, NULL), 0);
	assert_true(pathspec_match(&ps, "a/x.c", 5, false, seen));
	assert_false(pathspec_match(&ps, "b", 1, false, seen));
	assert_memory_equal(seen, "\1\1\0\1", 4);
	pathspec_release(&ps);
}

static void test_environment(void **state)
{
	(void)state;
	setenv("GIT_LITERAL_PATHSPECS", "1", 1);
	assert_true(matches(NULL, ":(glob)x", NULL, ":(glob)x"));
	assert_false(matches(NULL, "*.c", NULL, "a.c"));
	unsetenv("GIT_LITERAL_PATHSPECS");
	setenv("GIT_GLOB_PATHSPECS", "1", 1);
	assert_false(matches(NULL, "*.c", NULL, "d/a.c"));
	unsetenv("GIT_GLOB_PATHSPECS");
	setenv("GIT_NOGLOB_PATHSPECS", "1", 1);
	assert_false(matches(NULL, "*.c", NULL, "a.c"));
	assert_true(matches(NULL, ":(glob)*.c", NULL, "a.c"));
	unsetenv("GIT_NOGLOB_PATHSPECS");
	setenv("GIT_ICASE_PATHSPECS", "1", 1);
	assert_true(matches(NULL, "A.c", NULL, "a.C"));
	unsetenv("GIT_ICASE_PATHSPECS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
