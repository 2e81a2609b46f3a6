/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "grep/search.h"
#include "util/alloc.h"

/* Where a line begins, and its number from 1. */
struct place {
	size_t at;
	unsigned long no;
};

struct run {
	const struct grep_format *f;
	struct grep_matcher *m;
	const struct grep_text *t;
	struct grep_output *output;
	struct strbuf *out; /* its text */
	unsigned long last_shown, last_selected; /* numbers of lines; 0: none */
	unsigned long selected;			 /* how many lines */
	bool in_function;			 /* -W: lines are shown to the end of the function */
};

/* ---- lines ---- */

static size_t line_len(const struct grep_text *t, size_t at)
{
	const char *end = memchr(t->data + at, '\n', t->len - at);

	return end ? (size_t)(end - t->data) - at : t->len - at;
}

static struct place line_before(const struct grep_text *t, struct place p)
{
	const char *newline = p.at > 1 ? memrchr(t->data, '\n', p.at - 1) : NULL;

	return (struct place){ newline ? (size_t)(newline + 1 - t->data) : 0, p.no - 1 };
}

static struct place line_after(const struct grep_text *t, struct place p)
{
	return (struct place){ p.at + line_len(t, p.at) + 1, p.no + 1 };
}

/* The line at `at`, which is behind p. Its number is right if it matters. */
static struct place go_to(const struct grep_text *t, struct place p, size_t at, bool counts)
{
	for (const char *s = t->data + p.at; counts && (s = memchr(s, '\n', (size_t)(t->data + at - s))) != NULL; s++)
		p.no++;
	p.at = at;
	return p;
}

static bool names_function(const struct run *r, size_t at)
{
	size_t len = line_len(r->t, at);

	return len && r->t->names_function(r->t->functions, r->t->data + at, len);
}

static bool is_blank(const struct run *r, size_t at)
{
	const char *s = r->t->data + at, *end = s + line_len(r->t, at);

	while (s < end && isspace((unsigned char)*s))
		s++;
	return s == end;
}

/* ---- printing ---- */

static void add_colored(const struct run *r, enum grep_color color, const char *text, size_t len)
{
	const char *code = r->f->color ? r->f->colors[color] : "";

	strbuf_addstr(r->out, code);
	strbuf_add(r->out, text, len);
	if (*code)
		strbuf_addstr(r->out, COLOR_RESET);
}

static void add_separator(const struct run *r, char sign)
{
	if (r->f->nul)
		strbuf_addch(r->out, '\0');
	else
		add_colored(r, GREP_COLOR_SEPARATOR, &sign, 1);
}

static void add_name(const struct run *r)
{
	struct strbuf *name = &r->output->name;

	if (!name->len)
		r->t->add_name(r->t->names, name);
	add_colored(r, GREP_COLOR_FILENAME, name->buf, name->len);
}

static void add_name_and(const struct run *r, char sign)
{
	add_name(r);
	add_separator(r, sign);
}

static void add_number(const struct run *r, enum grep_color color, unsigned long number, char sign)
{
	char text[24];

	add_colored(r, color, text, (size_t)snprintf(text, sizeof(text), "%lu", number));
	add_separator(r, sign);
}

/* column: from 1; 0: the line has none */
static void add_header(const struct run *r, unsigned long no, size_t column, char sign)
{
	if (r->f->show_name && !r->f->heading)
		add_name_and(r, sign);
	if (r->f->line_number)
		add_number(r, GREP_COLOR_LINE, no, sign);
	if (r->f->column && column)
		add_number(r, GREP_COLOR_COLUMN, column, sign);
}

static bool has_context(const struct grep_format *f)
{
	return f->before || f->after || f->function_body;
}

static void add_mark_of_texts(const struct run *r)
{
	struct grep_output *o = r->output;
	size_t from = r->out->len;

	if (r->f->blank_line) {
		strbuf_addch(r->out, '\n');
	} else if (has_context(r->f)) {
		add_colored(r, GREP_COLOR_SEPARATOR, "--", 2);
		strbuf_addch(r->out, '\n');
	}
	if (!o->has_lines) {
		o->first_mark = from;
		o->mark_len = r->out->len - from;
	}
	o->has_lines = true;
}

