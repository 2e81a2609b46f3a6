/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The position of a group of changed lines is often a matter of choice: if the line before it
 * equals its last line, the group may as well begin one line earlier. Each group is moved as
 * far up and down as possible, and merged with the groups that it meets. Its possible positions are
 * preferred in this order:
 *
 *   the lowest one at which the other side has a changed group as well: it reads as a
 *   replacement;
 *   the one whose two ends look most like borders in the text (indent heuristic);
 *   the lowest.
 *
 * Between two groups the lines of both sides pair up, so group number n of one side
 * belongs to group number n of the other, where empty groups count.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

/* Lines begin .. end-1 are changed, those around are not. May be empty. */
struct group {
	ptrdiff_t begin, end;
};

struct slider {
	const struct text_side *s;
	struct group g;
};

static bool is_changed(const struct text_side *s, ptrdiff_t i)
{
	return s->changed[i]; /* -1 and nr are there */
}

static void first_group(struct slider *sl, const struct text_side *s)
{
	sl->s = s;
	sl->g = (struct group){ 0, 0 };
	while (is_changed(s, sl->g.end))
		sl->g.end++;
}

/* The group behind the next unchanged line; false at the end of the text. */
static bool next_group(struct slider *sl)
{
	if (sl->g.end == (ptrdiff_t)sl->s->nr)
		return false;
	sl->g.begin = sl->g.end = sl->g.end + 1;
	while (is_changed(sl->s, sl->g.end))
		sl->g.end++;
	return true;
}

static void previous_group(struct slider *sl)
{
	sl->g.end = sl->g.begin = sl->g.begin - 1;
	while (is_changed(sl->s, sl->g.begin - 1))
		sl->g.begin--;
}

/* One line up, if possible; merged with a group that it touches then. */
static bool slide_up(struct slider *sl)
{
	const struct text_side *s = sl->s;
	struct group *g = &sl->g;

	if (g->begin == 0 || s->id[g->begin - 1] != s->id[g->end - 1])
		return false;
	s->changed[--g->begin] = 1;
	s->changed[--g->end] = 0;
	while (is_changed(s, g->begin - 1))
		g->begin--;
	return true;
}

static bool slide_down(struct slider *sl)
{
	const struct text_side *s = sl->s;
	struct group *g = &sl->g;

	if (g->end == (ptrdiff_t)s->nr || s->id[g->begin] != s->id[g->end])
		return false;
	s->changed[g->begin++] = 0;
	s->changed[g->end++] = 1;
	while (is_changed(s, g->end))
		g->end++;
	return true;
}

/* ---- how a cut between two lines looks to a reader ---- */

#define DEEPEST 200	/* larger indents count as this many columns */
#define MOST_BLANKS 20	/* empty lines that are skipped */
#define FARTHEST 100	/* places that are compared */

/* Indent of a line in columns; -1: there is nothing but space in it. */
static int text_slide_indent_of(const struct text_line *l)
{
	int columns = 0;

	for (size_t i = 0; i < l->len; i++) {
		char c = l->text[i];

		if (c == ' ')
			columns++;
		else if (c == '\t')
			columns += 8 - columns % 8;
		else if (!diff_is_space(c))
			return columns;
		if (columns >= DEEPEST)
			return DEEPEST;
	}
	return -1;
}

/* A cut in front of line `at`. Indents are -1 where there is no such line. */
struct border {
	bool at_end;
	int indent;	  /* of the line behind the cut */
	int blank_before, indent_before; /* empty lines, and the line before those */
	int blank_after, indent_after;   /* behind the line */
};

/* Skips empty lines; returns the indent of the first other line. */
static int skip_blank(const struct text_side *s, ptrdiff_t at, int step, int *blank)
{
	*blank = 0;
	for (; at >= 0 && at < (ptrdiff_t)s->nr; at += step) {
		int indent = text_slide_indent_of(&s->lines[at]);

		if (indent != -1)
			return indent;
		if (++*blank == MOST_BLANKS)
			return 0;
	}
	return -1;
}

static struct border look_at(const struct text_side *s, ptrdiff_t at)
{
	struct border b = { .at_end = at >= (ptrdiff_t)s->nr, .indent = -1 };

	if (!b.at_end)
		b.indent = text_slide_indent_of(&s->lines[at]);
	b.indent_before = skip_blank(s, at - 1, -1, &b.blank_before);
	b.indent_after = skip_blank(s, at + 1, 1, &b.blank_after);
	return b;
}

/*
 * The smaller, the better. With these weights the results agree with Git's, whose weights
 * were fitted to the choices of people in many real changes.
 */
struct badness {
	int indent;
	int penalty;
};

