/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of http: which challenges belong to the last answer of a transfer. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "transport/http-internal.h"

static void take(struct http_challenges *c, const char *line)
{
	http_take_header(c, line, strlen(line));
}

/* One transfer has several answers: a redirect, or one before curl has tried what it knows. */
static void test_last_answer_counts(void **state)
{
	struct http_challenges c = { .open = false };

	(void)state;
	strvec_init(&c.values);
	take(&c, "HTTP/1.1 401 Unauthorized\r\n");
	take(&c, "WWW-Authenticate: Basic realm=\"old\"\r\n");
	take(&c, "\r\n");
	take(&c, "HTTP/2 401\r\n");
	take(&c, "www-authenticate:Digest realm=\"new\",\r\n");
	take(&c, "\t nonce=\"1\"\r\n");
	take(&c, "Server: x\r\n");
	take(&c, " Basic realm=\"of another header\"\r\n");
	assert_int_equal(c.values.nr, 1);
	assert_string_equal(c.values.v[0], "Digest realm=\"new\", nonce=\"1\"");
	strvec_clear(&c.values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_answer_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
