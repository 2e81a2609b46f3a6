/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which commits of two ranges correspond: git-range-diff(1), "Algorithm". Commits with the same difference are a pair. For
 * the others a matrix holds a cost for each two of them: the lines of the difference between their differences. Rows and
 * columns behind them stand for "no counterpart", at a cost that depends on the size of the commit.
 */
#include "compat/posix.h"
#include "builtin/range-diff/range-diff.h"
#include "util/alloc.h"
#include "util/assignment.h"
#include "util/map.h"

#define COST_MAX (1 << 16) /* two commits that are no pair */

/* ---- the same difference ---- */

/* The last one of `a` with that text that has no counterpart. */
static ssize_t find_same(const struct range_patches *a, const char *text, size_t len)
{
	for (size_t i = a->nr; i-- > 0;) {
		size_t other_len;
		const char *other = range_patch_diff(&a->items[i], &other_len);

		if (a->items[i].match < 0 && len == other_len && !memcmp(text, other, len))
			return (ssize_t)i;
	}
	return -1;
}

static void match_same(struct range_patches *a, struct range_patches *b)
{
	for (size_t j = 0; j < b->nr; j++) {
		size_t len;
		const char *text = range_patch_diff(&b->items[j], &len);
		ssize_t i = find_same(a, text, len);

		if (i < 0)
			continue;
		a->items[i].match = (ssize_t)j;
		b->items[j].match = i;
	}
}

/* ---- costs ---- */

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

static void hash_lines(struct range_patches *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct range_patch *p = &l->items[i];
		size_t len, alloc = 0;
		const char *line = range_patch_diff(p, &len), *stop = line + len, *end;

		for (; line < stop; line = end + 1) {
			end = memchr(line, '\n', stop - line);
			ALLOC_GROW(p->hashes, p->nr_hashes + 1, alloc);
			p->hashes[p->nr_hashes++] = hash_bytes(line, end - line);
		}
		qsort(p->hashes, p->nr_hashes, sizeof(*p->hashes), compare_hashes);
	}
}

/* Lines that only one of the two has: the difference has no less. */
static size_t count_lone_lines(const struct range_patch *a, const struct range_patch *b)
{
	size_t i = 0, j = 0, common = 0;

	while (i < a->nr_hashes && j < b->nr_hashes) {
		if (a->hashes[i] == b->hashes[j]) {
			common++;
			i++;
			j++;
		} else if (a->hashes[i] < b->hashes[j]) {
			i++;
		} else {
			j++;
		}
	}
	return a->nr_hashes + b->nr_hashes - 2 * common;
}

static int32_t lone_cost(const struct range_patch *p, int factor)
{
	int64_t cost = (int64_t)p->diff_lines * factor / 100;

	if (p->match >= 0 || cost > COST_MAX)
		return COST_MAX;
	return cost < 0 ? 0 : (int32_t)cost;
}

/* No solution contains a pair that costs more than its two commits without counterparts: it need not be compared. */
static int32_t pair_cost(const struct range_patch *a, const struct range_patch *b, int64_t apart)
{
	struct diff_options plain;
	size_t a_len, b_len, cost = count_lone_lines(a, b);
	const char *a_text = range_patch_diff(a, &a_len), *b_text = range_patch_diff(b, &b_len);

	if ((int64_t)cost <= apart) {
		diff_options_init(&plain, NULL);
		plain.indent_heuristic = false;
		cost = diff_texts_lines(&plain, a_text, a_len, b_text, b_len);
		diff_options_release(&plain);
	}
	return cost < COST_MAX ? (int32_t)cost : COST_MAX;
}

/* A row for each commit of the second range, a column for each of the first one. */
static void fill_row(int32_t *row, const struct range_patch *b, size_t j, const struct range_patches *a, size_t n, int factor)
{
	int32_t alone = lone_cost(b, factor);

	for (size_t i = 0; i < a->nr; i++) {
		const struct range_patch *other = &a->items[i];

		if (other->match == (ssize_t)j)
			row[i] = 0;
		else if (b->match >= 0 || other->match >= 0)
			row[i] = COST_MAX;
		else
			row[i] = pair_cost(other, b, (int64_t)alone + lone_cost(other, factor));
	}
	for (size_t i = a->nr; i < n; i++)
		row[i] = alone;
}

static void match_by_costs(struct range_patches *a, struct range_patches *b, int factor)
{
	size_t n = a->nr + b->nr, *columns, *rows;
	int32_t *costs = xcalloc(n, n * sizeof(*costs));

	ALLOC_ARRAY(columns, n);
	ALLOC_ARRAY(rows, n);
	hash_lines(a);
	hash_lines(b);
	for (size_t j = 0; j < b->nr; j++)
		fill_row(costs + j * n, &b->items[j], j, a, n, factor);
	for (size_t j = b->nr; j < n; j++)
		for (size_t i = 0; i < a->nr; i++)
			costs[j * n + i] = lone_cost(&a->items[i], factor);
	assignment_solve(costs, n, columns, rows);
	for (size_t j = 0; j < b->nr; j++) {
		if (columns[j] >= a->nr)
			continue;
		b->items[j].match = (ssize_t)columns[j];
		a->items[columns[j]].match = (ssize_t)j;
	}
	free(costs);
	free(columns);
	free(rows);
}

int range_patches_match(struct range_patches *a, struct range_patches *b, const struct range_diff_options *o, struct err *err)
{
	uint64_t n = (uint64_t)a->nr + b->nr, bytes = n * n * sizeof(int32_t);

	match_same(a, b);
	if (n > UINT32_MAX || bytes >= o->max_memory)
		return err_set(err, ERR_INVALID,
			       "range-diff: unable to compute the range-diff, since it exceeds the maximum memory for the cost "
			       "matrix: %" PRIu64 " bytes (%" PRIu64 " bytes) needed, limited to %" PRIu64 " bytes (%" PRIu64 " bytes)",
			       bytes, bytes, o->max_memory, o->max_memory);
	match_by_costs(a, b, o->creation_factor);
	return 0;
}
