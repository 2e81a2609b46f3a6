/* SPDX-License-Identifier: GPL-2.0-only */
/* Deltas: all instructions, and malformed deltas that must be rejected. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "pack/pack.h"
#include "util/alloc.h"

static const char base[] = "the quick brown fox jumps over the lazy dog";
#define BASE_LEN (sizeof(base) - 1)

struct delta {
	unsigned char b[512];
	size_t len;
};

static void put_size(struct delta *d, uint64_t v)
{
	while (v >= 0x80) {
		d->b[d->len++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	d->b[d->len++] = (unsigned char)v;
}

static void start(struct delta *d, uint64_t base_len, uint64_t result_len)
{
	d->len = 0;
	put_size(d, base_len);
	put_size(d, result_len);
}

static void put(struct delta *d, const void *p, size_t len)
{
	memcpy(d->b + d->len, p, len);
	d->len += len;
}
#define PUT(d, ...) put((d), (const unsigned char[]){ __VA_ARGS__ }, \
			sizeof((const unsigned char[]){ __VA_ARGS__ }))

static int run(const struct delta *d, const void *from, size_t from_len, size_t max,
	       char **out, size_t *len)
{
	/* A copy of the exact size, so that sanitizers detect a read beyond it. */
	unsigned char *copy = xmemdup(d->b, d->len);
	void *made = NULL;
	int rc = delta_apply(from, from_len, copy, d->len, max, &made, len, NULL);

	free(copy);
	*out = made;
	return rc;
}

static void expect(const struct delta *d, const char *want)
{
	char *out;
	size_t len;

	assert_int_equal(run(d, base, BASE_LEN, 1 << 20, &out, &len), 0);
	assert_int_equal(len, strlen(want));
	assert_string_equal(out, want);
	free(out);
}

static void refuse(const struct delta *d, int code)
{
	char *out;
	size_t len = 77;

	assert_int_equal(run(d, base, BASE_LEN, 1 << 20, &out, &len), code);
	assert_null(out);
	assert_int_equal(len, 77);
}

static void test_apply(void **state)
{
	struct delta d;

	(void)state;
	start(&d, BASE_LEN, 9);
	PUT(&d, 0x91, 4, 5);		/* copy "quick" */
	PUT(&d, 1, '-', 0x91, 16, 3);	/* insert, copy "fox" */
	expect(&d, "quick-fox");
	start(&d, BASE_LEN, 3);
	PUT(&d, 0x90, 3);		/* no offset byte: from 0 */
	expect(&d, "the");
	start(&d, BASE_LEN, 0);
	expect(&d, "");
	start(&d, BASE_LEN, 3);
	PUT(&d, 0x8f | 0x70, 40, 0, 0, 0, 3, 0, 0); /* all bytes there */
	expect(&d, "dog");
}

static void test_copy_of_64k(void **state)
{
	struct delta d;
	char *big = xmalloc(0x10000), *out;
	size_t len;

	(void)state;
	memset(big, 'x', 0x10000);
	start(&d, 0x10000, 0x10000);
	PUT(&d, 0x80); /* size 0 stands for 0x10000 */
	assert_int_equal(run(&d, big, 0x10000, 1 << 20, &out, &len), 0);
	assert_int_equal(len, 0x10000);
	assert_memory_equal(out, big, len);
	free(out);
	free(big);
}

static void test_refused(void **state)
{
	struct delta d;

	(void)state;
	start(&d, BASE_LEN + 1, 3);
	PUT(&d, 0x90, 3);
	refuse(&d, ERR_CORRUPT); /* another base */
	start(&d, BASE_LEN, 4);
	PUT(&d, 0x90, 3);
	refuse(&d, ERR_CORRUPT); /* makes too little */
	start(&d, BASE_LEN, 2);
	PUT(&d, 0x90, 3);
	refuse(&d, ERR_CORRUPT); /* makes too much */
	start(&d, BASE_LEN, 3);
	PUT(&d, 0x91, BASE_LEN - 2, 3);
	refuse(&d, ERR_CORRUPT); /* beyond the end of the base */
	start(&d, BASE_LEN, 3);
	PUT(&d, 0x9f, 0xff, 0xff, 0xff, 0xff, 3);
	refuse(&d, ERR_CORRUPT); /* far beyond it */
	start(&d, BASE_LEN, 3);
	PUT(&d, 0);
	refuse(&d, ERR_CORRUPT); /* reserved */
	start(&d, BASE_LEN, 3);
	PUT(&d, 5, 'a', 'b', 'c');
	refuse(&d, ERR_CORRUPT); /* insert is cut off */
	start(&d, BASE_LEN, 3);
	PUT(&d, 0xff, 1, 2, 3);
	refuse(&d, ERR_CORRUPT); /* copy is cut off */
}

static void test_sizes(void **state)
{
	struct delta d;

	(void)state;
	d.len = 0;
	refuse(&d, ERR_CORRUPT); /* nothing at all */
	PUT(&d, 0x80 | 43);
	refuse(&d, ERR_CORRUPT); /* size without an end */
	d.len = 0;
	put_size(&d, BASE_LEN);
	PUT(&d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	refuse(&d, ERR_CORRUPT); /* more than 64 bits */
	start(&d, BASE_LEN, UINT64_MAX);
	refuse(&d, ERR_TOO_BIG);
	start(&d, BASE_LEN, (1 << 20) + 1);
	refuse(&d, ERR_TOO_BIG); /* beyond the cap */
	/* Below the limit but implausible: checked before memory is allocated. */
	start(&d, BASE_LEN, 1 << 20);
	PUT(&d, 0x90, 3);
	refuse(&d, ERR_CORRUPT);
}

/* Random bytes: no crash (run under ASan). */
static void test_noise(void **state)
{
	struct delta d;
	uint64_t x = 88172645463325252u;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char *out;
		size_t len;

		start(&d, BASE_LEN, (uint64_t)(round % 50));
		for (int i = 0; i < round % 40; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			d.b[d.len++] = (unsigned char)(x >> 32);
		}
		if (!run(&d, base, BASE_LEN, 1 << 20, &out, &len))
			free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_copy_of_64k),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
