/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boundary of a shallow clone: where it will be, and what the client needs because it moves.
 * gitprotocol-pack(5), git-fetch(1) --depth, --shallow-since, --shallow-exclude.
 */
#include "compat/posix.h"
#include "history/revision/revision.h"
#include "upload/upload.h"
#include "util/alloc.h"

struct boundary {
	struct upload_server *s;
	struct fetch_request *q;
	struct commit_pool *pool;
	struct commit_list inside;
};

static void add_inside(struct boundary *b, struct commit *c)
{
	if (!(c->flags & SHALLOW_INSIDE))
		commit_list_add(&b->inside, c);
	c->flags |= SHALLOW_INSIDE;
}

/* ---- by depth ---- */

static int add_boundary_starts(struct boundary *b, const struct oid_array *oids, struct err *err)
{
	for (size_t i = 0; i < oids->nr; i++) {
		struct commit *c;
		int rc = upload_peel_to_commit(b->s, &oids->oid[i], &c, err);

		if (rc < 0)
			return rc;
		if (c)
			add_inside(b, c);
	}
	return 0;
}

/* Breadth first: the list is the queue, and a level ends where the one after it begins. */
static int walk_levels(struct boundary *b, int depth, struct err *err)
{
	size_t at = 0;

	for (int level = 1; at < b->inside.nr; level++) {
		size_t end = b->inside.nr;

		for (; at < end; at++) {
			struct commit *c = b->inside.items[at];

			/* Also one without parents, as stock Git tells it: the client may ask for more later. */
			if (c->shallow || (level == depth && !(c->flags & SHALLOW_KEPT)))
				c->flags |= SHALLOW_BOUNDARY;
			for (uint32_t i = 0; i < c->nr_parents && level < depth; i++) {
				int rc = commit_parse_node(b->pool, c->parents[i], err);

				if (rc < 0)
					return rc;
				add_inside(b, c->parents[i]);
			}
		}
		if (level == depth)
			break;
	}
	return 0;
}

/*
 * All above the client's boundary. More of the past is asked for: what lies beside the commits of the
 * boundary, where they are on one line of history and not on another, stays.
 */
static int mark_kept(struct boundary *b, struct err *err)
{
	struct commit_list list = COMMIT_LIST_INIT;
	int rc = 0;

	for (size_t i = 0; i < b->q->wants.nr + b->q->haves.nr && !rc; i++) {
		const struct object_id *oid = i < b->q->wants.nr
			? &b->q->wants.oid[i] : &b->q->haves.oid[i - b->q->wants.nr];
		struct commit *c;

		rc = upload_peel_to_commit(b->s, oid, &c, err);
		if (!rc && c)
			commit_list_add(&list, c);
	}
	for (size_t at = 0; at < list.nr && !rc; at++) {
		struct commit *c = list.items[at];

		if (c->flags & SHALLOW_KEPT)
			continue;
		c->flags |= SHALLOW_KEPT;
		rc = commit_parse_node(b->pool, c, err);
		if (!oidset_contains(&b->q->shallow_set, &c->oid))
			for (uint32_t i = 0; i < c->nr_parents; i++)
				commit_list_add(&list, c->parents[i]);
	}
	commit_list_clear(&list);
	return rc;
}

/* Computes a depth relative to the client's boundary: so many generations below it. */
static int find_by_depth(struct boundary *b, struct err *err)
{
	const struct fetch_request *q = b->q;
	bool relative = q->deepen_relative && q->depth != UPLOAD_DEPTH_INFINITE;
	int rc = relative ? mark_kept(b, err) : 0;

	if (!rc)
		rc = add_boundary_starts(b, relative ? &q->shallow : &q->wants, err);

	/*
	 * If the depth is infinite, the whole clone becomes complete, not only the history of the
	 * wants.
	 */
	if (!rc && q->depth == UPLOAD_DEPTH_INFINITE)
		rc = add_boundary_starts(b, &q->shallow, err);
	return rc < 0 ? rc : walk_levels(b, relative ? q->depth + 1 : q->depth, err);
}

/* ---- by date or refs ---- */

static int collect(struct boundary *b, struct rev_walk *w, struct err *err)
{
	struct commit *c;
	int rc;

	for (size_t i = 0; i < b->q->wants.nr; i++)
		rev_walk_add_commit(w, &b->q->wants.oid[i], oid_hex(&b->q->wants.oid[i]), 0);
	for (size_t i = 0; i < b->q->deepen_not.nr; i++)
		rev_walk_add_commit(w, &b->q->deepen_not.oid[i],
				    oid_hex(&b->q->deepen_not.oid[i]),
				    REV_UNINTERESTING | REV_BOTTOM);
	w->since = b->q->deepen_since;
	w->objects = true; /* wants may be other objects, which do not count here */
	rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		struct commit *own = commit_lookup(b->pool, &c->oid);

		rc = commit_parse_node(b->pool, own, err);
		if (!rc)
			add_inside(b, own);
	}
	return rc;
}

