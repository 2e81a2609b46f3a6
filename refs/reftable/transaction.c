/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions of refs in tables: all values and all entries of reflogs are records of one table (P6). The lock of
 * the list is taken with the first update that the stack holds; values are read, compared and decided under
 * it. Refs of a worktree (HEAD) are in another stack than shared ones: a transaction with both
 * changes the shared one first.
 */
#include "compat/posix.h"
#include "refs/reftable/compact-internal.h"
#include "refs/reftable/transaction-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

/* As in Git, most errors name the ref that could not be locked. */
static int lock_failure(struct err *err, int rc, const struct ref_update *u, struct err *why)
{
	if (starts_with(err_message(why), "verifying symref target: ") ||
	    starts_with(err_message(why), "cannot lock references"))
		err_set(err, rc, "%s", err_message(why));
	else
		err_set(err, rc, "cannot lock ref '%s': %s", ref_update_display_name(u), err_message(why));
	err_release(why);
	return rc;
}

/* ---- lock ---- */

static int locked_change(struct reftable_change **out, struct ref_transaction *t, struct reftable_stack *s, struct err *err)
{
	struct reftable_transaction *rt = reftable_transaction(t);
	struct reftable_change *c;
	int rc;

	for (size_t i = 0; i < rt->nr_changes; i++) {
		if (rt->changes[i]->stack == s) {
			*out = rt->changes[i];
			return 0;
		}
	}
	/* We have waited for it once. */
	if (rt->lock_failed)
		return err_set(err, rt->lock_failed, "cannot lock references");
	CALLOC_ARRAY(c, 1);
	rc = change_lock(c, reftable_store(t->rs), s, t->batch, err);
	if (rc < 0) {
		err_prefix(err, "cannot lock references");
		rt->lock_failed = rc;
		change_release(c);
		free(c);
		return rc;
	}
	ALLOC_GROW(rt->changes, rt->nr_changes + 1, rt->alloc_changes);
	rt->changes[rt->nr_changes++] = *out = c;
	return 0;
}

static int lock_and_read(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct reftable_update *r = reftable_update(u);
	struct reftable_stack *s = reftable_stack_of(t->rs, u->name, &r->bare);
	int rc;

	if (!strcmp(r->bare, REFNAME_FETCH_HEAD) || !strcmp(r->bare, REFNAME_MERGE_HEAD))
		return ERR_INVALID;
	rc = locked_change(&r->change, t, s, err);
	if (!rc)
		rc = reftable_lookup(t->rs, s, r->bare, &r->current, err);
	if (!rc && r->current.kind == REF_KIND_BROKEN)
		rc = err_set(err, ERR_CORRUPT, "unable to resolve reference '%s': reference broken", u->name);
	return rc;
}

static int lock_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = lock_and_read(t, u, &why);

	if (rc == ERR_INVALID)
		return err_set(err, rc, "refusing to update pseudoref '%s'", u->name);
	if (rc < 0)
		return lock_failure(err, rc, u, &why);
	u->target = reftable_update(u)->current.target;
	return ref_update_split(t, u, err);
}

static int check_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct ref_value *v = &reftable_update(u)->current;
	struct err why = ERR_INIT;
	int rc;

	if (u->flags & UPDATE_LOG_ONLY)
		return 0;
	u->exists = v->kind != REF_KIND_MISSING;
	if (v->kind == REF_KIND_OID)
		u->value = v->oid;
	else if (u->target && ref_resolve(t->rs, u->name, &u->value, NULL, NULL, NULL) < 0)
		u->value = t->rs->algo->null_oid; /* it leads nowhere */
	rc = ref_update_check_old(u, &why);
	if (rc < 0)
		return lock_failure(err, rc, u, &why);
	rc = ref_update_decide(t, u, err);
	/* As in Git, a ref that is to be missing must have a name that could be there. */
	return rc < 0 || u->exists ? rc : reftable_check_name(t, u, err);
}

int reftable_lock(struct ref_transaction *t, struct err *err)
{
	int rc = ref_transaction_index(t, err);

	if (!rc)
		rc = ref_transaction_each(t, lock_one, err);
	return rc ? rc : ref_transaction_each(t, check_one, err);
}

/* ---- stage ---- */

static void set_value(struct ref_transaction *t, const struct ref_update *u)
{
	const struct reftable_update *r = reftable_update(u);
	struct object_id peeled = t->rs->algo->null_oid;

	if (u->flags & UPDATE_DELETES) {
		change_set_ref(r->change, r->bare, REF_VALUE_DELETED, NULL, NULL, NULL);
	} else if (u->flags & UPDATE_HAVE_TARGET) {
		change_set_ref(r->change, r->bare, REF_VALUE_SYMREF, NULL, NULL, u->new_target);
	} else {
		if (u->root->known_type != OBJ_NONE)
			peeled = u->root->known_peeled;
		else
			ref_peel(t->rs, &u->new_oid, &peeled);
		change_set_ref(r->change, r->bare, oid_is_null(&peeled) ? REF_VALUE_OID : REF_VALUE_PEELED, &u->new_oid,
			       &peeled, NULL);
	}
}

static int collect_update(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct reftable_update *r = reftable_update(u);

	if (u->flags & (UPDATE_WRITES | UPDATE_DELETES) && !(u->flags & UPDATE_LOG_ONLY))
		set_value(t, u);
	if (u->flags & UPDATE_DELETES && !(u->flags & UPDATE_LOG_ONLY))
		return change_delete_logs(r->change, r->bare, err);
	return reftable_update_log(t, u, err);
}

/* The shared stack before those of worktrees: HEAD does not lead to a branch that is not there yet. */
static int stage_changes(struct reftable_transaction *rt, bool shared, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < rt->nr_changes; i++)
		if ((rt->changes[i]->stack == reftable_store(rt->base.rs)->shared) == shared) {
			rc = log_rewrites_join(rt->changes[i], rt->base.batch, err);
			if (!rc)
				rc = change_stage(rt->changes[i], rt->base.batch, err);
		}
	return rc;
}

int reftable_stage(struct ref_transaction *t, struct err *err)
{
	struct reftable_transaction *rt = reftable_transaction(t);
	int rc = 0;

	for (size_t i = 0; !rc && i < t->nr; i++)
		if (!t->updates[i]->root->rc)
			rc = collect_update(t, t->updates[i], err);
	if (!rc)
		rc = stage_changes(rt, true, err);
	return rc ? rc : stage_changes(rt, false, err);
}

/* ---- after ---- */

void reftable_unlock(struct ref_transaction *t)
{
	struct reftable_transaction *rt = reftable_transaction(t);

	for (size_t i = 0; i < rt->nr_changes; i++)
		change_unlock(rt->changes[i]);
	for (size_t i = 0; i < rt->nr_changes; i++)
		if (rt->changes[i]->is_uneven)
			reftable_even_out(reftable_store(t->rs), rt->changes[i]->stack, t->batch);
}

void reftable_release(struct ref_transaction *t)
{
	struct reftable_transaction *rt = reftable_transaction(t);

	for (size_t i = 0; i < rt->nr_changes; i++) {
		change_release(rt->changes[i]);
		free(rt->changes[i]);
	}
	FREE_AND_NULL(rt->changes);
	FREE_AND_NULL(rt->free_parent);
	rt->nr_changes = 0;
}

void reftable_update_clear(struct ref_update *u)
{
	ref_value_release(&reftable_update(u)->current);
}
