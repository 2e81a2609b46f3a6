/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps: the changes of each side against the base; changes that touch form regions; a region
 * of one side is taken, one of both is a conflict; conflicts are made smaller by comparing their
 * two sides, and those close together are joined; then all of it is written.
 */
#include "compat/posix.h"
#include "diff/text.h"
#include "merge/texts.h"
#include "util/alloc.h"

#define JOIN_MAX 3 /* lines between conflicts that become one */

struct range {
	size_t first, nr;
};

/* Lines that stand for each other; between two regions nothing has changed. */
struct region {
	struct range lines[3]; /* by enum merge3_side */
	bool conflict;
	enum merge3_side take; /* if it is none */
};

struct merger {
	const struct merge3 *m;
	struct diff_options o;
	struct text_diff diff[2]; /* from the base to ours, to theirs */
	const struct text_line *text[3];
	size_t nr_lines[3];
	struct region *regions;
	size_t nr, alloc;
};

static size_t end_of(struct range r)
{
	return r.first + r.nr;
}

static struct region *add_region(struct merger *g)
{
	ALLOC_GROW(g->regions, g->nr + 1, g->alloc);
	memset(&g->regions[g->nr], 0, sizeof(*g->regions));
	return &g->regions[g->nr++];
}

/* ---- regions ---- */

/* Do lines of both sides say the same, as far as whitespace counts? */
static bool same_lines(const struct merger *g, enum merge3_side a, struct range x,
		       enum merge3_side b, struct range y)
{
	struct strbuf p = STRBUF_INIT, q = STRBUF_INIT;
	bool same = x.nr == y.nr;

	for (size_t i = 0; same && i < x.nr; i++) {
		strbuf_reset(&p);
		strbuf_reset(&q);
		text_add_canonical(&p, &g->text[a][x.first + i], g->m->ignore);
		text_add_canonical(&q, &g->text[b][y.first + i], g->m->ignore);
		same = p.len == q.len && !memcmp(p.buf, q.buf, p.len);
	}
	strbuf_release(&p);
	strbuf_release(&q);
	return same;
}

/* The changes of one side that belong to a region: from .. to-1. */
struct taken {
	size_t from, to;
};

/* The lines of a side for the base's lines of the region: changes before and in it move them. */
static struct range side_range(const struct text_diff *d, struct taken t, struct range base)
{
	size_t before = 0, added = 0; /* how far a line has moved: new minus old, modulo 2^n */

	if (t.from)
		before = d->changes[t.from - 1].new_first + d->changes[t.from - 1].new_nr -
			 d->changes[t.from - 1].old_first - d->changes[t.from - 1].old_nr;
	for (size_t i = t.from; i < t.to; i++)
		added += d->changes[i].new_nr - d->changes[i].old_nr;
	return (struct range){ base.first + before, base.nr + added };
}

/* The only changes of both sides there, and the same. */
static bool same_change(const struct merger *g, const struct region *r, const struct taken t[2])
{
	const struct text_change *a = &g->diff[0].changes[t[0].from];
	const struct text_change *b = &g->diff[1].changes[t[1].from];

	return t[0].to - t[0].from == 1 && t[1].to - t[1].from == 1 && a->old_first == b->old_first &&
	       a->old_nr == b->old_nr && same_lines(g, MERGE3_OURS, r->lines[MERGE3_OURS], MERGE3_THEIRS,
						    r->lines[MERGE3_THEIRS]);
}

/* What both have changed in the same way needs no region: all that lies between them is taken from ours. */
static void finish_region(struct merger *g, struct range base, const struct taken t[2])
{
	bool ours = t[0].to > t[0].from, theirs = t[1].to > t[1].from;
	struct region r = { .conflict = ours && theirs, .take = ours ? MERGE3_OURS : MERGE3_THEIRS };

	r.lines[MERGE3_BASE] = base;
	r.lines[MERGE3_OURS] = side_range(&g->diff[0], t[0], base);
	r.lines[MERGE3_THEIRS] = side_range(&g->diff[1], t[1], base);
	if (!r.conflict || !same_change(g, &r, t))
		*add_region(g) = r;
}