static int find_by_walk(struct boundary *b, struct err *err)
{
	struct rev_walk *w;
	int rc = rev_walk_new(&w, b->s->repo, err);

	if (rc < 0)
		return rc;
	rc = collect(b, w, err);
	rev_walk_free(w);
	if (!rc && !b->inside.nr)
		rc = err_set(err, ERR_INVALID, "no commits selected for shallow requests");
	for (size_t i = 0; i < b->inside.nr && !rc; i++) {
		struct commit *c = b->inside.items[i];

		if (c->shallow)
			c->flags |= SHALLOW_BOUNDARY;
		for (uint32_t p = 0; p < c->nr_parents; p++)
			if (!(c->parents[p]->flags & SHALLOW_INSIDE))
				c->flags |= SHALLOW_BOUNDARY;
	}
	return rc;
}

/* ---- telling it ---- */

static void tell_boundary(struct boundary *b)
{
	for (size_t i = 0; i < b->inside.nr; i++) {
		struct commit *c = b->inside.items[i];

		if (!(c->flags & SHALLOW_BOUNDARY))
			continue;
		if (!oidset_contains(&b->q->shallow_set, &c->oid))
			pkt_writer_addf(&b->s->out, "shallow %s", oid_hex(&c->oid));
		oid_array_append(&b->q->cut, &c->oid);
	}
}

/*
 * Report commits that were in the boundary and are not any more ("unshallow"): the client gets
 * their parents. It has each such commit, but must not count as having its ancestors.
 */
static int tell_inside(struct boundary *b, struct err *err)
{
	struct fetch_request *q = b->q;

	for (size_t i = 0; i < q->shallow.nr; i++) {
		struct commit *c = commit_lookup(b->pool, &q->shallow.oid[i]);
		int rc = commit_parse_node(b->pool, c, err);

		if (rc < 0)
			return rc;
		if (!(c->flags & SHALLOW_INSIDE) || (c->flags & SHALLOW_BOUNDARY))
			continue;
		pkt_writer_addf(&b->s->out, "unshallow %s", oid_hex(&c->oid));
		for (uint32_t p = 0; p < c->nr_parents; p++)
			fetch_request_add_want(q, &c->parents[p]->oid);
		oid_array_append(&q->unshallowed, &c->oid);
	}
	return 0;
}

static int find_boundary(struct boundary *b, struct err *err)
{
	struct fetch_request *q = b->q;
	int rc;

	if (q->depth && (q->has_deepen_since || q->deepen_not.nr))
		return err_set(err, ERR_INVALID, "deepen and deepen-since (or deepen-not) cannot be used together");
	if (q->has_deepen_since || q->deepen_not.nr)
		return find_by_walk(b, err);
	if (q->depth)
		return find_by_depth(b, err);
	/* On a shallow server: its boundary is a boundary of its clients, too. */
	rc = add_boundary_starts(b, &q->wants, err);
	return rc < 0 ? rc : walk_levels(b, UPLOAD_DEPTH_INFINITE, err);
}

static int deepen(struct boundary *b, struct err *err)
{
	int rc = upload_pool(b->s, &b->pool, err);

	if (!rc)
		rc = find_boundary(b, err);
	if (!rc) {
		tell_boundary(b);
		rc = tell_inside(b, err);
	}
	if (b->pool)
		commit_pool_clear_flags(b->pool, SHALLOW_INSIDE | SHALLOW_BOUNDARY | SHALLOW_KEPT);
	commit_list_clear(&b->inside);
	return rc;
}

int upload_deepen(struct upload_server *s, struct fetch_request *q, bool v2, struct err *err)
{
	struct boundary b = { .s = s, .q = q, .inside = COMMIT_LIST_INIT };
	bool ours = repo_is_shallow(s->repo), deepens = fetch_deepens(q);
	int rc = 0;

	if (!deepens && !q->shallow.nr && !(ours && v2))
		return 0;
	if (v2)
		pkt_writer_addf(&s->out, "shallow-info\n");
	if (deepens || (ours && v2))
		rc = deepen(&b, err);
	for (size_t i = 0; i < q->shallow.nr; i++)
		oid_array_append(&q->cut, &q->shallow.oid[i]);
	if (!rc && v2)
		pkt_writer_delim(&s->out);
	else if (!rc && deepens)
		pkt_writer_flush(&s->out);
	return rc;
}
