/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new packed-refs on its way into the batch. packed-refs.lock keeps others out; the new
 * file is either the lock itself or, where the lock must be held for longer,
 * packed-refs.new, which is also what stock git writes under its lock.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"

int packed_refs_lock(struct ref_store *rs, struct lockfile *lk, struct err *err)
{
	char *path = xstrfmt("%s/packed-refs", files_store(rs)->commondir), *new;
	int rc = lockfile_hold(lk, path, 0, files_store(rs)->packed_lock_timeout_ms, err);

	free(path);
	if (rc < 0)
		return rc;
	/* P5: left by somebody who died with the lock. */
	new = xstrfmt("%s.new", lk->target);
	rc = remove_file(new, err);
	free(new);
	if (rc < 0)
		lockfile_release(lk);
	return rc;
}

void packed_refs_clear_dead_lock(struct ref_store *rs)
{
	char *path = xstrfmt("%s/packed-refs.lock", files_store(rs)->commondir);
	struct lockfile lk = LOCKFILE_INIT;
	struct err ignored = ERR_INIT;

	if (lock_owner_of(path, NULL) == LOCK_OWNER_GONE &&
	    packed_refs_lock(rs, &lk, &ignored) < 0)
		err_release(&ignored);
	lockfile_release(&lk);
	free(path);
}

int packed_refs_stage_new(struct ref_store *rs, const struct lockfile *lk,
			  const struct packed_refs *present,
			  const struct packed_change *changes, size_t nr,
			  struct fsync_batch *b, enum publish_class order, struct err *err)
{
	char *path = xstrfmt("%s.new", lk->target);
	struct tempfile *tf = NULL;
	int rc = tempfile_create(&tf, path, 0666, err);

	if (!rc)
		rc = apply_shared_perm(path, files_store(rs)->shared_perm, err);
	if (!rc)
		rc = packed_refs_write(present, changes, nr, tf->fd, path, err);
	if (!rc)
		rc = tempfile_stage(&tf, b, FSYNC_REFERENCE, order, lk->target, false, err);
	tempfile_delete(&tf);
	free(path);
	return rc;
}

int packed_refs_stage_lock(struct ref_store *rs, struct lockfile *lk,
			   const struct packed_refs *present,
			   const struct packed_change *changes, size_t nr,
			   struct fsync_batch *b, enum publish_class order, struct err *err)
{
	int rc = apply_shared_perm(lk->tf->path, files_store(rs)->shared_perm, err);

	if (!rc)
		rc = packed_refs_write(present, changes, nr, lk->tf->fd, lk->tf->path, err);
	return rc ? rc : lockfile_stage(lk, b, FSYNC_REFERENCE, order, err);
}
