/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds lines that are new to old sides, and lost lines. */
#include "compat/posix.h"
#include "diff/combined-internal.h"
#include "diff/diff-internal.h"
#include "util/alloc.h"

/* Pairs of lost lines that are compared: beyond that, lines of several sides stay apart. */
#define MERGE_MAX ((size_t)1 << 24)

static size_t without_newline(const char *text, size_t len)
{
	return len && text[len - 1] == '\n' ? len - 1 : len;
}

void combined_init(struct combined_text *t, const struct text_line *text, size_t nr_sides)
{
	const char *at = text->text, *end = at + text->len;
	size_t alloc = 1;

	*t = (struct combined_text){ .nr_sides = nr_sides };
	for (size_t i = 0; i < nr_sides; i++)
		t->all |= UINT64_C(1) << i;
	t->lines = xcalloc(1, sizeof(*t->lines));
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((nl ? nl + 1 : end) - at);

		ALLOC_GROW(t->lines, t->nr + 2, alloc);
		t->lines[t->nr++] = (struct combined_line){ .text = at, .len = without_newline(at, n) };
		t->lines[t->nr] = (struct combined_line){ .text = NULL };
		at += n;
	}
}

void combined_release(struct combined_text *t)
{
	for (size_t i = 0; t->lines && i <= t->nr; i++)
		free(t->lines[i].lost);
	FREE_AND_NULL(t->lines);
}

/* ---- lines that several sides have lost at the same place ---- */

/* The compared part of a line. */
struct canonical {
	struct strbuf *text;
	size_t nr;
};

static struct canonical canonical_new(const struct lost_line *l, size_t nr, unsigned ignore)
{
	struct canonical c = { xcalloc(nr + 1, sizeof(*c.text)), nr };

	for (size_t i = 0; i < nr; i++) {
		const struct text_line line = { l[i].text, l[i].len };

		strbuf_init(&c.text[i], 0);
		text_add_canonical(&c.text[i], &line, ignore);
	}
	return c;
}

static void canonical_free(struct canonical *c)
{
	for (size_t i = 0; i < c->nr; i++)
		strbuf_release(&c->text[i]);
	free(c->text);
}

static bool is_same(const struct canonical *a, size_t i, const struct canonical *b, size_t k)
{
	return a->text[i].len == b->text[k].len && !memcmp(a->text[i].buf, b->text[k].buf, a->text[i].len);
}

/* common[i][k]: the longest sequence that the first i and the first k lines have in common. */
static uint32_t *common_lengths(const struct canonical *a, const struct canonical *b)
{
	size_t width = b->nr + 1;
	uint32_t *common = xcalloc(st_mult(a->nr + 1, width), sizeof(*common));

	for (size_t i = 1; i <= a->nr; i++) {
		for (size_t k = 1; k <= b->nr; k++) {
			uint32_t above = common[(i - 1) * width + k], left = common[i * width + k - 1];

			common[i * width + k] = is_same(a, i - 1, b, k - 1) ?
				common[(i - 1) * width + k - 1] + 1 : above > left ? above : left;
		}
	}
	return common;
}

/*
 * One list of both, in order; what they have in common comes once. Filled from its end: where it
 * makes no difference to the length, lines of `more` come behind the present ones.
 */
static void merge_lost(struct combined_line *l, const struct lost_line *more, size_t nr, unsigned ignore)
{
	struct canonical a = canonical_new(l->lost, l->nr_lost, ignore), b = canonical_new(more, nr, ignore);
	size_t i = a.nr, k = b.nr, width = nr + 1, at = st_add(i, k);
	struct lost_line *all = xcalloc(at + 1, sizeof(*all));
	bool compare = i && k && i < MERGE_MAX / k;
	uint32_t *common = compare ? common_lengths(&a, &b) : NULL;
	size_t end = at;

	while (i || k) {
		if (i && k && common && is_same(&a, i - 1, &b, k - 1)) {
			all[--at] = l->lost[--i];
			all[at].sides |= more[--k].sides;
		} else if (k && (!i || !common || common[i * width + k - 1] >= common[(i - 1) * width + k])) {
			all[--at] = more[--k];
		} else {
			all[--at] = l->lost[--i];
		}
	}
	memmove(all, all + at, (end - at) * sizeof(*all));
	free(l->lost);
	l->lost = all;
	l->nr_lost = end - at;
	free(common);
	canonical_free(&a);
	canonical_free(&b);
}

static void add_lost(struct combined_line *l, const struct text_line *lines, size_t nr, uint64_t side,
		     unsigned ignore)
{
	struct lost_line *lost = xcalloc(nr + 1, sizeof(*lost));

	for (size_t i = 0; i < nr; i++)
		lost[i] = (struct lost_line){ lines[i].text, without_newline(lines[i].text, lines[i].len),
					      side };
	if (!l->nr_lost) {
		free(l->lost);
		l->lost = lost;
		l->nr_lost = nr;
		return;
	}
	merge_lost(l, lost, nr, ignore);
	free(lost);
}

/* ---- sides ---- */

void combined_add_side(struct combined_text *t, size_t side, const struct text_line *old,
		       const struct text_line *text, const struct diff_options *o)
{
	struct diff_options plain = *o;
	const uint64_t bit = UINT64_C(1) << side;
	struct text_diff d;

	plain.context = 0;
	plain.function_context = false;
	text_diff(&d, old->text, old->len, text->text, text->len, &plain);
	for (size_t i = 0; i < d.nr; i++) {
		const struct text_change *c = &d.changes[i];

		if (c->ignorable)
			continue;
		for (size_t k = 0; k < c->new_nr; k++)
			t->lines[c->new_first + k].added |= bit;
		if (c->old_nr)
			add_lost(&t->lines[c->new_first], &d.side[0].lines[c->old_first], c->old_nr, bit,
				 o->ignore & ~DIFF_IGNORE_BLANK_LINES);
	}
	text_diff_release(&d);
}

void combined_repeat_side(struct combined_text *t, size_t side, size_t as)
{
	const uint64_t bit = UINT64_C(1) << side, from = UINT64_C(1) << as;

	for (size_t i = 0; i <= t->nr; i++) {
		struct combined_line *l = &t->lines[i];

		l->added |= l->added & from ? bit : 0;
		for (size_t k = 0; k < l->nr_lost; k++)
			l->lost[k].sides |= l->lost[k].sides & from ? bit : 0;
	}
}
