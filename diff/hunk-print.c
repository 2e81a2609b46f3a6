/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of hunks. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/line-ranges.h"
#include "diff/moved-internal.h"
#include "diff/whitespace.h"
#include "util/alloc.h"
#include "util/color.h"

static void hunk_print_start_line(const struct hunk_printer *hp)
{
	if (hp->o->line_prefix)
		strbuf_addstr(hp->out, hp->o->line_prefix);
}

static void tell_incomplete_line(const struct hunk_printer *hp)
{
	hunk_print_start_line(hp);
	strbuf_addf(hp->out, "%s\\ No newline at end of file%s\n",
		    diff_color_of(hp->o, DIFF_COLOR_CONTEXT),
		    diff_color_of(hp->o, DIFF_COLOR_RESET));
}

/* The colour of a line of a patch that is compared with another one. */
static enum diff_color dual_paint(char sign, char inner)
{
	int at = sign == ' ' ? 0 : sign == '-' ? 1 : 2;
	static const enum diff_color olds[] = { DIFF_COLOR_OLD, DIFF_COLOR_OLD_DIM, DIFF_COLOR_OLD_BOLD };
	static const enum diff_color news[] = { DIFF_COLOR_NEW, DIFF_COLOR_NEW_DIM, DIFF_COLOR_NEW_BOLD };
	static const enum diff_color rest[] = { DIFF_COLOR_CONTEXT, DIFF_COLOR_CONTEXT_DIM, DIFF_COLOR_CONTEXT_BOLD };

	switch (inner) {
	case '-':
		return olds[at];
	case '+':
		return news[at];
	case '@':
		return DIFF_COLOR_FRAG;
	}
	return rest[at];
}

static void hunk_print_print_line(const struct hunk_printer *hp, char sign,
				  const struct text_line *l,
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

	if (o->dual_color) {
		w.paint = dual_paint(sign, l->len ? l->text[0] : '\0');
		w.reverse_sign = sign != ' ';
	}
	w.len -= complete;
	if (sign == ' ' && !w.len && o->suppress_blank_empty)
		w.sign = '\0';
	if (!w.sign && !w.len) { /* not even a colour */
		hunk_print_start_line(hp);
		strbuf_addch(hp->out, '\n');
	} else if (hp->moved && sign != ' ') {
		moved_lines_add(hp->moved, hp->out, &w, hp->whitespace);
	} else {
		hunk_print_start_line(hp);
		whitespace_add_line(hp->out, o, hp->whitespace, &w);
		strbuf_addch(hp->out, '\n');
	}
	if (!complete)
		tell_incomplete_line(hp);
}

/* "12,3"; the line before an empty range; no count if it is one. */
static void add_range(struct strbuf *out, size_t first, size_t nr)
{
	strbuf_addf(out, "%zu", nr ? first + 1 : first);
	if (nr != 1)
		strbuf_addf(out, ",%zu", nr);
}

/* The same for a hunk of chosen lines: always with a count, and with the line behind an empty range. */
static void add_chosen_range(struct strbuf *out, const struct text_side *s, size_t first, size_t nr)
{
	strbuf_addf(out, "%zu,%zu", s->nr ? first + 1 : 0, nr);
}

static void add_ranges(const struct hunk_printer *hp, const struct hunk *h)
{
	size_t old_nr = h->old_end - h->old_first, new_nr = h->new_end - h->new_first;

	if (hp->lines)
		add_chosen_range(hp->out, &hp->d->side[0], h->old_first, old_nr);
	else
		add_range(hp->out, h->old_first, old_nr);
	strbuf_addstr(hp->out, " +");
	if (hp->lines)
		add_chosen_range(hp->out, &hp->d->side[1], h->new_first, new_nr);
	else
		add_range(hp->out, h->new_first, new_nr);
}

