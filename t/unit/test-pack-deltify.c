/* SPDX-License-Identifier: GPL-2.0-only */
/* Deltas that we make: applied to their base they give the target, whatever the two are. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "pack/pack.h"
#include "pack/write/delta.h"
#include "util/alloc.h"
#include "util/strbuf.h"

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static size_t below(size_t n)
{
	return n ? (size_t)(next_random() >> 16) % n : 0;
}

/* Applied to copies of the exact sizes, so that sanitizers detect a read beyond them. */
static void expect_round_trip(const void *base, size_t base_len, const void *target, size_t len,
			      size_t max, size_t *delta_len)
{
	unsigned char *b = xmemdup(base, base_len), *t = xmemdup(target, len);
	unsigned char *delta = xmalloc(max + 1);
	struct delta_index *ix = delta_index_new(b, base_len);
	struct err err = ERR_INIT;
	size_t made = 0, out_len;
	void *out;

	if (base_len >= 16)
		assert_non_null(ix);
	delta[max] = 0xa5;
	if (ix)
		made = delta_encode(ix, t, len, delta, max);
	assert_true(made <= max);
	assert_int_equal(delta[max], 0xa5);
	if (made) {
		if (delta_apply(b, base_len, delta, made, len, &out, &out_len, &err) < 0)
			fail_msg("%s", err_message(&err));
		assert_int_equal(out_len, len);
		assert_memory_equal(out, t, len);
		free(out);
	}
	if (delta_len)
		*delta_len = made;
	delta_index_free(ix);
	free(delta);
	free(b);
	free(t);
}

/* ---- results of delta search ---- */

/* Text of few different words: many blocks occur several times. */
static void add_text(struct strbuf *out, size_t len)
{
	static const char *const words[] = { "return ", "if (", "err)", "\n\t\t", "static int ",
					     "struct pack_item *", "0x7f;", " = ", "xyz", "\0\0" };

	for (size_t end = out->len + len; out->len < end;)
		strbuf_addstr(out, words[below(ARRAY_SIZE(words))]);
}

static void add_noise(struct strbuf *out, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, (int)(next_random() >> 24 & 0xff));
}

static void add_period(struct strbuf *out, size_t len)
{
	size_t period = 1 + below(40);

	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, (int)(i % period));
}

static void add_any(struct strbuf *out, size_t len)
{
	switch (below(4)) {
	case 0: add_text(out, len); break;
	case 1: add_noise(out, len); break;
	case 2: add_period(out, len); break;
	default: strbuf_addchars(out, 0, len);
	}
}

/* Pieces of the base, in any order, and new ones between. */
static void make_target(struct strbuf *out, const struct strbuf *base)
{
	for (size_t n = below(12); n; n--) {
		if (base->len && below(3)) {
			size_t at = below(base->len);

			strbuf_add(out, base->buf + at, below(base->len - at + 1));
		} else {
			add_any(out, below(300));
		}
	}
}

static void test_round_trips(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct strbuf base = STRBUF_INIT, target = STRBUF_INIT;
		size_t max;

		seed = UINT64_C(0x2545f4914f6cdd1d) * (i + 1);
		for (size_t n = below(4); n; n--)
			add_any(&base, below(i % 50 ? 2000 : 200000));
		make_target(&target, &base);
		max = target.len + target.len / 64 + 64;
		if (below(2))
			max = below(max);
		expect_round_trip(base.buf, base.len, target.buf, target.len, max, NULL);
		strbuf_release(&base);
		strbuf_release(&target);
	}
}

/* Every size up to some blocks, and every limit. */
static void test_small(void **state)
{
	char base[100], target[100];
	size_t made, again;

	(void)state;
	seed = 4711;
	for (size_t i = 0; i < sizeof(base); i++)
		base[i] = target[i] = (char)next_random();
	for (size_t b = 0; b < sizeof(base); b++)
		for (size_t t = 0; t < sizeof(target); t++) {
			expect_round_trip(base, b, target, t, 200, &made);
			if (!made)
				continue;
			expect_round_trip(base, b, target, t, made - 1, &again);
			assert_int_equal(again, 0);
		}
}

/* What a limit that is high enough does not change: a delta that is made again must be the same. */
static void test_same_delta(void **state)
{
	struct strbuf base = STRBUF_INIT, target = STRBUF_INIT;
	size_t one, two;

	(void)state;
	for (unsigned i = 1; i < 200; i++) {
		seed = i * UINT64_C(0x9e3779b97f4a7c15);
		strbuf_reset(&base);
		strbuf_reset(&target);
		add_text(&base, 3000);
		make_target(&target, &base);
		expect_round_trip(base.buf, base.len, target.buf, target.len, target.len + 64, &one);
		expect_round_trip(base.buf, base.len, target.buf, target.len, target.len * 2 + 999, &two);
		assert_int_equal(one, two);
	}
	strbuf_release(&base);
	strbuf_release(&target);
}

/* One byte changed, one inserted, one taken away in a long text: a few instructions. */
static void test_is_short(void **state)
{
	struct strbuf base = STRBUF_INIT, target = STRBUF_INIT;
	size_t made;

	(void)state;
	seed = 99;
	add_noise(&base, 300000);
	strbuf_add(&target, base.buf, base.len);
	target.buf[50] ^= 1;
	target.buf[150000] ^= 1;
	target.buf[299990] ^= 1;
	strbuf_insert(&target, 200000, "!", 1);
	strbuf_remove(&target, 250000, 1);
	expect_round_trip(base.buf, base.len, target.buf, target.len, target.len / 2, &made);
	assert_in_range(made, 1, 100);
	/* The same name replaced in each entry of a tree. */
	strbuf_setlen(&target, 0);
	strbuf_setlen(&base, 0);
	for (int i = 0; i < 20; i++) {
		strbuf_addf(&base, "100644 file%02d", i);
		strbuf_addf(&target, "100644 file%02d", i);
		add_noise(&base, 20);
		add_noise(&target, 20);
	}
	expect_round_trip(base.buf, base.len, target.buf, target.len, target.len, &made);
	assert_in_range(made, 1, 20 * (20 + 5) + 10);
	strbuf_release(&base);
	strbuf_release(&target);
}

/* All blocks alike: neither the time nor the delta grows with the number of pairs. */
static void test_repetition(void **state)
{
	struct strbuf base = STRBUF_INIT, target = STRBUF_INIT;
	size_t made;

	(void)state;
	strbuf_addchars(&base, 'a', 4000000);
	for (int i = 0; i < 4000; i++) {
		strbuf_addchars(&target, 'a', 500);
		strbuf_addch(&target, 'b');
	}
	expect_round_trip(base.buf, base.len, target.buf, target.len, target.len / 2, &made);
	assert_in_range(made, 1, 4000 * 9);
	strbuf_release(&base);
	strbuf_release(&target);
}

static void test_memory(void **state)
{
	(void)state;
	assert_int_equal(delta_index_bytes(0), 0);
	assert_int_equal(delta_index_bytes(15), 0);
	for (uint64_t len = 1024; len <= UINT64_C(1) << 31; len *= 2)
		assert_in_range(delta_index_bytes((size_t)len), 1, len * 4);
	assert_in_range(delta_index_bytes((size_t)1 << 30), 1, (size_t)1 << 28);
	assert_null(delta_index_new("", 0));
#if SIZE_MAX > UINT32_MAX
	assert_int_equal(delta_index_bytes((size_t)1 << 32), 0);
	assert_null(delta_index_new("", (size_t)1 << 32));
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_same_delta),
		cmocka_unit_test(test_is_short),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
