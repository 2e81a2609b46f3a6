/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines the search has to compare. Common lines at both ends are unchanged. A line
 * that the other side does not have is changed. A line that the other side has very often
 * ("}", an empty line) means little: among lines without counterpart it counts as changed,
 * so that a rewritten function is not split at its braces. With --minimal no line is frequent.
 */
#include "compat/posix.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

#define MOST_MATCHES 1024 /* a line with so many counterparts is frequent, always */
#define WINDOW 100	  /* lines examined on each side */
#define SHARE 4		  /* frequent ones must be less than a quarter there */

enum { UNMATCHED, MATCHED, FREQUENT };

/* The lines between what both sides have in common at their ends. */
static void trim_ends(const struct text_diff *d, struct text_range r[2])
{
	const uint32_t *a = d->side[0].id, *b = d->side[1].id;

	while (text_range_nr(r[0]) && text_range_nr(r[1]) && a[r[0].begin] == b[r[1].begin]) {
		r[0].begin++;
		r[1].begin++;
	}
	while (text_range_nr(r[0]) && text_range_nr(r[1]) && a[r[0].end - 1] == b[r[1].end - 1]) {
		r[0].end--;
		r[1].end--;
	}
}

/* The lines from `i` on in one direction until one that is matched. */
static void count_run(const uint8_t *kind, struct text_range r, size_t i, int step,
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

static bool is_surrounded_by_changes(const uint8_t *kind, struct text_range r, size_t i)
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

/*
 * Fills `in` with the lines of side s in r that are to be searched; marks the others. `all`:
 * lines of the side in question, those at its common ends included.
 */
static void choose_lines(struct text_side *s, struct text_range r, size_t all, bool minimal,
			 const uint32_t *count_in_other, struct myers_input *in, uint32_t *id,
			 uint32_t *line)
{
	uint8_t *kind = xcalloc(text_range_nr(r) + 1, 1), *of_line = kind - r.begin;
	size_t frequent = text_rough_root(all);

	if (frequent > MOST_MATCHES)
		frequent = MOST_MATCHES;
	if (minimal)
		frequent = SIZE_MAX;
	for (size_t i = r.begin; i < r.end; i++) {
		uint32_t matches = count_in_other[s->id[i]];

		of_line[i] = !matches ? UNMATCHED :
			     matches >= frequent ? FREQUENT : MATCHED;
	}
	*in = (struct myers_input){ id, line, s->changed, 0 };
	for (size_t i = r.begin; i < r.end; i++) {
		if (of_line[i] == MATCHED ||
		    (of_line[i] == FREQUENT && !is_surrounded_by_changes(of_line, r, i))) {
			id[in->nr] = s->id[i];
			line[in->nr++] = (uint32_t)i;
		} else {
			s->changed[i] = 1;
		}
	}
	free(kind);
}

/* How often each id occurs in the range, or again no such counts. */
static void count_ids(struct text_marker *m, int side, struct text_range r, bool clear)
{
	const uint32_t *id = m->d->side[side].id;

	for (size_t i = r.begin; i < r.end; i++)
		m->count[side][id[i]] = clear ? 0 : m->count[side][id[i]] + 1;
}

void text_mark_myers(struct text_marker *m, struct text_box box)
{
	struct text_range middle[2] = { box.side[0], box.side[1] };
	size_t a = text_range_nr(box.side[0]), b = text_range_nr(box.side[1]);
	struct myers_input in[2];
	uint32_t *space;

	trim_ends(m->d, middle);
	count_ids(m, 0, box.side[0], false);
	count_ids(m, 1, box.side[1], false);
	ALLOC_ARRAY(space, 2 * (a + b));
	choose_lines(&m->d->side[0], middle[0], a, m->o->minimal, m->count[1], &in[0],
		     space, space + a);
	choose_lines(&m->d->side[1], middle[1], b, m->o->minimal, m->count[0], &in[1],
		     space + 2 * a, space + 2 * a + b);
	count_ids(m, 0, box.side[0], true);
	count_ids(m, 1, box.side[1], true);
	myers_mark(&in[m->swapped], &in[!m->swapped], m->o->minimal);
	free(space);
}

/* ---- boxes ---- */

void text_push_box(struct text_marker *m, struct text_box box)
{
	ALLOC_GROW(m->boxes, m->nr_boxes + 1, m->alloc_boxes);
	m->boxes[m->nr_boxes++] = box;
}

void text_mark_all(struct text_marker *m, struct text_box box)
{
	for (int i = 0; i < 2; i++)
		memset(m->d->side[i].changed + box.side[i].begin, 1, text_range_nr(box.side[i]));
}
