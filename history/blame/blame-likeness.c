/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which old line became which new one? For commits whose changes are ignored (--ignore-rev).
 *
 * A line is described by how often each pair of neighbouring characters is in it; letters count as small, and all white space as
 * one character. The likeness of two lines is the number of pairs that they have in common. Pairs of an old line that a new
 * line has taken are no longer there for others.
 *
 * Within a change, lines keep their order. The surest match is fixed first; what stands before and behind it is then
 * matched in the same way. A new line is compared with the old lines around the place that is proportionally its own, and
 * nearer ones are preferred. A line without a match in its change may become any line of the old file that is like enough.
 *
 * Cost: a new line is compared with up to 21 old ones, more often where matches near it are fixed; one without a match, with all.
 */
#include "compat/posix.h"
#include "history/blame/blame-internal.h"
#include "util/alloc.h"

#define REACH 10	   /* old lines on each side of the place of a new one */
#define FAR_LIKENESS 10    /* least likeness of a line elsewhere in the file */
#define NEAR_BONUS 1000    /* likeness weighs more than distance */

struct pair_count {
	uint16_t pair;
	uint32_t nr;
};

struct line_pairs {
	size_t first, nr;
};

/* The pairs of all lines of a text. */
struct text_pairs {
	struct pair_count *pairs;
	size_t nr, alloc;
	struct line_pairs *lines;
	size_t nr_lines, alloc_lines;
};

/* A new line of the change and its matches; lines of the change are counted from 0. */
struct line_match {
	ssize_t best, second; /* old lines; best -1: none */
	int64_t sureness;
	bool known;
};

struct likeness {
	struct text_pairs old, new;
	/* ---- the change that is looked at ---- */
	const struct text_change *change;
	size_t reach, new_reach; /* how far apart lines may be, in old and in new lines */
	struct line_match *matches;
};

/* ---- pairs ---- */

