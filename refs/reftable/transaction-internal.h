/* SPDX-License-Identifier: GPL-2.0-only */
/* Transactions of refs in tables. */
#ifndef REFS_REFTABLE_TRANSACTION_INTERNAL_H
#define REFS_REFTABLE_TRANSACTION_INTERNAL_H

#include "compat/posix.h"
#include "refs/reftable/change-internal.h"

struct reftable_update {
	struct ref_update base; /* first */
	struct reftable_change *change; /* of the stack that holds it */
	const char *bare;		/* its name there */
	struct ref_value current;
};
static inline struct reftable_update *reftable_update(const struct ref_update *u)
{
	return (struct reftable_update *)u;
}

struct reftable_transaction {
	struct ref_transaction base; /* first */
	struct reftable_change **changes;
	size_t nr_changes, alloc_changes;
	int lock_failed; /* the error of a stack that could not be locked */
	/* No ref stands in the way of names below this, in that stack. */
	char *free_parent;
	const struct reftable_stack *free_stack;
};
static inline struct reftable_transaction *reftable_transaction(const struct ref_transaction *t)
{
	return (struct reftable_transaction *)t;
}

/* "a" and "a/b" cannot both be there: names.c. ERR_CONFLICT. */
MUST_USE int reftable_check_name(struct ref_transaction *t, const struct ref_update *u, struct err *err);
/* The entries of its log, and of the log that it inherits: update-log.c. */
MUST_USE int reftable_update_log(struct ref_transaction *t, struct ref_update *u, struct err *err);

/* Adds to a change the rewrites of logs that the batch holds for its stack: log-rewrite.c. */
MUST_USE int log_rewrites_join(struct reftable_change *c, struct fsync_batch *b, struct err *err);

/* The table's functions (struct ref_backend). */
MUST_USE int reftable_lock(struct ref_transaction *t, struct err *err);
MUST_USE int reftable_stage(struct ref_transaction *t, struct err *err);
void reftable_unlock(struct ref_transaction *t);
void reftable_release(struct ref_transaction *t);
void reftable_update_clear(struct ref_update *u);

#endif
