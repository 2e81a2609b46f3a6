/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables become one while other processes go on. The tables are locked, so that each is merged once; the list is locked only
 * to choose them, and to publish. The new table is written and settled in between.
 */
#include "compat/posix.h"
#include "refs/reftable/change-internal.h"
#include "refs/reftable/compact-internal.h"
#include "util/alloc.h"

/* How long all tables are waited for while a process that is alive merges some. */
#define TABLES_PATIENCE_MS 10000
#define TABLES_PAUSE_MS 20

struct compaction {
	struct reftable_change change; /* of the list */
	struct fsync_batch *batch;
	struct reftable **tables; /* that are replaced; held */
	struct lockfile *locks;	  /* theirs */
	size_t from, nr;	  /* their place in the list */
	bool is_busy;		  /* another process has locked a table */
	struct new_table made;
};

static void compaction_free(struct compaction *x)
{
	change_release(&x->change);
	new_table_release(&x->made);
	for (size_t i = 0; i < x->nr; i++) {
		lockfile_release(&x->locks[i]);
		reftable_put(x->tables[i]);
	}
	free(x->locks);
	free(x->tables);
	free(x);
}

static void compaction_done(void *data, bool published UNUSED)
{
	compaction_free(data);
}

/* ---- choose ---- */

static size_t first_to_merge(const struct reftable_store *st, const struct reftable_stack *s, bool all)
{
	return all ? reftable_compaction_start(s, UINT64_MAX / 2, 1, UINT64_MAX) :
		     reftable_uneven_start(s, reftable_factor(&st->tables));
}

static int hold_tables(struct compaction *x, struct err *err)
{
	struct reftable_stack *s = x->change.stack;
	struct lock_group g = LOCK_GROUP_INIT(s->dir);
	size_t nr = s->nr - x->from;
	int rc = 0;

	CALLOC_ARRAY(x->tables, nr);
	CALLOC_ARRAY(x->locks, nr);
	for (; !rc && x->nr < nr; x->nr++) {
		x->tables[x->nr] = reftable_get(s->tables[x->from + x->nr]);
		rc = lockfile_hold_in_group(&x->locks[x->nr], x->tables[x->nr]->path, 0, &g, err);
	}
	lock_group_release(&g);
	return rc;
}

/* x->nr 0: there is nothing to do. */
static int choose_tables(struct compaction *x, struct reftable_store *st, struct reftable_stack *s, bool all, struct err *err)
{
	int rc = change_lock(&x->change, st, s, x->batch, err);

	if (rc < 0)
		return rc;
	x->from = first_to_merge(st, s, all);
	x->is_busy = all && x->from;
	if (x->is_busy)
		rc = err_set(err, ERR_LOCKED, "the tables in '%s' are being compacted by another process", s->dir);
	else if (x->from < s->nr && (all || x->from + 1 < s->nr))
		rc = hold_tables(x, err);
	change_unlock(&x->change);
	return rc;
}

static long patience_ms(const struct compaction *x)
{
	char *lock = xconcat(x->change.stack->tables[x->from - 1]->path, ".lock");
	bool is_alive = lock_owner_of(lock, NULL) == LOCK_OWNER_ALIVE;

	free(lock);
	return is_alive ? TABLES_PATIENCE_MS : x->change.store->lock_timeout_ms;
}

/* Waits for another compaction: a transaction may have begun one. */
static int choose_all_tables(struct compaction *x, struct reftable_store *st, struct reftable_stack *s, struct err *err)
{
	struct err why = ERR_INIT;
	int rc;

	for (long waited = 0;; waited += TABLES_PAUSE_MS) {
		rc = choose_tables(x, st, s, true, &why);
		if (!x->is_busy || waited >= patience_ms(x))
			break;
		err_release(&why);
		nanosleep(&(struct timespec){ .tv_nsec = TABLES_PAUSE_MS * 1000000L }, NULL);
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

/* ---- merge, publish ---- */

static int write_merged(struct compaction *x, struct err *err)
{
	int rc = new_table_open(&x->made, x->change.store, x->change.stack, x->tables[0]->min_update_index,
				x->tables[x->nr - 1]->max_update_index, err);

	if (!rc)
		rc = reftable_merge(x->tables, x->nr, &x->change.store->tables, x->from > 0, new_table_write, &x->made,
				    err);
	return rc ? rc : new_table_stage(&x->made, x->batch, err);
}

/* Older tables may have been merged; others that ignore the locks may have replaced ours. */
static bool find_place(struct compaction *x)
{
	const struct reftable_stack *s = x->change.stack;
	size_t i = 0;

	for (x->from = 0; x->from < s->nr; x->from++)
		if (!strcmp(s->tables[x->from]->name, x->tables[0]->name))
			break;
	while (i < x->nr && x->from + i < s->nr && !strcmp(s->tables[x->from + i]->name, x->tables[i]->name))
		i++;
	return i == x->nr;
}

/* The new table has been settled, and gets its name after this. */
static int publish_compaction(void *data, struct err *err)
{
	struct compaction *x = data;
	int rc = change_lock(&x->change, x->change.store, x->change.stack, x->batch, err);

	if (!rc && !find_place(x))
		rc = err_set(err, ERR_LOCKED, "the tables in '%s' have been replaced by another process", x->change.stack->dir);
	return rc ? rc : change_stage_list(&x->change, x->from, x->nr, x->made.name, x->batch, err);
}

static int stage_calls(struct compaction *x, struct err *err)
{
	struct fsync_staging end = { .order = PUBLISH_REF_UNLOCK, .how = PUBLISH_NOTE, .fd = -1, .done = compaction_done, .data = x };
	struct fsync_staging list = { .component = FSYNC_REFERENCE, .order = PUBLISH_REF_LATE, .how = PUBLISH_CALL, .fd = -1,
				      .final_path = x->change.stack->list_path, .call = publish_compaction, .data = x };
	int rc = fsync_batch_stage(x->batch, &list, err);

	if (!rc)
		return fsync_batch_stage(x->batch, &end, err);
	compaction_free(x);
	return rc;
}

static int stage_compaction(struct reftable_store *st, struct reftable_stack *s, bool all, struct fsync_batch *b,
			    struct err *err)
{
	struct compaction *x;
	int rc;

	CALLOC_ARRAY(x, 1);
	x->batch = b;
	x->change.try_once = !all;
	rc = all ? choose_all_tables(x, st, s, err) : choose_tables(x, st, s, false, err);
	if (!rc && x->nr)
		rc = write_merged(x, err);
	if (!rc && x->nr)
		return stage_calls(x, err);
	compaction_free(x);
	return rc;
}

int reftable_stage_compaction(struct reftable_store *st, struct reftable_stack *s, struct fsync_batch *b, struct err *err)
{
	return stage_compaction(st, s, true, b, err);
}

void reftable_even_out(struct reftable_store *st, struct reftable_stack *s, const struct fsync_batch *like)
{
	struct fsync_batch_options o = { .policy = *fsync_batch_policy(like) };
	struct fsync_batch *b = fsync_batch_new(&o);
	struct err ignored = ERR_INIT;
	int rc = stage_compaction(st, s, false, b, &ignored);

	if (!rc)
		rc = fsync_batch_publish(b, &ignored);
	if (rc < 0)
		err_release(&ignored);
	fsync_batch_free(b);
}
