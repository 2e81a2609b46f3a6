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

/* As test case 6 of RFC 4231, a secret of 131 bytes; and at the size of a block, and beside it (Python's hmac). */
static void test_long_secrets(void **state)
{
	static const struct {
		size_t len;
		const char *hex;
	} cases[] = { 
		     { 0, "79e2a6536cb16b4a1e9c2af81759764afd026173526f79f7816e9a3bc5fbaba8" },
		     { 1, "428eb2067a598421c1054659b74355257e88440131480983cc459556b0ca55c5" },
		     { 63, "b9f6d3205603dddcfb871b8132f698f2fc3b0cf9765fed0113231d1e6739d728" },
		     { 64, "84332a7580ed3cf75de83c644c8d2c1c262ad90e0190e5c5ae4b82b2102e8e75" },
		     { 65, "c62955a96944ff68deabbc0eab6192065c1c55bb8ddee16151ed5337f911eab9" },
		     { 131, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	 };
	char secret[132], hex[HMAC_HEX_LEN + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(secret, 0xaa, cases[i].len);
		secret[cases[i].len] = '\0';
		hmac_sha256_hex(hex, secret, "Test Using Larger Than Block-Size Key - Hash Key First");
		assert_string_equal(hex, cases[i].hex);
	}
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
		cmocka_unit_test(test_long_secrets),
		cmocka_unit_test(test_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
