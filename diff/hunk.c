/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <regex.h>
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/whitespace-internal.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* ---- function names ---- */

#define LONGEST_NAME 80

struct funcname {
	size_t nr;
	struct funcname_pattern {
		regex_t regex;
		bool negated; /* a line that matches has no name */
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
		int group;

		m[0].rm_so = 0;
		m[0].rm_eo = (regoff_t)n;
		if (regexec(&f->patterns[i].regex, l->text, 2, m, REG_STARTEND))
			continue;
		if (f->patterns[i].negated)
			return false;
		group = m[1].rm_so >= 0 ? 1 : 0;
		*name = l->text + m[group].rm_so;
		*len = (size_t)(m[group].rm_eo - m[group].rm_so);
		return true;
	}
	return false;
}

/* The name ends before an incomplete character or anything that is not UTF-8. */
static size_t valid_utf8_len(const char *name, size_t len)
{
	const char *at = name;

	while (len && utf8_next(&at, &len) >= 0)
		;
	return (size_t)(at - name);
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
	strbuf_add(out, name, valid_utf8_len(name, len));
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

/* The next hunk at or behind change `from`; false if there is none. */
static bool next_hunk(const struct text_diff *d, const struct diff_options *o, size_t from,
		      struct hunk *h)
{
	size_t context = o->context, after;
	const struct text_change *first, *last;

	h->from = skip_ignorable(d, from, context);
	if (h->from >= d->nr)
		return false;
	h->to = last_of_hunk(d, h->from, context, 2 * context + o->interhunk_context) + 1;
	first = &d->changes[h->from];
	last = &d->changes[h->to - 1];
	h->old_first = first->old_first - at_most(context, first->old_first);
	h->new_first = first->new_first - at_most(context, first->new_first);
	h->old_end = old_end(last);
	h->new_end = last->new_first + last->new_nr;
	after = at_most(context, d->side[0].nr - h->old_end);
	after = at_most(after, d->side[1].nr - h->new_end);
	h->old_end += after;
	h->new_end += after;
	return true;
}

void hunks_count(const struct text_diff *d, const struct diff_options *o, uint64_t *added,
		 uint64_t *deleted)
{
	struct hunk h;

	*added = *deleted = 0;
	for (size_t from = 0; next_hunk(d, o, from, &h); from = h.to) {
		for (size_t i = h.from; i < h.to; i++) {
			*added += d->changes[i].new_nr;
			*deleted += d->changes[i].old_nr;
		}
	}
}

bool hunks_any(const struct text_diff *d, const struct diff_options *o)
{
	struct hunk h;

	return next_hunk(d, o, 0, &h);
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

/*
 * Empty lines that the new text has more of at its end are shown as errors: those at
 * or behind new_line that come when the old text has reached old_line (from 1).
 */
struct blank_at_eof {
	size_t old_line, new_line; /* 0: there are none */
};

static bool is_blank_line(const struct text_line *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (!diff_is_space(l->text[i]))
			return false;
	return true;
}

static struct blank_at_eof find_blank_at_eof(const struct text_diff *d)
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

static void print_hunk(const struct hunk_printer *hp, const struct hunk *h,
		       const struct blank_at_eof *eof)
{
	const struct text_line *old = hp->d->side[0].lines, *new = hp->d->side[1].lines;
	/* the old line that is next, as the hunk header has it */
	size_t at = h->old_first + (h->old_end > h->old_first), j = h->new_first;

	for (size_t n = h->from; n < h->to; n++) {
		const struct text_change *c = &hp->d->changes[n];

		for (; j < c->new_first; j++, at++)
			print_line(hp, ' ', &new[j], false);
		for (size_t i = 0; i < c->old_nr; i++, at++)
			print_line(hp, '-', &old[c->old_first + i], false);
		for (size_t i = 0; i < c->new_nr; i++, j++)
			print_line(hp, '+', &new[j],
				   eof->old_line && at >= eof->old_line &&
					   j + 1 >= eof->new_line && is_blank_line(&new[j]));
	}
	for (; j < h->new_end; j++)
		print_line(hp, ' ', &new[j], false);
}

void hunks_print(const struct hunk_printer *hp)
{
	struct strbuf name = STRBUF_INIT;
	struct blank_at_eof eof = { 0, 0 };
	size_t from = 0, searched = 0;
	struct hunk h;

	if (hp->o->color)
		eof = find_blank_at_eof(hp->d);
	for (; next_hunk(hp->d, hp->o, from, &h); from = h.to) {
		/* The nearest name before the hunk; the last hunk's if there is none. */
		for (size_t i = h.old_first; i > searched; i--)
			if (name_of_line(hp->funcname, &hp->d->side[0].lines[i - 1], &name))
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
