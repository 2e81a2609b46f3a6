/* SPDX-License-Identifier: GPL-2.0-only */
/* What a transaction does to the reflogs: a line for a new value, or the log of another ref. */
#include "compat/posix.h"
#include "refs/files/reflog-internal.h"
#include "refs/files/update-internal.h"

int update_stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct object_id *old_oid, *new_oid;
	struct object_id buf;
	int rc;

	if (u->log_from)
		return reflog_stage_renamed(t->rs, u->log_from, u->name, &u->new_oid, t->ident,
					    u->msg, t->batch, err);
	if (!ref_update_logs(t, u, &buf, &old_oid, &new_oid))
		return 0;
	rc = reflog_stage_entry(t->rs, u->name, u->flags & REF_FORCE_REFLOG, old_oid, new_oid,
				t->ident, u->msg, t->batch, err);
	if (rc < 0)
		err_prefix(err, "cannot update the reflog of '%s'", u->name);
	return rc;
}
