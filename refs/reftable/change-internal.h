/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One change of a stack: records that become one table, which a new list names. The list is locked from the
 * first look at the values that the change rests on until the new list has its name.
 *
 *	change_lock(c, ..., err)	"tables.list.lock"; the stack is up to date then
 *	change_set_ref, change_add_log, ...
 *	change_stage(c, batch, err)	the table, the list
 *	change_unlock(c)		once the batch has published it, or given it up, or nothing was staged
 *	change_release(c)
 *
 * Durability: the table's contents before its name, the table before the list (D1, phases of fsync/order.h), one
 * seal by the batch. The lock ends with the rename of the list: others need not wait for the seal. Tables that
 * the new list does not name any more go after the seal (D8).
 */
#ifndef REFS_REFTABLE_CHANGE_INTERNAL_H
#define REFS_REFTABLE_CHANGE_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "fsync/batch.h"
#include "object/ident.h"
#include "refs/reftable/reftable-internal.h"

struct change_ref {
	char *name;
	enum ref_value_type type;
	struct object_id oid, peeled;
	char *target;
};

struct change_log {
	struct strbuf key;
	size_t seq; /* of two with the same key, the later one counts */
	enum log_value_type type;
	struct object_id old_oid, new_oid;
	char *name, *mail, *msg;
	uint64_t date;
	int tz;
};

struct reftable_change {
	struct reftable_store *store;
	struct reftable_stack *stack;
	struct lockfile lock;
	uint64_t index, max_index; /* of this change; each further line of a log has one more */
	struct change_ref *refs;
	size_t nr_refs, alloc_refs;
	struct change_log *logs;
	size_t nr_logs, alloc_logs;
};

/* b: for directories that are made. ERR_LOCKED, ERR_IO, ERR_CORRUPT. c is zeros. */
MUST_USE int change_lock(struct reftable_change *c, struct reftable_store *st, struct reftable_stack *s,
			 struct fsync_batch *b, struct err *err);
/* Each ref once. Ids and target are copied; NULL where the type has none. */
void change_set_ref(struct reftable_change *c, const char *name, enum ref_value_type type, const struct object_id *oid,
		    const struct object_id *peeled, const char *target);
/* offset: of the update index, for several entries of one log. */
void change_add_log(struct reftable_change *c, const char *name, unsigned offset, const struct object_id *old_oid,
		    const struct object_id *new_oid, const struct ident_split *ident, const char *msg);
/* An entry under any update index up to max_index; ident: "Name <mail>", without LF. */
void change_put_log(struct reftable_change *c, const char *name, uint64_t index, const struct reflog_entry *e);
/* One that has no ids: the log is there without others. */
void change_mark_log(struct reftable_change *c, const char *name);
/* An entry as it is in a table, under a key that may be another one. */
void change_copy_log(struct reftable_change *c, const char *name, uint64_t index, const struct log_record *r);
void change_delete_log(struct reftable_change *c, const char *name, uint64_t index);
/* Every entry of a log. */
MUST_USE int change_delete_logs(struct reftable_change *c, const char *name, struct err *err);
/* Nothing is staged if there are no records. */
MUST_USE int change_stage(struct reftable_change *c, struct fsync_batch *b, struct err *err);
/* In the place of change_stage: the tables that are there, at least one, become one. ERR_LOCKED: they are being compacted. */
MUST_USE int change_stage_compaction(struct reftable_change *c, struct fsync_batch *b, struct err *err);
void change_unlock(struct reftable_change *c);
void change_release(struct reftable_change *c);
void change_free(struct reftable_change *c); /* and itself */
/* It is staged: the batch, whose it is in all outcomes, unlocks and frees it once the list has its name. */
MUST_USE int change_end_with(struct reftable_change *c, struct fsync_batch *b, struct err *err);

/* change-table.c: sorts the records, and appends the bytes of their table. */
MUST_USE int change_write_table(struct reftable_change *c, struct strbuf *out, struct err *err);

#endif