static int by_number(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void add_line(struct text_pairs *t, const char *line, size_t len)
{
	struct line_pairs l = { .first = t->nr };
	unsigned before = 0;
	uint16_t *all;
	size_t nr = 0;

	ALLOC_ARRAY(all, len + 1);
	for (size_t i = 0; i <= len; i++) {
		unsigned char c = i < len ? (unsigned char)line[i] : ' ';
		unsigned now = isspace(c) ? 0 : (unsigned)tolower(c);

		if (before || now)
			all[nr++] = (uint16_t)(before | now << 8);
		before = now;
	}
	qsort(all, nr, sizeof(*all), by_number);
	for (size_t i = 0; i < nr; i++) {
		if (t->nr > l.first && t->pairs[t->nr - 1].pair == all[i]) {
			t->pairs[t->nr - 1].nr++;
			continue;
		}
		ALLOC_GROW(t->pairs, t->nr + 1, t->alloc);
		t->pairs[t->nr++] = (struct pair_count){ all[i], 1 };
	}
	l.nr = t->nr - l.first;
	ALLOC_GROW(t->lines, t->nr_lines + 1, t->alloc_lines);
	t->lines[t->nr_lines++] = l;
	free(all);
}

static void read_pairs(struct text_pairs *t, const struct object_buf *text)
{
	const char *at = text->data;
	size_t left = text->size;

	while (left) {
		const char *nl = memchr(at, '\n', left);
		size_t len = nl ? (size_t)(nl + 1 - at) : left;

		add_line(t, at, len);
		at += len;
		left -= len;
	}
}

/* The pairs that both lines have. take: the old one loses them. */
static unsigned common_pairs(struct likeness *k, size_t old_line, size_t new_line, bool take)
{
	const struct line_pairs *lo = &k->old.lines[old_line], *ln = &k->new.lines[new_line];
	struct pair_count *o = k->old.pairs + lo->first, *o_end = o + lo->nr;
	const struct pair_count *n = k->new.pairs + ln->first, *n_end = n + ln->nr;
	unsigned common = 0;

	while (o < o_end && n < n_end) {
		if (o->pair == n->pair) {
			uint32_t both = o->nr < n->nr ? o->nr : n->nr;

			common += both;
			if (take)
				o->nr -= both;
			n++;
			o++;
		} else if (o->pair < n->pair) {
			o++;
		} else {
			n++;
		}
	}
	return common;
}

/* ---- within a change ---- */

/* The old line of the change at the place of that new one. */
static size_t place_of(const struct likeness *k, size_t line)
{
	return (2 * line + 1) * k->change->old_nr / (2 * k->change->new_nr);
}

/* Find the match of a new line among the old lines begin .. end-1. */
static void match_line(struct likeness *k, size_t line, size_t begin, size_t end)
{
	const struct text_change *c = k->change;
	struct line_match *m = &k->matches[line];
	int64_t best = 0, second = 0;
	size_t place = place_of(k, line);

	if (m->known)
		return;
	m->known = true;
	m->best = -1;
	m->second = (ssize_t)begin;
	m->sureness = -1;
	for (size_t o = place > begin + k->reach ? place - k->reach : begin; o < end && o <= place + k->reach; o++) {
		size_t distance = o > place ? o - place : place - o;
		int64_t score = (int64_t)common_pairs(k, c->old_first + o, c->new_first + line, false) *
				(NEAR_BONUS - (int64_t)distance);

		if (score > best) {
			second = best;
			m->second = m->best < 0 ? (ssize_t)begin : m->best;
			best = score;
			m->best = (ssize_t)o;
		} else if (score > second) {
			second = score;
			m->second = (ssize_t)o;
		}
	}
	if (m->best >= 0)
		m->sureness = 2 * best - second;
}

/* The new line was fixed: others near it may no longer match lines on its wrong side. */
static void forget_matches(struct likeness *k, size_t fixed, size_t begin, size_t end)
{
	ssize_t old = k->matches[fixed].best;

	if (fixed > begin + k->new_reach)
		begin = fixed - k->new_reach;
	if (end > fixed + k->new_reach + 1)
		end = fixed + k->new_reach + 1;
	for (size_t i = begin; i < end; i++) {
		struct line_match *m = &k->matches[i];

		if (i == fixed || m->best < 0)
			continue;
		if (i < fixed ? m->best >= old || m->second >= old : m->best <= old || m->second <= old)
			m->known = false;
	}
}

/* Match the new lines begin .. end-1 with the old lines old_begin .. old_end-1. */
static void match_range(struct likeness *k, size_t begin, size_t end, size_t old_begin, size_t old_end)
{
	while (begin < end) {
		size_t surest = begin, old;

		for (size_t i = begin; i < end; i++) {
			match_line(k, i, old_begin, old_end);
			if (k->matches[i].sureness > k->matches[surest].sureness)
				surest = i;
		}
		if (k->matches[surest].sureness < 0)
			return;
		old = (size_t)k->matches[surest].best;
		common_pairs(k, k->change->old_first + old, k->change->new_first + surest, true);
		forget_matches(k, surest, begin, end);
		match_range(k, begin, surest, old_begin, old + 1);
		begin = surest + 1;
		old_begin = old;
	}
}

static void match_in_change(struct likeness *k, ssize_t *out)
{
	const struct text_change *c = k->change;

	k->reach = c->old_nr <= REACH ? c->old_nr - 1 : REACH;
	k->new_reach = ((2 * k->reach + 1) * c->new_nr - 1) / c->old_nr;
	CALLOC_ARRAY(k->matches, c->new_nr);
	match_range(k, 0, c->new_nr, 0, c->old_nr);
	for (size_t i = 0; i < c->new_nr; i++)
		if (k->matches[i].known && k->matches[i].best >= 0)
			out[i] = (ssize_t)c->old_first + k->matches[i].best;
	free(k->matches);
}

/* ---- anywhere in the file ---- */

static ssize_t match_anywhere(struct likeness *k, size_t line)
{
	unsigned best = FAR_LIKENESS;
	size_t best_distance = SIZE_MAX;
	ssize_t found = -1;

	for (size_t o = 0; o < k->old.nr_lines; o++) {
		unsigned common = common_pairs(k, o, line, false);
		size_t distance = o > line ? o - line : line - o;

		if (common < best || (common == best && distance > best_distance))
			continue;
		best = common;
		best_distance = distance;
		found = (ssize_t)o;
	}
	return found;
}

/* ---- the two texts ---- */

void likeness_match(struct likeness *k, const struct text_change *c, ssize_t *out)
{
	for (size_t i = 0; i < c->new_nr; i++)
		out[i] = -1;
	k->change = c;
	if (c->old_nr && c->new_nr)
		match_in_change(k, out);
	for (size_t i = 0; i < c->new_nr; i++)
		if (out[i] < 0)
			out[i] = match_anywhere(k, c->new_first + i);
}

struct likeness *likeness_new(const struct blame_file *old, const struct blame_file *new)
{
	struct likeness *k = xcalloc(1, sizeof(*k));

	read_pairs(&k->old, &old->text);
	read_pairs(&k->new, &new->text);
	return k;
}

void likeness_free(struct likeness *k)
{
	if (!k)
		return;
	free(k->old.pairs);
	free(k->old.lines);
	free(k->new.pairs);
	free(k->new.lines);
	free(k);
}
