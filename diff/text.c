/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines, their ids, and the list of changes. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/text-internal.h"
#include "util/alloc.h"
#include "util/map.h"

/* ---- lines ---- */

static void split_lines(struct text_side *s, const char *text, size_t len)
{
	size_t alloc = 0;
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl + 1 : end) - text);

		ALLOC_GROW(s->lines, s->nr + 1, alloc);
		s->lines[s->nr].text = text;
		s->lines[s->nr++].len = n;
		text += n;
	}
	ALLOC_ARRAY(s->id, s->nr);
	s->changed = xcalloc(s->nr + 2, 1);
	s->changed++;
}

/* ---- what counts as equal ---- */

static size_t without_space_at_end(const struct text_line *l)
{
	size_t n = l->len;

	while (n && diff_is_space(l->text[n - 1]))
		n--;
	return n;
}

void text_add_canonical(struct strbuf *out, const struct text_line *l, unsigned ignore)
{
	size_t n = l->len;

	if (!ignore) {
		strbuf_add(out, l->text, n);
	} else if (ignore & DIFF_IGNORE_ALL_SPACE) {
		for (size_t i = 0; i < n; i++)
			if (!diff_is_space(l->text[i]))
				strbuf_addch(out, l->text[i]);
	} else if (ignore & DIFF_IGNORE_SPACE_CHANGE) {
		n = without_space_at_end(l);
		for (size_t i = 0; i < n; i++) {
			if (!diff_is_space(l->text[i]))
				strbuf_addch(out, l->text[i]);
			else if (!diff_is_space(l->text[i + 1]))
				strbuf_addch(out, ' ');
		}
	} else if (ignore & DIFF_IGNORE_SPACE_AT_EOL) {
		strbuf_add(out, l->text, without_space_at_end(l));
	} else {
		if (n && l->text[n - 1] == '\n') {
			n--;
			if (n && l->text[n - 1] == '\r')
				n--;
		}
		strbuf_add(out, l->text, n);
	}
}

/* ---- ids: one number for all lines that are equal ---- */

struct id_slot {
	const char *text;
	size_t len;
	uint32_t hash, id; /* id counts from 1; 0: free */
};

struct id_table {
	struct id_slot *slots;
	size_t mask;
	uint32_t nr;
};

static uint32_t find_id(struct id_table *t, const char *text, size_t len)
{
	uint32_t hash = mem_hash(text, len);
	size_t i = hash & t->mask;

	for (;; i = (i + 1) & t->mask) {
		struct id_slot *s = &t->slots[i];

		if (!s->id) {
			*s = (struct id_slot){ text, len, hash, ++t->nr };
			return s->id - 1;
		}
		if (s->hash == hash && s->len == len && !memcmp(s->text, text, len))
			return s->id - 1;
	}
}

/* Gives every line its id; returns the number of ids. */
static size_t number_lines(struct text_diff *d, unsigned ignore)
{
	struct id_table t = { .mask = 63 };
	struct strbuf canonical[2] = { STRBUF_INIT, STRBUF_INIT };
	size_t all = d->side[0].nr + d->side[1].nr;

	while (t.mask < all * 2)
		t.mask = t.mask * 2 + 1;
	CALLOC_ARRAY(t.slots, t.mask + 1);
	for (int i = 0; i < 2; i++) {
		struct text_side *s = &d->side[i];
		size_t *ends;

		if (!ignore) {
			for (size_t n = 0; n < s->nr; n++)
				s->id[n] = find_id(&t, s->lines[n].text, s->lines[n].len);
			continue;
		}
		ALLOC_ARRAY(ends, s->nr + 1);
		ends[0] = 0;
		for (size_t n = 0; n < s->nr; n++) {
			text_add_canonical(&canonical[i], &s->lines[n], ignore);
			ends[n + 1] = canonical[i].len;
		}
		for (size_t n = 0; n < s->nr; n++)
			s->id[n] = find_id(&t, canonical[i].buf + ends[n],
					   ends[n + 1] - ends[n]);
		free(ends);
	}
	free(t.slots);
	strbuf_release(&canonical[0]);
	strbuf_release(&canonical[1]);
	return t.nr;
}

/* ---- changed lines ---- */

/* How one box is solved: marks made, or smaller boxes pushed. */
static void solve_box(struct text_marker *m, struct text_box box)
{
	if (!text_range_nr(box.side[0]) || !text_range_nr(box.side[1]))
		text_mark_all(m, box);
	else if (m->o->algorithm == DIFF_HISTOGRAM)
		text_histogram_box(m, box);
	else if (m->o->algorithm == DIFF_PATIENCE)
		text_patience_box(m, box);
	else
		text_mark_myers(m, box);
}

