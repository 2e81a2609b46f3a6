/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/prio-queue.h"
#include "history/history.h"

#define OURS 0x01000000u
#define THEIRS 0x02000000u
#define BOTH (OURS | THEIRS)
#define SEEN 0x04000000u
#define QUEUED 0x08000000u
#define RETURNED 0x10000000u /* queued again: its parents lack flags as well */

struct count {
	struct commit_pool *pool;
	struct prio_queue queue;
	struct commit_list seen;
	size_t open; /* in the queue and not known to be common */
	const struct commit *lowest; /* the last in order that left the queue for one side; NULL */
};

/*
 * The walk goes on while a queued commit is open. One that is known to be common is not:
 * its ancestors are common too, and count for neither side.
 */
static bool is_open(const struct commit *commit)
{
	return (commit->flags & QUEUED) &&
	       ((commit->flags & BOTH) != BOTH || (commit->flags & RETURNED));
}

/*
 * Flags are passed on to parents, in the order of generations where a commit-graph has them, else
 * of dates. Where dates are equal or wrong, a commit can be reached again with more flags than
 * before: then it is queued once more.
 */
static void ahead_behind_paint(struct count *c, struct commit *commit, unsigned flags)
{
	unsigned old = commit->flags & BOTH;
	bool was_open = is_open(commit);

	if ((old | flags) == old && commit->flags & SEEN)
		return;
	if (!(commit->flags & SEEN))
		commit_list_add(&c->seen, commit);
	else if (!(commit->flags & QUEUED))
		commit->flags |= RETURNED;
	commit->flags |= flags | SEEN;
	if (!(commit->flags & QUEUED))
		prio_queue_put(&c->queue, commit);
	commit->flags |= QUEUED;
	c->open += is_open(commit);
	c->open -= was_open;
}

/*
 * Common commits that are queued can lead to what has been seen for one side, where dates are equal
 * or wrong: as long as they are not behind all of that in order.
 */
static bool is_done(const struct count *c)
{
	const struct commit *next = prio_queue_peek(&c->queue);

	return !next || (!c->open && (!c->lowest || commit_generation_cmp(next, c->lowest, NULL) > 0));
}

static int walk(struct count *c, struct err *err)
{
	while (!is_done(c)) {
		struct commit *commit = prio_queue_get(&c->queue);
		int rc;

		if ((commit->flags & BOTH) != BOTH &&
		    (!c->lowest || commit_generation_cmp(commit, c->lowest, NULL) > 0))
			c->lowest = commit;

		c->open -= is_open(commit);
		commit->flags &= ~(QUEUED | RETURNED);
		for (uint32_t i = 0; i < commit->nr_parents; i++) {
			rc = commit_parse_node(c->pool, commit->parents[i], err);
			if (rc < 0)
				return rc;
			ahead_behind_paint(c, commit->parents[i], commit->flags & BOTH);
		}
	}
	return 0;
}

/*
 * The walk ends as soon as all that is queued is common. Where dates are equal or wrong, ancestors of
 * that may have been seen as if they were of one side.
 */
static void spread_common(struct count *c)
{
	struct commit_list todo = COMMIT_LIST_INIT;
	struct commit *commit;

	while ((commit = prio_queue_get(&c->queue)))
		commit_list_add(&todo, commit);
	while (todo.nr) {
		commit = todo.items[--todo.nr];
		for (uint32_t i = 0; i < commit->nr_parents; i++) {
			struct commit *p = commit->parents[i];

			if (!(p->flags & SEEN) || (p->flags & BOTH) == BOTH)
				continue;
			p->flags |= BOTH;
			commit_list_add(&todo, p);
		}
	}
	commit_list_clear(&todo);
}

static void count_sides(const struct count *c, size_t *ahead, size_t *behind)
{
	*ahead = *behind = 0;
	for (size_t i = 0; i < c->seen.nr; i++) {
		unsigned side = c->seen.items[i]->flags & BOTH;

		*ahead += side == OURS;
		*behind += side == THEIRS;
	}
}

int ahead_behind_in(struct commit_pool *pool, const struct object_id *ours,
		    const struct object_id *theirs, size_t *ahead, size_t *behind,
		    struct err *err)
{
	struct count c = { .pool = pool, .queue = { .compare = commit_generation_cmp } };
	struct commit *a = commit_lookup(pool, ours), *b = commit_lookup(pool, theirs);
	int rc = commit_parse_node(pool, a, err);

	if (rc >= 0)
		rc = commit_parse_node(pool, b, err);
	if (rc >= 0) {
		ahead_behind_paint(&c, a, OURS);
		ahead_behind_paint(&c, b, THEIRS);
		rc = walk(&c, err);
	}
	if (rc >= 0) {
		spread_common(&c);
		count_sides(&c, ahead, behind);
	}
	for (size_t i = 0; i < c.seen.nr; i++)
		c.seen.items[i]->flags &= ~(BOTH | SEEN | QUEUED | RETURNED);
	prio_queue_clear(&c.queue);
	commit_list_clear(&c.seen);
	return rc < 0 ? rc : 0;
}

int ahead_behind(struct repository *r, const struct object_id *ours,
		 const struct object_id *theirs, size_t *ahead, size_t *behind,
		 struct err *err)
{
	struct commit_pool *pool;
	int rc = commit_pool_new(&pool, r, err);

	if (rc < 0)
		return rc;
	rc = ahead_behind_in(pool, ours, theirs, ahead, behind, err);
	commit_pool_free(pool);
	return rc;
}
