/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/assignment.h"

#define N_MAX 13
#define SMALL_MAX 10

/* The sum of a solution, which has to be one: each row has a column, and each column is that of one row. */
static int64_t solve(const int32_t *costs, size_t n)
{
	size_t columns[N_MAX], rows[N_MAX];
	int64_t sum = 0;

	assignment_solve(costs, n, columns, rows);
	for (size_t i = 0; i < n; i++) {
		assert_in_range(columns[i], 0, n - 1);
		assert_int_equal(rows[columns[i]], i);
		sum += costs[i * n + columns[i]];
	}
	return sum;
}

/* The least sum, from those of the first rows with each set of columns. */
static int64_t least_sum(const int32_t *costs, size_t n)
{
	static int64_t least[1 << SMALL_MAX];

	for (unsigned set = 1; set < 1u << n; set++) {
		size_t row = (size_t)__builtin_popcount(set) - 1;

		least[set] = INT64_MAX;
		for (size_t j = 0; j < n; j++) {
			int64_t sum = least[set & ~(1u << j)] + costs[row * n + j];

			if (set >> j & 1 && sum < least[set])
				least[set] = sum;
		}
	}
	return least[(1u << n) - 1];
}

/* Columns that are cheap for all rows make them compete. */
static void test_small(void **state)
{
	int32_t costs[SMALL_MAX * SMALL_MAX], cheap[SMALL_MAX];
	uint32_t x = 1;

	(void)state;
	for (unsigned turn = 0; turn < 3000; turn++) {
		size_t n = turn % SMALL_MAX + 1;

		for (size_t k = 0; k < n * n; k++) {
			x = x * 1664525 + 1013904223;
			if (k < n)
				cheap[k] = (int32_t)((x >> 12) % 40);
			costs[k] = cheap[k % n] + (int32_t)((x >> 16) % (turn % 4 ? 30 : 1000));
		}
		assert_int_equal(solve(costs, n), least_sum(costs, n));
	}
}

/* As range-diff has them: seven commits and six, with rows and columns for commits without counterparts. Git 2.55 finds 237. */
static void test_commits_without_counterparts(void **state)
{
	static const int32_t pairs[6][7] = {
		{ 30, 20, 33, 46, 60, 35, 29 }, { 30, 32, 22, 32, 58, 22, 38 }, { 17, 37, 30, 13, 47, 22, 47 },
		{ 50, 60, 55, 55, 21, 46, 72 }, { 20, 22, 19, 32, 46, 21, 31 }, { 36, 42, 35, 44, 62, 34, 42 },
	};
	static const int32_t row_alone[6] = { 310, 240, 190, 440, 170, 250 };
	static const int32_t column_alone[7] = { 100, 160, 90, 190, 370, 80, 340 };
	int32_t costs[N_MAX * N_MAX];

	(void)state;
	for (size_t i = 0; i < N_MAX; i++)
		for (size_t j = 0; j < N_MAX; j++)
			costs[i * N_MAX + j] = i < 6 ? (j < 7 ? pairs[i][j] : row_alone[i]) : j < 7 ? column_alone[j] : 0;
	assert_int_equal(solve(costs, N_MAX), 218);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_commits_without_counterparts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
