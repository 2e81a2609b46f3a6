/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <regex.h>
#include "diff/diff-internal.h"
#include "diff/hunk.h"
#include "diff/whitespace.h"
#include "util/alloc.h"

/* ---- function names ---- */

#define LONGEST_NAME 80

struct funcname {
	size_t nr;
	struct funcname_pattern {
		regex_t regex;
		bool negated; /* such a line is none */
	} patterns[];
};

int funcname_new(struct funcname **out, const char *patterns, struct err *err)
{
	struct funcname *f;
	size_t lines = 1;

	*out = NULL;
	if (!patterns)
		return 0;
	for (const char *c = patterns; *c; c++)
		lines += *c == '\n';
	f = xcalloc(1, sizeof(*f) + lines * sizeof(*f->patterns));
	for (;;) {
		size_t n = strcspn(patterns, "\n");
		char *line = xmemdupz(patterns, n), *regex = line;
		int failed;

		f->patterns[f->nr].negated = *line == '!';
		regex += *line == '!';
		failed = regcomp(&f->patterns[f->nr].regex, regex, REG_EXTENDED | REG_NEWLINE);
		free(line);
		if (failed) {
			funcname_free(f);
			return err_set(err, ERR_INVALID, "invalid regexp to look for hunk header: %.*s",
				       (int)n, patterns);
		}
		f->nr++;
		if (!patterns[n])
			break;
		patterns += n + 1;
	}
	*out = f;
	return 0;
}

void funcname_free(struct funcname *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++)
		regfree(&f->patterns[i].regex);
	free(f);
}

/* A name begins in the first column. */
static bool default_name(const struct text_line *l, const char **name, size_t *len)
{
	unsigned char c = l->len ? (unsigned char)l->text[0] : 0;

	*name = l->text;
	*len = l->len;
	return (c < 0x80 && isalpha(c)) || c == '_' || c == '$';
}

static bool pattern_name(const struct funcname *f, const struct text_line *l,
			 const char **name, size_t *len)
{
	size_t n = l->len;

	if (n && l->text[n - 1] == '\n')
		n--;
	for (size_t i = 0; i < f->nr; i++) {
		regmatch_t m[2];
		int take;

		m[0].rm_so = 0;
		m[0].rm_eo = (regoff_t)n;
		if (regexec(&f->patterns[i].regex, l->text, 2, m, REG_STARTEND))
			continue;
		if (f->patterns[i].negated)
			return false;
		take = m[1].rm_so >= 0 ? 1 : 0;
		*name = l->text + m[take].rm_so;
		*len = (size_t)(m[take].rm_eo - m[take].rm_so);
		return true;
	}
	return false;
}

/* Sets the name if the line has one. */
static bool name_of_line(const struct funcname *f, const struct text_line *l,
			 struct strbuf *out)
{
	const char *name = l->text;
	size_t len = 0;

	if (!(f ? pattern_name(f, l, &name, &len) : default_name(l, &name, &len)))
		return false;
	if (len > LONGEST_NAME)
		len = LONGEST_NAME;
	while (len && diff_is_space(name[len - 1]))
		len--;
	strbuf_reset(out);
	strbuf_add(out, name, len);
	return true;
}

/* ---- lines ---- */

static void start_line(const struct hunk_printer *hp)
{
	if (hp->o->line_prefix)
		strbuf_addstr(hp->out, hp->o->line_prefix);
}

static void end_incomplete_line(const struct hunk_printer *hp)
{
	strbuf_addch(hp->out, '\n');
	start_line(hp);
	strbuf_addf(hp->out, "%s\\ No newline at end of file%s\n",
		    diff_color_of(hp->o, DIFF_COLOR_CONTEXT),
		    diff_color_of(hp->o, DIFF_COLOR_RESET));
}

