/* SPDX-License-Identifier: GPL-2.0-only */
/* Refuses updates that need force or a lease: git-push(1), <refspec>, --force-with-lease, --force-if-includes. */
#include "compat/posix.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "transport/push/push.h"
#include "util/alloc.h"

struct checking {
	struct repository *r;
	const struct push_rules *rules;
	struct commit_pool *pool; /* made on first use */
	struct err *err;
};

static int get_pool(struct checking *c)
{
	return c->pool ? 0 : commit_pool_new(&c->pool, c->r, c->err);
}

/* NULL: it is no commit, or not here. */
static struct commit *commit_of(struct checking *c, const struct object_id *oid)
{
	struct object_id commit;

	if (object_peel(odb_source_unreplaced(c->r->odb), oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		return NULL;
	return commit_lookup(c->pool, &commit);
}

/* ---- leases ---- */

bool push_find_tracking(struct repository *r, const struct remote *remote, const char *dst, char **name,
			struct object_id *oid)
{
	struct strbuf tracking = STRBUF_INIT;
	bool there = remote && refspec_map(&remote->fetch, dst, &tracking) && tracking.len;

	if (there && oid && ref_resolve(r->refs, tracking.buf, oid, NULL, NULL, NULL) < 0)
		there = false;
	if (there && name)
		*name = strbuf_detach(&tracking, NULL);
	strbuf_release(&tracking);
	return there;
}

/* Does the text name that ref, in full or by its end? */
static bool is_named(const char *full, const char *text, size_t len)
{
	static const char *const before[] = { "", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/" };
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (skip_prefix(full, before[i], &rest) && strlen(rest) == len && !strncmp(rest, text, len))
			return true;
	return false;
}

static void lease_by_tracking(struct checking *c, struct push_update *u)
{
	u->has_lease = u->lease_via_tracking = true;
	if (!push_find_tracking(c->r, c->rules->remote, u->dst, NULL, &u->lease))
		u->lease = c->r->algo->null_oid;
}

/* REF:EXPECT; an empty EXPECT: it must not be there. */
static int lease_by_value(struct checking *c, struct push_update *u, const char *expect)
{
	u->has_lease = true;
	u->lease = c->r->algo->null_oid;
	if (*expect && revparse_oid(c->r, expect, &u->lease, NULL) < 0)
		return err_set(c->err, ERR_INVALID, "cannot parse expected object name '%s'", expect);
	return 0;
}

/* The first that names the ref counts. */
static int find_lease(struct checking *c, struct push_update *u)
{
	const struct strvec *leases = c->rules->leases;

	for (size_t i = 0; leases && i < leases->nr; i++) {
		const char *text = leases->v[i], *colon = strchr(text, ':');

		if (!is_named(u->dst, text, colon ? (size_t)(colon - text) : strlen(text)))
			continue;
		if (colon)
			return lease_by_value(c, u, colon + 1);
		lease_by_tracking(c, u);
		return 0;
	}
	if (c->rules->lease_for_all)
		lease_by_tracking(c, u);
	return 0;
}

/* ---- --force-if-includes: was the value that a forced push replaces ever in a local branch? ---- */

struct includes {
	struct checking *c;
	struct commit *theirs;
	int found;
};

static int look_at_entry(void *data, const struct reflog_entry *e)
{
	struct includes *in = data;
	struct commit *ours = commit_of(in->c, &e->new_oid);

	if (!ours)
		return 0;
	in->found = ours == in->theirs ? 1 : is_ancestor(in->c->pool, in->theirs, ours, in->c->err);
	return in->found;
}

/* In the reflog of our branch of that name. 1, 0, < 0. */
static int is_included(struct checking *c, const struct push_update *u)
{
	struct includes in = { .c = c };
	int rc = get_pool(c);

	if (rc < 0)
		return rc;
	in.theirs = commit_of(c, &u->old_oid);
	if (!in.theirs)
		return 0;
	rc = reflog_foreach(c->r->refs, u->dst, true, look_at_entry, &in, NULL);
	return rc < 0 && in.found < 0 ? rc : in.found;
}

static int check_lease(struct checking *c, struct push_update *u, enum push_status *out)
{
	int rc = 1;

	if (!oid_eq(&u->old_oid, &u->lease)) {
		*out = PUSH_REJECT_STALE;
		return 0;
	}
	if (c->rules->force_if_includes && u->lease_via_tracking && !oid_is_null(&u->old_oid))
		rc = is_included(c, u);
	if (!rc)
		*out = PUSH_REJECT_REMOTE_UPDATED;
	else if (rc > 0)
		u->force = true;
	return rc < 0 ? rc : 0;
}

/* ---- fast forward ---- */

static int check_forward(struct checking *c, const struct push_update *u, enum push_status *out)
{
	struct commit *old, *new;
	int rc;

	if (starts_with(u->dst, "refs/tags/")) {
		*out = PUSH_REJECT_ALREADY_EXISTS;
		return 0;
	}
	if (!odb_has(c->r->odb, &u->old_oid)) {
		*out = PUSH_REJECT_FETCH_FIRST;
		return 0;
	}
	rc = get_pool(c);
	if (rc < 0)
		return rc;
	old = commit_of(c, &u->old_oid);
	new = commit_of(c, &u->new_oid);
	if (!old || !new) {
		*out = PUSH_REJECT_NEEDS_FORCE;
		return 0;
	}
	rc = is_ancestor(c->pool, old, new, c->err);
	if (!rc)
		*out = PUSH_REJECT_NON_FAST_FORWARD;
	return rc < 0 ? rc : 0;
}

static int check_one(struct checking *c, struct push_update *u)
{
	bool deletes = oid_is_null(&u->new_oid);
	enum push_status reason = PUSH_PENDING;
	int rc = find_lease(c, u);

	if (rc < 0)
		return rc;
	if (!deletes && u->old_known && oid_eq(&u->old_oid, &u->new_oid)) {
		u->status = PUSH_UP_TO_DATE;
		return 0;
	}
	if (u->has_lease)
		rc = check_lease(c, u, &reason);
	/* If the helper does not tell the old value, it does the check itself. */
	if (!rc && reason == PUSH_PENDING && !deletes && u->old_known && !oid_is_null(&u->old_oid))
		rc = check_forward(c, u, &reason);
	if (reason != PUSH_PENDING && u->force)
		u->forced = true;
	else
		u->status = reason;
	return rc;
}

int push_check(struct push_list *l, struct repository *r, const struct push_rules *rules, struct err *err)
{
	struct checking c = { .r = r, .rules = rules, .err = err };
	int rc = 0;

	for (size_t i = 0; i < l->nr && !rc; i++)
		rc = check_one(&c, &l->items[i]);
	commit_pool_free(c.pool);
	if (!rc && rules->atomic)
		push_list_fail_atomic(l);
	return rc;
}
