/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/moved-internal.h"
#include "diff/whitespace-internal.h"
#include "util/alloc.h"

/* ---- lines ---- */

static bool is_blank_line(const struct text_line *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (!diff_is_space(l->text[i]))
			return false;
	return true;
}

static void start_line(const struct hunk_printer *hp)
{
	if (hp->o->line_prefix)
		strbuf_addstr(hp->out, hp->o->line_prefix);
}

static void tell_incomplete_line(const struct hunk_printer *hp)
{
	start_line(hp);
	strbuf_addf(hp->out, "%s\\ No newline at end of file%s\n",
		    diff_color_of(hp->o, DIFF_COLOR_CONTEXT),
		    diff_color_of(hp->o, DIFF_COLOR_RESET));
}

static void print_line(const struct hunk_printer *hp, char sign, const struct text_line *l,
		       bool blank_at_eof)
{
	const struct diff_options *o = hp->o;
	enum diff_color c = sign == '+' ? DIFF_COLOR_NEW :
			    sign == '-' ? DIFF_COLOR_OLD : DIFF_COLOR_CONTEXT;
	struct ws_line w = {
		.sign = o->indicator[sign == '+' ? 0 : sign == '-' ? 1 : 2],
		.color = c, .paint = c, .text = l->text, .len = l->len, .blank_at_eof = blank_at_eof,
	};
	bool complete = l->len && l->text[l->len - 1] == '\n';

	w.len -= complete;
	if (sign == ' ' && !w.len && o->suppress_blank_empty)
		w.sign = '\0';
	if (hp->moved && sign != ' ') {
		moved_lines_add(hp->moved, hp->out, &w, hp->whitespace);
	} else {
		start_line(hp);
		whitespace_add_line(hp->out, o, hp->whitespace, &w);
		strbuf_addch(hp->out, '\n');
	}
	if (!complete)
		tell_incomplete_line(hp);
}

/* ---- hunks ---- */

/* Lines first .. end-1 of both sides; changes from .. to-1 are in it. */
struct hunk {
	size_t from, to;
	size_t old_first, old_end, new_first, new_end;
};

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

static size_t at_most(size_t n, size_t limit)
{
	return n < limit ? n : limit;
}

static void set_begin(const struct text_diff *d, struct hunk *h, size_t context)
{
	const struct text_change *first = &d->changes[h->from];

	h->old_first = first->old_first - at_most(context, first->old_first);
	h->new_first = first->new_first - at_most(context, first->new_first);
}

static void set_end(const struct text_diff *d, struct hunk *h, size_t context)
{
	const struct text_change *last = &d->changes[h->to - 1];
	size_t after;

	h->old_end = old_end(last);
	h->new_end = last->new_first + last->new_nr;
	after = at_most(context, d->side[0].nr - h->old_end);
	after = at_most(after, d->side[1].nr - h->new_end);
	h->old_end += after;
	h->new_end += after;
}

/* ---- whole functions: -W ---- */

static bool names_function(const struct hunk_printer *hp, int side, size_t i)
{
	return funcname_of_line(hp->funcname, &hp->d->side[side].lines[i], NULL);
}

/* The line from `from` on, before `end`, that names a function; `end`: there is none. */
static size_t next_function(const struct hunk_printer *hp, int side, size_t from, size_t end)
{
	while (from < end && !names_function(hp, side, from))
		from++;
	return from;
}

/*
 * The line at which the function around the first change begins, with what stands directly above
 * it; 0 if there is none. What is added at the end of the text needs nothing if it has a
 * function of its own.
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
	while (at && !names_function(hp, 0, at))
		at--;
	while (at && !is_blank_line(&old->lines[at - 1]) && !names_function(hp, 0, at - 1))
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
		h->new_first -= at_most(h->old_first - begin, h->new_first);
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
			while (end && is_blank_line(&old->lines[end - 1]))
				end--;
		if (end > h->old_end) {
			h->new_end = at_most(h->new_end + end - h->old_end, d->side[1].nr);
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

/* The next hunk at or behind change `from`; false if there is none. */
static bool next_hunk(const struct hunk_printer *hp, size_t from, struct hunk *h)
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
	for (size_t from = 0; next_hunk(&hp, from, &h); from = h.to) {
		for (size_t i = h.from; i < h.to; i++) {
			*added += d->changes[i].new_nr;
			*deleted += d->changes[i].old_nr;
		}
	}
}

bool hunks_any(const struct text_diff *d, const struct diff_options *o)
{
	return skip_ignorable(d, 0, o->context) < d->nr;
}

/* "12,3"; the line before an empty range; no count if it is one. */
static void add_range(struct strbuf *out, size_t first, size_t nr)
{
	strbuf_addf(out, "%zu", nr ? first + 1 : first);
	if (nr != 1)
		strbuf_addf(out, ",%zu", nr);
}

