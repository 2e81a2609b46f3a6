/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The refs of a clone. All that are taken over from the other side get their names first, in one file (packed-refs);
 * then our branch and HEAD, which make the clone what it is, with their reflogs. The seal comes with the end of
 * the operation.
 */
#include "compat/posix.h"
#include "object/object.h"
#include "porcelain/clone/clone-internal.h"
#include "transport/url.h"
#include "util/alloc.h"

static int publish_transaction(struct clone *c, int rc, struct err *err)
{
	if (!rc)
		return repo_operation_publish(c->op, err);
	repo_operation_abort(c->op);
	return rc;
}

/* ---- what follows the other side ---- */

/* Tables log the first values, as in Git, and files do not. */
static bool logs_followers(const struct clone *c)
{
	return refs_layout(refs_backend(c->r->refs))->head_stub != NULL;
}

static int publish_followers(struct clone *c, struct err *err)
{
	unsigned flags = REF_NO_DEREF | (logs_followers(c) ? 0 : REF_SKIP_REFLOG);
	struct ref_transaction *t;
	int rc = repo_operation_begin_refs(c->op, REF_TRANSACTION_ALONE, &t, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; !rc && i < c->map.nr; i++)
		if (c->map.items[i].dst)
			rc = ref_transaction_update(t, c->map.items[i].dst, &c->map.items[i].oid, NULL, flags, NULL, err);
	return publish_transaction(c, rc, err);
}

/* ---- HEAD ---- */

/* The repository was made with it, unless the template has a HEAD of its own. */
static int point_head(struct clone *c, struct err *err)
{
	struct ref_transaction *t;
	char *target = NULL;
	struct object_id oid;
	bool is_there;
	int rc;

	if (!c->branch)
		return 0;
	is_there = !ref_read_raw(c->r->refs, "HEAD", &oid, &target, NULL) && target && !strcmp(target, c->branch);
	free(target);
	if (is_there)
		return 0;
	t = repo_operation_new_refs(c->op, 0);
	rc = ref_transaction_update_symref(t, "HEAD", c->branch, NULL, REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	return publish_transaction(c, rc, err);
}

static int queue_head(struct clone *c, struct ref_transaction *t, const char *msg, struct err *err)
{
	struct object_id commit;
	int rc;

	if (oid_is_null(&c->head))
		return 0;
	if (!c->detached) /* a bare one has its branch already */
		return c->bare ? 0 : ref_transaction_update(t, "HEAD", &c->head, NULL, 0, msg, err);
	rc = object_peel(odb_source(c->r->odb), &c->head, OBJ_COMMIT, &commit, NULL, err);
	if (rc < 0)
		return rc;
	c->head = commit;
	return ref_transaction_update(t, "HEAD", &c->head, NULL, REF_NO_DEREF, msg, err);
}

/* <remote>/HEAD, if what it is there has come. */
static int queue_remote_head(struct clone *c, struct ref_transaction *t, const char *msg, struct err *err)
{
	const char *target = NULL, *name;
	char *ref, *usual;
	int rc = 0;

	if (c->bare || !c->branch_there || !skip_prefix(c->branch_there, "refs/heads/", &name))
		return 0;
	usual = xstrfmt("refs/remotes/%s/%s", c->o->origin, name);
	for (size_t i = 0; !target && i < c->map.nr; i++)
		if (c->map.items[i].dst && !strcmp(c->map.items[i].src, c->branch_there) &&
		    !strcmp(c->map.items[i].dst, usual))
			target = c->map.items[i].dst;
	ref = xstrfmt("refs/remotes/%s/HEAD", c->o->origin);
	if (target)
		rc = ref_transaction_update_symref(t, ref, target, NULL, REF_NO_DEREF, msg, err);
	free(ref);
	free(usual);
	return rc;
}

bool clone_follows_tags(const struct clone *c)
{
	return c->o->single_branch && !c->o->no_tags && !c->o->mirror && !c->o->revision;
}

/*
 * Tags of what has come. The other side was asked to send the objects of annotated ones as well (include-tag); a tag
 * whose object is not here is left out.
 */
static void follow_tags(struct clone *c)
{
	size_t nr = c->map.nr;

	for (size_t i = 0; i < nr; i++) /* has a look at the packs that are new */
		(void)odb_has(c->r->odb, &c->map.items[i].oid);
	fetch_map_backfill_tags(&c->map, &c->refs, c->r);
	for (size_t i = nr; i < c->map.nr; i++) {
		struct fetch_item *item = &c->map.items[i];

		if (odb_has_quick(c->r->odb, &item->oid)) {
			c->map.items[nr++] = *item;
		} else {
			free(item->src);
			free(item->dst);
		}
	}
	c->map.nr = nr;
}

int clone_stage_refs(struct clone *c, struct err *err)
{
	char *shown = url_for_display(c->o->url), *msg = xstrfmt("clone: from %s", shown);
	struct ref_transaction *t = NULL;
	int rc;

	if (clone_follows_tags(c))
		follow_tags(c);
	rc = c->map.nr ? publish_followers(c, err) : 0;
	if (!rc)
		rc = point_head(c, err);
	if (!rc)
		rc = repo_operation_begin_refs(c->op, 0, &t, err);
	if (!rc)
		rc = queue_head(c, t, msg, err);
	if (!rc)
		rc = queue_remote_head(c, t, msg, err);
	free(msg);
	free(shown);
	return rc;
}
