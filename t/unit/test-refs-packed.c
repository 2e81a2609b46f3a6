/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of refs, and packed-refs: lookups in whole, unsorted and hostile files. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "refs/files/packed-internal.h"
#include "t/unit/refs-aux.h"
#include "util/alloc.h"

/* ---- names ---- */

static void valid_names(void **state UNUSED)
{
	static const char *const good[] = {
		"refs/heads/main", "a/b", "refs/heads/x.y", "refs/heads/@", "a/@b", "a/b@",
		"refs/heads/x{", "refs/heads/\xc3\xa4", "foo./bar", "a/b.lock.c", "-/x",
	};
	static const char *const bad[] = {
		"", "/", "a", "a/", "/a/b", "a//b", "a/.b", "a/b.lock", "a.lock/b", "a/..b",
		"a/b..c", "a/b ", "a/b~", "a/b^", "a/b:", "a/b?", "a/[b", "a/b\\c", "a/b.",
		"a/b@{c", "a/b\x7f", "a/b\t", "a/*", "refs/heads/..",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (!refname_is_valid(good[i], 0))
			fail_msg("'%s' is refused", good[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (refname_is_valid(bad[i], 0))
			fail_msg("'%s' is accepted", bad[i]);
	assert_true(refname_is_valid("a", REFNAME_ALLOW_ONELEVEL));
	assert_false(refname_is_valid("@", REFNAME_ALLOW_ONELEVEL));
	assert_true(refname_is_valid("a/*", REFNAME_REFSPEC_PATTERN));
	assert_true(refname_is_valid("a/x*y/b", REFNAME_REFSPEC_PATTERN));
	assert_false(refname_is_valid("a/*/*", REFNAME_REFSPEC_PATTERN));
}

/* The answer is that of refname_is_valid, whatever names came before. */
static void names_after_others(void **state UNUSED)
{
	static const char *const names[] = {
		"a/b", "a/", "a/.c", "a/b", "a/@", "a/@{c", "a/x", "a/b.lock", "a/b/c", "a/b/..", "a/b/d", "ab/c", "a//b", "b", "HEAD", "a/b.", "@", "a/z",
		"refs/heads/a", "refs/heads/", "refs/heads/b..c", "refs/heads/c", "refs/headsd", "refs/heads/d/e.lock", "refs/heads/d/e", "/a", "", "/",
	};

	for (unsigned flags = 0; flags <= REFNAME_ALLOW_ONELEVEL; flags += REFNAME_ALLOW_ONELEVEL)
		for (size_t first = 0; first < 2 * ARRAY_SIZE(names); first++) {
			struct strbuf dir = STRBUF_INIT;

			for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
				const char *name = names[(first + i * (first % 2 ? 1 : 5)) % ARRAY_SIZE(names)];

				if (refname_is_valid_after(&dir, name, strlen(name), flags) != refname_is_valid(name, flags))
					fail_msg("'%s' behind '%s', first %zu", name, dir.buf, first);
			}
			strbuf_release(&dir);
		}
}

static void safe_names(void **state UNUSED)
{
	assert_true(refname_is_safe("HEAD"));
	assert_true(refname_is_safe("refs/heads/a b"));
	assert_false(refname_is_safe("refs/../config"));
	assert_false(refname_is_safe("refs/heads/../../x"));
	assert_false(refname_is_safe("refs/heads//x"));
	assert_false(refname_is_safe("refs/./x"));
	assert_false(refname_is_safe("refs/"));
	assert_false(refname_is_safe("config"));
	assert_false(refname_is_safe("../HEAD"));
	assert_true(refname_is_per_worktree("HEAD"));
	assert_true(refname_is_per_worktree("refs/bisect/bad"));
	assert_false(refname_is_per_worktree("refs/heads/HEAD"));
}

static void normalized_names(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;

	assert_true(refname_normalize(&out, "//refs///heads/x", 0));
	assert_string_equal(out.buf, "refs/heads/x");
	strbuf_reset(&out);
	assert_false(refname_normalize(&out, "refs/heads/", 0));
	strbuf_release(&out);
}

/* ---- packed-refs ---- */

static struct packed_refs *parse(const char *text, size_t len)
{
	struct packed_refs *p = NULL;
	struct err err = ERR_INIT;
	int rc = packed_refs_parse(&p, text, len, "packed-refs", hash_sha1, &err);

	if (rc < 0)
		fail_msg("%s", err_message(&err));
	return p;
}

static void check_lookup(struct packed_refs *p, const char *name, const char *hex)
{
	struct packed_entry e;
	int rc = packed_refs_lookup(p, name, &e, NULL);

	assert_int_equal(rc, hex ? 1 : 0);
	if (hex)
		assert_string_equal(oid_hex(&e.oid), hex);
}

static void packed_lookups(void **state UNUSED)
{
	static const char sorted[] = HEADER
		A " refs/heads/a\n"
		B " refs/heads/ab\n"
		C " refs/tags/t\n^" A "\n"
		B " refs/tags/u\n";
	struct packed_refs *p = parse(sorted, strlen(sorted));
	struct packed_entry e;

	check_lookup(p, "refs/heads/a", A);
	check_lookup(p, "refs/heads/ab", B);
	check_lookup(p, "refs/heads/abc", NULL);
	check_lookup(p, "refs/heads", NULL);
	check_lookup(p, "refs/tags/t", C);
	check_lookup(p, "refs/tags/u", B);
	check_lookup(p, "zzz", NULL);
	check_lookup(p, "", NULL);
	assert_int_equal(packed_refs_lookup(p, "refs/tags/t", &e, NULL), 1);
	assert_true(e.peel_known);
	assert_string_equal(oid_hex(&e.peeled), A);
	assert_int_equal(packed_refs_lookup(p, "refs/tags/u", &e, NULL), 1);
	assert_true(e.peel_known && oid_is_null(&e.peeled));
	packed_refs_put(p);
}

static const char *suffix(int i)
{
	return i % 7 ? "" : "-and-a-much-longer-name-than-the-others";
}

/* Those with even numbers are there. */
static void check_branch(struct packed_refs *p, int i)
{
	struct strbuf name = STRBUF_INIT;
	struct packed_entry e;
	int rc;

	strbuf_addf(&name, "refs/heads/branch-%05d%s", i, suffix(i / 2));
	rc = packed_refs_lookup(p, name.buf, &e, NULL);
	assert_int_equal(rc, i % 2 ? 0 : 1);
	if (rc)
		assert_int_equal(strtol(oid_hex(&e.oid), NULL, 16), i / 2 + 1);
	strbuf_release(&name);
}

/*
 * Every entry of a long file is found, with peeled lines strewn in; in whatever order they are
 * looked up, as each search begins where the last one has ended.
 */
static void packed_binary_search(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct packed_refs *p;
	int i;

	strbuf_addstr(&text, HEADER);
	for (i = 0; i < 3000; i++) {
		strbuf_addf(&text, "%040x refs/heads/branch-%05d%s\n", i + 1, i * 2, suffix(i));
		if (i % 3 == 0)
			strbuf_addf(&text, "^" B "\n");
	}
	p = parse(text.buf, text.len);
	for (i = 0; i < 6000; i++)
		check_branch(p, i);
	for (i = 5999; i >= 0; i--)
		check_branch(p, i);
	for (i = 0; i < 6000; i++)
		check_branch(p, i * 3677 % 6000);
	for (i = 1; i < 2999; i++) {
		check_branch(p, 3000 - i);
		check_branch(p, 3000 + i);
		check_lookup(p, i % 2 ? "refs/heads/" : "refs/tags/", NULL);
	}
	packed_refs_put(p);
	strbuf_release(&text);
}

static void packed_unsorted(void **state UNUSED)
{
	static const char text[] =
		"# pack-refs with: peeled \n"
		C " refs/tags/t\n^" A "\n"
		A " refs/heads/a\n"
		B " refs/heads/0\n";
	struct packed_refs *p = parse(text, strlen(text));
	struct packed_cursor c;
	struct packed_entry e;

	check_lookup(p, "refs/heads/a", A);
	check_lookup(p, "refs/heads/0", B);
	check_lookup(p, "refs/tags/t", C);
	check_lookup(p, "refs/tags/x", NULL);
	assert_int_equal(packed_cursor_start(&c, p, "", NULL), 0);
	assert_int_equal(packed_cursor_next(&c, &e, NULL), 1);
	assert_memory_equal(e.name, "refs/heads/0", e.name_len);
	assert_int_equal(packed_cursor_next(&c, &e, NULL), 1);
	assert_int_equal(packed_cursor_next(&c, &e, NULL), 1);
	assert_int_equal(packed_cursor_next(&c, &e, NULL), 0);
	packed_refs_put(p);
}

/* Whole look-ups of a text: the first failure, or 0. */
static int try_text(const char *text, size_t len, struct err *err)
{
	struct packed_refs *p = NULL;
	struct packed_cursor c;
	struct packed_entry e;
	int rc = packed_refs_parse(&p, text, len, "packed-refs", hash_sha1, err);

	if (rc < 0)
		return rc;
	rc = packed_cursor_start(&c, p, "", err);
	while (!rc && (rc = packed_cursor_next(&c, &e, err)) > 0)
		rc = 0;
	if (!rc)
		rc = packed_refs_lookup(p, "refs/heads/m", &e, err) < 0 ? ERR_CORRUPT : 0;
	packed_refs_put(p);
	return rc;
}

static void packed_hostile(void **state UNUSED)
{
	static const struct { const char *text; size_t len; } bad[] = {
#define T(s) { s, sizeof(s) - 1 }
		T("x"), T("\n"), T("^" A "\n"), T(HEADER "^" A "\n"),
		T(HEADER A " refs/heads/a"),		/* no final newline */
		T(HEADER A " \n"), T(HEADER A "\n"), T(HEADER A " refs/heads/a\n^" A "x\n"),
		T(HEADER A " refs/heads/a\n^aaa\n"), T("# something else\n"), T("#\n"),
		T(HEADER A " refs/he\0ds/a\n"), T(HEADER "g" A " x/y\n"),
		T(HEADER "aaaa refs/heads/a\n"), T(HEADER A "\trefs/heads/a\n"),
		T("# pack-refs with: peeled \n" A " x/y\n" A " x/z\n" A " x/y\n"), /* twice */
		T(HEADER "\n\n\n"), T(HEADER "\0\0\0\n"),
#undef T
	};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = ERR_INIT;

		if (try_text(bad[i].text, bad[i].len, &err) != ERR_CORRUPT)
			fail_msg("text %zu is accepted", i);
		assert_non_null(strstr(err_message(&err), "packed-refs"));
		err_release(&err);
	}
	/* Cut at every byte, one byte changed: never a crash (sanitizers watch). */
	{
		static const char text[] = HEADER A " refs/heads/a\n" B " refs/tags/t\n^" C "\n";
		char copy[sizeof(text)];

		for (n = 0; n < sizeof(text); n++)
			(void)!try_text(text, n, NULL);
		for (n = 0; n < sizeof(text) - 1; n++) {
			memcpy(copy, text, sizeof(text));
			copy[n] ^= 0x2a;
			(void)!try_text(copy, sizeof(text) - 1, NULL);
			copy[n] = '\n';
			(void)!try_text(copy, sizeof(text) - 1, NULL);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_names),
		cmocka_unit_test(names_after_others),
		cmocka_unit_test(safe_names),
		cmocka_unit_test(normalized_names),
		cmocka_unit_test(packed_lookups),
		cmocka_unit_test(packed_binary_search),
		cmocka_unit_test(packed_unsorted),
		cmocka_unit_test(packed_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
