/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extends the shallow boundary of this repository by the boundary of the client:
 * receive.shallowUpdate.
 */
#include "compat/posix.h"
#include "history/history.h"
#include "history/shallow-file.h"
#include "receive/receive.h"

int receive_stage_shallow(struct receive_server *s, const struct oid_array *add, struct repo_operation *op,
			  struct err *err)
{
	struct oid_array before = OID_ARRAY_INIT, after = OID_ARRAY_INIT;
	int rc = repo_shallow_boundary(s->repo, &before, err);

	for (size_t i = 0; i < before.nr; i++)
		oid_array_append(&after, &before.oid[i]);
	for (size_t i = 0; i < add->nr; i++)
		oid_array_append(&after, &add->oid[i]);
	oid_array_sort_unique(&after);
	if (!rc)
		rc = repo_stage_shallow_boundary(s->repo, &before, &after, op, err);
	oid_array_clear(&before);
	oid_array_clear(&after);
	return rc;
}
