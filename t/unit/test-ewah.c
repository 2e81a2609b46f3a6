/* SPDX-License-Identifier: GPL-2.0-only */
/* Bitmaps, plain and compressed. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "pack/ewah.h"
#include "t/unit/pack-aux.h"
#include "util/bytes.h"

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

/* Stretches of ones, of zeros, and of noise, also across words. */
static void random_bits(struct bitset *b, size_t nr_bits)
{
	size_t i = 0;

	bitset_release(b);
	while (i < nr_bits) {
		size_t len = 1 + random_below(random_below(4) ? 300 : 20), end = i + len;
		unsigned kind = random_below(3);

		for (; i < end && i < nr_bits; i++)
			if (kind == 1 || (kind == 2 && random_below(2)))
				bitset_add(b, i);
	}
}

static void parse(struct ewah *e, const struct strbuf *sb, size_t max_bits)
{
	size_t used;

	assert_int_equal(ewah_parse(e, (unsigned char *)sb->buf, sb->len, max_bits, &used, NULL), 0);
	assert_int_equal(used, sb->len);
}

static bool is_subset(const struct bitset *a, const struct bitset *of)
{
	return bitset_count_and(a, of) == bitset_count(a);
}

static void test_round_trip(void **s UNUSED)
{
	struct bitset a = BITSET_INIT, b = BITSET_INIT, c = BITSET_INIT;
	struct strbuf sb = STRBUF_INIT;
	struct ewah e;

	for (int round = 0; round < 3000; round++) {
		size_t nr = random_below(5000);

		random_bits(&a, nr);
		random_bits(&b, random_below(5000));
		strbuf_reset(&sb);
		ewah_write(&sb, &a);
		parse(&e, &sb, nr);
		bitset_clear(&c);
		ewah_or_into(&c, &e);
		assert_true(aux_bitset_eq(&c, &a));
		assert_true(ewah_is_subset(&e, &a));
		assert_int_equal(ewah_is_subset(&e, &b), is_subset(&a, &b));

		bitset_copy(&c, &b);
		ewah_or_into(&c, &e);
		for (size_t i = 0; i < 5000; i++)
			assert_int_equal(bitset_has(&c, i), bitset_has(&a, i) || bitset_has(&b, i));
		bitset_copy(&c, &b);
		ewah_xor_into(&c, &e);
		for (size_t i = 0; i < 5000; i++)
			assert_int_equal(bitset_has(&c, i), bitset_has(&a, i) != bitset_has(&b, i));
		bitset_xor(&c, &b);
		assert_true(aux_bitset_eq(&c, &a));
	}
	bitset_release(&a);
	bitset_release(&b);
	bitset_release(&c);
	strbuf_release(&sb);
}

static void test_plain(void **s UNUSED)
{
	struct bitset a = BITSET_INIT, b = BITSET_INIT, c = BITSET_INIT;

	for (int round = 0; round < 2000; round++) {
		size_t nr = random_below(700), n = 0, both = 0, at = 0;
		bool subset = true;

		random_bits(&a, nr);
		random_bits(&b, random_below(700));
		for (size_t i = 0; i < 800; i++) {
			bool x = bitset_has(&a, i), y = bitset_has(&b, i);

			n += x;
			both += x && y;
			subset &= !x || y;
			if (x) {
				assert_true(bitset_next(&a, &at));
				assert_int_equal(at++, i);
			}
		}
		assert_false(bitset_next(&a, &at));
		assert_int_equal(bitset_count(&a), n);
		assert_int_equal(bitset_count_and(&a, &b), both);
		assert_int_equal(is_subset(&a, &b), subset);
		assert_int_equal(bitset_is_full(&a, nr), n == nr);
		bitset_copy(&c, &a);
		bitset_and(&c, &b);
		assert_int_equal(bitset_count(&c), both);
		bitset_copy(&c, &a);
		bitset_and_not(&c, &b);
		assert_int_equal(bitset_count(&c), n - both);
		bitset_or(&c, &b);
		bitset_or(&c, &a);
		assert_int_equal(bitset_count(&c), n + bitset_count(&b) - both);
		bitset_remove(&c, 3);
		assert_false(bitset_has(&c, 3));
	}
	bitset_release(&a);
	for (size_t i = 0; i < 200; i++) {
		assert_true(bitset_is_full(&a, i));
		assert_false(bitset_is_full(&a, i + 1));
		bitset_add(&a, i);
		assert_false(bitset_is_full(&a, i));
	}
	bitset_release(&a);
	bitset_release(&b);
	bitset_release(&c);
}