/* Marks, and the heading, before the first line and between lines that do not follow each other. */
static void begin_line(struct run *r, unsigned long no)
{
	if (!r->last_shown) {
		add_mark_of_texts(r);
		if (r->f->heading) {
			add_name(r);
			strbuf_addch(r->out, '\n');
		}
	} else if (no > r->last_shown + 1 && has_context(r->f)) {
		add_colored(r, GREP_COLOR_SEPARATOR, "--", 2);
		strbuf_addch(r->out, '\n');
	}
	r->last_shown = no;
}

static void add_matches(struct run *r, struct place p, size_t len, char sign)
{
	static const char signs[] = { ':', '-', '=' };
	static const enum grep_color rest[] = { GREP_COLOR_SELECTED, GREP_COLOR_CONTEXT, GREP_COLOR_FUNCTION };
	size_t kind = sign == signs[0] ? 0 : sign == signs[1] ? 1 : 2, from = 0;
	enum grep_color match = kind ? GREP_COLOR_MATCH_CONTEXT : GREP_COLOR_MATCH_SELECTED;
	const char *line = r->t->data + p.at;
	struct grep_span s;

	while (from < len && (r->f->only_matching || r->f->color) && grep_next_span(r->m, line, len, from, &s) && s.begin < s.end) {
		if (r->f->only_matching) {
			begin_line(r, p.no);
			add_header(r, p.no, s.begin + 1, sign);
		} else {
			add_colored(r, rest[kind], line + from, s.begin - from);
		}
		add_colored(r, match, line + s.begin, s.end - s.begin);
		if (r->f->only_matching)
			strbuf_addch(r->out, '\n');
		from = s.end;
	}
	if (!r->f->only_matching)
		add_colored(r, rest[kind], line + from, len - from);
}

static void show_line(struct run *r, struct place p, char sign, size_t column)
{
	if (!r->f->only_matching) {
		begin_line(r, p.no);
		add_header(r, p.no, column, sign);
	}
	add_matches(r, p, line_len(r->t, p.at), sign);
	if (!r->f->only_matching)
		strbuf_addch(r->out, '\n');
}

/* ---- what stands above a selected line ---- */

/* The line that names the function around p: above it, or p itself. no is 0: there is none that has not been shown. */
static struct place function_of(const struct run *r, struct place p, bool itself)
{
	if (itself && names_function(r, p.at))
		return p;
	while (p.no > r->last_shown + 1) {
		p = line_before(r->t, p);
		if (names_function(r, p.at))
			return p;
	}
	return (struct place){ 0, 0 };
}

/* -W: the function, and the lines above it that no blank line parts from it. */
static struct place function_begin(const struct run *r, struct place p)
{
	struct place f = function_of(r, p, true), up;

	if (!f.no) {
		while (p.no > r->last_shown + 1)
			p = line_before(r->t, p);
		return p;
	}
	while (f.no > r->last_shown + 1) {
		up = line_before(r->t, f);
		if (is_blank(r, up.at) || names_function(r, up.at))
			break;
		f = up;
	}
	return f;
}

static void show_above(struct run *r, struct place p)
{
	struct place from = p, named = { 0, 0 };

	if (r->f->function_name || r->f->function_body)
		named = function_of(r, p, !r->f->function_name);
	for (int n = 0; n < r->f->before && from.no > r->last_shown + 1; n++)
		from = line_before(r->t, from);
	if (r->f->function_body) {
		struct place begin = function_begin(r, p);

		if (begin.no < from.no)
			from = begin;
	}
	if (r->f->function_name && named.no && named.no < from.no)
		show_line(r, named, '=', 0);
	for (; from.no < p.no; from = line_after(r->t, from))
		show_line(r, from, from.no == named.no ? '=' : '-', 0);
}

/* ---- the text ---- */

static bool selects(const struct run *r, struct place p, struct grep_column *column)
{
	return grep_line_matches(r->m, r->t->data + p.at, line_len(r->t, p.at), column) != (r->f->invert != 0);
}

