/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --word-diff: the lines of a change are cut into words, and the words are compared as lines are
 * elsewhere. What stands between words is shown as the new side has it.
 */
#include "compat/posix.h"
#include <regex.h>
#include "compat/regexec.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "util/alloc.h"

struct words_regex {
	regex_t regex;
};

struct word {
	size_t begin, end;
};

/* One side: its text, each line with a newline, and its words; words[0] is an empty one at the start. */
struct side {
	struct strbuf text, lines; /* lines: a word in each */
	struct word *words;
	size_t nr, alloc;
};

struct style {
	const char *before, *after, *newline;
	enum diff_color color;
};

static struct style style_of(const struct diff_options *o, char sign)
{
	static const char *const marks[][4] = {
		/* sign, plain: before, after, porcelain: before */
		{ "-", "[-", "-]", "-" }, { "+", "{+", "+}", "+" }, { " ", "", "", " " },
	};
	const char *const *m = marks[sign == '-' ? 0 : sign == '+' ? 1 : 2];
	struct style s = { "", "", "\n", sign == '-' ? DIFF_COLOR_OLD :
			   sign == '+' ? DIFF_COLOR_NEW : DIFF_COLOR_CONTEXT };

	if (o->word_diff == DIFF_WORDS_PLAIN) {
		s.before = m[1];
		s.after = m[2];
	} else if (o->word_diff == DIFF_WORDS_PORCELAIN) {
		s.before = m[3];
		s.after = "\n";
		s.newline = "~\n";
	}
	return s;
}

/* ---- words ---- */

int words_regex_new(struct words_regex **out, const char *pattern, bool icase, struct err *err)
{
	const int flags = REG_EXTENDED | REG_NEWLINE | (icase ? REG_ICASE : 0);

	*out = NULL;
	if (!pattern)
		return 0;
	*out = xmalloc(sizeof(**out));
	if (!regcomp(&(*out)->regex, pattern, flags))
		return 0;
	FREE_AND_NULL(*out);
	return err_set(err, ERR_INVALID, "invalid regular expression: %s", pattern);
}

void words_regex_free(struct words_regex *w)
{
	if (w)
		regfree(&w->regex);
	free(w);
}

/* The next word at or behind *at; a match ends at the end of its line. */
static bool next_word(const struct words_regex *regex, const struct strbuf *text, size_t at,
		      struct word *w)
{
	const char *newline;
	regmatch_t m;

	if (!regex) {
		while (at < text->len && isspace((unsigned char)text->buf[at]))
			at++;
		w->begin = at;
		while (at < text->len && !isspace((unsigned char)text->buf[at]))
			at++;
		w->end = at;
		return w->end > w->begin;
	}
	if (at >= text->len || 
	    regexec_range(&regex->regex, text->buf + at, text->len - at, 1, &m, REGEXEC_NUL_ENDED))
		return false;
	w->begin = at + (size_t)m.rm_so;
	w->end = at + (size_t)m.rm_eo;
	newline = memchr(text->buf + w->begin, '\n', w->end - w->begin);
	if (newline)
		w->end = (size_t)(newline - text->buf);
	return w->end > w->begin;
}

static void add_word(struct side *s, struct word w)
{
	ALLOC_GROW(s->words, s->nr + 1, s->alloc);
	s->words[s->nr++] = w;
	if (s->nr == 1)
		return;
	strbuf_add(&s->lines, s->text.buf + w.begin, w.end - w.begin);
	strbuf_addch(&s->lines, '\n');
}

/* nr lines from `first` on; a text without lines has no array. */
static void take_lines(struct side *s, const struct text_line *all, size_t first, size_t nr,
		       const struct words_regex *regex)
{
	const struct text_line *lines = nr ? all + first : NULL;
	struct word w = { 0, 0 };

	*s = (struct side){ STRBUF_INIT, STRBUF_INIT, NULL, 0, 0 };
	for (size_t i = 0; i < nr; i++) {
		strbuf_add(&s->text, lines[i].text, lines[i].len);
		if (!lines[i].len || lines[i].text[lines[i].len - 1] != '\n')
			strbuf_addch(&s->text, '\n');
	}
	add_word(s, w);
	while (next_word(regex, &s->text, w.end, &w))
		add_word(s, w);
}

