/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes the boundary of a shallow clone: gitprotocol-v2(5), "shallow-info". */
#include "compat/posix.h"
#include "history/shallow-file.h"
#include "history/history.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"

int fetch_take_shallow(struct fetch_task *t, const char *line, struct err *err)
{
	struct oid_array *list;
	struct object_id oid;
	const char *hex;

	if (skip_prefix(line, "shallow ", &hex))
		list = &t->shallow;
	else if (skip_prefix(line, "unshallow ", &hex))
		list = &t->unshallow;
	else
		return 0;
	if (oid_from_hex(&oid, hex, t->s->algo) < 0)
		return err_set(err, ERR_CORRUPT, "invalid shallow line: %s", line);
	oid_array_append(list, &oid);
	return 1;
}

/* Only a commit of our boundary can leave it. */
static int take_unshallow(struct fetch_task *t, struct err *err)
{
	for (size_t i = 0; i < t->unshallow.nr; i++) {
		if (!oid_array_contains(&t->boundary, &t->unshallow.oid[i]))
			return err_set(err, ERR_CORRUPT, "no shallow found: unshallow %s",
				       oid_hex(&t->unshallow.oid[i]));
		oid_array_append(&t->result->unshallow, &t->unshallow.oid[i]);
	}
	return 0;
}

static void note_boundaries(struct fetch_task *t)
{
	for (size_t i = 0; i < t->shallow.nr; i++)
		oidset_insert(&t->boundaries, &t->shallow.oid[i]);
	for (size_t i = 0; i < t->boundary.nr; i++)
		if (!oid_array_contains(&t->unshallow, &t->boundary.oid[i]))
			oidset_insert(&t->boundaries, &t->boundary.oid[i]);
}

int fetch_apply_shallow(struct fetch_task *t, struct err *err)
{
	int rc = take_unshallow(t, err);

	if (rc < 0)
		return rc;
	oid_array_sort_unique(&t->shallow);
	note_boundaries(t);
	/* If the request deepens, or the server sends "unshallow", the lines describe our boundary, not the server's. */
	if (fetch_wanted_deepens(t->w) || t->unshallow.nr) {
		for (size_t i = 0; i < t->shallow.nr; i++)
			oid_array_append(&t->result->shallow, &t->shallow.oid[i]);
		return 0;
	}
	if (t->shallow.nr && t->w->reject_shallow)
		return err_set(err, ERR_ABORTED, "source repository is shallow, reject to clone.");
	for (size_t i = 0; i < t->shallow.nr; i++)
		if (!oid_array_contains(&t->boundary, &t->shallow.oid[i]))
			oid_array_append(&t->roots, &t->shallow.oid[i]);
	return 0;
}

/* The new content of the file "shallow". */
static void new_boundary(struct fetch_task *t, struct oid_array *out)
{
	struct fetch_result *result = t->result;

	for (size_t i = 0; i < t->boundary.nr; i++)
		if (!oid_array_contains(&result->unshallow, &t->boundary.oid[i]))
			oid_array_append(out, &t->boundary.oid[i]);
	for (size_t i = 0; i < result->shallow.nr; i++)
		oid_array_append(out, &result->shallow.oid[i]);
	oid_array_sort_unique(out);
}

int fetch_stage_shallow(struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	struct oid_array all = OID_ARRAY_INIT;
	int rc;

	if (!t->result->shallow.nr && !t->result->unshallow.nr)
		return 0;
	new_boundary(t, &all);
	rc = repo_stage_shallow_boundary(t->r, &t->boundary, &all, op, err);
	oid_array_clear(&all);
	return rc;
}
