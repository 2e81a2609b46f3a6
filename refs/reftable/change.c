/* SPDX-License-Identifier: GPL-2.0-only */
/* A change of a stack, from the lock of its list to the batch. */
#include "compat/posix.h"
#include "compat/os.h"
#include "fs/file.h"
#include "refs/reftable/change-internal.h"
#include "refs/reftable/compact-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* How long we wait for a live process that holds the lock of the list. */
#define LIST_PATIENCE_MS 10000
/* A transaction merges its table with so much at most. */
#define COMPACT_AT_ONCE_BYTES ((uint64_t)256 << 10)

/* ---- lock ---- */

static int make_stack_dir(const struct reftable_change *c, struct fsync_batch *b, struct err *err)
{
	char *gitdir;
	int rc;

	if (is_directory(c->stack->dir))
		return 0;
	rc = make_dir(c->stack->dir, c->store->shared_perm, err);
	gitdir = xmemdupz(c->stack->dir, strlen(c->stack->dir) - strlen("/reftable"));
	if (!rc)
		fsync_batch_note_dir(b, FSYNC_REFERENCE, gitdir);
	free(gitdir);
	return rc;
}

int change_lock(struct reftable_change *c, struct reftable_store *st, struct reftable_stack *s, struct fsync_batch *b,
		struct err *err)
{
	int rc;

	c->store = st;
	c->stack = s;
	rc = make_stack_dir(c, b, err);
	if (!rc)
		rc = lockfile_hold_patiently(&c->lock, s->list_path, LOCK_NO_DEREF, c->try_once ? 0 : st->lock_timeout_ms,
					     LIST_PATIENCE_MS, err);
	if (!rc)
		rc = reftable_stack_reload(s, err);
	if (!rc)
		rc = reftable_stack_next_index(s, &c->index, err);
	c->max_index = c->index;
	if (rc < 0)
		change_unlock(c);
	return rc;
}

void change_unlock(struct reftable_change *c)
{
	lockfile_release(&c->lock);
}

void change_release(struct reftable_change *c)
{
	change_unlock(c);
	while (c->nr_refs) {
		struct change_ref *r = &c->refs[--c->nr_refs];

		free(r->name);
		free(r->target);
	}
	while (c->nr_logs) {
		struct change_log *l = &c->logs[--c->nr_logs];

		strbuf_release(&l->key);
		free(l->name);
		free(l->mail);
		free(l->msg);
	}
	FREE_AND_NULL(c->refs);
	FREE_AND_NULL(c->logs);
	c->alloc_refs = c->alloc_logs = 0;
}

void change_free(struct reftable_change *c)
{
	change_release(c);
	free(c);
}

static void end_change(void *data, bool published UNUSED)
{
	change_free(data);
}

int change_end_with(struct reftable_change *c, struct fsync_batch *b, struct err *err)
{
	struct fsync_staging s = { .order = PUBLISH_REF_UNLOCK, .how = PUBLISH_NOTE, .fd = -1, .done = end_change, .data = c };

	return fsync_batch_stage(b, &s, err);
}

/* ---- stage ---- */

static char *new_table_name(uint64_t min, uint64_t max)
{
	return xstrfmt("0x%012" PRIx64 "-0x%012" PRIx64 "-%08x.ref", min, max, (unsigned)os_random64());
}

/*
 * Under "NAME.lock", which bears our mark: if we are killed, another process finds out that its owner is gone. The name has random
 * digits: no other process waits for it.
 */
int new_table_open(struct new_table *n, const struct reftable_store *st, const struct reftable_stack *s, uint64_t min,
		   uint64_t max, struct err *err)
{
	int rc;

	n->name = new_table_name(min, max);
	n->path = xstrfmt("%s/%s", s->dir, n->name);
	rc = lockfile_hold(&n->lk, n->path, LOCK_NO_DEREF, 0, err);
	return rc ? rc : apply_shared_perm(n->lk.tf->path, st->shared_perm, err);
}

int new_table_write(void *data, const void *p, size_t len, struct err *err)
{
	struct new_table *n = data;

	return write_in_full(n->lk.tf->fd, p, len, n->lk.tf->path, err);
}

int new_table_stage(struct new_table *n, struct fsync_batch *b, struct err *err)
{
	return lockfile_stage(&n->lk, b, FSYNC_REFERENCE, PUBLISH_REF_JOURNAL, err);
}

