/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histogram diff, which extends patience diff to lines that are not unique: of all runs of
 * lines that both sides have, the one stays whose rarest line occurs least in the old text
 * (and of those the longest); the texts are cut there, and the parts before and behind it are
 * solved alike. A line with more than 64 occurrences starts no run. Where only such lines are
 * common, Myers' search decides.
 */
#include "compat/posix.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

#define MOST_OCCURRENCES 64
#define NO_LINE UINT32_MAX
/*
 * Texts can be made for which the parts hardly get smaller. From so many lines looked at on
 * (about a second), Myers' search takes the parts that are left.
 */
#define MOST_EFFORT ((uint64_t)1 << 28)

/* Equal lines: a .. a_end-1 and b .. b_end-1. */
struct run {
	size_t a, a_end, b, b_end;
};

struct search {
	struct text_marker *m;
	struct text_box box;
	struct run best;
	uint32_t rarity; /* occurrences of the rarest line of `best` */
	bool any_common;
};

static uint32_t occurrences(const struct search *s, size_t a)
{
	return s->m->count[0][s->m->d->side[0].id[a]];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* For each line of the old side the next one that is equal; place[0] has the first ones. */
static void index_old_side(struct text_marker *m, struct text_range r)
{
	const uint32_t *id = m->d->side[0].id;

	if (!m->next)
		ALLOC_ARRAY(m->next, m->d->side[0].nr);
	for (size_t i = r.end; i-- > r.begin;) {
		m->next[i] = m->count[0][id[i]]++ ? m->place[0][id[i]] : NO_LINE;
		m->place[0][id[i]] = (uint32_t)i;
	}
}

static void forget_old_side(struct text_marker *m, struct text_range r)
{
	const uint32_t *id = m->d->side[0].id;

	for (size_t i = r.begin; i < r.end; i++)
		m->count[0][id[i]] = 0;
}

/* All equal lines around old line a and new line b; returns how often the rarest occurs. */
static uint32_t extend(struct search *s, size_t a, size_t b, struct run *run)
{
	const struct text_diff *d = s->m->d;
	const struct text_range *r = s->box.side;
	uint32_t rarest = occurrences(s, a);

	*run = (struct run){ a, a + 1, b, b + 1 };
	while (run->a > r[0].begin && run->b > r[1].begin &&
	       d->side[0].id[run->a - 1] == d->side[1].id[run->b - 1]) {
		run->a--;
		run->b--;
		rarest = smaller(rarest, occurrences(s, run->a));
	}
	while (run->a_end < r[0].end && run->b_end < r[1].end &&
	       d->side[0].id[run->a_end] == d->side[1].id[run->b_end]) {
		rarest = smaller(rarest, occurrences(s, run->a_end));
		run->a_end++;
		run->b_end++;
	}
	s->m->effort += run->a_end - run->a;
	return rarest;
}

/* Try each occurrence of new line b; returns the next line that is worth a try. */
static size_t try_line(struct search *s, size_t b)
{
	struct text_marker *m = s->m;
	uint32_t id = m->d->side[1].id[b], a;
	size_t next = b + 1;

	if (!m->count[0][id])
		return next;
	s->any_common = true;
	if (m->count[0][id] > s->rarity)
		return next;
	for (a = m->place[0][id]; a != NO_LINE;) {
		struct run run;
		uint32_t rarest = extend(s, a, b, &run);

		if (run.b_end > next)
			next = run.b_end;
		if (run.a_end - run.a > s->best.a_end - s->best.a || rarest < s->rarity) {
			s->best = run;
			s->rarity = rarest;
		}
		while (a != NO_LINE && a < run.a_end)
			a = m->next[a];
	}
	return next;
}

static void find_best_run(struct search *s)
{
	struct text_range old = s->box.side[0], new = s->box.side[1];

	index_old_side(s->m, old);
	for (size_t b = new.begin; b < new.end;)
		b = try_line(s, b);
	s->m->effort += old.end - old.begin + new.end - new.begin;
	forget_old_side(s->m, old);
}

void text_histogram_box(struct text_marker *m, struct text_box box)
{
	struct search s = { .m = m, .box = box, .rarity = MOST_OCCURRENCES + 1 };

	if (m->effort > MOST_EFFORT) {
		text_mark_myers(m, box);
		return;
	}
	find_best_run(&s);
	if (!s.any_common) {
		text_mark_all(m, box);
	} else if (s.rarity > MOST_OCCURRENCES) {
		text_mark_myers(m, box);
	} else {
		text_push_box(m, (struct text_box){ { { box.side[0].begin, s.best.a },
						      { box.side[1].begin, s.best.b } } });
		text_push_box(m, (struct text_box){ { { s.best.a_end, box.side[0].end },
						      { s.best.b_end, box.side[1].end } } });
	}
}