/* The bytes that stock Git writes for these sets. */
static void test_bytes(void **s UNUSED)
{
	static const unsigned char none[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	static const unsigned char bit_51[] = { 0, 0, 0, 0x40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0,
		0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	/* 128 ones, then 64 zeros, then a one */
	static const unsigned char runs[] = { 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 5,
		0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 };
	struct bitset b = BITSET_INIT;
	struct strbuf sb = STRBUF_INIT;

	ewah_write(&sb, &b);
	assert_int_equal(sb.len, sizeof(none));
	assert_memory_equal(sb.buf, none, sizeof(none));
	strbuf_reset(&sb);
	bitset_add(&b, 51);
	ewah_write(&sb, &b);
	assert_int_equal(sb.len, sizeof(bit_51));
	assert_memory_equal(sb.buf, bit_51, sizeof(bit_51));
	strbuf_reset(&sb);
	for (size_t i = 0; i < 128; i++)
		bitset_add(&b, i);
	bitset_add(&b, 192);
	bitset_reserve(&b, 1000); /* zeros at the end are not written */
	ewah_write(&sb, &b);
	assert_int_equal(sb.len, sizeof(runs));
	assert_memory_equal(sb.buf, runs, sizeof(runs));
	bitset_release(&b);
	strbuf_release(&sb);
}

static int parse_words(const uint64_t *v, uint32_t nr, uint32_t claimed, size_t max_bits)
{
	unsigned char p[256];
	struct ewah e;
	size_t used;

	memset(p, 0, sizeof(p));
	put_be32(p + 4, claimed);
	for (uint32_t i = 0; i < nr; i++)
		put_be64(p + 8 + i * 8, v[i]);
	return ewah_parse(&e, p, 12 + nr * 8, max_bits, &used, NULL);
}

static void test_hostile(void **s UNUSED)
{
	const uint64_t one_literal = (uint64_t)1 << 33, bit_40 = (uint64_t)1 << 40;
	const uint64_t long_run = UINT64_C(0xffffffff) << 1 | 1;
	struct ewah e;
	size_t used;

	assert_int_equal(parse_words((uint64_t[]){ one_literal, bit_40 }, 2, 2, 41), 0);
	/* a bit too many */
	assert_int_equal(parse_words((uint64_t[]){ one_literal, bit_40 }, 2, 2, 40), ERR_CORRUPT);
	assert_int_equal(parse_words((uint64_t[]){ 1 << 1 | 1 }, 1, 1, 64), 0);
	assert_int_equal(parse_words((uint64_t[]){ 1 << 1 | 1 }, 1, 1, 63), ERR_CORRUPT);
	assert_int_equal(parse_words((uint64_t[]){ 2 << 1 }, 1, 1, 64), ERR_CORRUPT);
	/* more words than there are */
	assert_int_equal(parse_words((uint64_t[]){ one_literal, bit_40 }, 2, 3, 64), ERR_CORRUPT);
	assert_int_equal(parse_words((uint64_t[]){ one_literal }, 1, UINT32_MAX, 64), ERR_CORRUPT);
	/* literals beyond the end */
	assert_int_equal(parse_words((uint64_t[]){ one_literal }, 1, 1, 64), ERR_CORRUPT);
	assert_int_equal(parse_words((uint64_t[]){ UINT64_MAX }, 1, 1, 64), ERR_CORRUPT);
	/* runs that add up to more than anybody has memory for */
	assert_int_equal(parse_words((uint64_t[]){ long_run, long_run, long_run }, 3, 3, 1u << 31), ERR_CORRUPT);
	assert_int_equal(ewah_parse(&e, (const unsigned char *)"\0\0\0\0\0\0\0\0\0\0\0", 11, 64, &used, NULL),
			 ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