void new_table_release(struct new_table *n)
{
	lockfile_release(&n->lk);
	FREE_AND_NULL(n->path);
	FREE_AND_NULL(n->name);
}

/*
 * PUBLISH_REF_JOURNAL, the class of the table, has an earlier phase than the list: without a journal, the name of the table is
 * flushed before the list names it. D8: what the list does not name any more goes after the seal.
 */
int change_stage_list(struct reftable_change *c, size_t from, size_t nr, const char *name, struct fsync_batch *b,
		      struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i <= c->stack->nr; i++) {
		if (i == from)
			strbuf_addf(&list, "%s\n", name);
		if (i < c->stack->nr && (i < from || i >= from + nr))
			strbuf_addf(&list, "%s\n", c->stack->tables[i]->name);
	}
	rc = apply_shared_perm(c->lock.tf->path, c->store->shared_perm, err);
	if (!rc)
		rc = write_in_full(c->lock.tf->fd, list.buf, list.len, c->lock.tf->path, err);
	if (!rc)
		rc = lockfile_stage(&c->lock, b, FSYNC_REFERENCE, PUBLISH_REF, err);
	for (size_t i = from; !rc && i < from + nr; i++)
		fsync_batch_remove_after_seal(b, c->stack->tables[i]->path);
	if (!rc)
		change_sweep(c, name, b);
	strbuf_release(&list);
	return rc;
}

/* ---- with a new table ---- */

/* The tables from `start` on, and the new one. */
static int merge_with_new(struct reftable_change *c, size_t start, const struct strbuf *bytes, struct new_table *n,
			  struct err *err)
{
	size_t nr = c->stack->nr - start;
	struct reftable **tables = xcalloc(nr + 1, sizeof(*tables));
	int rc = reftable_open_memory(&tables[nr], n->path, bytes->buf, bytes->len, c->stack->algo, err);

	for (size_t i = 0; i < nr; i++)
		tables[i] = c->stack->tables[start + i];
	if (!rc)
		rc = reftable_merge(tables, nr + 1, &c->store->tables, start > 0, new_table_write, n, err);
	reftable_put(tables[nr]);
	free(tables);
	return rc;
}

int change_stage(struct reftable_change *c, struct fsync_batch *b, struct err *err)
{
	struct new_table n = NEW_TABLE_INIT;
	struct strbuf bytes = STRBUF_INIT;
	unsigned factor = reftable_factor(&c->store->tables);
	size_t start;
	int rc;

	if (!c->nr_refs && !c->nr_logs)
		return 0;
	rc = change_write_table(c, &bytes, err);
	start = reftable_compaction_start(c->stack, bytes.len, factor, COMPACT_AT_ONCE_BYTES);
	c->is_uneven = reftable_compaction_start(c->stack, bytes.len, factor, UINT64_MAX) < start;
	if (!rc)
		rc = new_table_open(&n, c->store, c->stack,
				    start < c->stack->nr ? c->stack->tables[start]->min_update_index : c->index, c->max_index,
				    err);
	if (!rc && start < c->stack->nr)
		rc = merge_with_new(c, start, &bytes, &n, err);
	else if (!rc)
		rc = new_table_write(&n, bytes.buf, bytes.len, err);
	if (!rc)
		rc = new_table_stage(&n, b, err);
	if (!rc)
		rc = change_stage_list(c, start, c->stack->nr - start, n.name, b, err);
	new_table_release(&n);
	strbuf_release(&bytes);
	return rc;
}

/* ---- the first table of a stack ---- */

int change_stage_first(struct reftable_change *c, uint64_t max, change_write_fn write, void *data, struct fsync_batch *b,
		       struct err *err)
{
	struct new_table n = NEW_TABLE_INIT;
	int rc = c->stack->nr ? err_set(err, ERR_EXISTS, "there are tables in '%s'", c->stack->dir) : 0;

	if (!rc)
		rc = new_table_open(&n, c->store, c->stack, 1, max, err);
	if (!rc)
		rc = write(data, &c->store->tables, new_table_write, &n, err);
	if (!rc)
		rc = new_table_stage(&n, b, err);
	if (!rc)
		rc = change_stage_list(c, 0, 0, n.name, b, err);
	new_table_release(&n);
	return rc;
}
