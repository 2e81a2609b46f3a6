/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/versioncmp.h"
#include <setjmp.h>
#include <cmocka.h>

static int sign(int n)
{
	return n < 0 ? -1 : n > 0;
}

static void test_order(void **state UNUSED)
{
	/* strverscmp(3), and what a list of versions looks like */
	static const char *const sorted[] = {
		"", "000", "00", "01", "010", "09", "0", "1", "9", "10", "a", "a0", "a1", "a9",
		"a10", "v1", "v1.0", "v1.9", "v1.10", "v1.10-rc1", "v1.10a", "v2", "v10",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++)
			if (sign(version_cmp(sorted[i], sorted[j], NULL, 0)) != (i < j ? -1 : i > j))
				fail_msg("'%s' and '%s'", sorted[i], sorted[j]);
}

static void test_suffixes(void **state UNUSED)
{
	static const char *const suffixes[] = { "-rc", "-beta", "", "-late" };

	/* before the main release, in order of the list; "" is the release itself */
	assert_true(version_cmp("v1-rc1", "v1", suffixes, 1) < 0);
	assert_true(version_cmp("v1", "v1-rc1", suffixes, 1) > 0);
	assert_true(version_cmp("v1-rc2", "v1-rc10", suffixes, 1) < 0);
	assert_true(version_cmp("v1-beta", "v1-rc1", suffixes, 2) > 0);
	assert_true(version_cmp("v1-beta", "v1", suffixes, 2) < 0);
	assert_true(version_cmp("v1-late", "v1", suffixes, 4) > 0);
	assert_true(version_cmp("v2-rc1", "v1", suffixes, 4) > 0);
	assert_int_equal(version_cmp("v1", "v1", suffixes, 4), 0);
	assert_true(version_cmp("v1", "v1-rc1", suffixes, 0) < 0);
}

#ifdef __GLIBC__
/* The same results as strverscmp(3). */
static void test_as_strverscmp(void **state UNUSED)
{
	static const char bytes[] = "00019a.";
	uint32_t seed = 1;
	char text[2][8];

	for (int round = 0; round < 200000; round++) {
		for (int k = 0; k < 2; k++) {
			size_t len = (seed >> 8) % 7, i;

			for (i = 0; i < len; i++) {
				seed = seed * 1664525 + 1013904223;
				text[k][i] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
			}
			text[k][i] = '\0';
			seed = seed * 1664525 + 1013904223;
		}
		if (sign(version_cmp(text[0], text[1], NULL, 0)) != sign(strverscmp(text[0], text[1])))
			fail_msg("'%s' and '%s'", text[0], text[1]);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_suffixes),
#ifdef __GLIBC__
		cmocka_unit_test(test_as_strverscmp),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
