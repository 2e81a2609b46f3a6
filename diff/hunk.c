/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups changes into hunks, and finds the context around them. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"

static size_t old_end(const struct text_change *c)
{
	return c->old_first + c->old_nr;
}

/* Equal lines between a change and a later one. */
static size_t distance(const struct text_change *a, const struct text_change *b)
{
	return b->old_first - old_end(a);
}

/*
 * The first change of a hunk: leading ignorable changes are left out, up to the last one
 * whose distance from the next change is not within the context.
 */
static size_t skip_ignorable(const struct text_diff *d, size_t from, size_t context)
{
	for (size_t i = from; i < d->nr && d->changes[i].ignorable; i++)
		if (i + 1 == d->nr || distance(&d->changes[i], &d->changes[i + 1]) >= context)
			from = i + 1;
	return from;
}

/*
 * The last change of the hunk that begins with `from`. Ignorable changes within the context
 * of the change before are a part of the hunk but do not extend it; the lines that they add
 * count as distance.
 */
static size_t last_of_hunk(const struct text_diff *d, size_t from, size_t context, size_t gap)
{
	size_t last = from, ignored = 0;

	for (size_t i = from + 1; i < d->nr; i++) {
		const struct text_change *prev = &d->changes[i - 1], *c = &d->changes[i];
		size_t away = distance(prev, c);
		bool near = away < context;

		if (away > gap)
			break;
		if (near && (!c->ignorable || last == i - 1)) {
			last = i;
			ignored = 0;
		} else if (near && c->ignorable) {
			ignored += c->new_nr;
		} else if (last != i - 1 &&
			   c->old_first + ignored - old_end(&d->changes[last]) > gap) {
			break;
		} else if (!c->ignorable) {
			last = i;
			ignored = 0;
		} else {
			ignored += c->new_nr;
		}
	}
	return last;
}

static size_t hunk_at_most(size_t n, size_t limit)
{
	return n < limit ? n : limit;
}

static void set_begin(const struct text_diff *d, struct hunk *h, size_t context)
{
	const struct text_change *first = &d->changes[h->from];

	h->old_first = first->old_first - hunk_at_most(context, first->old_first);
	h->new_first = first->new_first - hunk_at_most(context, first->new_first);
}

static void set_end(const struct text_diff *d, struct hunk *h, size_t context)
{
	const struct text_change *last = &d->changes[h->to - 1];
	size_t after;

	h->old_end = old_end(last);
	h->new_end = last->new_first + last->new_nr;
	after = hunk_at_most(context, d->side[0].nr - h->old_end);
	after = hunk_at_most(after, d->side[1].nr - h->new_end);
	h->old_end += after;
	h->new_end += after;
}

/* ---- whole functions: -W ---- */

static bool hunk_names_function(const struct hunk_printer *hp, int side, size_t i)
{
	return funcname_of_line(hp->funcname, &hp->d->side[side].lines[i], NULL);
}

/* The line from `from` on, before `end`, that names a function; `end`: there is none. */
static size_t next_function(const struct hunk_printer *hp, int side, size_t from, size_t end)
{
	while (from < end && !hunk_names_function(hp, side, from))
		from++;
	return from;
}

/*
 * The line at which the function around the first change begins, including the comment lines directly
 * above it; 0 if there is none. Lines added at the end of the text need no function if they have one of
 * their own.
 */
static size_t function_begin(const struct hunk_printer *hp, const struct hunk *h)
{
	const struct text_change *first = &hp->d->changes[h->from];
	const struct text_side *old = &hp->d->side[0];
	size_t at = first->old_first, new_nr = hp->d->side[1].nr;

	if (at == old->nr) {
		if (!at || next_function(hp, 1, first->new_first, new_nr) < new_nr)
			return h->old_first;
		at--;
	}
	while (at && !hunk_names_function(hp, 0, at))
		at--;
	while (at && !text_line_is_blank(&old->lines[at - 1]) && !hunk_names_function(hp, 0,
										      at - 1))
		at--;
	return at;
}

/* Upwards to the function's begin, over ignorable changes that are left out otherwise. */
static void extend_begin(const struct hunk_printer *hp, struct hunk *h, size_t least_change)
{
	const struct text_diff *d = hp->d;

	for (;;) {
		size_t begin = function_begin(hp, h), i = least_change;

		if (begin >= h->old_first)
			return;
		h->new_first -= hunk_at_most(h->old_first - begin, h->new_first);
		h->old_first = begin;
		while (i < h->from && old_end(&d->changes[i]) <= h->old_first &&
		       d->changes[i].new_first + d->changes[i].new_nr <= h->new_first)
			i++;
		if (i == h->from)
			return;
		h->from = i;
		set_begin(d, h, hp->o->context);
	}
}

/* Down to the function's end, without empty lines there; changes on the way join the hunk. */
static void extend_end(const struct hunk_printer *hp, struct hunk *h)
{
	const struct text_diff *d = hp->d;
	const struct text_side *old = &d->side[0];

	for (;; h->to++) {
		size_t end, next;

		set_end(d, h, hp->o->context);
		end = next_function(hp, 0, old_end(&d->changes[h->to - 1]), old->nr);
		if (end < old->nr)
			while (end && text_line_is_blank(&old->lines[end - 1]))
				end--;
		if (end > h->old_end) {
			h->new_end = hunk_at_most(h->new_end + end - h->old_end, d->side[1].nr);
			h->old_end = end;
		}
		if (h->to == d->nr)
			return;
		next = d->changes[h->to].old_first;
		if (next == old->nr && next)
			next--;
		if (next > h->old_end + hp->o->context &&
		    next_function(hp, 0, h->old_end + 1, next + 1) <= next)
			return;
	}
}

bool hunks_next(const struct hunk_printer *hp, size_t from, struct hunk *h)
{
	const struct diff_options *o = hp->o;
	const struct text_diff *d = hp->d;
	size_t context = o->context;

	h->from = skip_ignorable(d, from, context);
	if (h->from >= d->nr)
		return false;
	h->to = last_of_hunk(d, h->from, context, 2 * context + o->interhunk_context) + 1;
	set_begin(d, h, context);
	if (o->function_context) {
		extend_begin(hp, h, from);
		extend_end(hp, h);
	} else {
		set_end(d, h, context);
	}
	return true;
}

void hunks_count(const struct text_diff *d, const struct diff_options *o, uint64_t *added,
		 uint64_t *deleted)
{
	struct diff_options plain = *o;
	const struct hunk_printer hp = { .o = &plain, .d = d };
	struct hunk h;

	plain.function_context = false;
	*added = *deleted = 0;
	for (size_t from = 0; hunks_next(&hp, from, &h); from = h.to) {
		for (size_t i = h.from; i < h.to; i++) {
			*added += d->changes[i].new_nr;
			*deleted += d->changes[i].old_nr;
		}
	}
}

size_t diff_texts_lines(const struct diff_options *o, const char *old, size_t old_len, const char *new, size_t new_len)
{
	struct text_diff d;
	const struct hunk_printer hp = { .o = o, .d = &d };
	struct hunk h;
	size_t nr = 0;

	text_diff(&d, old, old_len, new, new_len, o);
	for (size_t from = 0; hunks_next(&hp, from, &h); from = h.to) {
		nr += 1 + h.new_end - h.new_first;
		for (size_t i = h.from; i < h.to; i++)
			nr += d.changes[i].old_nr;
	}
	text_diff_release(&d);
	return nr;
}

bool hunks_any(const struct text_diff *d, const struct diff_options *o)
{
	return skip_ignorable(d, 0, o->context) < d->nr;
}