static void print_line(const struct hunk_printer *hp, char sign, const struct text_line *l,
		       bool blank_at_eof)
{
	const struct diff_options *o = hp->o;
	size_t len = l->len;
	bool complete = len && l->text[len - 1] == '\n';

	if (complete)
		len--;
	start_line(hp);
	if (!o->color) {
		if (sign != ' ' || len || !o->suppress_blank_empty)
			strbuf_addch(hp->out, sign);
		strbuf_add(hp->out, l->text, len);
	} else if (sign == '+') {
		whitespace_add_new_line(hp->out, o, l->text, len, blank_at_eof);
	} else {
		enum diff_color c = sign == '-' ? DIFF_COLOR_OLD : DIFF_COLOR_CONTEXT;
		bool cr = len && l->text[len - 1] == '\r'; /* stays behind the colour */

		len -= cr;
		strbuf_addstr(hp->out, diff_color_of(o, c));
		if (sign != ' ' || len || !o->suppress_blank_empty)
			strbuf_addch(hp->out, sign);
		strbuf_add(hp->out, l->text, len);
		strbuf_addstr(hp->out, diff_color_of(o, DIFF_COLOR_RESET));
		if (cr)
			strbuf_addch(hp->out, '\r');
	}
	if (complete)
		strbuf_addch(hp->out, '\n');
	else
		end_incomplete_line(hp);
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

/* The next hunk at or behind change `from`; false if there is none. */
static bool next_hunk(const struct hunk_printer *hp, size_t from, struct hunk *h)
{
	const struct text_diff *d = hp->d;
	size_t context = hp->o->context;
	size_t gap = 2 * context + hp->o->interhunk_context, room;

	while (from < d->nr && d->changes[from].ignorable)
		from++;
	if (from == d->nr)
		return false;
	h->from = from;
	h->to = from + 1;
	for (size_t i = from + 1; i < d->nr; i++) {
		if (d->changes[i].ignorable)
			continue;
		if (d->changes[i].old_first - old_end(&d->changes[h->to - 1]) > gap)
			break;
		h->to = i + 1;
	}
	h->old_first = d->changes[from].old_first;
	h->new_first = d->changes[from].new_first;
	room = h->old_first < h->new_first ? h->old_first : h->new_first;
	if (room > context)
		room = context;
	h->old_first -= room;
	h->new_first -= room;
	h->old_end = old_end(&d->changes[h->to - 1]);
	h->new_end = d->changes[h->to - 1].new_first + d->changes[h->to - 1].new_nr;
	room = d->side[0].nr - h->old_end;
	if (room > d->side[1].nr - h->new_end)
		room = d->side[1].nr - h->new_end;
	if (room > context)
		room = context;
	h->old_end += room;
	h->new_end += room;
	return true;
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
	if (name->len)
		strbuf_addf(hp->out, "%s %s%s%s%s", diff_color_of(hp->o, DIFF_COLOR_CONTEXT),
			    reset, diff_color_of(hp->o, DIFF_COLOR_FUNC), name->buf, reset);
	strbuf_addch(hp->out, '\n');
}

/* Empty lines that the new text has more of at its end start at this line. */
static size_t first_blank_at_eof(const struct text_diff *d)
{
	size_t end[2];

	for (int i = 0; i < 2; i++) {
		const struct text_side *s = &d->side[i];

		for (end[i] = s->nr; end[i]; end[i]--) {
			const struct text_line *l = &s->lines[end[i] - 1];
			size_t n = 0;

			while (n < l->len && diff_is_space(l->text[n]))
				n++;
			if (n < l->len)
				break;
		}
	}
	if (d->side[1].nr - end[1] <= d->side[0].nr - end[0])
		return SIZE_MAX;
	return end[1];
}

static void print_hunk(const struct hunk_printer *hp, const struct hunk *h, size_t blank_eof)
{
	const struct text_line *old = hp->d->side[0].lines, *new = hp->d->side[1].lines;
	size_t j = h->new_first;

	for (size_t n = h->from; n < h->to; n++) {
		const struct text_change *c = &hp->d->changes[n];

		for (; j < c->new_first; j++)
			print_line(hp, ' ', &new[j], false);
		for (size_t i = 0; i < c->old_nr; i++)
			print_line(hp, '-', &old[c->old_first + i], false);
		for (size_t i = 0; i < c->new_nr; i++, j++)
			print_line(hp, '+', &new[j], j >= blank_eof);
	}
	for (; j < h->new_end; j++)
		print_line(hp, ' ', &new[j], false);
}

void hunks_print(const struct hunk_printer *hp)
{
	struct strbuf name = STRBUF_INIT;
	size_t blank_eof = hp->o->color ? first_blank_at_eof(hp->d) : SIZE_MAX;
	size_t from = 0, searched = 0;
	struct hunk h;

	for (; next_hunk(hp, from, &h); from = h.to) {
		/* The nearest name before the hunk; the last hunk's if there is none. */
		for (size_t i = h.old_first; i > searched; i--)
			if (name_of_line(hp->funcname, &hp->d->side[0].lines[i - 1], &name))
				break;
		searched = h.old_first;
		print_header(hp, &h, &name);
		print_hunk(hp, &h, blank_eof);
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
