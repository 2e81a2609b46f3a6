/* SPDX-License-Identifier: GPL-2.0-only */
/* Hashes, object ids, and their arrays, maps, sets. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "hash/hash.h"
#include "hash/sha1-internal.h"
#include "util/alloc.h"

static void check_hex(const struct object_id *oid, const char *hex)
{
	assert_string_equal(oid_hex(oid), hex);
}

/* The vectors of FIPS 180: "abc" and the two-block message. */
static void test_vectors(void **state)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	struct object_id oid;

	(void)state;
	hash_buf(hash_sha1, "abc", 3, &oid);
	check_hex(&oid, "a9993e364706816aba3e25717850c26c9cd0d89d");
	hash_buf(hash_sha1, two, strlen(two), &oid);
	check_hex(&oid, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	hash_buf(hash_sha256, "abc", 3, &oid);
	check_hex(&oid, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_buf(hash_sha256, two, strlen(two), &oid);
	check_hex(&oid, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	hash_buf(hash_sha1, NULL, 0, &oid);
	check_hex(&oid, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

static void test_algos(void **state)
{
	const struct hash_algo *algos[] = { hash_sha1, hash_sha256 };
	struct object_id oid;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct hash_algo *a = algos[i];

		assert_ptr_equal(hash_algo_by_name(a->name), a);
		assert_ptr_equal(hash_algo_by_id(a->id), a);
		assert_int_equal(a->hex_len, 2 * a->raw_len);
		assert_int_equal(hash_object_buf(a, "tree", "", 0, &oid, NULL), 0);
		assert_memory_equal(&oid, &a->empty_tree, sizeof(oid));
		assert_int_equal(hash_object_buf(a, "blob", "", 0, &oid, NULL), 0);
		assert_memory_equal(&oid, &a->empty_blob, sizeof(oid));
		assert_int_equal(hash_object_buf(a, "blob", NULL, 0, &oid, NULL), 0);
		assert_memory_equal(&oid, &a->empty_blob, sizeof(oid));
		assert_true(oid_is_null(&a->null_oid));
		assert_false(oid_is_null(&oid));
		assert_int_equal(oid_raw_len(&oid), a->raw_len);
	}
	assert_null(hash_algo_by_name("md5"));
	assert_null(hash_algo_by_id(HASH_UNKNOWN));
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "hello\n", 6, &oid, NULL), 0);
	check_hex(&oid, "ce013625030ba8dba906f756967f9e9ca394464a");
}

static void test_running(void **state)
{
	struct hash_ctx ctx, copy;
	struct object_id oid;

	(void)state;
	hash_init(&ctx, hash_sha1);
	hash_update(&ctx, "a", 1);
	hash_update(&ctx, "", 0);
	hash_clone(&copy, &ctx);
	hash_update(&ctx, "bc", 2);
	hash_final(&ctx, &oid);
	check_hex(&oid, "a9993e364706816aba3e25717850c26c9cd0d89d");
	hash_update(&ctx, "abc", 3); /* final has started anew */
	hash_final(&ctx, &oid);
	check_hex(&oid, "a9993e364706816aba3e25717850c26c9cd0d89d");
	hash_update(&copy, "bc", 2);
	hash_final(&copy, &oid);
	check_hex(&oid, "a9993e364706816aba3e25717850c26c9cd0d89d");
	hash_release(&copy);
	hash_release(&ctx);
	hash_release(&ctx);
}

/* ---- collision attacks ---- */

static void screen_nothing(const struct sha1_kept *k UNUSED, uint32_t failed[SHA1_BATCH])
{
	memset(failed, 0, SHA1_BATCH * sizeof(*failed));
}

static bool always(const struct sha1_kept *k UNUSED, size_t n UNUSED, uint32_t vectors UNUSED)
{
	return true;
}

/* Names of objects are refused, checksums are not. */
static void check_attack(void)
{
	const struct object_id *empty_blob = &hash_sha1->empty_blob;
	struct object_id oid = { .algo = 77 };
	struct hash_ctx ctx, copy;
	struct err err = ERR_INIT;

	assert_int_equal(hash_object_buf(hash_sha1, "blob", NULL, 0, &oid, &err), ERR_CORRUPT);
	assert_int_equal(oid.algo, 77); /* untouched */
	assert_non_null(strstr(err_message(&err), oid_hex(empty_blob)));
	err_release(&err);
	assert_int_equal(hash_object_buf(hash_sha256, "blob", NULL, 0, &oid, NULL), 0);
	assert_true(hash_buf_checked(hash_sha1, "blob 0", 7, &oid));
	assert_true(oid_eq(&oid, empty_blob));
	assert_false(hash_buf_checked(hash_sha256, "blob 0", 7, &oid));
	hash_buf(hash_sha1, "blob 0", 7, &oid);
	assert_true(oid_eq(&oid, empty_blob));
	hash_init(&ctx, hash_sha1);
	assert_false(hash_final(&ctx, &oid));
	hash_release(&ctx);
	hash_init_checked(&ctx, hash_sha1);
	hash_clone(&copy, &ctx);
	assert_true(hash_final(&ctx, &oid));
	assert_true(hash_final(&ctx, &oid)); /* which has started anew */
	assert_true(hash_final(&copy, &oid));
	hash_release(&copy);
	hash_release(&ctx);
}

static void test_attack(void **state)
{
	static const struct sha1_engine attacked = { "test", sha1_compress_c, screen_nothing, always };

	(void)state;
	sha1_test_engine = &attacked;
	check_attack();
	sha1_test_engine = NULL;
}

static void test_hex(void **state)
{
	static const char hex[] = "CE013625030ba8dba906f756967f9e9ca394464a";
	struct object_id oid = { .algo = 77 }, again;
	const char *end = NULL;
	char out[HASH_MAX_HEX + 1];

	(void)state;
	assert_int_equal(oid_parse_hex(&oid, "ce01", hash_sha1, &end), -1);
	assert_int_equal(oid_parse_hex(&oid, hex, hash_sha256, &end), -1);
	assert_int_equal(oid_from_hex(&oid, "ce013625030ba8dba906f756967f9e9ca394464g", hash_sha1), -1);
	assert_int_equal(oid.algo, 77); /* untouched */
	assert_null(end);
	assert_int_equal(oid_parse_hex(&oid, hex, hash_sha1, &end), 0);
	assert_ptr_equal(end, hex + 40);
	check_hex(&oid, "ce013625030ba8dba906f756967f9e9ca394464a");
	assert_int_equal(oid_from_hex(&again, hex, hash_sha1), 0);
	assert_true(oid_eq(&oid, &again));
	assert_int_equal(oid_from_hex(&again, "ce013625030ba8dba906f756967f9e9ca394464a0", hash_sha1), -1);
	oid_from_raw(&again, oid.hash, hash_sha1);
	assert_memory_equal(&oid, &again, sizeof(oid));
	oid_to_hex_r(out, &oid);
	assert_int_equal(strlen(out), oid_hex_len(&oid));
	for (int c = 0; c < 256; c++)
		assert_int_equal(hex_value((unsigned char)c) >= 0, isxdigit(c) != 0);
}

static void number_oid(struct object_id *oid, uint32_t n)
{
	hash_buf(hash_sha1, &n, sizeof(n), oid);
}

static void test_array(void **state)
{
	struct oid_array a = OID_ARRAY_INIT;
	struct object_id oid;

	(void)state;
	number_oid(&oid, 0);
	assert_false(oid_array_contains(&a, &oid));
	for (uint32_t i = 0; i < 1000; i++) {
		number_oid(&oid, i % 400);
		oid_array_append(&a, &oid);
	}
	oid_array_sort_unique(&a);
	assert_int_equal(a.nr, 400);
	for (size_t i = 1; i < a.nr; i++)
		assert_true(oid_cmp(&a.oid[i - 1], &a.oid[i]) < 0);
	number_oid(&oid, 399);
	assert_true(oid_array_contains(&a, &oid));
	number_oid(&oid, 400);
	assert_false(oid_array_contains(&a, &oid));
	oid_array_append(&a, &oid);
	assert_true(oid_array_contains(&a, &oid));
	oid_array_clear(&a);
}

static void test_map(void **state)
{
	enum { N = 10000 };
	struct oidmap m = OIDMAP_INIT;
	const struct object_id *key;
	struct object_id oid;
	void *value;
	size_t seen = 0;

	(void)state;
	number_oid(&oid, 1);
	assert_null(oidmap_get(&m, &oid));
	assert_null(oidmap_remove(&m, &oid));
	for (uint32_t i = 0; i < N; i++) {
		number_oid(&oid, i);
		assert_null(oidmap_put(&m, &oid, (void *)(uintptr_t)(i + 1)));
	}
	for (uint32_t i = 0; i < N; i += 2) {
		number_oid(&oid, i);
		assert_int_equal((uintptr_t)oidmap_remove(&m, &oid), i + 1);
	}
	for (uint32_t i = 0; i < N; i++) {
		number_oid(&oid, i);
		assert_int_equal(oidmap_contains(&m, &oid), i % 2);
		assert_int_equal((uintptr_t)oidmap_get(&m, &oid), i % 2 ? i + 1 : 0);
	}
	for (size_t i = 0; oidmap_next(&m, &i, &key, &value);) {
		number_oid(&oid, (uint32_t)(uintptr_t)value - 1);
		assert_true(oid_eq(&oid, key));
		seen++;
	}
	assert_int_equal(seen, N / 2);
	oidmap_clear(&m, NULL);
	oidmap_put(&m, &oid, xmalloc(1));
	oidmap_clear(&m, free);
}

/* How far the entries of a table are from the slots of their hashes, on the whole. */
static size_t displacement(const struct oid_flags *f)
{
	size_t stride = f->raw_len + sizeof(uint32_t), sum = 0;
	const unsigned char *raw;
	uint32_t flags;

	for (size_t i = 0; oid_flags_next(f, &i, &raw, &flags);) {
		size_t at = (size_t)(raw - f->slots) / stride;

		sum += (at - oid_hash_raw(raw, f->raw_len)) & f->mask;
	}
	return sum;
}

static size_t set_displacement(const struct oidset *s)
{
	const struct object_id *oid;
	size_t sum = 0;

	for (size_t i = 0; oidmap_next(&s->map, &i, &oid, NULL);)
		sum += (i - 1 - oid_hash(oid)) & s->map.mask;
	return sum;
}

/*
 * A peer names ids as it likes: also such that differ in a few bytes only, wherever these are, and in series.
 * At two thirds of its slots a table has its entries one slot from their places on average.
 */
static void test_similar_ids(const struct hash_algo *algo)
{
	enum { N = 20000 };
	static const uint32_t steps[] = { 1, 0x01000000, 0x00010000, 0x9e3779b1 };

	for (size_t word = 0; word < algo->raw_len / 4; word++)
		for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
			struct object_id oid = algo->null_oid;
			struct oidset s = OIDSET_INIT;
			struct oid_flags f;

			oid_flags_init(&f, algo);
			for (uint32_t i = 0; i < N; i++) {
				uint32_t v = i * steps[k];

				memcpy(oid.hash + 4 * word, &v, sizeof(v));
				*oid_flags_at(&f, oid.hash) |= 1;
				oidset_insert(&s, &oid);
				assert_true(oidset_contains(&s, &oid));
			}
			assert_int_equal(f.nr, s.map.nr);
			assert_in_range(displacement(&f), 0, 6 * f.nr);
			assert_in_range(set_displacement(&s), 0, 6 * f.nr);
			oid_flags_release(&f);
			oidset_clear(&s);
		}
}

