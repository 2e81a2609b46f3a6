/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "hash/hmac.h"

/* RFC 4231, test case 2 */
static void test_vector(void **state)
{
	char hex[HMAC_HEX_LEN + 1];

	(void)state;
	hmac_sha256_hex(hex, "Jefe", "what do ya want for nothing?");
	assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static void test_comparison(void **state)
{
	(void)state;
	assert_true(hmac_text_eq("", ""));
	assert_true(hmac_text_eq("17-abc", "17-abc"));
	assert_false(hmac_text_eq("17-abc", "17-abd"));
	assert_false(hmac_text_eq("17-abc", "27-abc"));
	assert_false(hmac_text_eq("17-abc", "17-ab"));
	assert_false(hmac_text_eq("17-abc", "17-abcd"));
	assert_false(hmac_text_eq("17-abc", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector),
		cmocka_unit_test(test_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
