/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The assignment problem: give each row a column of its own, so that the sum of the costs is as small as possible. After
 * R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems" (1987).
 *
 * Cost:  O(n^3) steps, seldom that many; memory for some arrays of n numbers.
 * Tests: t/unit/test-assignment.c; t/interop/range-diff.py
 */
#ifndef UTIL_ASSIGNMENT_H
#define UTIL_ASSIGNMENT_H

#include "compat/posix.h"

/* costs[row * n + column] >= 0; columns[row] is the result, rows[column] its reverse. */
void assignment_solve(const int32_t *costs, size_t n, size_t *columns, size_t *rows);

#endif
