/* SPDX-License-Identifier: GPL-2.0-only */
/* The hunks of a file, applied to its content. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "apply/image.h"
#include "apply/space.h"
#include "diff/whitespace.h"
#include "util/alloc.h"

struct text {
	struct image image;
	char **kept; /* strings that lines point to */
	size_t nr, alloc;
};

static const char *keep_line(void *data, const char *s, size_t len)
{
	struct text *t = data;

	ALLOC_GROW(t->kept, t->nr + 1, t->alloc);
	t->kept[t->nr] = xmemdupz(s, len);
	return t->kept[t->nr++];
}

static void text_end(struct text *t, struct strbuf *content)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; content && i < t->image.nr; i++)
		strbuf_add(&out, t->image.lines[i].s, t->image.lines[i].len);
	if (content)
		strbuf_swap(content, &out);
	strbuf_release(&out);
	for (size_t i = 0; i < t->nr; i++)
		free(t->kept[i]);
	free(t->kept);
	image_release(&t->image);
}

struct hunk_job {
	struct apply *a;
	struct apply_patch *ap;
	struct patch_hunk *h;
	struct text *t;
	struct image old, new;
	size_t blank_at_end, blank_line; /* added lines without text at the end, and where they begin */
	size_t leading, trailing;
};

/* ---- the two sides of a hunk ---- */

static void add_new_line(struct hunk_job *j, const char *s, size_t len)
{
	struct strbuf fixed = STRBUF_INIT;

	if (!j->a->ws_errors || j->a->ws != APPLY_WS_FIX) {
		image_add(&j->new, s, len, false);
		return;
	}
	apply_fix_whitespace(&fixed, s, len, j->ap->p.ws_rule, &j->a->ws_fixed);
	image_add(&j->new, keep_line(j->t, fixed.buf, fixed.len), fixed.len, false);
	strbuf_release(&fixed);
}

/* A line without its sign; len is that of what counts. false: no hunk has it. */
static bool add_line(struct hunk_job *j, char sign, const char *s, size_t len, size_t line_nr)
{
	bool eof_rule = j->ap->p.ws_rule & WS_BLANK_AT_EOF, blank = false, blank_context = false;

	if (j->a->reverse && (sign == '-' || sign == '+'))
		sign = sign == '-' ? '+' : '-';
	switch (sign) {
	case ' ':
		blank_context = len && eof_rule && patch_is_blank(s, len);
		image_add(&j->old, s, len, true);
		image_add(&j->new, s, len, true);
		break;
	case '-':
		blank_context = false;
		image_add(&j->old, s, len, false);
		break;
	case '+':
		if (!j->a->no_add) {
			add_new_line(j, s, len);
			blank = eof_rule && patch_is_blank(s, len);
		}
		break;
	case '@':
	case '\\':
		break;
	default:
		if (j->a->verbosity > 0)
			apply_error(j->a, "invalid start of line: '%c'", sign);
		return false;
	}
	if (blank) {
		if (!j->blank_at_end)
			j->blank_line = line_nr;
		j->blank_at_end++;
	} else if (!blank_context) {
		j->blank_at_end = 0;
	}
	return true;
}

static bool read_sides(struct hunk_job *j)
{
	const char *at = j->h->text, *end = at + j->h->len;

	for (size_t line = j->h->line; at < end; line++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = nl ? (size_t)(nl + 1 - at) : (size_t)(end - at);
		bool incomplete = at + len < end && at[len] == '\\';

		if (*at == '\n') {
			/* an empty line of context, from which a mailer has removed the blank */
			if (!incomplete && !add_line(j, ' ', at, 1, line))
				return false;
		} else if (!add_line(j, *at, at + 1, len - 1 - incomplete, line)) {
			return false;
		}
		at += len;
	}
	return true;
}

static bool ends_in_newline(const struct image *m)
{
	const struct image_line *l = m->nr ? &m->lines[m->nr - 1] : NULL;

	return l && l->len && l->s[l->len - 1] == '\n';
}

static void drop_last_newlines(struct hunk_job *j)
{
	if (!j->a->inaccurate_eof || !ends_in_newline(&j->old) || !ends_in_newline(&j->new))
		return;
	j->old.lines[j->old.nr - 1].len--;
	j->new.lines[j->new.nr - 1].len--;
}

/* ---- its place ---- */

static void drop_first(struct hunk_job *j, size_t *pos)
{
	image_drop_first(&j->old);
	image_drop_first(&j->new);
	--*pos;
	j->leading--;
}

static void drop_last(struct hunk_job *j)
{
	j->old.nr -= j->old.nr > 0;
	j->new.nr -= j->new.nr > 0;
	j->trailing--;
}