/* The side whose next change comes first; -1: there is none. */
static int next_side(const struct merger *g, const size_t at[2])
{
	bool ours = at[0] < g->diff[0].nr, theirs = at[1] < g->diff[1].nr;

	if (ours && theirs)
		return g->diff[1].changes[at[1]].old_first < g->diff[0].changes[at[0]].old_first;
	return ours ? 0 : theirs ? 1 : -1;
}

static void find_regions(struct merger *g)
{
	size_t at[2] = { 0, 0 };
	int side;

	while ((side = next_side(g, at)) >= 0) {
		struct taken t[2] = { { at[0], at[0] }, { at[1], at[1] } };
		struct range base = { g->diff[side].changes[at[side]].old_first, 0 };

		do { /* what begins at or before the end of the region belongs to it */
			const struct text_change *c = &g->diff[side].changes[at[side]];

			if (c->old_first > end_of(base))
				break;
			if (c->old_first + c->old_nr > end_of(base))
				base.nr = c->old_first + c->old_nr - base.first;
			t[side].to = ++at[side];
		} while ((side = next_side(g, at)) >= 0);
		finish_region(g, base, t);
	}
}

/* ---- smaller conflicts ---- */

/* Where a side's lines lie in memory: from the first to behind the last. */
static struct merge3_text bytes_of(const struct merger *g, enum merge3_side side, struct range r)
{
	const struct text_line *l = g->text[side];
	struct merge3_text t = { "", 0, NULL };

	if (r.nr) {
		t.text = l[r.first].text;
		t.len = (size_t)(l[end_of(r) - 1].text + l[end_of(r) - 1].len - t.text);
	}
	return t;
}

/* A conflict for each difference between its sides; the base is shown in none of them. */
static void split_conflict(struct merger *g, const struct region *whole)
{
	struct range ours = whole->lines[MERGE3_OURS], theirs = whole->lines[MERGE3_THEIRS];
	struct merge3_text a = bytes_of(g, MERGE3_OURS, ours), b = bytes_of(g, MERGE3_THEIRS, theirs);
	struct text_diff d;

	text_diff(&d, a.text, a.len, b.text, b.len, &g->o);
	for (size_t i = 0; i < d.nr; i++) {
		struct region *r = add_region(g);

		r->conflict = true;
		r->lines[MERGE3_OURS] = (struct range){ ours.first + d.changes[i].old_first,
							d.changes[i].old_nr };
		r->lines[MERGE3_THEIRS] = (struct range){ theirs.first + d.changes[i].new_first,
							  d.changes[i].new_nr };
	}
	if (!d.nr) { /* both say the same in the end */
		struct region *r = add_region(g);

		*r = *whole;
		r->conflict = false;
	}
	text_diff_release(&d);
}

static void split_conflicts(struct merger *g)
{
	struct region *old = g->regions;
	size_t nr = g->nr;

	g->regions = NULL;
	g->nr = g->alloc = 0;
	for (size_t i = 0; i < nr; i++) {
		if (old[i].conflict && old[i].lines[MERGE3_OURS].nr && old[i].lines[MERGE3_THEIRS].nr)
			split_conflict(g, &old[i]);
		else
			*add_region(g) = old[i];
	}
	free(old);
}

static bool has_letters(const struct merger *g, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < g->text[MERGE3_OURS][i].len; k++)
			if (isalnum((unsigned char)g->text[MERGE3_OURS][i].text[k]))
				return true;
	return false;
}

/* Conflicts that are so close that one of them reads better. */
static bool belong_together(const struct merger *g, const struct region *a, const struct region *b)
{
	size_t from = end_of(a->lines[MERGE3_OURS]), to = b->lines[MERGE3_OURS].first;

	return a->conflict && b->conflict &&
	       (to - from <= JOIN_MAX || (g->m->join_over_blank && !has_letters(g, from, to)));
}