static void test_ids_of_a_peer(void **state)
{
	(void)state;
	test_similar_ids(hash_sha1);
	test_similar_ids(hash_sha256);
}

/* Against a map, through several changes of size. */
static void test_flags(const struct hash_algo *algo)
{
	struct oidmap map = OIDMAP_INIT;
	const unsigned char *raw;
	struct oid_flags f;
	struct object_id oid;
	uint32_t flags;
	size_t i, n = 0;

	oid_flags_init(&f, algo);
	assert_int_equal(oid_flags_get(&f, algo->null_oid.hash), 0);
	for (i = 0; i < 5000; i++) {
		hash_buf(algo, &(int){ (int)(i % 3000) }, sizeof(int), &oid);
		*oid_flags_at(&f, oid.hash) |= i < 3000 ? 1 : 2;
		oidmap_put(&map, &oid, (void *)(uintptr_t)(i < 3000 ? 1 : 3));
	}
	assert_int_equal(f.nr, 3000);
	for (i = 0; oid_flags_next(&f, &i, &raw, &flags); n++) {
		oid_from_raw(&oid, raw, algo);
		assert_int_equal(flags, (uintptr_t)oidmap_get(&map, &oid));
		assert_int_equal(flags, oid_flags_get(&f, raw));
	}
	assert_int_equal(n, 3000);
	assert_int_equal(oid_flags_get(&f, algo->null_oid.hash), 0);
	oid_flags_release(&f);
	oidmap_clear(&map, NULL);
}

static void test_oid_flags(void **state)
{
	(void)state;
	test_flags(hash_sha1);
	test_flags(hash_sha256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_algos),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_attack),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_ids_of_a_peer),
		cmocka_unit_test(test_oid_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
