/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges that must be known completely before the first commit is shown; their order. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "object/commit.h"
#include "object/ident.h"
#include "util/alloc.h"

/*
 * Clocks of different machines disagree, so when nothing interesting is left in the
 * queue a few more commits are visited: one of them may still exclude commits that were
 * taken for interesting.
 */
#define SLOP 5

struct slop {
	timestamp_t date; /* of the last interesting commit */
	int left;
};

/* Must the walk visit more commits? */
static bool must_continue(struct rev_walk *w, struct slop *s)
{
	const struct commit *next = prio_queue_peek(&w->state->queue);

	if (!next)
		return false;
	if (s->date <= next->date || w->state->interesting)
		s->left = SLOP;
	else
		s->left--;
	return s->left > 0;
}

static int collect(struct rev_walk *w, struct err *err)
{
	struct slop slop = { TIME_MAX, SLOP };
	struct commit *c;
	int rc;

	while ((c = rev_dequeue(w))) {
		if (w->since && c->date < w->since)
			rev_mark_uninteresting(w, c);
		rc = rev_process_parents(w, c, err);
		if (rc < 0)
			return rc;
		if (c->flags & REV_UNINTERESTING) {
			rev_mark_parents_uninteresting(w, c);
			if (!must_continue(w, &slop))
				break;
			continue;
		}
		for (uint32_t i = 0; w->maximal_only && i < c->nr_parents; i++)
			c->parents[i]->flags |= REV_NOT_MAXIMAL;
		/* The choice depends on all children. */
		if (!w->select.chooses && ((w->until && c->date > w->until) ||
					   (w->since_filter && c->date < w->since_filter)))
			continue;
		slop.date = c->date;
		commit_list_add(&w->state->list, c);
	}
	return 0;
}

/* ---- --ancestry-path ---- */

/* One pass over the list: from parents to children. False: nothing new. */
static bool mark_descendants(struct commit_list *l)
{
	bool progress = false;
	size_t i;
	uint32_t j;

	for (i = l->nr; i-- > 0;) {
		struct commit *c = l->items[i];

		for (j = 0; !(c->flags & REV_MARK) && j < c->nr_parents; j++)
			if (c->parents[j]->flags & REV_MARK) {
				c->flags |= REV_MARK;
				progress = true;
			}
	}
	return progress;
}

/* And from children to parents. */
static bool mark_ancestors(struct commit_list *l, bool first_parent)
{
	bool progress = false;
	size_t i;
	uint32_t j;

	for (i = 0; i < l->nr; i++) {
		struct commit *c = l->items[i];

		for (j = 0; (c->flags & REV_ANCESTOR) && j < c->nr_parents; j++) {
			if (!(c->parents[j]->flags & REV_ANCESTOR)) {
				c->parents[j]->flags |= REV_ANCESTOR;
				progress = true;
			}
			if (first_parent)
				break;
		}
	}
	return progress;
}

/* Keep what descends from the commits that were named, or leads to them. */
static void limit_to_ancestry_path(struct rev_walk *w)
{
	struct commit_list *l = &w->state->list;
	size_t i;

	for (i = 0; i < w->ancestry_bottoms.nr; i++)
		w->ancestry_bottoms.items[i]->flags |= REV_MARK | REV_ANCESTOR;
	while (mark_descendants(l))
		;
	while (mark_ancestors(l, w->first_parent))
		;
	/* They stay in the list: what they lead to is excluded as well, for --objects. */
	for (i = 0; i < l->nr; i++)
		if (!(l->items[i]->flags & (REV_MARK | REV_ANCESTOR)))
			l->items[i]->flags |= REV_UNINTERESTING;
	commit_pool_clear_flags(w->pool, REV_MARK | REV_ANCESTOR);
}

/*
 * Parents that have been left out since do not count any more when a merge is compared. Where
 * only one parent is followed that is settled.
 */
static int simplify_again(struct rev_walk *w, struct err *err)
{
	struct commit_list *l = &w->state->list;
	int rc = 0;

	if (!rev_prunes(w) || w->sparse || !w->full_history || w->first_parent)
		return 0;
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (l->items[i]->nr_parents > 1 &&
		    !(l->items[i]->flags & (REV_UNINTERESTING | REV_TREESAME)))
			rc = rev_simplify(w, l->items[i], err);
	return rc;
}