static void print_header(const struct hunk_printer *hp, const struct hunk *h,
			 const struct strbuf *name)
{
	const char *reset = diff_color_of(hp->o, DIFF_COLOR_RESET);

	start_line(hp);
	strbuf_addf(hp->out, "%s@@ -", diff_color_of(hp->o, DIFF_COLOR_FRAG));
	add_range(hp->out, h->old_first, h->old_end - h->old_first);
	strbuf_addstr(hp->out, " +");
	add_range(hp->out, h->new_first, h->new_end - h->new_first);
	strbuf_addf(hp->out, " @@%s", reset);
	if (name->len) {
		strbuf_addf(hp->out, "%s %s%s", diff_color_of(hp->o, DIFF_COLOR_CONTEXT),
			    reset, diff_color_of(hp->o, DIFF_COLOR_FUNC));
		strbuf_addbuf(hp->out, name); /* may hold NULs */
		strbuf_addstr(hp->out, reset);
	}
	strbuf_addch(hp->out, '\n');
}

struct blank_at_eof hunks_blank_at_eof(const struct text_diff *d)
{
	size_t end[2];

	for (int i = 0; i < 2; i++) {
		const struct text_side *s = &d->side[i];

		for (end[i] = s->nr; end[i] && is_blank_line(&s->lines[end[i] - 1]);)
			end[i]--;
	}
	if (d->side[1].nr - end[1] <= d->side[0].nr - end[0])
		return (struct blank_at_eof){ 0, 0 };
	return (struct blank_at_eof){ end[0] + 1, end[1] };
}

/* The lines of a change; `at` is the old line of its beginning, as the hunk header has it. */
static void print_change(const struct hunk_printer *hp, const struct text_change *c, size_t at,
			 const struct blank_at_eof *eof)
{
	const struct text_line *old = hp->d->side[0].lines, *new = hp->d->side[1].lines;

	for (size_t i = 0; i < c->old_nr; i++)
		print_line(hp, '-', &old[c->old_first + i], false);
	at += c->old_nr;
	for (size_t j = c->new_first; j < c->new_first + c->new_nr; j++)
		print_line(hp, '+', &new[j],
			   eof->old_line && at >= eof->old_line &&
				   j + 1 >= eof->new_line && is_blank_line(&new[j]));
}

static void print_context(const struct hunk_printer *hp, const struct text_line *l)
{
	if (hp->o->word_diff)
		words_print_context(hp, l);
	else
		print_line(hp, ' ', l, false);
}

static void print_hunk(const struct hunk_printer *hp, const struct hunk *h,
		       const struct blank_at_eof *eof)
{
	const struct text_line *new = hp->d->side[1].lines;
	/* the old line that is next, as the hunk header has it */
	size_t at = h->old_first + (h->old_end > h->old_first), j = h->new_first;

	for (size_t n = h->from; n < h->to; n++) {
		const struct text_change *c = &hp->d->changes[n];

		for (; j < c->new_first; j++, at++)
			print_context(hp, &new[j]);
		if (hp->o->word_diff)
			words_print_change(hp, c);
		else
			print_change(hp, c, at, eof);
		at += c->old_nr;
		j += c->new_nr;
	}
	for (; j < h->new_end; j++)
		print_context(hp, &new[j]);
}

void hunks_print(const struct hunk_printer *hp)
{
	struct strbuf name = STRBUF_INIT;
	struct blank_at_eof eof = { 0, 0 };
	size_t from = 0, searched = 0;
	struct hunk h;

	if (hp->o->color)
		eof = hunks_blank_at_eof(hp->d);
	for (; next_hunk(hp, from, &h); from = h.to) {
		/* The nearest name before the hunk; the last hunk's if there is none. */
		for (size_t i = h.old_first; i > searched; i--)
			if (funcname_of_line(hp->funcname, &hp->d->side[0].lines[i - 1], &name))
				break;
		searched = h.old_first;
		print_header(hp, &h, &name);
		print_hunk(hp, &h, &eof);
	}
	strbuf_release(&name);
}

void hunks_print_rewrite(const struct hunk_printer *hp)
{
	const struct text_diff *d = hp->d;
	struct hunk h = { 0, 0, 0, d->side[0].nr, 0, d->side[1].nr };
	struct strbuf none = STRBUF_INIT;

	print_header(hp, &h, &none);
	for (size_t i = 0; i < d->side[0].nr; i++)
		print_line(hp, '-', &d->side[0].lines[i], false);
	for (size_t i = 0; i < d->side[1].nr; i++)
		print_line(hp, '+', &d->side[1].lines[i], false);
}