/* -W: does the function end above p? Blank lines in front of the next one belong to neither. */
static bool function_ends(const struct run *r, struct place p)
{
	while (p.at < r->t->len && is_blank(r, p.at))
		p = line_after(r->t, p);
	return p.at >= r->t->len || names_function(r, p.at);
}

/* A line was selected. False: no other line matters. */
static bool take_line(struct run *r, struct place p, const struct grep_column *column)
{
	const struct grep_format *f = r->f;
	ssize_t at = f->invert ? column->inverted : column->match;

	r->selected++;
	if (f->quiet || f->names || f->names_without)
		return false;
	if (f->count)
		return true;
	if (r->t->is_binary && f->binary == GREP_BINARY_NOTE) {
		strbuf_addstr(r->out, "Binary file ");
		add_name(r);
		strbuf_addstr(r->out, " matches\n");
		return false;
	}
	show_above(r, p);
	show_line(r, p, ':', at < 0 ? 1 : (size_t)at + 1);
	r->last_selected = p.no;
	r->in_function = f->function_body;
	return true;
}

/* A line that is shown only because of one above it. column: from 1; 0: none. False: none is to follow. */
static bool pass_line(struct run *r, struct place p, size_t column)
{
	if (r->in_function && function_ends(r, p))
		r->in_function = false;
	if (!r->last_selected || (!r->in_function && p.no > r->last_selected + (unsigned long)r->f->after))
		return false;
	show_line(r, p, '-', column);
	return true;
}

static bool is_full(const struct run *r)
{
	return r->f->max_count >= 0 && r->selected >= (unsigned long)r->f->max_count;
}

static void search_lines(struct run *r)
{
	bool wants_column = r->f->column && !r->f->quiet && !r->f->names && !r->f->count;
	bool counts = r->f->line_number || r->f->function_name || has_context(r->f);
	struct place p = { 0, 1 };
	bool open = false; /* lines are shown below the last selected one */

	while (p.at < r->t->len) {
		struct grep_column column = { -1, -1 };

		if (!open && is_full(r))
			return;
		if (!open && !r->f->invert && !r->f->all_match)
			p = go_to(r->t, p, grep_next_candidate(r->m, r->t->data, r->t->len, p.at), counts);
		if (p.at >= r->t->len)
			return;
		/* as in Git, lines behind the last one of --max-count have a column, too */
		if ((!is_full(r) || wants_column) && selects(r, p, wants_column ? &column : NULL) && !is_full(r)) {
			if (!take_line(r, p, &column))
				return;
			open = has_context(r->f);
		} else {
			open = open && pass_line(r, p, (size_t)(column.match + 1));
		}
		p = line_after(r->t, p);
	}
}

static bool has_all_terms(const struct run *r)
{
	for (struct place p = { 0, 1 }; p.at < r->t->len; p = line_after(r->t, p))
		grep_note_terms(r->m, r->t->data + p.at, line_len(r->t, p.at));
	return grep_all_terms_matched(r->m);
}

bool grep_search(const struct grep_format *f, struct grep_matcher *m, const struct grep_text *t, struct grep_output *out)
{
	struct run r = { .f = f, .m = m, .t = t, .output = out, .out = &out->text };
	bool skipped = t->is_binary && f->binary == GREP_BINARY_SKIP;

	strbuf_reset(&out->name);
	grep_begin_text(m);
	if (skipped || (f->all_match && !has_all_terms(&r)))
		return false;
	search_lines(&r);
	if (f->quiet)
		return f->names_without ? !r.selected : r.selected > 0;
	if (f->names_without ? !r.selected : (f->names && r.selected)) {
		add_name(&r);
		strbuf_addch(r.out, f->nul ? '\0' : '\n');
		return true;
	}
	if (f->names_without)
		return false;
	if (f->count && r.selected) {
		if (f->show_name)
			add_name_and(&r, ':');
		strbuf_addf(r.out, "%lu\n", r.selected);
	}
	return r.selected > 0;
}
