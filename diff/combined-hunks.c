/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines of a combined diff are shown, and how: git-diff(1), "Combined diff format". */
#include "compat/posix.h"
#include "diff/combined-internal.h"
#include "diff/diff-internal.h"

/* ---- choosing ---- */

/* The first line at or behind `from` that is (not) shown; nr + 1: there is none. */
static size_t next_shown(const struct combined_text *t, size_t from, bool shown)
{
	while (from <= t->nr && t->lines[from].shown != shown)
		from++;
	return from;
}

/*
 * Where context behind the lines begin .. end-1 starts: a last line that is there only because
 * something in front of it is lost is context itself.
 */
static size_t context_begin(const struct combined_text *t, size_t begin, size_t end)
{
	return end > begin && !t->lines[end - 1].added ? end - 1 : end;
}

static size_t combined_hunks_at_most(size_t n, size_t limit)
{
	return n < limit ? n : limit;
}

/* The end of the changes that begin there, including changes that follow within the context. */
static size_t group_end(const struct combined_text *t, size_t begin, size_t context)
{
	size_t end = begin + 1;

	for (;;) {
		size_t last;

		end = next_shown(t, end, false);
		last = combined_hunks_at_most(context_begin(t, begin,
							    end) + combined_hunks_at_most(context,
											  t->nr + 1), t->nr + 1);
		while (last > end && !t->lines[last - 1].shown)
			last--;
		if (last <= end)
			return end;
		end = last;
	}
}

/* Has each change been made to the same old sides, and are there others? */
static bool is_taken_over(const struct combined_text *t, size_t begin, size_t end)
{
	uint64_t sides = 0;

	for (size_t i = begin; i < end; i++) {
		const struct combined_line *l = &t->lines[i];

		if (l->added && sides && l->added != sides)
			return false;
		sides = l->added ? l->added : sides;
		for (size_t k = 0; k < l->nr_lost; k++) {
			if (sides && l->lost[k].sides != sides)
				return false;
			sides = l->lost[k].sides;
		}
	}
	return sides != t->all;
}

static void drop_taken_over(struct combined_text *t, size_t context)
{
	size_t end;

	for (size_t i = next_shown(t, 0, true); i <= t->nr; i = next_shown(t, end, true)) {
		end = group_end(t, i, context);
		for (size_t k = i; is_taken_over(t, i, end) && k < end; k++)
			t->lines[k].shown = false;
	}
}

/* Shows the context above. Lost lines there have been dropped as uninteresting. */
static void show_above(struct combined_text *t, size_t at, size_t context)
{
	for (size_t i = at - combined_hunks_at_most(context, at); i < at; i++) {
		t->lines[i].without_lost |= !t->lines[i].shown;
		t->lines[i].shown = true;
	}
}

static void show_context(struct combined_text *t, size_t context)
{
	size_t at = next_shown(t, 0, true);

	while (at <= t->nr) {
		size_t end, next, last;

		show_above(t, at, context);
		for (;;) {
			end = next_shown(t, at, false);
			if (end > t->nr)
				return;
			next = next_shown(t, end, true);
			end = context_begin(t, at, end);
			if (next - end >= context)
				break;
			while (end < next)
				t->lines[end++].shown = true;
			at = next;
		}
		last = combined_hunks_at_most(end + combined_hunks_at_most(context, t->nr + 1),
					      t->nr + 1);
		while (end < last)
			t->lines[end++].shown = true;
		at = next;
	}
}

bool combined_choose(struct combined_text *t, size_t context, bool dense)
{
	for (size_t i = 0; i <= t->nr; i++)
		t->lines[i].shown = t->lines[i].added || t->lines[i].nr_lost;
	if (dense)
		drop_taken_over(t, context);
	if (next_shown(t, 0, true) > t->nr)
		return false;
	show_context(t, context);
	return true;
}

/* ---- printing ---- */

struct printer {
	const struct combined_text *t;
	const struct diff_options *o;
	struct strbuf *out;
	size_t next[COMBINED_MAX]; /* the line of each old side that comes next, from 1 */
};

static const char *color(const struct printer *p, enum diff_color c)
{
	return diff_color_of(p->o, c);
}

static void combined_hunks_start_line(const struct printer *p)
{
	if (p->o->line_prefix)
		strbuf_addstr(p->out, p->o->line_prefix);
}

/* A CR at the end stands behind the colours. */
static void combined_hunks_end_line(const struct printer *p, const char *text, size_t len)
{
	bool cr = len && text[len - 1] == '\r';

	strbuf_add(p->out, text, len - cr);
	strbuf_addf(p->out, "%s%s\n", color(p, DIFF_COLOR_RESET), cr ? "\r" : "");
}

