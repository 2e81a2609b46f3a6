/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions of refs in files: the order in which `lock` and `stage` go about it.
 *
 *	lock	every ref, in order of names, so that two processes meet at the
 *		same place; a symref that is followed adds its target
 *	check	old values, name conflicts, new values, against a packed-refs
 *		that was read after the last lock
 *	stage	reflogs, new values, deletions go to the batch: the whole way
 *		(update-whole.c) or the loose way (update-stage.c)
 *
 * Nothing is staged before everything has been checked: a transaction that is
 * refused leaves the batch as it was.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include <sys/resource.h>

/* ---- locks ---- */

static void unlock_update(struct files_transaction *ft, struct files_update *f)
{
	if (f->lock.tf && f->lock.tf->fd >= 0)
		ft->open_fds--;
	lockfile_release(&f->lock);
}

static void unlock_updates(struct ref_transaction *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		unlock_update(files_transaction(t), files_update(t->updates[i]));
}

static struct held_locks *held_locks_new(void)
{
	struct held_locks *h;

	CALLOC_ARRAY(h, 1);
	h->refcount = 1;
	return h;
}

static void held_locks_release(struct held_locks *h)
{
	for (size_t i = 0; i < h->nr; i++)
		lockfile_release(&h->locks[i]);
	h->nr = 0;
}

void held_locks_put(struct held_locks *h)
{
	if (!h || --h->refcount)
		return;
	held_locks_release(h);
	free(h->locks);
	free(h);
}

void held_locks_add(struct held_locks *h, struct lockfile *lk)
{
	ALLOC_GROW(h->locks, h->nr + 1, h->alloc);
	h->locks[h->nr++] = *lk;
	*lk = (struct lockfile)LOCKFILE_INIT;
}

static void all_published(void *data, bool published UNUSED)
{
	struct held_locks *h = data;

	held_locks_release(h);
	held_locks_put(h);
}

/*
 * Behind all others: locks that only kept others away go when everything has
 * been published. Their removal needs no durability.
 */
static int stage_unlocking(struct ref_transaction *t, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	struct fsync_staging s = {
		.order = PUBLISH_REF_UNLOCK,
		.how = PUBLISH_NOTE,
		.fd = -1,
		.done = all_published,
		.data = ft->held,
	};
	size_t i;

	for (i = 0; i < t->nr; i++) {
		struct lockfile *lk = &files_update(t->updates[i])->lock;

		if (!lk->tf)
			continue;
		if (lk->tf->fd >= 0)
			ft->open_fds--;
		held_locks_add(ft->held, lk);
	}
	if (lockfile_is_held(&ft->redo_lock))
		held_locks_add(ft->held, &ft->redo_lock);
	ft->held->refcount++;
	return fsync_batch_stage(t->batch, &s, err);
}

/* ---- lock, check ---- */

/* A share of the descriptors: the batch and the caller need some too. */
static size_t descriptor_share(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY ||
	    lim.rlim_cur > 4096)
		return 1024;
	return lim.rlim_cur / 4;
}

/* One that fails alone lets go of all that was split from it. */
static int lock_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = update_lock(t, u, err);

	for (u = u->root; rc < 0 && u; u = u->next)
		unlock_update(files_transaction(t), files_update(u));
	return rc;
}

static int check_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = update_check(t, u, err);

	for (u = u->root; rc < 0 && u; u = u->next)
		unlock_update(files_transaction(t), files_update(u));
	return rc;
}

static int index_and_lock(struct ref_transaction *t, struct err *err)
{
	int rc = ref_transaction_index(t, err);

	return rc ? rc : ref_transaction_each(t, lock_one, err);
}

/*
 * Something was met that cannot go the whole way, or has to be done first: begin again, as
 * if we had come later. Nothing has been decided by what was read so far.
 */
static void start_again(struct ref_transaction *t)
{
	unlock_updates(t);
	ref_transaction_reset(t);
	FREE_AND_NULL(files_transaction(t)->free_parent);
}

/*
 * P6: several refs that go one by one need a record (redo.c). Its lock comes before theirs: an
 * earlier transaction that is to be finished first may need them.
 */
static int lock_record(struct ref_transaction *t, struct err *err)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr; i++)
		nr += !!(t->updates[i]->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET));
	if (nr < 2 || t->flags & REF_TRANSACTION_RECOVERS || lockfile_is_held(&files_transaction(t)->redo_lock))
		return 0;
	return redo_lock(t->rs, &files_transaction(t)->redo_lock, files_store(t->rs)->packed_lock_timeout_ms,
			 fsync_batch_policy(t->batch), err);
}

static int lock_either_way(struct ref_transaction *t, struct err *err)
{
	int rc;

	files_transaction(t)->whole = transaction_may_be_whole(t);
	if (files_transaction(t)->whole) {
		rc = index_and_lock(t, err);
		if (rc || transaction_is_whole(t))
			return rc;
		start_again(t);
		files_transaction(t)->whole = false;
	}
	rc = lock_record(t, err);
	return rc ? rc : index_and_lock(t, err);
}

/*
 * Somebody who was killed in the middle of a transaction may have held our locks before us:
 * what he left is done first. Asked when the locks are ours, so that he cannot come later.
 */
static int lock_after_others(struct ref_transaction *t, struct err *err)
{
	int rc = lock_either_way(t, err);

	if (rc || t->flags & REF_TRANSACTION_RECOVERS ||
	    lockfile_is_held(&files_transaction(t)->redo_lock) || !redo_is_due(t->rs))
		return rc;
	start_again(t);
	redo_what_is_due(t->rs, fsync_batch_policy(t->batch));
	return lock_either_way(t, err);
}

int files_lock(struct ref_transaction *t, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	int rc;

	ft->max_open_fds = descriptor_share();
	ft->held = held_locks_new();
	ft->origin = (struct lock_origin)LOCK_ORIGIN_INIT(files_store(t->rs)->commondir);
	packed_refs_clear_dead_lock(t->rs);
	rc = lock_after_others(t, err);
	/* After the last lock: what is packed now stays until we let go. */
	if (!rc)
		rc = packed_refs_get(t->rs, &ft->packed, err);
	return rc ? rc : ref_transaction_each(t, check_one, err);
}

int files_stage(struct ref_transaction *t, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	int rc = ft->whole ? transaction_stage_whole(t, err) : transaction_stage(t, err);

	if (!rc)
		rc = stage_unlocking(t, err);
	lock_origin_release(&ft->origin);
	return rc;
}

/* ---- after ---- */

static bool same_parent(const char *a, const char *b)
{
	const char *end = strrchr(a, '/');

	return end && !strncmp(a, b, end + 1 - a) && !strchr(b + (end + 1 - a), '/');
}

/*
 * Directories that were made for what did not happen, or that have become empty.
 * What is in use stays: rmdir sees to that.
 */
static void tidy_dirs(struct ref_transaction *t)
{
	const char *last = NULL;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const char *name = t->updates[i]->name;

		if (last && same_parent(last, name))
			continue;
		ref_remove_empty_parents(t->rs, name, false);
		ref_remove_empty_parents(t->rs, name, true);
		last = name;
	}
}

void files_unlock(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);

	unlock_updates(t);
	lockfile_release(&ft->redo_lock);
	held_locks_release(ft->held);
	lock_origin_release(&ft->origin);
	tidy_dirs(t);
}

void files_release(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);

	packed_refs_put(ft->packed);
	held_locks_put(ft->held);
	free(ft->free_parent);
}

void files_update_clear(struct ref_update *u)
{
	struct files_update *f = files_update(u);

	loose_value_release(&f->current);
	f->in_loose = f->in_packed = false;
}