static void hunk_print_print_header(const struct hunk_printer *hp, const struct hunk *h,
				    const struct strbuf *name)
{
	const char *reset = diff_color_of(hp->o, DIFF_COLOR_RESET);

	hunk_print_start_line(hp);
	strbuf_addf(hp->out, "%s%s@@", hp->o->dual_color && hp->o->color ? COLOR_REVERSE : "",
		    diff_color_of(hp->o, DIFF_COLOR_FRAG));
	if (!hp->o->bare_hunks) {
		strbuf_addstr(hp->out, " -");
		add_ranges(hp, h);
		strbuf_addstr(hp->out, " @@");
	}
	strbuf_addstr(hp->out, reset);
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

		for (end[i] = s->nr; end[i] && text_line_is_blank(&s->lines[end[i] - 1]);)
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
		hunk_print_print_line(hp, '-', &old[c->old_first + i], false);
	at += c->old_nr;
	for (size_t j = c->new_first; j < c->new_first + c->new_nr; j++)
		hunk_print_print_line(hp, '+', &new[j],
				      eof->old_line && at >= eof->old_line &&
				   j + 1 >= eof->new_line && text_line_is_blank(&new[j]));
}

static void print_context(const struct hunk_printer *hp, const struct text_line *l)
{
	if (hp->o->word_diff)
		words_print_context(hp, l);
	else
		hunk_print_print_line(hp, ' ', l, false);
}

static void print_hunk(const struct hunk_printer *hp, const struct hunk *h,
		       const struct blank_at_eof *eof)
{
	const struct text_line *new = hp->d->side[1].lines;
	/* the old line that is next, as the hunk header has it */
	bool has_old = hp->lines ? hp->d->side[0].nr : h->old_end > h->old_first;
	size_t at = h->old_first + has_old, j = h->new_first;

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

/* Prints the parts of a hunk that lie within hp->lines; each range becomes a hunk of its own. */
static void print_chosen(const struct hunk_printer *hp, const struct hunk *h, const struct strbuf *name,
			 const struct blank_at_eof *eof)
{
	struct text_diff clipped = *hp->d;
	struct hunk_printer part = *hp;
	struct hunk chosen;

	ALLOC_ARRAY(clipped.changes, h->to - h->from);
	part.d = &clipped;
	for (size_t i = 0; i < hp->lines->nr; i++) {
		if (!hunk_clip(hp->d, h, &hp->lines->items[i], clipped.changes, &chosen))
			continue;
		hunk_print_print_header(&part, &chosen, name);
		print_hunk(&part, &chosen, eof);
	}
	free(clipped.changes);
}

void hunks_print(const struct hunk_printer *hp)
{
	struct strbuf name = STRBUF_INIT;
	struct blank_at_eof eof = { 0, 0 };
	size_t from = 0, searched = 0;
	struct hunk h;

	if (hp->o->color)
		eof = hunks_blank_at_eof(hp->d);
	for (; hunks_next(hp, from, &h); from = h.to) {
		/* The nearest name before the hunk; the last hunk's if there is none. */
		for (size_t i = h.old_first; i > searched; i--)
			if (funcname_of_line(hp->funcname, &hp->d->side[0].lines[i - 1], &name))
				break;
		searched = h.old_first;
		if (hp->lines) {
			print_chosen(hp, &h, &name, &eof);
			continue;
		}
		hunk_print_print_header(hp, &h, &name);
		print_hunk(hp, &h, &eof);
	}
	strbuf_release(&name);
}

void hunks_print_rewrite(const struct hunk_printer *hp)
{
	const struct text_diff *d = hp->d;
	struct hunk h = { 0, 0, 0, d->side[0].nr, 0, d->side[1].nr };
	struct strbuf none = STRBUF_INIT;

	hunk_print_print_header(hp, &h, &none);
	for (size_t i = 0; i < d->side[0].nr; i++)
		hunk_print_print_line(hp, '-', &d->side[0].lines[i], false);
	for (size_t i = 0; i < d->side[1].nr; i++)
		hunk_print_print_line(hp, '+', &d->side[1].lines[i], false);
}