static void marker_init(struct text_marker *m, struct text_diff *d,
			const struct diff_options *o, size_t nr_ids)
{
	memset(m, 0, sizeof(*m));
	m->d = d;
	m->o = o;
	for (int i = 0; i < 2; i++) {
		CALLOC_ARRAY(m->count[i], nr_ids);
		ALLOC_ARRAY(m->place[i], o->algorithm == DIFF_MYERS ? 0 : nr_ids);
	}
}

static void marker_release(struct text_marker *m)
{
	for (int i = 0; i < 2; i++) {
		free(m->count[i]);
		free(m->place[i]);
	}
	free(m->next);
	free(m->boxes);
}

static void mark_changes(struct text_marker *m)
{
	text_push_box(m, (struct text_box){ { { 0, m->d->side[0].nr },
					      { 0, m->d->side[1].nr } } });
	while (m->nr_boxes)
		solve_box(m, m->boxes[--m->nr_boxes]);
}

/* ---- the list ---- */

static bool all_blank(const struct text_side *s, size_t first, size_t nr, unsigned ignore)
{
	bool any_space = ignore & ~DIFF_IGNORE_BLANK_LINES;

	for (size_t i = first; i < first + nr; i++) {
		const struct text_line *l = &s->lines[i];

		if (any_space ? without_space_at_end(l) != 0 : l->len > 1)
			return false;
	}
	return true;
}

static bool all_match(const struct text_side *s, size_t first, size_t nr,
		      const struct diff_regexes *regexes)
{
	for (size_t i = first; i < first + nr; i++)
		if (!diff_regexes_match(regexes, s->lines[i].text, s->lines[i].len))
			return false;
	return true;
}

static bool is_ignorable(const struct text_diff *d, const struct text_change *c,
			 const struct diff_options *o)
{
	const struct text_side *a = &d->side[0], *b = &d->side[1];

	if (o->ignore & DIFF_IGNORE_BLANK_LINES &&
	    all_blank(a, c->old_first, c->old_nr, o->ignore) &&
	    all_blank(b, c->new_first, c->new_nr, o->ignore))
		return true;
	return o->ignore_lines && all_match(a, c->old_first, c->old_nr, o->ignore_lines) &&
	       all_match(b, c->new_first, c->new_nr, o->ignore_lines);
}

static void list_changes(struct text_diff *d, const struct diff_options *o)
{
	const struct text_side *a = &d->side[0], *b = &d->side[1];
	size_t i = 0, j = 0, alloc = 0;

	while (i < a->nr || j < b->nr) {
		struct text_change c = { .old_first = i, .new_first = j };

		while (a->changed[i])
			i++;
		while (b->changed[j])
			j++;
		c.old_nr = i - c.old_first;
		c.new_nr = j - c.new_first;
		if (c.old_nr || c.new_nr) {
			c.ignorable = is_ignorable(d, &c, o);
			ALLOC_GROW(d->changes, d->nr + 1, alloc);
			d->changes[d->nr++] = c;
		}
		/* a pair of equal lines */
		i++;
		j++;
	}
}

/*
 * Without context, lines after the last change do not matter: Git removes a common tail
 * first, in blocks of 1024 bytes and up to a complete line. As the frequency of lines, and
 * so the result, depends on it, it is done here as well.
 */
static void cut_common_tail(const char *a, size_t *a_len, const char *b, size_t *b_len)
{
	const size_t block = 1024;
	size_t shorter = *a_len < *b_len ? *a_len : *b_len, cut = 0;
	const char *nl;

	while (cut + block <= shorter &&
	       !memcmp(a + *a_len - cut - block, b + *b_len - cut - block, block))
		cut += block;
	if (!cut)
		return;
	nl = memchr(a + *a_len - cut, '\n', cut); /* its line stays */
	cut = nl ? (size_t)(a + *a_len - (nl + 1)) : 0;
	*a_len -= cut;
	*b_len -= cut;
}

void text_diff(struct text_diff *d, const char *old_text, size_t old_len,
	       const char *new_text, size_t new_len, const struct diff_options *o)
{
	struct text_marker m;

	memset(d, 0, sizeof(*d));
	if (!o->context && !o->function_context)
		cut_common_tail(old_text, &old_len, new_text, &new_len);
	split_lines(&d->side[0], old_text, old_len);
	split_lines(&d->side[1], new_text, new_len);
	marker_init(&m, d, o, number_lines(d, o->ignore & ~DIFF_IGNORE_BLANK_LINES));
	mark_changes(&m);
	text_slide_groups(&m, 0);
	text_slide_groups(&m, 1);
	marker_release(&m);
	list_changes(d, o);
}

void text_diff_release(struct text_diff *d)
{
	for (int i = 0; i < 2; i++) {
		struct text_side *s = &d->side[i];

		free(s->lines);
		free(s->id);
		if (s->changed)
			free(s->changed - 1);
	}
	free(d->changes);
	memset(d, 0, sizeof(*d));
}
