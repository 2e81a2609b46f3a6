/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines the search has to compare. Common lines at both ends are unchanged. A line
 * that the other side does not have is changed. A line that the other side has very often
 * ("}", an empty line) means little: among lines without counterpart it counts as changed,
 * so that a rewritten function is not split at its braces. (With --minimal as well, as in
 * Git: the script is the shortest one for the remaining lines.)
 */
#include "compat/posix.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

#define MOST_MATCHES 1024 /* a line with so many counterparts is frequent, always */
#define WINDOW 100	  /* lines examined on each side */
#define SHARE 4		  /* frequent ones must be less than a quarter there */

enum { UNMATCHED, MATCHED, FREQUENT };

struct range {
	size_t begin, end;
};

/* The lines between what both sides have in common at their ends. */
static void trim_ends(const struct text_diff *d, struct range middle[2])
{
	const struct text_side *a = &d->side[0], *b = &d->side[1];
	size_t shorter = a->nr < b->nr ? a->nr : b->nr, head = 0, tail = 0;

	while (head < shorter && a->id[head] == b->id[head])
		head++;
	while (tail < shorter - head &&
	       a->id[a->nr - 1 - tail] == b->id[b->nr - 1 - tail])
		tail++;
	middle[0] = (struct range){ head, a->nr - tail };
	middle[1] = (struct range){ head, b->nr - tail };
}

/* The lines from `i` on in one direction until one that is matched. */
static void count_run(const uint8_t *kind, struct range r, size_t i, int step,
		      size_t *unmatched, size_t *frequent)
{
	*unmatched = *frequent = 0;
	for (size_t n = 0; n < WINDOW; n++) {
		if (step < 0 ? i == r.begin : i + 1 >= r.end)
			break;
		i = step < 0 ? i - 1 : i + 1;
		if (kind[i] == MATCHED)
			break;
		if (kind[i] == FREQUENT)
			++*frequent;
		else
			++*unmatched;
	}
}

static bool is_surrounded_by_changes(const uint8_t *kind, struct range r, size_t i)
{
	size_t unmatched_before, frequent_before, unmatched_after, frequent_after;
	size_t frequent, all;

	count_run(kind, r, i, -1, &unmatched_before, &frequent_before);
	if (!unmatched_before)
		return false;
	count_run(kind, r, i, 1, &unmatched_after, &frequent_after);
	if (!unmatched_after)
		return false;
	/* the line itself counts for each direction */
	frequent = frequent_before + frequent_after + 2;
	all = frequent + unmatched_before + unmatched_after;
	return frequent * SHARE < all;
}

/* Fills `in` with the lines of side s that are to be searched; marks the others. */
static void choose_lines(struct text_side *s, struct range r, const uint32_t *count_in_other,
			 struct myers_input *in, uint32_t *id, uint32_t *line)
{
	uint8_t *kind = xcalloc(s->nr + 1, 1);
	size_t frequent = text_rough_root(s->nr);

	if (frequent > MOST_MATCHES)
		frequent = MOST_MATCHES;
	for (size_t i = r.begin; i < r.end; i++) {
		uint32_t matches = count_in_other[s->id[i]];

		kind[i] = !matches ? UNMATCHED :
			  matches >= frequent ? FREQUENT : MATCHED;
	}
	*in = (struct myers_input){ id, line, s->changed, 0 };
	for (size_t i = r.begin; i < r.end; i++) {
		if (kind[i] == MATCHED ||
		    (kind[i] == FREQUENT && !is_surrounded_by_changes(kind, r, i))) {
			id[in->nr] = s->id[i];
			line[in->nr++] = (uint32_t)i;
		} else {
			s->changed[i] = 1;
		}
	}
	free(kind);
}

void text_mark_changes(struct text_diff *d, bool minimal, size_t nr_ids)
{
	struct range middle[2];
	struct myers_input in[2];
	uint32_t *count[2], *space;

	trim_ends(d, middle);
	for (int i = 0; i < 2; i++) {
		CALLOC_ARRAY(count[i], nr_ids);
		for (size_t n = 0; n < d->side[i].nr; n++)
			count[i][d->side[i].id[n]]++;
	}
	ALLOC_ARRAY(space, 2 * (d->side[0].nr + d->side[1].nr));
	choose_lines(&d->side[0], middle[0], count[1], &in[0], space,
		     space + d->side[0].nr);
	choose_lines(&d->side[1], middle[1], count[0], &in[1],
		     space + 2 * d->side[0].nr,
		     space + 2 * d->side[0].nr + d->side[1].nr);
	myers_mark(&in[0], &in[1], minimal);
	free(space);
	free(count[0]);
	free(count[1]);
}
