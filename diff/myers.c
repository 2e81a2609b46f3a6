/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * E. W. Myers, "An O(ND) difference algorithm and its variations" (1986), in
 * linear space: two searches, from the start and from the end, each with one edit
 * more per round; where they meet is a point of a shortest script, and both sides
 * of it are solved alike.
 *
 * The backward search is the forward one on the sequences read from their ends, so
 * there is one search, used twice. On diagonal d (x minus y, each counted from
 * where the search began) reach[d] is the largest x that it has come to.
 *
 * Costs are bounded: a long search ends with a promising point or, at last, the farthest
 * one, instead of the best. Inputs that differ in most lines would need quadratic time
 * otherwise.
 */
#include "compat/posix.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

#define LONG_RUN 20	    /* equal lines in a row that make a point promising */
#define PROMISING_ROUNDS 256 /* look for one after so many rounds */
#define PROMISING_GAIN 4    /* and so much progress for each of them */
#define MIN_COST_LIMIT 256

struct box {
	size_t a0, a1, b0, b1;
};

struct search {
	int32_t *reach;	      /* by diagonal, -nb-1 .. na+1 */
	ptrdiff_t low, high;  /* diagonals of this round, every second one */
	bool backward;
};

struct myers {
	const struct myers_input *a, *b;
	int32_t *space[2];
	ptrdiff_t cost_limit;
};

/* Where a box is cut, and whether its parts are worth a full search. */
struct cut {
	size_t a, b;
	bool minimal_before, minimal_after;
};

/* The box as both searches see it. */
struct view {
	const uint32_t *a, *b; /* first elements of the box */
	ptrdiff_t na, nb;
};

static bool same(const struct view *v, bool backward, ptrdiff_t x, ptrdiff_t y)
{
	if (backward)
		return v->a[v->na - 1 - x] == v->b[v->nb - 1 - y];
	return v->a[x] == v->b[y];
}

/* One diagonal more on each side, as far as the box has them. */
static void widen(struct search *s, const struct view *v)
{
	if (s->low > -v->nb)
		s->reach[--s->low - 1] = -1;
	else
		s->low++;
	if (s->high < v->na)
		s->reach[++s->high + 1] = -1;
	else
		s->high--;
}

/* From x on along equal elements of diagonal d. */
static inline ptrdiff_t follow(const struct view *v, bool backward, ptrdiff_t d, ptrdiff_t x)
{
	ptrdiff_t end = v->na < v->nb + d ? v->na : v->nb + d;

	if (backward) {
		const uint32_t *a_last = v->a + v->na - 1;

		while (x < end && *(a_last - x) == v->b[v->nb - 1 - x + d])
			x++;
	} else {
		while (x < end && v->a[x] == v->b[x - d])
			x++;
	}
	return x;
}

/*
 * Both searches visit diagonals from the same end: downwards in the forward search, upwards
 * in the backward one. The order decides between equally good points.
 */
static ptrdiff_t first_diagonal(const struct search *s)
{
	return s->backward ? s->low : s->high;
}

static bool next_diagonal(const struct search *s, ptrdiff_t *d)
{
	*d += s->backward ? 2 : -2;
	return *d >= s->low && *d <= s->high;
}

/* A point (x, y) of a search, in the coordinates of the sequences. */
static void set_cut(struct cut *cut, const struct box *box, const struct search *s,
		    const struct view *v, ptrdiff_t x, ptrdiff_t y)
{
	cut->a = box->a0 + (size_t)(s->backward ? v->na - x : x);
	cut->b = box->b0 + (size_t)(s->backward ? v->nb - y : y);
}

/*
 * A round of one search: one edit more on each diagonal, then along equal elements.
 * True if it met the other search. Most time is spent here, so that it is compiled once for
 * each direction.
 */
static inline __attribute__((always_inline)) bool
advance_towards(struct search *s, const struct search *other, const struct view *v,
		bool backward, bool may_meet, const struct box *box, struct cut *cut,
		bool *long_run)
{
	int32_t *reach = s->reach;
	ptrdiff_t d;

	widen(s, v);
	if (s->low > s->high)
		return false;
	d = backward ? s->low : s->high;
	for (; d >= s->low && d <= s->high; d += backward ? 2 : -2) {
		ptrdiff_t below = reach[d - 1], above = reach[d + 1];
		ptrdiff_t start = below >= above ? below + 1 : above;
		ptrdiff_t x = follow(v, backward, d, start);
		ptrdiff_t across; /* the other one's name of d */

		if (x - start > LONG_RUN)
			*long_run = true;
		reach[d] = (int32_t)x;
		if (!may_meet)
			continue;
		across = v->na - v->nb - d;
		if (across < other->low || across > other->high ||
		    v->na - other->reach[across] > x)
			continue;
		set_cut(cut, box, s, v, x, x - d);
		cut->minimal_before = cut->minimal_after = true;
		return true;
	}
	return false;
}

static bool behind_long_run(const struct search *s, const struct view *v, ptrdiff_t x,
			    ptrdiff_t y)
{
	for (ptrdiff_t k = 1; k <= LONG_RUN; k++)
		if (!same(v, s->backward, x - k, y - k))
			return false;
	return true;
}

