/* SPDX-License-Identifier: GPL-2.0-only */
/* git pack-refs: all tables become one. */
#include "compat/posix.h"
#include "refs/reftable/compact-internal.h"
#include "refs/reftable/change-internal.h"
#include "util/alloc.h"

/* A stack in its usual shape has about so many tables; each halves the rest. */
#define TABLES_MANY 8

static bool needs_compaction(const struct reftable_stack *s, const struct refs_pack_options *o)
{
	return o->if_many ? s->nr > TABLES_MANY : s->nr > 1;
}

static int pack_stack(struct reftable_store *st, struct reftable_stack *s, const struct refs_pack_options *o,
		      struct fsync_batch *b, struct err *err)
{
	struct reftable_change *c;
	int rc = reftable_stack_reload(s, err);

	if (rc < 0 || !needs_compaction(s, o))
		return rc;
	CALLOC_ARRAY(c, 1);
	rc = change_lock(c, st, s, b, err);
	if (!rc && s->nr)
		rc = change_stage_compaction(c, b, err);
	if (!rc)
		return change_end_with(c, b, err);
	change_free(c);
	return rc;
}

int reftable_pack(struct ref_store *rs, const struct refs_pack_options *o, struct fsync_batch *b, struct err *err)
{
	struct reftable_store *st = reftable_store(rs);
	int rc = pack_stack(st, st->shared, o, b, err);

	if (!rc && st->own != st->shared)
		rc = pack_stack(st, st->own, o, b, err);
	/* The lock goes: what the operation does next may need it. */
	return rc ? rc : fsync_batch_publish(b, err);
}

int reftable_pack_is_due(struct ref_store *rs, bool *due, struct err *err)
{
	const struct refs_pack_options o = { .if_many = true };
	struct reftable_stack *s = reftable_store(rs)->shared;
	int rc = reftable_stack_reload(s, err);

	if (!rc)
		*due = needs_compaction(s, &o);
	return rc;
}
