/* SPDX-License-Identifier: GPL-2.0-only */
/* Filter specifications: what they mean, their canonical text, their limits. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "wire/filter-spec.h"

static void test_canonical(void **state)
{
	static const struct { const char *text, *want; } t[] = {
		{ "blob:none", "blob:none" },
		{ "blob:limit=1k", "blob:limit=1024" },
		{ "blob:limit=2M", "blob:limit=2097152" },
		{ "blob:limit=0", "blob:limit=0" },
		{ "blob:limit=18446744073709551615", "blob:limit=18446744073709551615" },
		{ "tree:0", "tree:0" },
		{ "tree:3k", "tree:3072" },
		{ "object:type=tag", "object:type=tag" },
		{ "sparse:oid=HEAD:a b", "sparse:oid=HEAD:a b" },
		{ "combine:blob:none", "combine:blob:none" },
		{ "combine:blob%3Anone+tree:3", "combine:blob:none+tree:3" },
		{ "combine:+blob:none++tree:1+", "combine:blob:none+tree:1" },
		{ "combine:sparse:oid=a%2Bb%20%25", "combine:sparse:oid=a%2bb%20%25" },
		{ "combine:tree:3+combine:blob:none%2Btree:2", "combine:tree:3+blob:none+tree:2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct filter_spec f = FILTER_SPEC_INIT;
		struct strbuf out = STRBUF_INIT;

		assert_int_equal(filter_spec_parse(&f, t[i].text, NULL), 0);
		filter_spec_format(&f, &out);
		assert_string_equal(out.buf, t[i].want);
		strbuf_release(&out);
		filter_spec_release(&f);
	}
}

static void test_bad(void **state)
{
	static const struct { const char *text, *want; } t[] = {
		{ "", "invalid filter-spec ''" },
		{ "blob:none ", "invalid filter-spec 'blob:none '" },
		{ "blob:limit=", "invalid filter-spec 'blob:limit='" },
		{ "blob:limit=-1", "invalid filter-spec 'blob:limit=-1'" },
		{ "blob:limit=99999999999999999999", "invalid filter-spec "
		  "'blob:limit=99999999999999999999'" },
		{ "blob:limit=99999999999999999g", "invalid filter-spec "
		  "'blob:limit=99999999999999999g'" },
		{ "tree:", "expected 'tree:<depth>'" },
		{ "tree:-1", "expected 'tree:<depth>'" },
		{ "object:type=foo", "'foo' for 'object:type=<type>' is not a valid object type" },
		{ "sparse:path=x", "sparse:path filters support has been dropped" },
		{ "combine:", "expected something after combine:" },
		{ "combine:+", "expected something after combine:" },
		{ "combine:blob:no~ne", "must escape char in sub-filter-spec: '~'" },
		{ "combine:blob:none +tree:1", "must escape char in sub-filter-spec: ' '" },
		{ "combine:blob%00:none", "invalid filter-spec 'blob%00:none'" },
		{ "combine:blob%3", "invalid filter-spec 'blob%3'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct filter_spec f = FILTER_SPEC_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(filter_spec_parse(&f, t[i].text, &err), ERR_INVALID);
		assert_string_equal(err_message(&err), t[i].want);
		assert_int_equal(f.nr, 0);
		assert_false(f.combined);
		err_release(&err);
		filter_spec_release(&f);
	}
}

static void test_several(void **state)
{
	struct filter_spec f = FILTER_SPEC_INIT;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	filter_spec_format(&f, &out);
	assert_string_equal(out.buf, "");
	assert_int_equal(filter_spec_parse(&f, "blob:none", NULL), 0);
	assert_int_equal(filter_spec_parse(&f, "tree:1", NULL), 0);
	assert_int_equal(filter_spec_parse(&f, "combine:tree:2+tree:x", NULL), ERR_INVALID);
	filter_spec_format(&f, &out);
	assert_string_equal(out.buf, "combine:blob:none+tree:1");
	assert_int_equal(f.nr, 2);
	strbuf_release(&out);
	filter_spec_release(&f);
}

static void repeat(struct strbuf *text, const char *part, unsigned times)
{
	while (times--)
		strbuf_addstr(text, part);
}

static void test_limits(void **state)
{
	struct filter_spec f = FILTER_SPEC_INIT;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	repeat(&text, "combine:", FILTER_NESTING_MAX);
	strbuf_addstr(&text, "blob:none");
	assert_int_equal(filter_spec_parse(&f, text.buf, NULL), 0);
	strbuf_insertstr(&text, 0, "combine:");
	assert_int_equal(filter_spec_parse(&f, text.buf, NULL), ERR_TOO_BIG);
	filter_spec_release(&f);

	strbuf_reset(&text);
	strbuf_addstr(&text, "combine:");
	repeat(&text, "blob:none+", FILTER_PARTS_MAX);
	assert_int_equal(filter_spec_parse(&f, text.buf, NULL), 0);
	assert_int_equal(f.nr, FILTER_PARTS_MAX);
	assert_int_equal(filter_spec_parse(&f, "blob:none", NULL), ERR_TOO_BIG);
	filter_spec_release(&f);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
