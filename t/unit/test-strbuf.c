/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and vectors of strings: strbuf, strvec, alloc, err. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- strbuf ---- */

static void test_add(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.buf, "");
	strbuf_setlen(&sb, 0);
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "a\0b", 4);
	strbuf_reset(&sb);
	strbuf_addf(&sb, "%s-%d", "x", 42);
	strbuf_addbuf(&sb, &sb);
	strbuf_addch(&sb, '!');
	strbuf_addchars(&sb, '.', 3);
	assert_string_equal(sb.buf, "x-42x-42!...");
	strbuf_reset(&sb);
	strbuf_addf(&sb, "%0*d", 5000, 7); /* longer than any first guess */
	assert_int_equal(sb.len, 5000);
	assert_int_equal(sb.buf[4999], '7');
	strbuf_release(&sb);
	strbuf_release(&sb);
}

static void test_insert_and_remove(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_insertstr(&sb, 0, "world");
	strbuf_insertstr(&sb, 0, "hello ");
	assert_string_equal(sb.buf, "hello world");
	strbuf_remove(&sb, 0, 5);
	strbuf_insert(&sb, 0, "bye", 3);
	assert_string_equal(sb.buf, "bye world");
	strbuf_remove(&sb, 3, sb.len - 3);
	assert_string_equal(sb.buf, "bye");
	strbuf_remove(&sb, 3, 0);
	assert_string_equal(sb.buf, "bye");
	strbuf_release(&sb);
	strbuf_remove(&sb, 0, 0); /* the shared empty string stays untouched */
	assert_int_equal(strbuf_empty[0], 0);
}

static void test_ends(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_complete_line(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_addstr(&sb, " \t a b \n");
	strbuf_trim(&sb);
	assert_string_equal(sb.buf, "a b");
	strbuf_complete_line(&sb);
	strbuf_complete_line(&sb);
	assert_string_equal(sb.buf, "a b\n");
	strbuf_addstr(&sb, "c\r\n");
	strbuf_trim_trailing_newline(&sb);
	assert_string_equal(sb.buf, "a b\nc");
	assert_false(strbuf_strip_suffix(&sb, "b"));
	assert_true(strbuf_strip_suffix(&sb, "\nc"));
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "AbZ[");
	strbuf_tolower(&sb);
	assert_string_equal(sb.buf, "abz[");
	strbuf_release(&sb);
}

static void test_detach_attach(void **state)
{
	struct strbuf sb = STRBUF_INIT, other = STRBUF_INIT;
	size_t len;
	char *s = strbuf_detach(&sb, &len);

	(void)state;
	assert_string_equal(s, "");
	assert_int_equal(len, 0);
	free(s);
	strbuf_attach(&sb, xstrdup("abc"), 3, 4);
	strbuf_addch(&sb, 'd');
	strbuf_swap(&sb, &other);
	assert_string_equal(other.buf, "abcd");
	assert_string_equal(sb.buf, "");
	strbuf_attach(&sb, xmemdup("xy", 2), 2, 2); /* no room for the NUL yet */
	assert_string_equal(sb.buf, "xy");
	strbuf_release(&sb);
	strbuf_release(&other);
}

static void test_lines(void **state)
{
	static const char text[] = "one\r\ntwo\n\nlast";
	FILE *fp = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_int_equal(strbuf_getline(&sb, fp), 0);
	assert_string_equal(sb.buf, "one");
	assert_int_equal(strbuf_getline_lf(&sb, fp), 0);
	assert_string_equal(sb.buf, "two");
	assert_int_equal(strbuf_getline(&sb, fp), 0);
	assert_string_equal(sb.buf, "");
	assert_int_equal(strbuf_getline(&sb, fp), 0);
	assert_string_equal(sb.buf, "last");
	assert_int_equal(strbuf_getline(&sb, fp), -1);
	assert_int_equal(sb.len, 0);
	fclose(fp);
	strbuf_release(&sb);
}

static void test_getdelim_nul(void **state)
{
	static const char text[] = "a\nb\0\0c\r";
	FILE *fp = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_int_equal(strbuf_getdelim(&sb, fp, 0), 0);
	assert_string_equal(sb.buf, "a\nb");
	assert_int_equal(strbuf_getdelim(&sb, fp, 0), 0);
	assert_int_equal(sb.len, 0);
	assert_int_equal(strbuf_getdelim(&sb, fp, 0), 0);
	assert_string_equal(sb.buf, "c\r");
	fclose(fp);
	strbuf_release(&sb);
}

static void test_humanise(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 bytes" },	    { 1, "1 byte" },
		{ 1024, "1024 bytes" },	    { 1025, "1.00 KiB" },
		{ 1536, "1.50 KiB" },	    { 1048577, "1.00 MiB" },
		{ 1572864, "1.50 MiB" },    { UINT64_C(5) << 30, "5.00 GiB" },
		{ UINT64_C(5) << 40, "5120.00 GiB" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_reset(&sb);
		strbuf_humanise_bytes(&sb, cases[i].bytes);
		assert_string_equal(sb.buf, cases[i].text);
	}
	strbuf_release(&sb);
}

