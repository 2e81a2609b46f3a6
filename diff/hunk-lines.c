/* SPDX-License-Identifier: GPL-2.0-only */
/* Hunks of chosen lines: log -L. */
#include "compat/posix.h"
#include "diff/hunk-internal.h"
#include "diff/line-ranges.h"
#include "util/alloc.h"

/*
 * The part of a change within the lines begin .. end-1 of the new side. False: there is none.
 */
static bool clip_change(const struct text_change *c, size_t begin, size_t end, struct text_change *out)
{
	size_t new_end = c->new_first + c->new_nr;

	if (new_end < begin || c->new_first > end || (new_end == begin && c->new_nr))
		return false;
	*out = *c;
	if (c->new_first < begin) { /* what it has removed was above */
		out->old_first += c->old_nr;
		out->old_nr = 0;
		out->new_first = begin;
	}
	out->new_nr = (new_end < end ? new_end : end) - out->new_first;
	return out->old_nr || out->new_nr;
}

bool hunk_clip(const struct text_diff *d, const struct hunk *h, const struct line_range *lines,
	       struct text_change *parts, struct hunk *out)
{
	size_t begin = lines->begin > h->new_first ? lines->begin : h->new_first;
	size_t end = lines->end < h->new_end ? lines->end : h->new_end;
	const struct text_change *first = parts, *last;

	if (begin >= end)
		return false;
	*out = (struct hunk){ .new_first = begin, .new_end = end };
	for (size_t i = h->from; i < h->to; i++)
		out->to += clip_change(&d->changes[i], begin, end, &parts[out->to]);
	if (!out->to)
		return false;
	last = &parts[out->to - 1];
	out->old_first = first->old_first - (first->new_first - begin);
	out->old_end = last->old_first + last->old_nr + (end - (last->new_first + last->new_nr));
	return true;
}

bool hunks_any_chosen(const struct hunk_printer *hp)
{
	struct text_change *parts;
	struct hunk h, chosen;
	bool any = false;

	ALLOC_ARRAY(parts, hp->d->nr);
	for (size_t from = 0; !any && hunks_next(hp, from, &h); from = h.to)
		for (size_t i = 0; !any && i < hp->lines->nr; i++)
			any = hunk_clip(hp->d, &h, &hp->lines->items[i], parts, &chosen);
	free(parts);
	return any;
}
