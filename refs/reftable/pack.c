/* SPDX-License-Identifier: GPL-2.0-only */
/* git pack-refs: all tables become one. */
#include "compat/posix.h"
#include "refs/reftable/compact-internal.h"
#include "refs/reftable/change-internal.h"

/* A stack in its usual shape has about so many tables; each halves the rest. */
#define TABLES_MANY 8

static bool needs_compaction(const struct reftable_stack *s, const struct refs_pack_options *o)
{
	return o->if_many ? s->nr > TABLES_MANY : s->nr > 1 || (s->nr && reftable_has_strays(s));
}

static int pack_stack(struct reftable_store *st, struct reftable_stack *s, const struct refs_pack_options *o,
		      struct fsync_batch *b, struct err *err)
{
	int rc = reftable_stack_reload(s, err);

	if (rc < 0 || !needs_compaction(s, o))
		return rc;
	return reftable_stage_compaction(st, s, b, err);
}

int reftable_pack(struct ref_store *rs, const struct refs_pack_options *o, struct fsync_batch *b, struct err *err)
{
	struct reftable_store *st = reftable_store(rs);
	int rc = pack_stack(st, st->shared, o, b, err);

	if (!rc && st->own != st->shared)
		rc = pack_stack(st, st->own, o, b, err);
	/* The locks go: what the operation does next may need them. */
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