/* The point that got farthest for its detours and has a long run behind it. */
static bool find_promising(const struct search *s, const struct view *v, ptrdiff_t rounds,
			   const struct box *box, struct cut *cut)
{
	ptrdiff_t best = 0, d;

	if (s->low > s->high)
		return false;
	d = first_diagonal(s);
	do {
		ptrdiff_t x = s->reach[d], y = x - d;
		ptrdiff_t progress = x + y - (d < 0 ? -d : d);

		if (progress <= PROMISING_GAIN * rounds || progress <= best)
			continue;
		if (x < LONG_RUN || x >= v->na || y < LONG_RUN || y >= v->nb)
			continue;
		if (!behind_long_run(s, v, x, y))
			continue;
		best = progress;
		set_cut(cut, box, s, v, x, y);
	} while (next_diagonal(s, &d));
	cut->minimal_before = !s->backward;
	cut->minimal_after = s->backward;
	return best > 0;
}

/* The point that got farthest; returns how far. */
static ptrdiff_t find_farthest(const struct search *s, const struct view *v,
			       const struct box *box, struct cut *cut)
{
	ptrdiff_t best = -1, d;

	if (s->low > s->high)
		return best;
	d = first_diagonal(s);
	do {
		ptrdiff_t x = s->reach[d] < v->na ? s->reach[d] : v->na;
		ptrdiff_t y = x - d;

		if (y > v->nb) {
			y = v->nb;
			x = y + d;
		}
		if (x + y <= best)
			continue;
		best = x + y;
		set_cut(cut, box, s, v, x, y);
	} while (next_diagonal(s, &d));
	cut->minimal_before = !s->backward;
	cut->minimal_after = s->backward;
	return best;
}

/* A point on a short path through the box. Neither side of the box is empty. */
static void find_cut(struct myers *m, const struct box *box, bool minimal, struct cut *cut)
{
	struct view v = {
		m->a->id + box->a0, m->b->id + box->b0,
		(ptrdiff_t)(box->a1 - box->a0), (ptrdiff_t)(box->b1 - box->b0),
	};
	struct search forward = { m->space[0] + v.nb + 1, 0, 0, false };
	struct search backward = { m->space[1] + v.nb + 1, 0, 0, true };
	bool odd = (v.na - v.nb) & 1;

	forward.reach[0] = backward.reach[0] = 0;
	for (ptrdiff_t round = 1;; round++) {
		bool long_run = false;
		struct cut other;

		if (advance_towards(&forward, &backward, &v, false, odd, box, cut, &long_run) ||
		    advance_towards(&backward, &forward, &v, true, !odd, box, cut, &long_run))
			return;
		if (minimal)
			continue;
		if (long_run && round > PROMISING_ROUNDS &&
		    (find_promising(&forward, &v, round, box, cut) ||
		     find_promising(&backward, &v, round, box, cut)))
			return;
		if (round < m->cost_limit)
			continue;
		if (find_farthest(&backward, &v, box, &other) >=
		    find_farthest(&forward, &v, box, cut))
			*cut = other;
		return;
	}
}

static void mark(const struct myers_input *in, size_t from, size_t to)
{
	for (; from < to; from++)
		in->changed[in->line[from]] = 1;
}

static size_t box_size(const struct box *b)
{
	return b->a1 - b->a0 + b->b1 - b->b0;
}

/* The smaller part is solved by recursion, the larger one here: depth stays low. */
static void solve(struct myers *m, struct box box, bool minimal)
{
	for (;;) {
		struct cut cut;
		struct box before, after;

		while (box.a0 < box.a1 && box.b0 < box.b1 &&
		       m->a->id[box.a0] == m->b->id[box.b0]) {
			box.a0++;
			box.b0++;
		}
		while (box.a0 < box.a1 && box.b0 < box.b1 &&
		       m->a->id[box.a1 - 1] == m->b->id[box.b1 - 1]) {
			box.a1--;
			box.b1--;
		}
		if (box.a0 == box.a1 || box.b0 == box.b1) {
			mark(m->a, box.a0, box.a1);
			mark(m->b, box.b0, box.b1);
			return;
		}
		find_cut(m, &box, minimal, &cut);
		before = (struct box){ box.a0, cut.a, box.b0, cut.b };
		after = (struct box){ cut.a, box.a1, cut.b, box.b1 };
		if (box_size(&before) < box_size(&after)) {
			solve(m, before, minimal || cut.minimal_before);
			box = after;
			minimal = minimal || cut.minimal_after;
		} else {
			solve(m, after, minimal || cut.minimal_after);
			box = before;
			minimal = minimal || cut.minimal_before;
		}
	}
}

size_t text_rough_root(size_t n)
{
	size_t root = 1;

	for (; n; n >>= 2)
		root <<= 1;
	return root;
}

void myers_mark(const struct myers_input *a, const struct myers_input *b, bool minimal)
{
	struct myers m = { .a = a, .b = b };
	size_t diagonals = st_add(st_add(a->nr, b->nr), 3);

	m.cost_limit = (ptrdiff_t)text_rough_root(diagonals);
	if (m.cost_limit < MIN_COST_LIMIT)
		m.cost_limit = MIN_COST_LIMIT;
	ALLOC_ARRAY(m.space[0], diagonals);
	ALLOC_ARRAY(m.space[1], diagonals);
	solve(&m, (struct box){ 0, a->nr, 0, b->nr }, minimal);
	free(m.space[0]);
	free(m.space[1]);
}