static void join_conflicts(struct merger *g)
{
	size_t to = 0;

	for (size_t i = 1; i < g->nr; i++) {
		struct region *a = &g->regions[to], *b = &g->regions[i];

		if (!belong_together(g, a, b)) {
			g->regions[++to] = *b;
			continue;
		}
		for (int s = 0; s < 3; s++)
			a->lines[s].nr = end_of(b->lines[s]) - a->lines[s].first;
	}
	if (g->nr)
		g->nr = to + 1;
}

/* Lines that both sides have at the ends are no part of the conflict. */
static void trim_conflict(const struct merger *g, struct region *r)
{
	struct range *a = &r->lines[MERGE3_OURS], *b = &r->lines[MERGE3_THEIRS];
	struct range x = { 0, 1 }, y = { 0, 1 };

	for (;;) { /* what is left out above is taken from ours, as all that has not changed */
		x.first = a->first;
		y.first = b->first;
		if (!a->nr || !b->nr || !same_lines(g, MERGE3_OURS, x, MERGE3_THEIRS, y))
			break;
		a->first++;
		b->first++;
		a->nr--;
		b->nr--;
	}
	for (;;) {
		x.first = end_of(*a) - 1;
		y.first = end_of(*b) - 1;
		if (!a->nr || !b->nr || !same_lines(g, MERGE3_OURS, x, MERGE3_THEIRS, y))
			break;
		a->nr--;
		b->nr--;
	}
}

static void refine(struct merger *g)
{
	if (g->m->style == MERGE3_MERGE) {
		split_conflicts(g);
		join_conflicts(g);
		return;
	}
	for (size_t i = 0; g->m->style == MERGE3_ZDIFF3 && i < g->nr; i++)
		if (g->regions[i].conflict)
			trim_conflict(g, &g->regions[i]);
}

/* ---- output ---- */

/* 1: it ends in CRLF, 0: in LF, -1: unknown */
static int ends_in_crlf(const struct merger *g, enum merge3_side side, size_t i)
{
	const struct text_line *l;

	if (i >= g->nr_lines[side])
		return -1;
	l = &g->text[side][i];
	if (l->len && l->text[l->len - 1] == '\n')
		return l->len > 1 && l->text[l->len - 2] == '\r';
	/* the last line: as the one before, if there is one */
	return i ? ends_in_crlf(g, side, i - 1) : -1;
}

/* The lines of markers end as the text around them does in all three versions. */
static bool wants_crlf(const struct merger *g, const struct region *r)
{
	const size_t ours = r->lines[MERGE3_OURS].first, theirs = r->lines[MERGE3_THEIRS].first;
	int crlf = ends_in_crlf(g, MERGE3_OURS, ours ? ours - 1 : 0);

	if (crlf)
		crlf = ends_in_crlf(g, MERGE3_THEIRS, theirs ? theirs - 1 : 0);
	if (crlf)
		crlf = ends_in_crlf(g, MERGE3_BASE, 0);
	return crlf > 0;
}

static void add_marker(const struct merger *g, struct strbuf *out, char sign, const char *label, bool crlf)
{
	for (size_t i = 0; i < g->m->marker_size; i++)
		strbuf_addch(out, sign);
	if (label && *label)
		strbuf_addf(out, " %s", label);
	strbuf_addstr(out, crlf ? "\r\n" : "\n");
}

/* closed: the last line gets a newline if it has none. */
static void add_lines(const struct merger *g, struct strbuf *out, enum merge3_side side, struct range r,
		      bool closed, bool crlf)
{
	struct merge3_text t = bytes_of(g, side, r);

	strbuf_add(out, t.text, t.len);
	if (closed && t.len && t.text[t.len - 1] != '\n')
		strbuf_addstr(out, crlf ? "\r\n" : "\n");
}

static void add_conflict(const struct merger *g, struct strbuf *out, const struct region *r)
{
	const struct merge3_text *side = g->m->side;
	bool crlf = wants_crlf(g, r);

	add_marker(g, out, '<', side[MERGE3_OURS].label, crlf);
	add_lines(g, out, MERGE3_OURS, r->lines[MERGE3_OURS], true, crlf);
	if (g->m->style != MERGE3_MERGE) {
		add_marker(g, out, '|', side[MERGE3_BASE].label, crlf);
		add_lines(g, out, MERGE3_BASE, r->lines[MERGE3_BASE], true, crlf);
	}
	add_marker(g, out, '=', NULL, crlf);
	add_lines(g, out, MERGE3_THEIRS, r->lines[MERGE3_THEIRS], true, crlf);
	add_marker(g, out, '>', side[MERGE3_THEIRS].label, crlf);
}

