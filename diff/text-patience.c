/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patience diff, as Bram Cohen described it: lines that both sides have exactly once pair up.
 * The longest series of such pairs that is in order on both sides stays, as found by
 * patience sorting; the texts are cut there, and the parts between are solved alike, for there
 * other lines may be unique. A part without unique lines is left to Myers' search.
 *
 * An anchor (--anchored) is a unique line that has to stay: what would cross it goes.
 */
#include "compat/posix.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

#define NONE SIZE_MAX

/* A line that is unique on both sides; in the order of the old one. */
struct unique {
	size_t line[2];
	size_t before; /* in the series, index of the one before; NONE: the first */
};

struct series {
	struct unique *all;
	size_t nr;
	size_t *top; /* of pile n: the last line of the best series of length n+1 */
	size_t piles;
};

static bool is_anchor(const struct diff_options *o, const struct text_line *l)
{
	for (size_t i = 0; i < o->anchors.nr; i++) {
		size_t len = strlen(o->anchors.v[i]);

		if (len <= l->len && !memcmp(o->anchors.v[i], l->text, len))
			return true;
	}
	return false;
}

/* Counts and places of both sides, for lines of the box. */
static void take_stock(struct text_marker *m, const struct text_box *box)
{
	for (int s = 0; s < 2; s++) {
		const uint32_t *id = m->d->side[s].id;

		for (size_t i = box->side[s].begin; i < box->side[s].end; i++) {
			m->count[s][id[i]]++;
			m->place[s][id[i]] = (uint32_t)i;
		}
	}
}

static void forget_counts(struct text_marker *m, const struct text_box *box)
{
	for (int s = 0; s < 2; s++) {
		const uint32_t *id = m->d->side[s].id;

		for (size_t i = box->side[s].begin; i < box->side[s].end; i++)
			m->count[s][id[i]] = 0;
	}
}

static void find_unique(struct text_marker *m, const struct text_box *box, struct series *s)
{
	const uint32_t *id = m->d->side[0].id;

	take_stock(m, box);
	for (size_t i = box->side[0].begin; i < box->side[0].end; i++)
		if (m->count[0][id[i]] == 1 && m->count[1][id[i]] == 1)
			s->all[s->nr++] = (struct unique){ { i, m->place[1][id[i]] }, NONE };
	forget_counts(m, box);
}

/* The leftmost pile whose top comes later in the new text, among those from `least` on. */
static size_t pile_for(const struct series *s, size_t least, size_t new_line)
{
	size_t low = 0, high = s->piles;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->all[s->top[middle]].line[1] < new_line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < least ? NONE : low;
}

/* The first line of the series in ->before order is last; returns that last one. */
static size_t longest_series(const struct text_marker *m, struct series *s)
{
	size_t least = 0; /* piles below end in an anchor, and stay as they are */

	for (size_t i = 0; i < s->nr; i++) {
		struct unique *u = &s->all[i];
		size_t pile = pile_for(s, least, u->line[1]);

		if (pile == NONE)
			continue;
		u->before = pile ? s->top[pile - 1] : NONE;
		s->top[pile] = i;
		if (m->o->anchors.nr && is_anchor(m->o, &m->d->side[0].lines[u->line[0]])) {
			least = s->piles = pile + 1;
		} else if (pile == s->piles) {
			s->piles++;
		}
	}
	return s->piles ? s->top[s->piles - 1] : NONE;
}

/*
 * Pushes the lines between two cuts; equal lines beside a cut belong to the cut. The
 * end of the text is no cut.
 */
static void push_between(struct text_marker *m, struct text_box box, bool ends_in_cut)
{
	const uint32_t *a = m->d->side[0].id, *b = m->d->side[1].id;
	struct text_range *r = box.side;

	while (ends_in_cut && r[0].begin < r[0].end && r[1].begin < r[1].end &&
	       a[r[0].end - 1] == b[r[1].end - 1]) {
		r[0].end--;
		r[1].end--;
	}
	while (r[0].begin < r[0].end && r[1].begin < r[1].end &&
	       a[r[0].begin] == b[r[1].begin]) {
		r[0].begin++;
		r[1].begin++;
	}
	if (r[0].begin < r[0].end || r[1].begin < r[1].end)
		text_push_box(m, box);
}

static void cut_along(struct text_marker *m, const struct text_box *box, const struct series *s,
		      size_t last)
{
	size_t end[2] = { box->side[0].end, box->side[1].end };

	for (size_t i = last; i != NONE; i = s->all[i].before) {
		const size_t *line = s->all[i].line;

		push_between(m, (struct text_box){ { { line[0] + 1, end[0] },
						     { line[1] + 1, end[1] } } }, i != last);
		end[0] = line[0];
		end[1] = line[1];
	}
	push_between(m, (struct text_box){ { { box->side[0].begin, end[0] },
					     { box->side[1].begin, end[1] } } }, true);
}

void text_patience_box(struct text_marker *m, struct text_box box)
{
	size_t nr = box.side[0].end - box.side[0].begin, last;
	struct series s = { 0 };

	ALLOC_ARRAY(s.all, nr);
	find_unique(m, &box, &s);
	ALLOC_ARRAY(s.top, s.nr);
	last = longest_series(m, &s);
	if (last == NONE)
		text_mark_myers(m, box);
	else
		cut_along(m, &box, &s, last);
	free(s.all);
	free(s.top);
}
