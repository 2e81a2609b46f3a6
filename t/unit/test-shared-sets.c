/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared sets, compared with plain arrays of members. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/shared-sets.h"

#define SETS 60

/* SETS sets with their members, made by adding to others and by unions. */
struct model {
	struct shared_sets *s;
	uint32_t nr;
	shared_set set[SETS];
	bool *has[SETS];
	uint64_t seed;
};

static uint32_t next(struct model *m, uint32_t below)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)((m->seed >> 33) % below);
}

static void make(struct model *m, unsigned i)
{
	unsigned a = i ? next(m, i) : 0, b = i ? next(m, i) : 0;

	CALLOC_ARRAY(m->has[i], m->nr);
	m->set[i] = SHARED_SET_EMPTY;
	if (!i)
		return;
	memcpy(m->has[i], m->has[a], m->nr * sizeof(bool));
	m->set[i] = m->set[a];
	if (i % 3) {
		for (int n = 0; n < 5; n++) {
			uint32_t member = n || i % 2 ? next(m, m->nr) : m->nr - 1;

			m->has[i][member] = true;
			m->set[i] = shared_sets_add(m->s, m->set[i], member);
		}
		return;
	}
	for (uint32_t k = 0; k < m->nr; k++)
		m->has[i][k] |= m->has[b][k];
	m->set[i] = shared_sets_union(m->s, m->set[i], m->set[b]);
}

static void compare(const struct model *m, unsigned a, unsigned b)
{
	bool includes = true, same = true;

	for (uint32_t k = 0; k < m->nr; k++) {
		includes &= m->has[a][k] || !m->has[b][k];
		same &= m->has[a][k] == m->has[b][k];
	}
	assert_int_equal(shared_sets_includes(m->s, m->set[a], m->set[b]), includes);
	assert_int_equal(m->set[a] == m->set[b], same);
}

static void check_members(const struct model *m, unsigned i)
{
	uint32_t nr = 0;

	for (uint32_t k = 0; k < m->nr; k++) {
		assert_int_equal(shared_sets_has(m->s, m->set[i], k), m->has[i][k]);
		nr += m->has[i][k];
	}
	assert_int_equal(shared_sets_count(m->s, m->set[i]), nr);
}

/* One level of blocks, exactly full, one more; two, three, four levels. */
static void test_model(void **state)
{
	static const uint32_t sizes[] = { 1, 31, 256, 257, 2048, 2049, 40000 };

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(sizes); n++) {
		struct model m = { .s = shared_sets_new(sizes[n]), .nr = sizes[n], .seed = n };

		for (unsigned i = 0; i < SETS; i++)
			make(&m, i);
		for (unsigned i = 0; i < SETS; i++) {
			check_members(&m, i);
			for (unsigned k = 0; k < SETS; k++)
				compare(&m, i, k);
		}
		for (unsigned i = 0; i < SETS; i++)
			free(m.has[i]);
		shared_sets_free(m.s);
	}
}

/* However a set is made, it is the same one; the first and the last number are members like others. */
static void test_order(void **state)
{
	struct shared_sets *s = shared_sets_new(100000);
	shared_set up = SHARED_SET_EMPTY, down = SHARED_SET_EMPTY;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		up = shared_sets_add(s, up, i * 1010);
		down = shared_sets_add(s, down, (99 - i) * 1010);
	}
	assert_int_equal(up, down);
	assert_int_equal(shared_sets_add(s, up, 1010), up);
	up = shared_sets_add(s, up, 99999);
	assert_true(shared_sets_has(s, up, 99999) && shared_sets_has(s, up, 0));
	assert_false(shared_sets_has(s, up, 100000));
	assert_false(shared_sets_has(s, up, UINT32_MAX));
	shared_sets_free(s);
	shared_sets_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