/* -C: with less and less context, as far as that may go. *pos: where the hunk would be without an offset. */
static ssize_t find_place(struct hunk_job *j, size_t *pos)
{
	const struct patch_hunk *h = j->h;
	struct apply *a = j->a;
	struct image_search s = { .in = &j->t->image, .old = &j->old, .new = &j->new, .ws_rule = j->ap->p.ws_rule,
				  .ignore_space = a->ignore_space, .fix_space = a->ws == APPLY_WS_FIX,
				  .allow_overlap = a->allow_overlap, .keep = keep_line, .data = j->t };
	bool start = !h->old_pos || (h->old_pos == 1 && !a->unidiff_zero), end = !a->unidiff_zero && !h->trailing;

	*pos = h->new_pos ? h->new_pos - 1 : 0;
	for (;;) {
		ssize_t at;

		s.at_start = start;
		s.at_end = end;
		at = image_find(&s, *pos);
		if (at >= 0 || (j->leading <= a->context && j->trailing <= a->context))
			return at;
		if (start || end) {
			start = end = false;
			continue;
		}
		if (j->leading >= j->trailing)
			drop_first(j, pos);
		if (j->trailing > j->leading)
			drop_last(j);
	}
}

static void check_blank_at_eof(struct hunk_job *j, size_t at)
{
	struct apply *a = j->a;

	if (!j->blank_at_end || j->old.nr + at < j->t->image.nr || !(j->ap->p.ws_rule & WS_BLANK_AT_EOF) ||
	    a->ws == APPLY_WS_NOWARN)
		return;
	apply_note_whitespace(a, WS_BLANK_AT_EOF, "+", 1, j->blank_line);
	if (a->ws == APPLY_WS_FIX)
		for (; j->blank_at_end && j->new.nr; j->blank_at_end--)
			j->new.nr--;
	if (a->ws == APPLY_WS_ERROR)
		a->apply = 0;
}

static void say_place(struct hunk_job *j, size_t nth, size_t at, size_t pos)
{
	long offset = (long)at - (long)pos;

	if (j->a->verbosity > 0 && offset) {
		if (j->a->reverse)
			offset = -offset;
		apply_say(j->a, "Hunk #%zu succeeded at %zu (offset %ld line%s).\n", nth, at + 1, offset,
			  offset == 1 ? "" : "s");
	}
	if (j->leading != j->h->leading || j->trailing != j->h->trailing)
		apply_say(j->a, "Context reduced to (%zu/%zu) to apply fragment at %zu\n", j->leading, j->trailing, at + 1);
}

static void put_lines(struct hunk_job *j, size_t at)
{
	struct image *in = &j->t->image;
	size_t nr = j->old.nr < in->nr - at ? j->old.nr : in->nr - at;

	image_splice(in, at, nr, &j->new);
	for (size_t i = 0; i < j->new.nr; i++) {
		in->lines[at + i].patched = !j->a->allow_overlap;
		in->lines[at + i].common = false;
	}
}

static void add_old_lines(const struct hunk_job *j, struct strbuf *out)
{
	for (size_t i = 0; i < j->old.nr; i++)
		strbuf_add(out, j->old.lines[i].s, j->old.lines[i].len);
}

static bool apply_hunk(struct hunk_job *j, size_t nth)
{
	struct strbuf wanted = STRBUF_INIT;
	size_t pos = 0;
	ssize_t at = -1;

	j->leading = j->h->leading;
	j->trailing = j->h->trailing;
	if (read_sides(j)) {
		drop_last_newlines(j);
		if (j->a->verbosity > 0)
			add_old_lines(j, &wanted);
		at = find_place(j, &pos);
		if (at >= 0) {
			check_blank_at_eof(j, (size_t)at);
			say_place(j, nth, (size_t)at, pos);
			put_lines(j, (size_t)at);
		} else if (j->a->verbosity > 0) {
			apply_error(j->a, "while searching for:\n%s", wanted.buf);
		}
	}
	strbuf_release(&wanted);
	image_release(&j->old);
	image_release(&j->new);
	return at >= 0;
}

int apply_hunks(struct apply *a, struct apply_patch *ap, struct strbuf *content)
{
	struct text t = { .image = IMAGE_INIT };
	int rc = 0;

	if (ap->p.is_binary)
		return apply_binary(a, ap, content);
	image_add_text(&t.image, content->buf, content->len);
	for (size_t i = 0; !rc && i < ap->p.nr; i++) {
		struct hunk_job j = { .a = a, .ap = ap, .h = &ap->p.hunks[i], .t = &t };

		if (apply_hunk(&j, i + 1))
			continue;
		rc = apply_error(a, "patch failed: %s:%lu", ap->p.old_name ? ap->p.old_name : ap->p.new_name, j.h->old_pos);
		if (a->reject) {
			j.h->rejected = true;
			rc = 0;
		}
	}
	text_end(&t, rc ? NULL : content);
	return rc;
}
