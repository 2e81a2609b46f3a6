/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --simplify-merges, as "History Simplification" of git-rev-list(1) describes it. From parents to
 * children each commit gets a simplification: itself, or what its only parent simplifies to.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

/*
 * After parents have gone: compares the commit again with the remaining parents. If there are none, it was the same as
 * none: keep_one_same() has seen to that.
 */
static void compare_again(const struct rev_walk *w, struct commit *c, const uint8_t *same)
{
	unsigned relevant = 0, changes = 0, others = 0;

	for (uint32_t i = 0; i < c->nr_parents; i++) {
		bool counts = rev_is_relevant(c->parents[i]);

		relevant += counts;
		changes += counts && !same[i];
		others += !counts && !same[i];
	}
	c->flags &= ~REV_TREESAME;
	if (w->sparse && c->nr_parents == 1)
		return; /* an ordinary commit now: --sparse shows it */
	if (c->nr_parents && (relevant ? !changes : !others))
		c->flags |= REV_TREESAME;
}

/* ---- one commit ---- */

struct simplifier {
	struct rev_walk *w;
	struct commit **result; /* by index; NULL: not known */
	size_t nr;
};

static void remove_parents(struct simplifier *s, struct commit *c, const bool *drop)
{
	uint8_t *same = rev_same_parents(s->w, c);
	struct commit **kept;
	uint32_t nr = 0;

	ALLOC_ARRAY(kept, (size_t)c->nr_parents + 1);
	for (uint32_t i = 0; i < c->nr_parents; i++) {
		if (drop[i])
			continue;
		same[nr] = same[i];
		kept[nr++] = c->parents[i];
	}
	if (nr < c->nr_parents) {
		commit_set_parents(s->w->pool, c, kept, nr);
		compare_again(s->w, c, same);
	}
	free(kept);
}

static void drop_duplicates(struct simplifier *s, struct commit *c)
{
	bool *drop;

	CALLOC_ARRAY(drop, (size_t)c->nr_parents + 1);
	for (uint32_t i = 1; i < c->nr_parents; i++)
		for (uint32_t j = 0; j < i && !drop[i]; j++)
			drop[i] = c->parents[i] == c->parents[j];
	remove_parents(s, c, drop);
	free(drop);
}

/* Keeps one of the parents that are the same as the merge. */
static void keep_one_same(struct simplifier *s, struct commit *c, bool *drop)
{
	const uint8_t *same = rev_same_parents(s->w, c);
	uint32_t first = c->nr_parents;

	for (uint32_t i = 0; i < c->nr_parents; i++) {
		if (!same[i])
			continue;
		if (!drop[i])
			return;
		if (first == c->nr_parents)
			first = i;
	}
	if (first < c->nr_parents)
		drop[first] = false;
}

/* Ancestors of other parents, and roots that have nothing within the paths. */
static int drop_redundant(struct simplifier *s, struct commit *c, struct err *err)
{
	bool *drop;
	int rc = 0;

	CALLOC_ARRAY(drop, (size_t)c->nr_parents + 1);
	for (uint32_t i = 0; rc >= 0 && i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		drop[i] = !p->nr_parents && (p->flags & REV_TREESAME);
		for (uint32_t j = 0; rc >= 0 && !drop[i] && j < c->nr_parents; j++) {
			if (i == j)
				continue;
			rc = is_ancestor(s->w->pool, p, c->parents[j], err);
			drop[i] = rc > 0;
		}
	}
	if (rc >= 0) {
		keep_one_same(s, c, drop);
		remove_parents(s, c, drop);
		rc = 0;
	}
	free(drop);
	return rc;
}

static struct commit *final_form(struct simplifier *s, struct commit *c)
{
	struct commit *parent;

	if (!c->nr_parents || !(c->flags & REV_TREESAME) ||
	    (s->w->show_pulls && (c->flags & REV_PULL)))
		return c;
	parent = rev_one_relevant_parent(s->w, c);
	return parent && s->result[parent->index] ? s->result[parent->index] : c;
}

/* Its parents have been simplified. */
static int simplify_one(struct simplifier *s, struct commit *c, struct err *err)
{
	uint32_t nr = s->w->first_parent && c->nr_parents ? 1 : c->nr_parents;
	int rc = 0;

	for (uint32_t i = 0; i < nr; i++)
		if (s->result[c->parents[i]->index])
			c->parents[i] = s->result[c->parents[i]->index];
	if (!s->w->first_parent && nr > 1) {
		drop_duplicates(s, c);
		if (c->nr_parents > 1)
			rc = drop_redundant(s, c, err);
	}
	if (!rc)
		s->result[c->index] = final_form(s, c);
	return rc;
}

/* ---- all ---- */

static struct commit *unknown_parent(const struct simplifier *s, const struct commit *c)
{
	uint32_t nr = s->w->first_parent && c->nr_parents ? 1 : c->nr_parents;

	for (uint32_t i = 0; i < nr; i++)
		if (!s->result[c->parents[i]->index] && !(c->parents[i]->flags & REV_MARK))
			return c->parents[i];
	return NULL;
}

/* Parents first, without recursion; a circle (of replaced commits) is left as it is. */
static int simplify_from(struct simplifier *s, struct commit *c, struct err *err)
{
	struct commit_list todo = COMMIT_LIST_INIT;
	int rc = 0;

	commit_list_add(&todo, c);
	while (!rc && todo.nr) {
		struct commit *p;

		c = todo.items[todo.nr - 1];
		if (s->result[c->index]) {
			todo.nr--;
			continue;
		}
		if ((c->flags & REV_UNINTERESTING) || !c->nr_parents) {
			s->result[c->index] = c;
			continue;
		}
		c->flags |= REV_MARK;
		p = unknown_parent(s, c);
		if (p)
			commit_list_add(&todo, p);
		else
			rc = simplify_one(s, c, err);
	}
	commit_list_clear(&todo);
	return rc;
}

int rev_simplify_merges(struct rev_walk *w, struct err *err)
{
	struct simplifier s = { .w = w, .nr = commit_pool_nr(w->pool) };
	struct commit_list *l = &w->state->list;
	size_t kept = 0;
	int rc = 0;

	if (!rev_prunes(w))
		return 0;
	CALLOC_ARRAY(s.result, s.nr + 1);
	for (size_t i = l->nr; !rc && i-- > 0;)
		rc = simplify_from(&s, l->items[i], err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (s.result[l->items[i]->index] == l->items[i])
			l->items[kept++] = l->items[i];
	if (!rc)
		l->nr = kept;
	commit_pool_clear_flags(w->pool, REV_MARK);
	free(s.result);
	return rc;
}
