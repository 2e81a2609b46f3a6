/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/assignment.h"

#define UNASSIGNED SIZE_MAX

struct assignment {
	const int32_t *costs;
	size_t n;
	int64_t *price;		     /* of columns */
	size_t *column_of, *row_of;  /* UNASSIGNED: none */
	size_t *unassigned, nr_unassigned; /* rows */
	/* shortest paths from one row to all columns */
	int64_t *distance;
	size_t *previous, *columns;  /* columns: the ones that are done, the nearest ones, the rest */
};

static int64_t reduced_cost(const struct assignment *a, size_t row, size_t column)
{
	return a->costs[row * a->n + column] - a->price[column];
}

/* Each column, from the last one, goes to the row where it is cheapest, unless that has one; wanted: how often a row is that. */
static void reduce_columns(struct assignment *a, size_t *wanted)
{
	for (size_t j = a->n; j-- > 0;) {
		size_t best = 0;

		for (size_t i = 1; i < a->n; i++)
			if (a->costs[i * a->n + j] < a->costs[best * a->n + j])
				best = i;
		a->price[j] = a->costs[best * a->n + j];
		if (!wanted[best]++) {
			a->column_of[best] = j;
			a->row_of[j] = best;
		}
	}
}

/* A row that is the cheapest of one column only: what another column would cost more makes that one cheaper. */
static void transfer_reduction(struct assignment *a, const size_t *wanted)
{
	for (size_t i = 0; i < a->n; i++) {
		int64_t least = INT64_MAX;

		if (a->column_of[i] == UNASSIGNED) {
			a->unassigned[a->nr_unassigned++] = i;
			continue;
		}
		if (wanted[i] > 1 || a->n < 2)
			continue;
		for (size_t j = 0; j < a->n; j++)
			if (j != a->column_of[i] && reduced_cost(a, i, j) < least)
				least = reduced_cost(a, i, j);
		a->price[a->column_of[i]] -= least;
	}
}

struct two_best {
	size_t first, second;
	int64_t first_cost, second_cost;
};

static struct two_best find_two_best(const struct assignment *a, size_t row)
{
	struct two_best b = { 0, UNASSIGNED, reduced_cost(a, row, 0), INT64_MAX };

	for (size_t j = 1; j < a->n; j++) {
		int64_t cost = reduced_cost(a, row, j);

		if (cost >= b.second_cost)
			continue;
		if (cost > b.first_cost) {
			b.second_cost = cost;
			b.second = j;
		} else {
			b.second_cost = b.first_cost;
			b.second = b.first;
			b.first_cost = cost;
			b.first = j;
		}
	}
	return b;
}

/* Rows without a column take their best one, from another row if need be, which then looks for its next best. */
static void reduce_rows(struct assignment *a)
{
	size_t todo = a->nr_unassigned, at = 0;

	a->nr_unassigned = 0;
	while (at < todo) {
		size_t row = a->unassigned[at++], other;
		struct two_best b = find_two_best(a, row);
		bool cheaper = b.first_cost < b.second_cost;
		size_t column = b.first;

		other = a->row_of[column];
		if (cheaper) {
			a->price[column] -= b.second_cost - b.first_cost;
		} else if (other != UNASSIGNED) {
			column = b.second;
			other = a->row_of[column];
		}
		a->column_of[row] = column;
		a->row_of[column] = row;
		if (other == UNASSIGNED)
			continue;
		a->column_of[other] = UNASSIGNED;
		if (cheaper)
			a->unassigned[--at] = other;
		else
			a->unassigned[a->nr_unassigned++] = other;
	}
}

static void swap_columns(struct assignment *a, size_t x, size_t y)
{
	size_t column = a->columns[x];

	a->columns[x] = a->columns[y];
	a->columns[y] = column;
}

/* Columns at nearest .. rest-1 are the nearest ones. Returns one of them without a row, or UNASSIGNED. */
static size_t gather_nearest(struct assignment *a, size_t nearest, size_t *rest, int64_t *least)
{
	*least = a->distance[a->columns[(*rest)++]];
	for (size_t k = *rest; k < a->n; k++) {
		int64_t d = a->distance[a->columns[k]];

		if (d > *least)
			continue;
		if (d < *least) {
			*rest = nearest;
			*least = d;
		}
		swap_columns(a, k, (*rest)++);
	}
	for (size_t k = nearest; k < *rest; k++)
		if (a->row_of[a->columns[k]] == UNASSIGNED)
			return a->columns[k];
	return UNASSIGNED;
}

/* Shorter paths through the row of the column. Returns a nearest column without a row, or UNASSIGNED. */
static size_t relax_paths(struct assignment *a, size_t column, size_t *rest, int64_t least)
{
	size_t row = a->row_of[column];
	int64_t base = reduced_cost(a, row, column) - least;

	for (size_t k = *rest; k < a->n; k++) {
		size_t j = a->columns[k];
		int64_t d = reduced_cost(a, row, j) - base;

		if (d >= a->distance[j])
			continue;
		a->distance[j] = d;
		a->previous[j] = row;
		if (d > least)
			continue;
		if (a->row_of[j] == UNASSIGNED)
			return j;
		swap_columns(a, k, (*rest)++);
	}
	return UNASSIGNED;
}

/* The end of the shortest path from the row to a column without a row; prices of the columns on the way are adapted. */
static size_t find_path(struct assignment *a, size_t row)
{
	size_t nearest = 0, rest = 0, done = 0, end = UNASSIGNED;
	int64_t least = 0;

	for (size_t j = 0; j < a->n; j++) {
		a->distance[j] = reduced_cost(a, row, j);
		a->previous[j] = row;
		a->columns[j] = j;
	}
	while (end == UNASSIGNED) {
		if (nearest == rest) {
			done = nearest;
			end = gather_nearest(a, nearest, &rest, &least);
		}
		if (end == UNASSIGNED)
			end = relax_paths(a, a->columns[nearest++], &rest, least);
	}
	for (size_t k = 0; k < done; k++)
		a->price[a->columns[k]] += a->distance[a->columns[k]] - least;
	return end;
}

static void augment(struct assignment *a, size_t start)
{
	size_t column = find_path(a, start), row, next;

	do {
		row = a->previous[column];
		a->row_of[column] = row;
		next = a->column_of[row];
		a->column_of[row] = column;
		column = next;
	} while (row != start);
}

void assignment_solve(const int32_t *costs, size_t n, size_t *columns, size_t *rows)
{
	struct assignment a = { .costs = costs, .n = n, .column_of = columns, .row_of = rows };
	size_t *wanted;

	if (!n)
		return;
	a.price = xcalloc(n, sizeof(*a.price));
	a.distance = xcalloc(n, sizeof(*a.distance));
	a.unassigned = xcalloc(n, sizeof(*a.unassigned));
	a.previous = xcalloc(n, sizeof(*a.previous));
	a.columns = xcalloc(n, sizeof(*a.columns));
	for (size_t i = 0; i < n; i++)
		columns[i] = rows[i] = UNASSIGNED;
	wanted = xcalloc(n, sizeof(*wanted));
	reduce_columns(&a, wanted);
	transfer_reduction(&a, wanted);
	if (n > 1) {
		reduce_rows(&a);
		reduce_rows(&a);
	}
	for (size_t i = 0; i < a.nr_unassigned; i++)
		augment(&a, a.unassigned[i]);
	free(a.price);
	free(a.distance);
	free(a.unassigned);
	free(a.previous);
	free(a.columns);
	free(wanted);
}
