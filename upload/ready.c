/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Negotiation can end when each wanted commit leads to a commit that the client has, or to a parent
 * of one: gitprotocol-pack(5), "Packfile Negotiation". Only commits count as haves; a tag that the
 * client names does not. A known shallow boundary ends the history.
 *
 * The walk goes down from the wants, the youngest commit first, and no further than the oldest
 * known have. It stores each link from parent to child. When a commit turns out to be a have, these
 * links lead to all wants above it. Results stay for the next round, so each commit is walked once
 * and marked once, whatever the number of rounds.
 *
 * Memory: 16 bytes for each link that is walked.
 */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "util/prio-queue.h"
#include "util/trace2.h"

#define ALL_FLAGS (READY_HAVE | READY_LEADS | READY_REACHED | READY_WANTED | READY_CUT)

struct link {
	struct commit *child;
	size_t next; /* next link of the same parent, as index plus one; 0: none */
};

struct upload_ready {
	struct commit_pool *pool;
	struct prio_queue frontier; /* reached commits whose parents were not visited yet */
	struct link *links;
	size_t nr_links, alloc_links;
	size_t *first; /* first link of each parent, by its index; as `next` */
	size_t nr_first;
	struct commit **told; /* commits with READY_LEADS whose children are not marked yet */
	size_t nr_told, alloc_told;
	timestamp_t oldest; /* date of the oldest known have */
	size_t nr_haves;    /* haves of the request that were processed */
	size_t nr_open;	    /* wants that lead to no have yet */
	uint64_t nr_steps;
};

void upload_ready_free(struct upload_ready *r)
{
	if (!r)
		return;
	trace2_data_intmax("negotiation", "steps", (int64_t)r->nr_steps);
	prio_queue_clear(&r->frontier);
	free(r->links);
	free(r->first);
	free(r->told);
	free(r);
}

/* ---- links ---- */

static void add_link(struct upload_ready *r, const struct commit *parent, struct commit *child)
{
	if (parent->index >= r->nr_first) {
		size_t nr = commit_pool_nr(r->pool);

		nr += nr / 2;
		r->first = xreallocarray(r->first, nr, sizeof(*r->first));
		memset(r->first + r->nr_first, 0, (nr - r->nr_first) * sizeof(*r->first));
		r->nr_first = nr;
	}
	ALLOC_GROW(r->links, r->nr_links + 1, r->alloc_links);
	r->links[r->nr_links++] = (struct link){ child, r->first[parent->index] };
	r->first[parent->index] = r->nr_links;
}

static void note_leads(struct upload_ready *r, struct commit *c)
{
	if (c->flags & READY_LEADS)
		return;
	c->flags |= READY_LEADS;
	r->nr_open -= (c->flags & READY_WANTED) != 0;
	ALLOC_GROW(r->told, r->nr_told + 1, r->alloc_told);
	r->told[r->nr_told++] = c;
}

/* Marks a commit as leading to a have, and all commits from which it was reached. */
static void tell_children(struct upload_ready *r, struct commit *c)
{
	note_leads(r, c);
	while (r->nr_told) {
		const struct commit *at = r->told[--r->nr_told];

		r->nr_steps++;
		for (size_t i = at->index < r->nr_first ? r->first[at->index] : 0; i;
		     i = r->links[i - 1].next)
			note_leads(r, r->links[i - 1].child);
	}
}

/* ---- the walk ---- */

static uint32_t nr_parents(const struct commit *c)
{
	return c->flags & READY_CUT ? 0 : c->nr_parents;
}

static int reach(struct upload_ready *r, struct commit *c, struct err *err)
{
	int rc;

	if (c->flags & READY_REACHED)
		return 0;
	rc = commit_parse_node(r->pool, c, err);
	if (rc < 0)
		return rc;
	c->flags |= READY_REACHED;
	if (c->flags & READY_HAVE)
		tell_children(r, c);
	else
		prio_queue_put(&r->frontier, c);
	return 0;
}

static int walk_on(struct upload_ready *r, struct commit *c, struct err *err)
{
	r->nr_steps++;
	for (uint32_t i = 0; i < nr_parents(c) && !(c->flags & READY_LEADS); i++) {
		struct commit *p = c->parents[i];
		int rc;

		add_link(r, p, c);
		rc = reach(r, p, err);
		if (rc < 0)
			return rc;
		if (p->flags & READY_LEADS)
			tell_children(r, c);
	}
	return 0;
}

static int walk(struct upload_ready *r, struct err *err)
{
	struct commit *c;
	int rc = 0;

	while (!rc && r->nr_open && (c = prio_queue_peek(&r->frontier)) && c->date >= r->oldest) {
		prio_queue_get(&r->frontier);
		if (!(c->flags & READY_WANTED))
			rc = walk_on(r, c, err);
	}
	return rc;
}

/* ---- a request ---- */

static void add_cut(struct commit_pool *pool, const struct oid_array *cut)
{
	for (size_t i = 0; i < cut->nr; i++)
		commit_lookup(pool, &cut->oid[i])->flags |= READY_CUT;
}

/* The parents of each want are visited at once, however old its date is. */
static int add_wants(struct upload_ready *r, struct upload_server *s, const struct fetch_request *q,
		     struct err *err)
{
	for (size_t i = 0; i < q->wants.nr; i++) {
		struct commit *c;
		int rc = upload_peel_to_commit(s, &q->wants.oid[i], &c, err);

		if (rc < 0)
			return rc;
		if (!c || c->flags & READY_WANTED)
			continue;
		c->flags |= READY_WANTED;
		r->nr_open++;
		rc = reach(r, c, err);
		if (!rc && !(c->flags & READY_LEADS))
			rc = walk_on(r, c, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int begin(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	struct upload_ready *r;
	struct commit_pool *pool;
	int rc = upload_pool(s, &pool, err);

	if (rc < 0)
		return rc;
	commit_pool_clear_flags(pool, ALL_FLAGS); /* drop flags of an earlier request */
	CALLOC_ARRAY(r, 1);
	r->pool = pool;
	r->frontier.compare = commit_date_cmp;
	r->oldest = TIME_MAX;
	q->ready = r;
	add_cut(pool, &q->cut);
	return add_wants(r, s, q, err);
}

static void note_have(struct upload_ready *r, struct commit *c)
{
	c->flags |= READY_HAVE;
	if (c->flags & READY_REACHED)
		tell_children(r, c);
}

static int add_new_haves(struct upload_ready *r, struct upload_server *s,
			 const struct fetch_request *q, struct err *err)
{
	for (; r->nr_haves < q->haves.nr; r->nr_haves++) {
		struct commit *c;
		int rc = upload_peel_to_commit(s, &q->haves.oid[r->nr_haves], &c, err);

		if (rc < 0)
			return rc;
		r->nr_steps++;
		if (!c || !oid_eq(&c->oid, &q->haves.oid[r->nr_haves]))
			continue;
		if (c->date < r->oldest)
			r->oldest = c->date;
		note_have(r, c);
		for (uint32_t i = 0; i < nr_parents(c); i++)
			note_have(r, c->parents[i]);
	}
	return 0;
}

int upload_is_ready(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	int rc;

	if (!q->haves.nr)
		return 0;
	rc = q->ready ? 0 : begin(s, q, err);
	if (!rc)
		rc = add_new_haves(q->ready, s, q, err);
	if (!rc)
		rc = walk(q->ready, err);
	return rc < 0 ? rc : !q->ready->nr_open;
}
