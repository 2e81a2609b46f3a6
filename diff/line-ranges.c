/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/line-ranges.h"
#include "diff/text-internal.h"
#include "util/alloc.h"

void line_ranges_add(struct line_ranges *r, size_t begin, size_t end)
{
	size_t first = 0, last;

	if (begin >= end)
		return;
	while (first < r->nr && r->items[first].end < begin)
		first++;
	/* Those from first to last-1 become a part of the new one. */
	for (last = first; last < r->nr && r->items[last].begin <= end; last++) {
		if (r->items[last].begin < begin)
			begin = r->items[last].begin;
		if (r->items[last].end > end)
			end = r->items[last].end;
	}
	ALLOC_GROW(r->items, r->nr + 1, r->alloc);
	memmove(r->items + first + 1, r->items + last, (r->nr - last) * sizeof(*r->items));
	r->items[first] = (struct line_range){ begin, end };
	r->nr = r->nr + 1 - (last - first);
}

void line_ranges_add_all(struct line_ranges *r, const struct line_ranges *other)
{
	for (size_t i = 0; i < other->nr; i++)
		line_ranges_add(r, other->items[i].begin, other->items[i].end);
}

void line_ranges_release(struct line_ranges *r)
{
	free(r->items);
	*r = (struct line_ranges)LINE_RANGES_INIT;
}

size_t line_ranges_longest(const struct line_ranges *r)
{
	size_t longest = 0;

	for (size_t i = 0; i < r->nr; i++)
		if (r->items[i].end - r->items[i].begin > longest)
			longest = r->items[i].end - r->items[i].begin;
	return longest;
}

/* ---- back to the old side ---- */

/* Has the change put lines of the range there, or taken some from inside it? */
static bool touches(const struct text_change *c, const struct line_range *r)
{
	if (!c->new_nr)
		return c->new_first > r->begin && c->new_first < r->end;
	return c->new_first < r->end && c->new_first + c->new_nr > r->begin;
}

/* The old lines from which a line of the new side comes: all that a change replaces, or just one. */
static struct line_range lines_behind(const struct text_diff *d, size_t line)
{
	const struct text_change *c = d->changes, *end = c + d->nr;
	size_t old = line;

	for (; c < end && c->new_first + c->new_nr <= line; c++)
		old = line - (c->new_first + c->new_nr) + c->old_first + c->old_nr;
	if (c < end && c->new_first <= line)
		return (struct line_range){ c->old_first, c->old_first + c->old_nr };
	return (struct line_range){ old, old + 1 };
}

static void map_ranges(struct line_ranges *out, bool *touched, const struct text_diff *d,
		       const struct line_ranges *lines)
{
	*touched = false;
	for (size_t i = 0; i < lines->nr; i++) {
		const struct line_range *r = &lines->items[i];

		for (size_t k = 0; k < d->nr && !*touched; k++)
			*touched = touches(&d->changes[k], r);
		line_ranges_add(out, lines_behind(d, r->begin).begin,
				lines_behind(d, r->end - 1).end);
	}
}

int diff_lines_back(struct line_ranges *out, bool *touched, struct diff_pair *p,
		    const struct line_ranges *lines, const struct diff_options *o, struct err *err)
{
	const struct diff_options plain = { 0 };
	struct text_diff d;
	int ret = diff_file_load(p->old, o, err);

	if (!ret)
		ret = diff_file_load(p->new, o, err);
	if (!ret && (p->old->size > TEXT_MAX_SIZE || p->new->size > TEXT_MAX_SIZE))
		ret = err_set(err, ERR_TOO_BIG, "'%s' is too large to follow its lines", p->new->path);
	if (ret < 0)
		return ret;
	text_diff(&d, p->old->content.data, p->old->content.size, p->new->content.data,
		  p->new->content.size, &plain);
	map_ranges(out, touched, &d, lines);
	text_diff_release(&d);
	diff_file_unload(p->old);
	diff_file_unload(p->new);
	return 0;
}