/* The other side stays in the list, for the boundary. */
static void limit_sides(struct rev_walk *w)
{
	struct commit_list *l = &w->state->list;

	for (size_t i = 0; i < l->nr; i++)
		if (!(l->items[i]->flags & REV_LEFT) == w->left_only)
			l->items[i]->flags |= REV_SHOWN;
}

int rev_limit(struct rev_walk *w, struct err *err)
{
	int rc = collect(w, err);

	if (!rc && (w->cherry_pick || w->cherry_mark))
		rc = rev_find_same_patches(w, err);
	if (!rc && (w->left_only || w->right_only))
		limit_sides(w);
	if (!rc && w->ancestry_path)
		limit_to_ancestry_path(w);
	if (!rc)
		rc = simplify_again(w, err);
	w->state->use_list = true;
	return rc;
}

void rev_walk_keep_only(struct rev_walk *w, const struct commit_list *l)
{
	w->state->list.nr = 0;
	for (size_t i = 0; i < l->nr; i++)
		commit_list_add(&w->state->list, l->items[i]);
}

/* ---- order ---- */

struct sort {
	uint32_t *waiting; /* by index: children that are not out yet, plus one */
	timestamp_t *author_dates;
	size_t nr;
};

timestamp_t rev_author_date(struct rev_walk *w, struct commit *c)
{
	struct ident_split ident;
	timestamp_t date = 0;
	struct commit_view v;
	const char *buf;
	size_t len;

	if (commit_buffer(w->pool, c, &buf, &len, NULL) < 0)
		return 0;
	if (!commit_parse(&v, buf, len, w->repo->algo, NULL)) {
		if (v.author && !ident_split_line(&ident, v.author, v.author_len) && ident.has_date)
			date = ident.date;
		commit_view_release(&v);
	}
	return date;
}

static int revision_limit_cmp_author_date(const void *va, const void *vb, void *data)
{
	const struct sort *s = data;
	timestamp_t a = s->author_dates[((const struct commit *)va)->index];
	timestamp_t b = s->author_dates[((const struct commit *)vb)->index];

	return a > b ? -1 : a < b;
}

static void count_children(struct sort *s, const struct commit_list *l)
{
	size_t i;
	uint32_t j;

	for (i = 0; i < l->nr; i++)
		s->waiting[l->items[i]->index] = 1;
	for (i = 0; i < l->nr; i++)
		for (j = 0; j < l->items[i]->nr_parents; j++) {
			struct commit *p = l->items[i]->parents[j];

			if (p->index < s->nr && s->waiting[p->index])
				s->waiting[p->index]++;
		}
}

void rev_sort_topologically(struct rev_walk *w, struct commit_list *l)
{
	struct sort s = { .nr = commit_pool_nr(w->pool) };
	struct prio_queue queue = { .compare = NULL };
	struct commit *c;
	size_t i, out = 0;
	uint32_t j;

	if (!l->nr)
		return;
	CALLOC_ARRAY(s.waiting, s.nr);
	if (w->order == REV_ORDER_DATE)
		queue.compare = commit_date_cmp;
	if (w->order == REV_ORDER_AUTHOR_DATE) {
		CALLOC_ARRAY(s.author_dates, s.nr);
		for (i = 0; i < l->nr; i++)
			s.author_dates[l->items[i]->index] = rev_author_date(w, l->items[i]);
		queue.compare = revision_limit_cmp_author_date;
		queue.data = &s;
	}
	count_children(&s, l);
	for (i = 0; i < l->nr; i++)
		if (s.waiting[l->items[i]->index] == 1)
			prio_queue_put(&queue, l->items[i]);
	if (!queue.compare)
		prio_queue_reverse(&queue); /* a stack: the first tip on top */
	while ((c = prio_queue_get(&queue))) {
		s.waiting[c->index] = 0;
		l->items[out++] = c;
		for (j = 0; j < c->nr_parents; j++) {
			struct commit *p = c->parents[j];

			if (p->index < s.nr && s.waiting[p->index] &&
			    --s.waiting[p->index] == 1)
				prio_queue_put(&queue, p);
		}
	}
	l->nr = out;
	prio_queue_clear(&queue);
	free(s.waiting);
	free(s.author_dates);
}
