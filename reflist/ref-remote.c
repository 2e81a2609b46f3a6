/* SPDX-License-Identifier: GPL-2.0-only */
/* %(upstream:…), %(push:…) and %(ahead-behind:…). */
#include "compat/posix.h"
#include "util/alloc.h"
#include "history/history.h"
#include "reflist/ref-filter-internal.h"
#include "history/revparse.h"

/* 1: counted, 0: one of the two is gone, < 0. */
static int count_tracking(struct ref_listing *l, const struct ref_item *item, const char *ref,
			  size_t *ahead, size_t *behind, struct err *err)
{
	struct commit_pool *pool;
	struct object_id theirs;
	int rc;

	if (!tracked_commit(l->repo, ref, &theirs))
		return 0;
	*ahead = *behind = 0;
	if (oid_eq(&theirs, &item->oid))
		return 1;
	rc = ref_listing_pool(l, &pool, err);
	if (rc < 0)
		return rc;
	return ahead_behind_in(pool, &item->oid, &theirs, ahead, behind, NULL) < 0 ? 0 : 1;
}

static int add_track(struct ref_listing *l, const struct ref_item *item,
		     const struct ref_atom *a, const char *ref, struct strbuf *out,
		     struct err *err)
{
	const char *open = a->nobracket ? "" : "[", *close = a->nobracket ? "" : "]";
	size_t ahead, behind;
	int rc = count_tracking(l, item, ref, &ahead, &behind, err);

	if (rc < 0)
		return rc;
	if (!rc)
		strbuf_addf(out, "%sgone%s", open, close);
	else if (ahead && behind)
		strbuf_addf(out, "%sahead %zu, behind %zu%s", open, ahead, behind, close);
	else if (ahead)
		strbuf_addf(out, "%sahead %zu%s", open, ahead, close);
	else if (behind)
		strbuf_addf(out, "%sbehind %zu%s", open, behind, close);
	return 0;
}

static int add_trackshort(struct ref_listing *l, const struct ref_item *item, const char *ref,
			  struct strbuf *out, struct err *err)
{
	size_t ahead, behind;
	int rc = count_tracking(l, item, ref, &ahead, &behind, err);

	if (rc <= 0)
		return rc;
	strbuf_addstr(out, ahead ? (behind ? "<>" : ">") : behind ? "<" : "=");
	return 0;
}

/* What is configured about the branch over there. */
static void add_configured(struct ref_listing *l, const struct ref_atom *a, const char *branch,
			   struct strbuf *out)
{
	const char *remote;
	char *ref;

	if (a->remote_form == REMOTE_NAME) {
		remote = branch_remote_name(l->repo, branch, a->id == ATOM_PUSH);
		if (remote)
			strbuf_addstr(out, remote);
		return;
	}
	ref = branch_remote_ref(l->repo, branch, a->id == ATOM_PUSH);
	if (ref)
		strbuf_addstr(out, ref);
	free(ref);
}

static int add_branch(struct ref_listing *l, const struct ref_item *item,
		      const struct ref_atom *a, const char *branch, struct strbuf *out,
		      struct err *err)
{
	bool configured = a->remote_form == REMOTE_NAME || a->remote_form == REMOTE_THEIR_REF;
	struct err local = ERR_INIT;
	char *ref = NULL;
	int rc = 0;

	if (a->id == ATOM_UPSTREAM)
		rc = branch_upstream(l->repo, branch, &ref, &local);
	else if (!configured)
		rc = branch_push_target(l->repo, branch, &ref, &local);
	err_release(&local); /* there is none */
	if (rc < 0)
		return 0;
	if (configured)
		add_configured(l, a, branch, out);
	else if (a->remote_form == REMOTE_TRACK)
		rc = add_track(l, item, a, ref, out, err);
	else if (a->remote_form == REMOTE_TRACKSHORT)
		rc = add_trackshort(l, item, ref, out, err);
	else
		ref_name_format(l, a, ref, out);
	free(ref);
	return rc;
}

static int add_ahead_behind(struct ref_listing *l, const struct ref_item *item,
			    const struct ref_atom *a, struct strbuf *out, struct err *err)
{
	struct commit_pool *pool;
	struct object_id oid;
	size_t ahead, behind;
	int rc = ref_listing_pool(l, &pool, err);

	if (rc < 0 || object_peel(odb_source(l->repo->odb), &item->oid, OBJ_COMMIT, &oid, NULL,
				  NULL) < 0)
		return rc;
	rc = ahead_behind_in(pool, &oid, &a->oid, &ahead, &behind, err);
	if (!rc)
		strbuf_addf(out, "%zu %zu", ahead, behind);
	return rc;
}

int ref_remote_value(struct ref_listing *l, const struct ref_item *item,
		     const struct ref_atom *a, struct strbuf *out, struct err *err)
{
	const char *branch;

	if (a->id == ATOM_AHEAD_BEHIND)
		return add_ahead_behind(l, item, a, out, err);
	if (!skip_prefix(item->refname, "refs/heads/", &branch))
		return 0;
	return add_branch(l, item, a, branch, out, err);
}
