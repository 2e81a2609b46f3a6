/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What client and server have in common: when enough of it is known, and what may be asked for.
 * gitprotocol-pack(5), "Packfile Negotiation".
 */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

/* Flags of commits in the server's pool. */
#define HAVE 1u	     /* the client has it */
#define LEADS 2u     /* to one that the client has; it stays so */
#define DEAD_END 4u  /* it does not, as far as is known now */
#define SEEN 8u

int upload_pool(struct upload_server *s, struct commit_pool **out, struct err *err)
{
	int rc = s->pool ? 0 : commit_pool_new(&s->pool, s->repo, err);

	if (!rc)
		*out = s->pool;
	return rc;
}

int upload_peel_to_commit(struct upload_server *s, const struct object_id *oid,
			  struct commit **out, struct err *err)
{
	struct object_id peeled = *oid;
	struct commit_pool *pool = NULL;
	enum object_type type;
	uint64_t size;
	int rc = upload_pool(s, &pool, err);

	if (!rc)
		rc = odb_type(s->repo->odb, oid, &type, &size, err);
	if (!rc && type == OBJ_TAG)
		rc = object_peel(odb_source_unreplaced(s->repo->odb), oid, OBJ_ANY, &peeled, &type,
				 err);
	if (rc < 0)
		return rc;
	*out = NULL;
	if (type != OBJ_COMMIT)
		return 0;
	*out = commit_lookup(pool, &peeled);
	return commit_parse_node(pool, *out, err);
}

/* ---- is it enough? ---- */

/* A commit on the way down, and which of its parents comes next. */
struct step {
	struct commit *c;
	uint32_t next;
};

struct search {
	struct commit_pool *pool;
	timestamp_t oldest; /* commit that the client is known to have: its date */
	struct step *way;
	size_t nr, alloc;
};

/* Nothing to look for below it, or it has been looked for: is the answer known? */
static bool is_decided(struct search *w, struct commit *c)
{
	if (c->flags & HAVE)
		c->flags |= LEADS;
	else if (c->date < w->oldest)
		c->flags |= DEAD_END;
	return c->flags & (LEADS | DEAD_END);
}

/* A dead end until it is known to lead somewhere: grafts that go in a circle end there, too. */
static void push(struct search *w, struct commit *c)
{
	c->flags |= DEAD_END;
	ALLOC_GROW(w->way, w->nr + 1, w->alloc);
	w->way[w->nr++] = (struct step){ c, 0 };
}

/*
 * Depth first, without recursion. Each commit is decided once: those on the way to one that the client
 * has lead there, the others are dead ends.
 */
static int decide(struct search *w, struct commit *from, struct err *err)
{
	if (is_decided(w, from))
		return 0;
	push(w, from);
	while (w->nr) {
		struct step *top = &w->way[w->nr - 1];
		struct commit *c = top->c, *parent;
		int rc;

		if (top->next == c->nr_parents) {
			w->nr--;
			continue;
		}
		parent = c->parents[top->next++];
		rc = commit_parse_node(w->pool, parent, err);
		if (rc < 0)
			return rc;
		if (!is_decided(w, parent)) {
			push(w, parent);
		} else if (parent->flags & LEADS) {
			while (w->nr)
				w->way[--w->nr].c->flags |= LEADS;
		}
	}
	return 0;
}

static int mark_haves(struct upload_server *s, const struct fetch_request *q,
		      struct search *w, struct err *err)
{
	w->oldest = TIME_MAX;
	for (size_t i = 0; i < q->haves.nr; i++) {
		struct commit *c;
		int rc = upload_peel_to_commit(s, &q->haves.oid[i], &c, err);

		if (rc < 0)
			return rc;
		if (!c)
			continue;
		c->flags |= HAVE;
		if (c->date < w->oldest)
			w->oldest = c->date;
	}
	return 0;
}

int upload_is_ready(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	struct search w = { .oldest = 0 };
	int rc = upload_pool(s, &w.pool, err), ready = q->haves.nr > 0;

	if (!rc && ready) {
		commit_pool_clear_flags(w.pool, DEAD_END);
		rc = mark_haves(s, q, &w, err);
	}
	for (size_t i = 0; !rc && ready && i < q->wants.nr; i++) {
		struct commit *c;

		rc = upload_peel_to_commit(s, &q->wants.oid[i], &c, err);
		if (!rc && c && !(rc = decide(&w, c, err)))
			ready = !!(c->flags & LEADS);
	}
	free(w.way);
	return rc < 0 ? rc : ready;
}

/* ---- what may be asked for ---- */

struct reach {
	struct upload_server *s;
	struct prio_queue queue;
	struct oidset targets; /* commits that have not been met yet */
	struct err err;
	int rc;
};

static int add_tip(void *data, const char *name UNUSED, const struct ref *ref)
{
	struct reach *r = data;
	struct commit *c;

	r->rc = upload_peel_to_commit(r->s, &ref->oid, &c, &r->err);
	if (!r->rc && c && !(c->flags & SEEN)) {
		c->flags |= SEEN;
		prio_queue_put(&r->queue, c);
	}
	return r->rc;
}

/* Walk until all have been met. By date, but dates may be wrong: nothing is left out because of them. */
static int meet_targets(struct reach *r, size_t nr, struct err *err)
{
	struct commit *c;

	while (nr && (c = prio_queue_get(&r->queue))) {
		if (oidset_contains(&r->targets, &c->oid) && !--nr)
			break;
		for (uint32_t i = 0; i < c->nr_parents; i++) {
			struct commit *p = c->parents[i];
			int rc;

			if (p->flags & SEEN)
				continue;
			p->flags |= SEEN;
			rc = commit_parse_node(r->s->pool, p, err);
			if (rc < 0)
				return rc;
			prio_queue_put(&r->queue, p);
		}
	}
	return nr ? ERR_NOT_FOUND : 0;
}

static int add_targets(struct reach *r, const struct oid_array *oids, size_t *nr,
		       struct err *err)
{
	for (size_t i = 0; i < oids->nr; i++) {
		struct commit *c;
		int rc = upload_peel_to_commit(r->s, &oids->oid[i], &c, err);

		if (rc < 0)
			return rc;
		/* Only commits are looked for: what else is no tip is not reached. */
		if (!c || !oid_eq(&c->oid, &oids->oid[i]))
			return err_set(err, ERR_INVALID, "not our ref %s", oid_hex(&oids->oid[i]));
		*nr += oidset_insert(&r->targets, &c->oid);
	}
	return 0;
}

int upload_check_reachable(struct upload_server *s, const struct oid_array *oids,
			   struct err *err)
{
	struct reach r = { .s = s, .queue = { .compare = commit_date_cmp },
			   .targets = OIDSET_INIT, .err = ERR_INIT };
	size_t nr = 0;
	int rc = add_targets(&r, oids, &nr, err);

	if (!rc)
		rc = upload_refs_foreach(s, add_tip, &r, err);
	err_move(err, &r.err);
	if (!rc)
		rc = meet_targets(&r, nr, err);
	if (rc == ERR_NOT_FOUND)
		rc = err_set(err, ERR_INVALID, "not our ref %s", oid_hex(&oids->oid[0]));
	if (s->pool)
		commit_pool_clear_flags(s->pool, SEEN);
	prio_queue_clear(&r.queue);
	oidset_clear(&r.targets);
	return rc;
}