/* 1: a conflict is left */
static size_t add_region_text(const struct merger *g, struct strbuf *out, const struct region *r)
{
	bool both = g->m->favor == MERGE3_UNION && r->conflict;
	bool crlf = both && wants_crlf(g, r);

	if (r->conflict && g->m->favor == MERGE3_CONFLICT) {
		add_conflict(g, out, r);
		return 1;
	}
	if (r->conflict ? g->m->favor != MERGE3_TAKE_THEIRS : r->take == MERGE3_OURS)
		add_lines(g, out, MERGE3_OURS, r->lines[MERGE3_OURS], both && r->lines[MERGE3_THEIRS].nr, crlf);
	if (r->conflict ? g->m->favor != MERGE3_TAKE_OURS : r->take == MERGE3_THEIRS)
		add_lines(g, out, MERGE3_THEIRS, r->lines[MERGE3_THEIRS], false, crlf);
	return 0;
}

static size_t write_all(const struct merger *g, struct strbuf *out)
{
	size_t done = 0, conflicts = 0;

	for (size_t i = 0; i < g->nr; i++) {
		const struct region *r = &g->regions[i];
		struct range between = { done, r->lines[MERGE3_OURS].first - done };

		add_lines(g, out, MERGE3_OURS, between, false, false);
		conflicts += add_region_text(g, out, r);
		done = end_of(r->lines[MERGE3_OURS]);
	}
	add_lines(g, out, MERGE3_OURS, (struct range){ done, g->nr_lines[MERGE3_OURS] - done }, false, false);
	return conflicts;
}

/* One side has changed nothing but whitespace that is ignored: the other one is the result, with its whitespace. */
static void take_whole(struct strbuf *out, const struct merge3_text *t)
{
	strbuf_add(out, t->text, t->len);
}

size_t merge3_texts(const struct merge3 *m, struct strbuf *out)
{
	const struct merge3_text *side = m->side;
	/* context: all lines are needed, also those at the end that one side has in common with the base */
	struct merger g = { .m = m, .o = { .algorithm = m->algorithm, .minimal = m->minimal, .ignore = m->ignore, .context = 1 } };
	size_t conflicts = 0;

	text_diff(&g.diff[0], side[MERGE3_BASE].text, side[MERGE3_BASE].len, side[MERGE3_OURS].text,
		  side[MERGE3_OURS].len, &g.o);
	text_diff(&g.diff[1], side[MERGE3_BASE].text, side[MERGE3_BASE].len, side[MERGE3_THEIRS].text,
		  side[MERGE3_THEIRS].len, &g.o);
	for (int i = 0; i < 2; i++) {
		enum merge3_side s = i ? MERGE3_THEIRS : MERGE3_OURS;

		g.text[s] = g.diff[i].side[1].lines;
		g.nr_lines[s] = g.diff[i].side[1].nr;
	}
	g.text[MERGE3_BASE] = g.diff[0].side[0].lines;
	g.nr_lines[MERGE3_BASE] = g.diff[0].side[0].nr;
	if (!g.diff[0].nr || !g.diff[1].nr) {
		take_whole(out, g.diff[0].nr ? &side[MERGE3_OURS] : &side[MERGE3_THEIRS]);
	} else {
		find_regions(&g);
		refine(&g);
		conflicts = write_all(&g, out);
	}
	free(g.regions);
	text_diff_release(&g.diff[0]);
	text_diff_release(&g.diff[1]);
	return conflicts;
}

bool merge3_parse_style(enum merge3_style *style, const char *name)
{
	static const char *const names[] = { "merge", "diff3", "zdiff3" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]))
			continue;
		*style = (enum merge3_style)i;
		return true;
	}
	return false;
}