static void release(struct side *s)
{
	strbuf_release(&s->text);
	strbuf_release(&s->lines);
	free(s->words);
}

/* ---- output ---- */

struct printer {
	const struct hunk_printer *hp;
	bool in_line; /* something of this line has been printed */
};

static void start(struct printer *p)
{
	if (!p->in_line && p->hp->o->line_prefix)
		strbuf_addstr(p->hp->out, p->hp->o->line_prefix);
	p->in_line = true;
}

/* Text of one kind; each line of it is marked for itself. */
static void words_add_text(struct printer *p, char sign, const char *text, size_t len)
{
	const struct diff_options *o = p->hp->o;
	const struct style s = style_of(o, sign);
	const char *color = diff_color_of(o, s.color), *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		start(p);
		if (n) {
			strbuf_addf(p->hp->out, "%s%s", color, s.before);
			strbuf_add(p->hp->out, text, n);
			strbuf_addf(p->hp->out, "%s%s", s.after,
				    *color ? diff_color_of(o, DIFF_COLOR_RESET) : "");
		}
		if (!newline)
			return;
		strbuf_addstr(p->hp->out, s.newline);
		p->in_line = false;
		text = newline + 1;
	}
}

/* From the first of nr words (from 0) to the end of the last; the end of the one before if nr is 0. */
static struct word span(const struct side *s, size_t first, size_t nr)
{
	if (!nr)
		return (struct word){ s->words[first].end, s->words[first].end };
	return (struct word){ s->words[first + 1].begin, s->words[first + nr].end };
}

static void print_words(struct printer *p, const struct side *old, const struct side *new)
{
	struct diff_options plain = { 0 };
	struct text_diff d;
	size_t done = 0;

	text_diff(&d, old->lines.buf, old->lines.len, new->lines.buf, new->lines.len, &plain);
	for (size_t i = 0; i < d.nr; i++) {
		const struct text_change *c = &d.changes[i];
		struct word a = span(old, c->old_first, c->old_nr);
		struct word b = span(new, c->new_first, c->new_nr);

		words_add_text(p, ' ', new->text.buf + done, b.begin - done);
		words_add_text(p, '-', old->text.buf + a.begin, a.end - a.begin);
		words_add_text(p, '+', new->text.buf + b.begin, b.end - b.begin);
		done = b.end;
	}
	words_add_text(p, ' ', new->text.buf + done, new->text.len - done);
	text_diff_release(&d);
}

void words_print_change(const struct hunk_printer *hp, const struct text_change *c)
{
	struct printer p = { hp, false };
	struct side old, new;

	take_lines(&old, hp->d->side[0].lines, c->old_first, c->old_nr, hp->words);
	take_lines(&new, hp->d->side[1].lines, c->new_first, c->new_nr, hp->words);
	if (!c->new_nr)
		words_add_text(&p, '-', old.text.buf, old.text.len);
	else
		print_words(&p, &old, &new);
	release(&old);
	release(&new);
}

void words_print_context(const struct hunk_printer *hp, const struct text_line *l)
{
	const struct diff_options *o = hp->o;
	size_t len = l->len - (l->len && l->text[l->len - 1] == '\n');
	bool cr = len && l->text[len - 1] == '\r';

	if (o->line_prefix)
		strbuf_addstr(hp->out, o->line_prefix);
	if (len > cr || o->word_diff == DIFF_WORDS_PORCELAIN) {
		strbuf_addstr(hp->out, diff_color_of(o, DIFF_COLOR_CONTEXT));
		if (o->word_diff == DIFF_WORDS_PORCELAIN)
			strbuf_addch(hp->out, ' ');
		strbuf_add(hp->out, l->text, len - cr);
		strbuf_addstr(hp->out, diff_color_of(o, DIFF_COLOR_RESET));
	}
	strbuf_addstr(hp->out, cr ? "\r\n" : "\n");
	if (o->word_diff == DIFF_WORDS_PORCELAIN)
		strbuf_addf(hp->out, "%s~\n", o->line_prefix ? o->line_prefix : "");
}
