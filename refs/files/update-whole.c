/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * P6: a transaction that changes several refs happens by one rename, so that a power cut
 * or a kill leaves all old values or all new ones. Nothing is written to loose files:
 *
 *	A	packed-refs with the old values of those that are loose now
 *	prune	their loose files go (D5: packed before)
 *	B	packed-refs with all new values, without what is deleted
 *
 * All locks are held meanwhile, packed-refs.lock among them. Readers look at loose files
 * first and then at a packed-refs that is at least as new, so they find each ref with
 * its old value until B has its name, and with its new one from then on. A and B are
 * staged together: on a journal, which keeps the three in order, it is one flush.
 * Tests: t/unit/test-refs-whole.c.
 *
 * What cannot be packed (HEAD, refs/bisect/, symbolic refs) goes the loose way,
 * and all that is changed with it: redo.c keeps those whole.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/reflog-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"

bool transaction_may_be_whole(const struct ref_transaction *t)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (u->flags & UPDATE_HAVE_TARGET)
			return false;
		if (!(u->flags & UPDATE_HAVE_NEW))
			continue;
		nr++;
		/* HEAD may be only the way to a branch. */
		if (!ref_may_be_packed(t->rs, u->name) &&
		    (u->flags & REF_NO_DEREF || strcmp(u->name, "HEAD")))
			return false;
		if (!oid_is_null(&u->new_oid) && (u->flags & REF_SKIP_REFNAME_CHECK))
			return false;
	}
	return nr >= 2;
}

static bool wants_change(const struct ref_update *u)
{
	return !u->root->rc && (u->flags & UPDATE_HAVE_NEW) && !(u->flags & UPDATE_LOG_ONLY);
}

bool transaction_is_whole(const struct ref_transaction *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (wants_change(t->updates[i]) &&
		    (!ref_may_be_packed(t->rs, t->updates[i]->name) ||
		     files_update(t->updates[i])->current.kind == LOOSE_SYMREF))
			return false;
	return true;
}

/* ---- what changes ---- */

struct whole {
	struct ref_update **changed; /* by name */
	size_t nr;
	struct packed_change *changes; /* room for as many */
};

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct ref_update *const *)a)->name,
		      (*(struct ref_update *const *)b)->name);
}

static void collect_changed(struct ref_transaction *t, struct whole *w)
{
	size_t i;

	ALLOC_ARRAY(w->changed, t->nr + 1);
	ALLOC_ARRAY(w->changes, t->nr + 1);
	for (i = 0; i < t->nr; i++)
		if (!t->updates[i]->root->rc &&
		    t->updates[i]->flags & (UPDATE_WRITES | UPDATE_DELETES))
			w->changed[w->nr++] = t->updates[i];
	if (w->nr)
		qsort(w->changed, w->nr, sizeof(*w->changed), by_name);
}

static void set_change(const struct ref_transaction *t, struct packed_change *c,
		       const struct ref_update *u, const struct object_id *oid)
{
	c->name = u->name;
	c->oid = *oid;
	c->peeled = t->rs->algo->null_oid;
	c->peel_unknown = false;
	if (!oid_is_null(oid))
		c->peel_unknown = !ref_peel(t->rs, oid, &c->peeled);
}

/* ---- A ---- */

/* D5, D1: the old values are packed before their loose files go. */
static int stage_old_values(struct ref_transaction *t, struct whole *w,
			    const struct lockfile *lk, const struct packed_refs *present,
			    struct err *err)
{
	struct packed_entry e;
	size_t i, nr = 0;
	int found;

	for (i = 0; i < w->nr; i++) {
		const struct ref_update *u = w->changed[i];

		if (!files_update(u)->in_loose)
			continue;
		found = packed_refs_lookup(present, u->name, &e, err);
		if (found < 0)
			return found;
		if (!found || !oid_eq(&e.oid, &u->value))
			set_change(t, &w->changes[nr++], u, &u->value);
	}
	if (!nr)
		return 0;
	return packed_refs_stage_new(t->rs, lk, present, w->changes, nr, t->batch,
				     PUBLISH_REF_PACK, err);
}

/* ---- in between ---- */

static int stage_prunes(struct ref_transaction *t, const struct whole *w, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < w->nr; i++) {
		if (!files_update(w->changed[i])->in_loose)
			continue;
		strbuf_reset(&path);
		ref_path(t->rs, w->changed[i]->name, &path);
		rc = ref_file_stage_removal(path.buf, PUBLISH_REF_PRUNE, t->batch, err);
	}
	strbuf_release(&path);
	return rc;
}

/* ---- B ---- */

static int stage_new_values(struct ref_transaction *t, struct whole *w, struct lockfile *lk,
			    const struct packed_refs *present, struct err *err)
{
	size_t i;

	for (i = 0; i < w->nr; i++)
		set_change(t, &w->changes[i], w->changed[i], &w->changed[i]->new_oid);
	return packed_refs_stage_lock(t->rs, lk, present, w->changes, w->nr, t->batch,
				      PUBLISH_PACKED_REFS, err);
}

/* ---- all ---- */

static int stage_logs(struct ref_transaction *t, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (u->root->rc)
			continue;
		if (u->flags & UPDATE_DELETES)
			rc = reflog_stage_removal(t->rs, u->name, PUBLISH_REF_DELETE,
						  t->batch, err);
		else
			rc = update_stage_log(t, u, err);
	}
	return rc;
}

static int stage_values(struct ref_transaction *t, struct whole *w, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct packed_refs *present = NULL;
	int rc = packed_refs_lock(t->rs, &lk, err);

	/* Others may have written it since: read it again, now that it is ours. */
	if (!rc)
		rc = packed_refs_get(t->rs, &present, err);
	if (!rc)
		rc = stage_old_values(t, w, &lk, present, err);
	if (!rc)
		rc = stage_prunes(t, w, err);
	if (!rc)
		rc = stage_new_values(t, w, &lk, present, err);
	packed_refs_put(present);
	lockfile_release(&lk);
	if (rc < 0)
		err_prefix(err, "cannot update ref '%s'", ref_update_display_name(w->changed[0]));
	return rc;
}

int transaction_stage_whole(struct ref_transaction *t, struct err *err)
{
	struct whole w = { NULL, 0, NULL };
	int rc = 0;

	collect_changed(t, &w);
	if (w.nr)
		rc = stage_logs(t, err);
	if (!rc && w.nr)
		rc = stage_values(t, &w, err);
	free(w.changed);
	free(w.changes);
	return rc;
}
