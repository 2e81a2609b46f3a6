/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks of git-maintenance(1) about refs: pack-refs, reflog-expire. */
#include "compat/posix.h"
#include "maintain/migrate-refs.h"
#include "maintain/reflog-expire.h"
#include "maintain/reflog-expiry.h"
#include "maintain/tasks/tasks-internal.h"

/* ---- pack-refs ---- */

int task_pack_refs_is_due(struct repository *r, int limit UNUSED, bool *out, struct err *err)
{
	return refs_pack_is_due(r->refs, out, err);
}

int task_pack_refs(struct repository *r, struct repo_operation *op, const struct maintenance_options *o,
		   struct err *err)
{
	const struct refs_pack_options pack = {
		.all = true, .if_many = o->if_due, .complain = o->warn, .data = o->data,
	};

	int rc = ref_migration_sweep(op, r, err);

	return rc ? rc : refs_pack(r->refs, &pack, repo_operation_batch(op), err);
}

/* ---- reflog-expire ---- */

struct expired {
	struct reflog_expiry *x;
	size_t i, nr, limit, count;
	struct err *err;
};

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	++*(size_t *)data;
	return 0;
}

static int count_expired(void *data, const struct reflog_entry *e)
{
	struct expired *c = data;
	int rc = reflog_expiry_keeps(c->x, c->i++, c->nr, e, c->err);

	if (rc < 0)
		return rc;
	c->count += !rc;
	return c->count >= c->limit; /* enough is known */
}

int task_reflog_expire_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	struct expired c = { .limit = (size_t)limit, .err = err };
	int rc = reflog_expiry_new(&c.x, r, err);

	if (rc < 0)
		return rc;
	rc = reflog_foreach(r->refs, "HEAD", false, count_entry, &c.nr, err);
	if (rc >= 0)
		rc = reflog_expiry_begin(c.x, "HEAD", err);
	if (rc >= 0)
		rc = reflog_foreach(r->refs, "HEAD", false, count_expired, &c, err);
	reflog_expiry_free(c.x);
	if (rc == ERR_NOT_FOUND) { /* no log */
		err_release(err);
		rc = 0;
	}
	if (rc < 0)
		return rc;
	*out = c.count >= c.limit;
	return 0;
}

int task_reflog_expire(struct repository *r, struct repo_operation *op,
		       const struct maintenance_options *o UNUSED, struct err *err)
{
	return reflogs_expire(op, r, err);
}