static void add_columns(const struct printer *p, uint64_t sides, char sign)
{
	for (size_t i = 0; i < p->t->nr_sides; i++)
		strbuf_addch(p->out, sides >> i & 1 ? sign : ' ');
}

/*
 * Counts lines of the side from the line with number `at` on, including the lost lines in front of
 * it.
 */
static size_t step(const struct combined_line *l, size_t side, bool is_line)
{
	size_t n = is_line && !(l->added >> side & 1);

	for (size_t i = 0; i < l->nr_lost; i++)
		n += l->lost[i].sides >> side & 1;
	return n;
}

static size_t count_side(const struct printer *p, size_t side, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += step(&p->t->lines[i], side, i < p->t->nr);
	return n;
}

static void add_ats(const struct printer *p)
{
	for (size_t i = 0; i <= p->t->nr_sides; i++)
		strbuf_addch(p->out, '@');
}

/* The nearest line above that begins like the name of something; its last character is left out. */
static void add_heading(const struct printer *p, const struct combined_line *l)
{
	size_t len = 0;

	for (size_t i = 0; l && i < 40 && i < l->len && l->text[i]; i++)
		if (!isspace((unsigned char)l->text[i]))
			len = i;
	if (len)
		strbuf_addf(p->out, "%s%s %s%s", color(p, DIFF_COLOR_RESET), color(p, DIFF_COLOR_CONTEXT),
			    color(p, DIFF_COLOR_RESET), color(p, DIFF_COLOR_FUNC));
	strbuf_add(p->out, l ? l->text : "", len);
}

/* Without context, lines that nothing has happened to are not printed, and not counted. */
static size_t count_hidden(const struct printer *p, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; !p->o->context && i < to; i++)
		n += !p->t->lines[i].added;
	return n;
}

static void combined_hunks_print_header(const struct printer *p, size_t from, size_t to,
					const struct combined_line *heading)
{
	size_t hidden = count_hidden(p, from, to);

	combined_hunks_start_line(p);
	strbuf_addstr(p->out, color(p, DIFF_COLOR_FRAG));
	add_ats(p);
	for (size_t side = 0; side < p->t->nr_sides; side++)
		strbuf_addf(p->out, " -%zu,%zu", p->next[side], count_side(p, side, from, to) - hidden);
	strbuf_addf(p->out, " +%zu,%zu ", from + 1, to - from - (to > p->t->nr) - hidden);
	add_ats(p);
	add_heading(p, heading);
	strbuf_addf(p->out, "%s\n", color(p, DIFF_COLOR_RESET));
}

static void combined_hunks_print_line(const struct printer *p, size_t at)
{
	const struct combined_line *l = &p->t->lines[at];

	for (size_t i = 0; i < l->nr_lost && !l->without_lost; i++) {
		combined_hunks_start_line(p);
		strbuf_addstr(p->out, color(p, DIFF_COLOR_OLD));
		add_columns(p, l->lost[i].sides, '-');
		combined_hunks_end_line(p, l->lost[i].text, l->lost[i].len);
	}
	if (at == p->t->nr || (!l->added && !p->o->context))
		return;
	combined_hunks_start_line(p);
	strbuf_addstr(p->out, color(p, l->added ? DIFF_COLOR_NEW : DIFF_COLOR_CONTEXT));
	add_columns(p, l->added, '+');
	combined_hunks_end_line(p, l->text, l->len);
}

static bool is_heading(const struct combined_line *l)
{
	return l->len && (isalpha((unsigned char)*l->text) || *l->text == '_' || *l->text == '$');
}

void combined_print(const struct combined_text *t, const struct diff_options *o, struct strbuf *out)
{
	struct printer p = { .t = t, .o = o, .out = out };
	const struct combined_line *heading = NULL;

	for (size_t side = 0; side < t->nr_sides; side++)
		p.next[side] = 1;
	for (size_t i = 0, end; i <= t->nr; i = end) {
		bool shown = t->lines[i].shown;

		end = next_shown(t, i, !shown);
		if (shown)
			combined_hunks_print_header(&p, i, end, heading);
		for (size_t k = i; k < end; k++) {
			if (shown)
				combined_hunks_print_line(&p, k);
			else if (is_heading(&t->lines[k]))
				heading = &t->lines[k];
		}
		if (shown)
			heading = NULL;
		for (size_t side = 0; side < t->nr_sides; side++)
			p.next[side] += count_side(&p, side, i, end);
	}
}
