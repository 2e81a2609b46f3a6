/* SPDX-License-Identifier: GPL-2.0-only */
/* Refspecs: which texts are some, and what they make of names. */
#include "compat/posix.h"
#include "refs/refspec.h"
#include "util/alloc.h"
#include <setjmp.h>
#include <cmocka.h>

#define OID "0123456789012345678901234567890123456789"

/* As git remote show -n takes or refuses them in remote.<name>.fetch and .push. */
static const struct {
	const char *text;
	bool fetch, push;
} texts[] = {
	{ "a", true, true },	   { "a:b", true, true },	 { "+a:b", true, true },
	{ ":b", true, true },	   { "a:", true, false },	 { ":", true, true },
	{ "+", true, false },	   { "", true, false },		 { "^a", true, true },
	{ "^a:b", false, false },  { "refs/*:x/*", true, true }, { "refs/*", false, true },
	{ "refs/*:x", false, false }, { "a*b:c*d", true, true }, { "r*/x*:y*", false, false },
	{ "@", true, true },	   { "HEAD~1:x", false, true },	 { "a:b:c", false, true },
	{ "a..b:x", false, true }, { "^", false, false },	 { "^refs/*", true, true },
	{ OID, true, true },	   { OID ":refs/heads/x", true, true }, { "^" OID, false, false },
	{ "+^a", false, false },   { "x^:y", false, true },	 { "*", false, true },
	{ "*:*", true, true },	   { "refs/heads/:x", false, true }, { "a:refs/heads/", false, false },
	{ " a", false, false },	   { "+:", true, true },	 { "+:x", true, true },
};

static bool is_taken(enum refspec_use use, const char *text)
{
	struct refspec rs = REFSPEC_INIT(use);
	bool taken = !refspec_add(&rs, text, hash_sha1, NULL);

	assert_int_equal(rs.nr, taken);
	refspec_release(&rs);
	return taken;
}

static void test_texts(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (is_taken(REFSPEC_FETCH, texts[i].text) != texts[i].fetch ||
		    is_taken(REFSPEC_PUSH, texts[i].text) != texts[i].push)
			fail_msg("'%s'", texts[i].text);
}

static void add(struct refspec *rs, const char *text)
{
	assert_int_equal(refspec_add(rs, text, hash_sha1, NULL), 0);
}

static void test_parts(void **state UNUSED)
{
	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH), push = REFSPEC_INIT(REFSPEC_PUSH);

	add(&rs, "+@:x");
	assert_true(rs.items[0].force);
	assert_string_equal(rs.items[0].src, "HEAD");
	assert_string_equal(rs.items[0].dst, "x");
	add(&rs, OID);
	assert_true(rs.items[1].exact_oid);
	assert_null(rs.items[1].dst);
	add(&push, "+:");
	assert_true(push.items[0].matching && push.items[0].force);
	add(&push, "a:b:c");
	assert_string_equal(push.items[1].src, "a:b");
	refspec_release(&rs);
	refspec_release(&push);
}

static void test_map(void **state UNUSED)
{
	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH);
	struct strbuf out = STRBUF_INIT;

	add(&rs, "refs/heads/a*z:refs/x/*/y");
	add(&rs, "refs/heads/*:refs/remotes/o/*");
	add(&rs, "^refs/heads/no/*");
	add(&rs, "refs/tags/v1");
	assert_ptr_equal(refspec_map(&rs, "refs/heads/amz", &out), &rs.items[0]);
	assert_string_equal(out.buf, "refs/x/m/y");
	assert_non_null(refspec_map(&rs, "refs/heads/az", &out));
	assert_string_equal(out.buf, "refs/x//y");
	assert_ptr_equal(refspec_map(&rs, "refs/heads/a", &out), &rs.items[1]);
	assert_string_equal(out.buf, "refs/remotes/o/a");
	assert_null(refspec_map(&rs, "refs/heads/no/x", &out));
	assert_ptr_equal(refspec_map(&rs, "refs/tags/v1", &out), &rs.items[3]);
	assert_string_equal(out.buf, "");
	assert_null(refspec_map(&rs, "refs/tags/v10", &out));
	assert_null(refspec_map(&rs, "refs/head", &out));
	assert_ptr_equal(refspec_map_back(&rs, "refs/remotes/o/b/c", &out), &rs.items[1]);
	assert_string_equal(out.buf, "refs/heads/b/c");
	assert_null(refspec_map_back(&rs, "refs/remotes/o/no/c", &out));
	assert_null(refspec_map_back(&rs, "refs/remotes/p/c", &out));
	strbuf_release(&out);
	refspec_release(&rs);
}

static void test_prefixes(void **state UNUSED)
{
	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH);
	struct strvec out = STRVEC_INIT;

	assert_false(refspec_prefixes(&rs, &out));
	add(&rs, "refs/heads/*:refs/remotes/o/*");
	add(&rs, "^refs/heads/x");
	add(&rs, OID);
	assert_true(refspec_prefixes(&rs, &out));
	assert_int_equal(out.nr, 1);
	assert_string_equal(out.v[0], "refs/heads/");
	strvec_clear(&out);
	add(&rs, "main");
	assert_true(refspec_prefixes(&rs, &out));
	assert_int_equal(out.nr, 7);
	assert_string_equal(out.v[4], "refs/heads/main");
	strvec_clear(&out);
	add(&rs, "*:*");
	assert_false(refspec_prefixes(&rs, &out));
	strvec_clear(&out);
	refspec_release(&rs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_map), cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