static void add_badness(struct badness *sum, const struct border *b)
{
	int blank_after = b->indent == -1 ? 1 + b->blank_after : 0;
	int blank = b->blank_before + blank_after;
	int indent = b->indent != -1 ? b->indent : b->indent_after;

	if (b->indent_before == -1 && !b->blank_before)
		sum->penalty += 1; /* start of the text */
	if (b->at_end)
		sum->penalty += 21;
	/* between empty lines is good, best right behind them */
	sum->penalty += -30 * blank + 6 * blank_after;
	sum->indent += indent;
	if (indent == -1 || b->indent_before == -1 || indent == b->indent_before)
		return;
	if (indent > b->indent_before) /* a block begins */
		sum->penalty += blank ? 10 : -4;
	else if (b->indent_after != -1 && b->indent_after > indent) /* "} else {" */
		sum->penalty += blank ? 17 : 24;
	else /* a block has ended */
		sum->penalty += blank ? 17 : 23;
}

static int text_slide_compare(const struct badness *a, const struct badness *b)
{
	int indents = (a->indent > b->indent) - (a->indent < b->indent);

	return 60 * indents + (a->penalty - b->penalty);
}

/* The end, between `highest` and the present one, that looks best. */
static ptrdiff_t best_end(const struct text_side *s, const struct group *g, ptrdiff_t highest)
{
	ptrdiff_t lines = g->end - g->begin, best = -1, end = highest;
	struct badness least = { 0, 0 };

	/* beyond a group's own length the cuts repeat themselves */
	if (end < g->end - lines - 1)
		end = g->end - lines - 1;
	if (end < g->end - FARTHEST)
		end = g->end - FARTHEST;
	for (; end <= g->end; end++) {
		struct badness here = { 0, 0 };
		struct border b = look_at(s, end);

		add_badness(&here, &b);
		b = look_at(s, end - lines);
		add_badness(&here, &b);
		if (best == -1 || text_slide_compare(&here, &least) <= 0) {
			best = end;
			least = here;
		}
	}
	return best;
}

/* ---- all groups ---- */

/*
 * Move the group to its highest and then to its lowest position, again while it merges with
 * others on the way. `o` is moved along. *highest: its end at the highest position;
 * *paired: its end at the lowest position at which the other side has a group, -1: none.
 */
static void find_range(struct slider *sl, struct slider *o, ptrdiff_t *highest,
		       ptrdiff_t *paired)
{
	ptrdiff_t lines;

	do {
		lines = sl->g.end - sl->g.begin;
		*paired = -1;
		while (slide_up(sl))
			previous_group(o);
		*highest = sl->g.end;
		if (o->g.end > o->g.begin)
			*paired = sl->g.end;
		while (slide_down(sl)) {
			next_group(o);
			if (o->g.end > o->g.begin)
				*paired = sl->g.end;
		}
	} while (lines != sl->g.end - sl->g.begin);
}

/*
 * Histogram diff leaves frequent lines unmatched. Where a group was moved, so that now it faces
 * one that it was not compared with, lines that both have are found here.
 */
static void compare_again(struct text_marker *m, int side, const struct group *g,
			  const struct group *other)
{
	struct text_box box;

	box.side[side] = (struct text_range){ (size_t)g->begin, (size_t)g->end };
	box.side[!side] = (struct text_range){ (size_t)other->begin, (size_t)other->end };
	for (int i = 0; i < 2; i++)
		memset(m->d->side[i].changed + box.side[i].begin, 0,
		       box.side[i].end - box.side[i].begin);
	m->swapped = side == 1;
	text_mark_myers(m, box);
	m->swapped = false;
}

/* Where a group that was moved as far down as possible is to end. */
static ptrdiff_t choose_end(const struct slider *sl, ptrdiff_t highest, ptrdiff_t paired,
			    bool indent_heuristic)
{
	if (sl->g.end == highest)
		return highest; /* there is no choice */
	if (paired != -1)
		return paired;
	return indent_heuristic ? best_end(sl->s, &sl->g, highest) : sl->g.end;
}

void text_slide_groups(struct text_marker *m, int side)
{
	struct slider sl, o;

	first_group(&sl, &m->d->side[side]);
	first_group(&o, &m->d->side[!side]);
	do {
		ptrdiff_t highest, paired, end;
		const struct group before = sl.g;

		if (sl.g.begin == sl.g.end)
			continue;
		find_range(&sl, &o, &highest, &paired);
		end = choose_end(&sl, highest, paired, m->o->indent_heuristic);
		while (sl.g.end > end && slide_up(&sl))
			previous_group(&o);
		if (m->o->algorithm == DIFF_HISTOGRAM && o.g.begin != o.g.end &&
		    (before.end != sl.g.end || before.begin != sl.g.begin))
			compare_again(m, side, &sl.g, &o.g);
	} while (next_group(&sl) && next_group(&o));
}
