/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps, sets, sorted lists, queues. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/map.h"
#include "util/prio-queue.h"
#include "util/string-list.h"

static void *as_value(size_t n)
{
	return (void *)(uintptr_t)(n + 1);
}

/* Two thirds of many keys are added: these are found, the others are not. */
static void test_strmap_many(void **state)
{
	enum { N = 20000 };
	struct strmap m = STRMAP_INIT;
	struct strmap_entry **sorted;
	char key[32];
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		snprintf(key, sizeof(key), "dir/%zu/file", i);
		if (i % 3) {
			assert_null(strmap_put(&m, key, as_value(i)));
			nr++;
		}
	}
	assert_int_equal(m.nr, nr);
	for (size_t i = 0; i < N; i++) {
		snprintf(key, sizeof(key), "dir/%zu/file", i);
		assert_ptr_equal(strmap_get(&m, key), i % 3 ? as_value(i) : NULL);
		assert_int_equal(strmap_contains(&m, key), i % 3 != 0);
	}
	sorted = strmap_sorted(&m);
	for (size_t i = 1; i < m.nr; i++)
		assert_true(strcmp(sorted[i - 1]->key, sorted[i]->key) < 0);
	free(sorted);
	strmap_clear(&m, NULL);
	assert_null(strmap_get(&m, "dir/1/file"));
}

static void test_strmap_small(void **state)
{
	struct strmap m = STRMAP_INIT;

	(void)state;
	assert_null(strmap_get(&m, "x"));
	strmap_put(&m, "", as_value(0));
	strmap_put(&m, "nothing", NULL);
	assert_true(strmap_contains(&m, "") && strmap_contains(&m, "nothing"));
	assert_ptr_equal(strmap_put(&m, "", as_value(1)), as_value(0));
	assert_int_equal(m.nr, 2);
	strmap_clear(&m, NULL);
	strmap_put(&m, "mine", xstrdup("freed"));
	assert_string_equal(strmap_get_mem(&m, "mineral", 4), "freed");
	assert_null(strmap_get_mem(&m, "mineral", 5));
	strmap_clear(&m, free);
}

static void test_strmap_icase(void **state)
{
	struct strmap m = STRMAP_INIT_ICASE;

	(void)state;
	strmap_put(&m, "Documentation/README@[`", as_value(1));
	assert_ptr_equal(strmap_get(&m, "documentation/readme@[`"), as_value(1));
	assert_null(strmap_get(&m, "documentation/readme`{@")); /* no letters there */
	assert_ptr_equal(strmap_put(&m, "DOCUMENTATION/README@[`", as_value(2)), as_value(1));
	assert_int_equal(m.nr, 1);
	strmap_clear(&m, NULL);
}

/* Only ASCII letters are equal to another byte. */
static void test_ihash_folds_letters_only(void **state)
{
	(void)state;
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			unsigned char x[9], y[9];
			bool same = a == b || (a < 128 && b < 128 && isalpha(a) &&
					       (a ^ 0x20) == b);

			memset(x, a, sizeof(x));
			memset(y, b, sizeof(y));
			assert_int_equal(mem_ihash(x, 9) == mem_ihash(y, 9), same);
		}
	}
}

static void test_hash_spreads(void **state)
{
	enum { N = 4096 };
	static unsigned char hit[N];
	size_t used = 0;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		hit[mem_hash(&i, sizeof(i)) % N] = 1;
	for (size_t i = 0; i < N; i++)
		used += hit[i];
	assert_true(used > N / 2); /* a random function fills 63% */
	assert_int_not_equal(mem_hash("a", 1), mem_hash("a\0", 2));
}

static void test_strset(void **state)
{
	struct strset s = STRSET_INIT;

	(void)state;
	assert_true(strset_add(&s, "a"));
	assert_false(strset_add(&s, "a"));
	assert_true(strset_contains(&s, "a"));
	strset_clear(&s);
	assert_false(strset_contains(&s, "a"));
}

static void test_string_list(void **state)
{
	struct string_list l = STRING_LIST_INIT;

	(void)state;
	assert_null(string_list_lookup(&l, "x"));
	string_list_insert(&l, "b");
	string_list_insert(&l, "a")->util = as_value(1);
	string_list_insert(&l, "c");
	assert_ptr_equal(string_list_insert(&l, "a")->util, as_value(1));
	assert_int_equal(l.nr, 3);
	assert_string_equal(l.items[0].string, "a");
	string_list_append(&l, "a");
	string_list_append(&l, "0");
	string_list_sort(&l);
	assert_string_equal(l.items[0].string, "0");
	string_list_remove_duplicates(&l, NULL);
	assert_int_equal(l.nr, 4);
	assert_string_equal(string_list_lookup(&l, "c")->string, "c");
	string_list_clear(&l, NULL);

	assert_int_equal(string_list_split(&l, "a:b,:c", ":,"), 4);
	assert_string_equal(l.items[2].string, "");

	assert_int_equal(string_list_split(&l, "", ","), 1);
	string_list_clear(&l, NULL);
}

/* ---- queue ---- */

struct item {
	int rank, order;
};

static int by_rank(const void *a, const void *b, void *data)
{
	const struct item *x = a, *y = b;

	assert_string_equal(data, "data");
	return x->rank - y->rank;
}

static void test_queue_is_stable(void **state)
{
	struct prio_queue q = { .compare = by_rank, .data = "data" };
	struct item items[1000], *last = NULL, *it;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		items[i] = (struct item){ i * 7919 % 10, i };
		prio_queue_put(&q, &items[i]);
	}
	assert_ptr_equal(prio_queue_peek(&q), &items[0]);
	for (size_t n = 0; n < 1000; n++) {
		it = prio_queue_get(&q);
		if (last)
			assert_true(last->rank < it->rank ||
				    (last->rank == it->rank && last->order < it->order));
		last = it;
	}
	assert_null(prio_queue_get(&q));
	assert_null(prio_queue_peek(&q));
	prio_queue_clear(&q);
}

static void test_queue_lifo(void **state)
{
	struct prio_queue q = { .compare = NULL };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		prio_queue_put(&q, as_value(i));
	assert_ptr_equal(prio_queue_peek(&q), as_value(4));
	prio_queue_reverse(&q);
	for (size_t i = 0; i < 5; i++)
		assert_ptr_equal(prio_queue_get(&q), as_value(i));
	prio_queue_reverse(&q);
	prio_queue_clear(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strmap_many),
		cmocka_unit_test(test_strmap_small),
		cmocka_unit_test(test_strmap_icase),
		cmocka_unit_test(test_ihash_folds_letters_only),
		cmocka_unit_test(test_hash_spreads),
		cmocka_unit_test(test_strset),
		cmocka_unit_test(test_string_list),
		cmocka_unit_test(test_queue_is_stable),
		cmocka_unit_test(test_queue_lifo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
