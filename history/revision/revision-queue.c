/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue of commits to be visited, and the exclusion of commits, which is passed on from
 * child to parent. They belong together, as the number of queued commits that are not
 * excluded decides when a walk is over.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

int rev_enqueue(struct rev_walk *w, struct commit *c, struct err *err)
{
	int rc = commit_parse_node(w->pool, c, err);

	if (rc < 0)
		return rc;
	if (w->excluded && oidset_contains(w->excluded, &c->oid))
		c->flags |= REV_UNINTERESTING;
	c->flags |= REV_QUEUED;
	if (!(c->flags & REV_UNINTERESTING))
		w->state->interesting++;
	prio_queue_put(&w->state->queue, c);
	return 0;
}

struct commit *rev_dequeue(struct rev_walk *w)
{
	struct commit *c = prio_queue_get(&w->state->queue);

	if (c) {
		c->flags &= ~REV_QUEUED;
		if (!(c->flags & REV_UNINTERESTING))
			w->state->interesting--;
	}
	return c;
}

void rev_mark_uninteresting(struct rev_walk *w, struct commit *c)
{
	if (c->flags & REV_UNINTERESTING)
		return;
	c->flags |= REV_UNINTERESTING;
	if (c->flags & REV_QUEUED)
		w->state->interesting--;
}

/* All ancestors that have been parsed; the others are marked when the walk reaches them. */
void rev_mark_parents_uninteresting(struct rev_walk *w, struct commit *c)
{
	struct commit_list todo = COMMIT_LIST_INIT;
	uint32_t i, nr;

	commit_list_add(&todo, c);
	while (todo.nr) {
		c = todo.items[--todo.nr];
		nr = w->exclude_first_parent && c->nr_parents ? 1 : c->nr_parents;
		for (i = 0; i < nr; i++) {
			struct commit *p = c->parents[i];

			if (p->flags & REV_UNINTERESTING)
				continue;
			rev_mark_uninteresting(w, p);
			if (p->nr_parents)
				commit_list_add(&todo, p);
		}
	}
	commit_list_clear(&todo);
}

/* The first source that reached a commit is kept. */
void rev_set_source(struct rev_walk *w, const struct commit *c, const char *name)
{
	struct rev_state *s = w->state;
	size_t want = commit_pool_nr(w->pool);

	if (!w->source)
		return;
	if (s->nr_sources < want) {
		s->sources = xreallocarray(s->sources, want * 2, sizeof(*s->sources));
		memset(s->sources + s->nr_sources, 0,
		       (want * 2 - s->nr_sources) * sizeof(*s->sources));
		s->nr_sources = want * 2;
	}
	if (!s->sources[c->index])
		s->sources[c->index] = name;
}

const char *rev_source(const struct rev_walk *w, const struct commit *c)
{
	return c->index < w->state->nr_sources ? w->state->sources[c->index] : NULL;
}

/* Parents of an excluded commit are excluded. Missing objects do not matter there. */
static void queue_excluded_parents(struct rev_walk *w, struct commit *c)
{
	uint32_t i, nr = w->exclude_first_parent && c->nr_parents ? 1 : c->nr_parents;

	for (i = 0; i < nr; i++) {
		struct commit *p = c->parents[i];

		rev_mark_uninteresting(w, p);
		if (commit_parse_node(w->pool, p, NULL) < 0)
			continue;
		if (p->nr_parents)
			rev_mark_parents_uninteresting(w, p);
		if (p->flags & REV_SEEN)
			continue;
		p->flags |= REV_SEEN;
		(void)!rev_enqueue(w, p, NULL); /* parsed just now: cannot fail */
	}
}

int rev_process_parents(struct rev_walk *w, struct commit *c, struct err *err)
{
	uint32_t i;
	int rc;

	if (c->flags & REV_ADDED)
		return 0;
	c->flags |= REV_ADDED;
	rc = commit_parse_node(w->pool, c, err);
	if (rc < 0)
		return rc;
	if (c->flags & REV_UNINTERESTING) {
		queue_excluded_parents(w, c);
		return 0;
	}
	rc = rev_simplify(w, c, err);
	if (rc < 0 || w->no_walk)
		return rc;
	for (i = 0; i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		if (w->stops_at && w->stops_at(w->stops_at_data, &p->oid))
			continue;
		rc = commit_parse_node(w->pool, p, err);
		if (rc < 0) {
			rc = rev_allow_missing(w, p, rc, err);
			if (rc < 0)
				return rc;
			if (w->first_parent)
				break;
			continue;
		}
		rev_set_source(w, p, rev_source(w, c));
		p->flags |= c->flags & REV_LEFT;
		if (!(p->flags & REV_SEEN)) {
			p->flags |= REV_SEEN;
			rc = rev_enqueue(w, p, err);
			if (rc < 0)
				return rc;
		}
		if (w->first_parent)
			break;
	}
	return 0;
}
