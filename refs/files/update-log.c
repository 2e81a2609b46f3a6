/* SPDX-License-Identifier: GPL-2.0-only */
/* What a transaction does to the reflogs: a line for a new value, none for a ref that goes. */
#include "compat/posix.h"
#include "refs/refs-internal.h"

bool update_writes_log(const struct ref_update *u)
{
	if (u->log_from)
		return true;
	return !(u->flags & REF_SKIP_REFLOG) && u->flags & (UPDATE_WRITES | UPDATE_LOG_ONLY) &&
	       u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET);
}

/* The value that a symref to `target` will show when all this has happened. */
static const struct object_id *target_value(struct ref_transaction *t, const char *target,
					    struct object_id *buf)
{
	const struct ref_update *u = strmap_get(&t->by_name, target);

	if (u && (u->flags & UPDATE_HAVE_NEW) && !u->root->rc)
		return &u->new_oid;
	if (ref_resolve(t->rs, target, buf, NULL, NULL, NULL) < 0)
		*buf = t->rs->algo->null_oid;
	return buf;
}

int update_stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct object_id *old_oid = &u->value, *new_oid = &u->new_oid;
	struct object_id buf;
	int rc;

	if (u->log_from)
		return reflog_stage_renamed(t->rs, u->log_from, u->name, new_oid, t->ident, u->msg,
					    t->batch, err);
	if ((u->flags & UPDATE_HAVE_TARGET) && !(u->flags & UPDATE_LOG_ONLY)) {
		new_oid = target_value(t, u->new_target, &buf);
		if (oid_is_null(new_oid))
			return 0; /* a branch that is yet to be born */
	}
	if (u->flags & UPDATE_LOG_ONLY) {
		while (u->leaf && u != u->leaf && (u->leaf->flags & UPDATE_LOG_ONLY))
			u->leaf = u->leaf->leaf;
		old_oid = &u->leaf->value;
		if (u->leaf->flags & UPDATE_HAVE_TARGET) {
			if (!u->leaf->new_target)
				new_oid = &t->rs->algo->null_oid;
			else
				new_oid = target_value(t, u->leaf->new_target, &buf);
		}
		if (oid_is_null(old_oid) && oid_is_null(new_oid))
			return 0;
	}
	rc = reflog_stage_entry(t->rs, u->name, u->flags & REF_FORCE_REFLOG, old_oid, new_oid,
				t->ident, u->msg, t->batch, err);
	if (rc < 0)
		err_prefix(err, "cannot update the reflog of '%s'", u->name);
	return rc;
}
