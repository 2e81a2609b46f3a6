/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One change of a stack: records that become one table, which a new list names. The list is locked from the
 * first look at the values that the change rests on until the new list has its name.
 *
 *	change_lock(c, ..., err)	"tables.list.lock"; the stack is up to date then
 *	change_set_ref, change_add_log, ...
 *	change_stage(c, batch, err)	the table, and the list; small tables are merged with it
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
#include "refs/reftable/write-internal.h"

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
	bool is_uneven; /* set by change_stage: larger tables are to be merged afterwards, reftable_even_out */
	bool try_once;	/* for the lock: no waiting */
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
/* In the place of change_stage, in an empty stack: one table, with the update indexes from 1 to max, that `write` writes. */
typedef int (*change_write_fn)(void *data, const struct ref_table_options *wanted, reftable_sink_fn sink, void *sink_data,
			       struct err *err);
MUST_USE int change_stage_first(struct reftable_change *c, uint64_t max, change_write_fn write, void *data,
				struct fsync_batch *b, struct err *err);
void change_unlock(struct reftable_change *c);
void change_release(struct reftable_change *c);
void change_free(struct reftable_change *c); /* and itself */
/* It is staged: the batch, whose it is in all outcomes, unlocks and frees it once the list has its name. */
MUST_USE int change_end_with(struct reftable_change *c, struct fsync_batch *b, struct err *err);

/* ---- the files ---- */

/* The file of a table while it is written. */
struct new_table {
	struct lockfile lk;
	char *path, *name;
};
#define NEW_TABLE_INIT { .lk = LOCKFILE_INIT }
MUST_USE int new_table_open(struct new_table *n, const struct reftable_store *st, const struct reftable_stack *s,
			    uint64_t min, uint64_t max, struct err *err);
MUST_USE int new_table_write(void *data, const void *p, size_t len, struct err *err); /* a reftable_sink_fn */
MUST_USE int new_table_stage(struct new_table *n, struct fsync_batch *b, struct err *err);
void new_table_release(struct new_table *n);
/* The list, in which `name` takes the place of nr tables; they are removed after the seal. */
MUST_USE int change_stage_list(struct reftable_change *c, size_t from, size_t nr, const char *name, struct fsync_batch *b,
			       struct err *err);

/* change-table.c: sorts the records, and appends the bytes of their table. */
MUST_USE int change_write_table(struct reftable_change *c, struct strbuf *out, struct err *err);

/* ---- sweep.c ---- */
/*
 * Under the lock of the list: removes what killed processes left. Tables that no list names go after the seal (D8: the list
 * that does not name them any more may be one that another process has not sealed yet); locks go at once if their
 * owners are gone (P5). The lock of `ours`, the table that is being written, is not looked at. Failures are ignored.
 */
void change_sweep(const struct reftable_change *c, const char *ours, struct fsync_batch *b);
/* Is there something for it? Also if that cannot be told from what a live process does at this moment. */
bool reftable_has_strays(const struct reftable_stack *s);

#endif
