/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions of refs in files: the order in which `lock` and `stage` go about it.
 *
 *	lock	every ref, in order of names, so that two processes meet at the
 *		same place; a symref that is followed adds its target
 *	look for the record of an interrupted transaction; with our locks in hand, since an earlier
 *	holder had written its record by then
 *	check	old values, name conflicts, new values, against a packed-refs
 *		that was read after the last lock
 *	stage	reflogs, new values, deletions, the record of it all go to the batch
 *
 * When the batch has settled all that, it takes packed-refs.lock, if that file changes (update-
 * packed.c), publishes the record, the refs, the end of the record, and lets go of the locks. The seal
 * comes after that: no other process waits for it.
 *
 * Nothing is staged before everything has been checked: a transaction that is
 * refused leaves the batch as it was.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "util/string-list.h"
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

static int lock_all(struct ref_transaction *t, struct err *err)
{
	int rc = ref_transaction_index(t, err);

	if (rc)
		return rc;
	values_prepare(t);
	rc = ref_transaction_each(t, lock_one, err);
	values_release(t);
	return rc;
}

/* Unlocks all refs, to lock them anew: no decision rests on the values read so far. */
static void unlock_all(struct ref_transaction *t)
{
	unlock_updates(t);
	ref_transaction_reset(t);
	FREE_AND_NULL(files_transaction(t)->free_parent);
}

/*
 * Did an interrupted transaction leave a record? It is finished first; when that has been tried, only one that
 * changes our refs is in the way.
 */
static int look_for_abandoned(struct ref_transaction *t, bool *found, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	struct string_list paths = STRING_LIST_INIT;
	int rc = journal_abandoned(t->rs, &paths, err);

	*found = paths.nr && (!ft->looked_for_abandoned || journal_names_ours(t, &paths));
	ft->looked_for_abandoned = true;
	string_list_clear(&paths, NULL);
	return rc;
}

static long recovery_timeout(long timeout_ms)
{
	return timeout_ms < 0 || timeout_ms > RECOVERY_TIMEOUT_MS ? RECOVERY_TIMEOUT_MS :
								    timeout_ms;
}

static void set_timeouts(struct ref_transaction *t)
{
	const struct files_store *fs = files_store(t->rs);
	struct files_transaction *ft = files_transaction(t);

	ft->lock_timeout_ms = fs->lock_timeout_ms;
	ft->packed_timeout_ms = fs->packed_lock_timeout_ms;
	ft->patience_ms = PACKED_PATIENCE_MS;
	if (t->flags & REF_TRANSACTION_RECOVERS) {
		ft->lock_timeout_ms = recovery_timeout(ft->lock_timeout_ms);
		ft->packed_timeout_ms = recovery_timeout(ft->packed_timeout_ms);
		ft->patience_ms = 0;
	}
}

/* How long we wait for a live process that holds the lock of a ref. */
#define REF_PATIENCE_MS 10000

static void begin_locking(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);

	if (ft->held)
		return; /* once more */
	ft->held = held_locks_new();
	ft->max_open_fds = descriptor_share();
	ft->locks = (struct lock_group)LOCK_GROUP_INIT(files_store(t->rs)->commondir);
	if (!(t->flags & REF_TRANSACTION_RECOVERS))
		ft->locks.patience_ms = REF_PATIENCE_MS;
	set_timeouts(t);
	packed_refs_clear_dead_lock(t->rs);
}

int files_lock(struct ref_transaction *t, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	bool found = false;
	int rc;

	begin_locking(t);
	ft->via_packed = !(t->flags & REF_TRANSACTION_RECOVERS) && can_commit_via_packed(t);
	rc = lock_all(t, err);
	if (!rc && ft->via_packed && !all_are_packable(t)) {
		/* A loose or symbolic ref, met under its lock: that has to be a file of its own. */
		unlock_all(t);
		ft->via_packed = false;
		rc = lock_all(t, err);
	}
	if (!rc && !(t->flags & REF_TRANSACTION_RECOVERS))
		rc = look_for_abandoned(t, &found, err);
	if (!rc && found) {
		unlock_all(t);
		return REF_LOCK_AFTER_RECOVERY;
	}
	/* After the last lock: refs that are packed now stay until we release the locks. */
	if (!rc)
		rc = packed_refs_get(t->rs, &ft->packed, err);
	return rc ? rc : ref_transaction_each(t, check_one, err);
}

int files_stage(struct ref_transaction *t, struct err *err)
{
	int rc = transaction_stage(t, err);

	if (!rc)
		rc = stage_unlocking(t, err);
	lock_group_release(&files_transaction(t)->locks);
	return rc;
}

/* ---- after ---- */

/*
 * Removes directories that were made for a failed update, or that have become empty. rmdir fails for a
 * directory in use.
 */
static void tidy_dirs(struct ref_transaction *t)
{
	const char *last = NULL;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const char *name = t->updates[i]->name;

		if (last && refnames_are_neighbours(last, name))
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
	held_locks_release(ft->held);
	lock_group_release(&ft->locks);
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