static void test_prefixes(void **state)
{
	const char *rest = "untouched";
	size_t len = 7;

	(void)state;
	assert_false(skip_prefix("refs/x", "refs/heads/", &rest));
	assert_string_equal(rest, "untouched");
	assert_true(skip_prefix("refs/x", "refs/", &rest));
	assert_string_equal(rest, "x");
	assert_true(skip_iprefix("ReFs/y", "refs/", &rest));
	assert_true(starts_with("abc", "") && !starts_with("ab", "abc"));

	assert_true(ends_with("foo.idx", ".idx") && !ends_with("x", ".idx"));

	assert_true(strip_suffix("foo.idx", ".idx", &len));
	assert_int_equal(len, 3);
}

/* ---- strvec ---- */

static void test_strvec(void **state)
{
	struct strvec sv = STRVEC_INIT;

	(void)state;
	assert_null(sv.v[0]);
	strvec_insert(&sv, 0, "b");
	strvec_insert(&sv, 0, "a");
	strvec_pushl(&sv, "c", "a", NULL);
	strvec_pushf(&sv, "%d", 1);
	assert_int_equal(sv.nr, 5);
	assert_null(sv.v[5]);
	strvec_sort_unique(&sv);
	assert_int_equal(sv.nr, 4);
	assert_string_equal(sv.v[0], "1");
	assert_string_equal(sv.v[3], "c");
	assert_null(sv.v[4]);
	strvec_remove(&sv, 0);
	assert_string_equal(sv.v[0], "a");
	assert_string_equal(sv.v[1], "b");
	strvec_clear(&sv);
	assert_int_equal(sv.nr, 0);
	assert_null(sv.v[0]);
	strvec_sort_prefixes(&sv);
	strvec_pushl(&sv, "b/c", "b-", "b/", "a", "b/", "ab", NULL);
	strvec_sort_prefixes(&sv);
	assert_int_equal(sv.nr, 3);
	assert_string_equal(sv.v[0], "a");
	assert_string_equal(sv.v[1], "b-");
	assert_string_equal(sv.v[2], "b/");
	assert_null(sv.v[3]);
	strvec_clear(&sv);
}

static void test_split_cmdline(void **state)
{
	struct strvec sv = STRVEC_INIT;

	(void)state;
	assert_int_equal(strvec_split_cmdline(&sv, "  log  --format='a b'\"c d\" x\\ y '' "), 0);
	assert_int_equal(sv.nr, 4);
	assert_string_equal(sv.v[0], "log");
	assert_string_equal(sv.v[1], "--format=a bc d");
	assert_string_equal(sv.v[2], "x y");
	assert_string_equal(sv.v[3], "");
	assert_int_equal(strvec_split_cmdline(&sv, "good 'bad"), -1);
	assert_int_equal(strvec_split_cmdline(&sv, "bad\\"), -2);
	assert_int_equal(sv.nr, 4); /* untouched */
	assert_int_equal(strvec_split_cmdline(&sv, "'\\' \"\\\"\""), 0);
	assert_string_equal(sv.v[4], "\\");
	assert_string_equal(sv.v[5], "\"");
	strvec_clear(&sv);
}

/* ---- err ---- */

static void test_err(void **state)
{
	struct err err = ERR_INIT, other = ERR_INIT;

	(void)state;
	assert_string_equal(err_message(&err), "unknown error");
	err_prefix(&err, "nothing");
	errno = ENOENT;
	assert_int_equal(err_set_errno(&err, "cannot open '%s'", "x"), ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_string_equal(err_message(&err), "cannot open 'x': No such file or directory");
	/* the first failure stays */
	assert_int_equal(err_set(&err, ERR_CORRUPT, "later"), ERR_CORRUPT);
	assert_int_equal(err.code, ERR_IO);
	err_prefix(&err, "index '%s'", "i");
	assert_string_equal(err_message(&err),
			    "index 'i': cannot open 'x': No such file or directory");
	err_set(&other, ERR_EXISTS, "other");
	err_move(&other, &err);
	assert_string_equal(err_message(&other), "other");
	assert_int_equal(err.code, 0);
	err_move(&err, &other);
	assert_string_equal(err_message(&err), "other");
	assert_null(other.msg);
	err_release(&err);
	err_release(&err);
	assert_int_equal(err_set(NULL, ERR_INVALID, "dropped"), ERR_INVALID);
	err_move(NULL, &err);
	err_prefix(NULL, "x");
}

/* ---- alloc ---- */

static void test_alloc(void **state)
{
	int *a = NULL;
	size_t alloc = 0;
	char *s = xstrndup("abc", 2);

	(void)state;
	assert_string_equal(s, "ab");
	free(s);
	s = xmemdupz("a\0b", 3);
	assert_memory_equal(s, "a\0b", 4);
	free(s);
	for (int i = 0; i < 1000; i++) {
		ALLOC_GROW(a, i + 1, alloc);
		a[i] = i;
	}
	assert_int_equal(a[999], 999);
	assert_true(alloc >= 1000 && alloc < 2000);
	free(a);
	free(xmalloc(0));
	free(xcalloc(0, 8));
	assert_int_equal(st_add(1, 2), 3);
	assert_int_equal(st_mult(3, 4), 12);
	free(try_alloc(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_insert_and_remove),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_detach_attach),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_getdelim_nul),
		cmocka_unit_test(test_humanise),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_strvec),
		cmocka_unit_test(test_split_cmdline),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_alloc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
