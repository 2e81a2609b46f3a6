/* SPDX-License-Identifier: GPL-2.0-only */
/* Peels objects to commits, and checks which objects a client may want: gitprotocol-pack(5). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

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

/* ---- the wants that are allowed ---- */

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

	if (!odb_has(r->s->repo->odb, &ref->oid))
		return 0;
	r->rc = upload_peel_to_commit(r->s, &ref->oid, &c, &r->err);
	if (!r->rc && c && !(c->flags & REACH_SEEN)) {
		c->flags |= REACH_SEEN;
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

			if (p->flags & REACH_SEEN)
				continue;
			p->flags |= REACH_SEEN;
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
		commit_pool_clear_flags(s->pool, REACH_SEEN);
	prio_queue_clear(&r.queue);
	oidset_clear(&r.targets);
	return rc;
}
