/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new packed-refs on its way into the batch. packed-refs.lock keeps others out; the new
 * file is packed-refs.new, which is also what stock git writes under its lock.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"

int packed_refs_lock(struct ref_store *rs, struct lockfile *lk, long timeout_ms,
		     long patience_ms, struct err *err)
{
	char *path = xstrfmt("%s/packed-refs", files_store(rs)->commondir), *new;
	int rc = lockfile_hold_patiently(lk, path, 0, timeout_ms, patience_ms, err);

	free(path);
	if (!rc)
		rc = lockfile_close(lk, err);
	if (rc < 0) {
		lockfile_release(lk);
		return rc;
	}
	/* P5: a process left it that died with the lock. */
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
	    packed_refs_lock(rs, &lk, 0, 0, &ignored) < 0)
		err_release(&ignored);
	lockfile_release(&lk);
	free(path);
}

/* A file that cannot get another time is still likely to differ. */
static void make_distinct(const struct packed_refs *present, const char *path)
{
	struct timespec times[2] = { { 0, UTIME_OMIT }, { 0, 0 } };

	if (packed_refs_distinct_time(present, time(NULL), &times[1].tv_sec))
		(void)!sys->utimens(path, times);
}

int packed_refs_stage(struct ref_store *rs, const struct lockfile *lk,
		      struct packed_refs *present, const struct packed_change *changes,
		      size_t nr, struct fsync_batch *b, enum publish_class order,
		      struct err *err)
{
	char *path = xstrfmt("%s.new", lk->target);
	struct tempfile *tf = NULL;
	int rc = tempfile_create(&tf, path, 0666, err);

	if (!rc)
		rc = apply_shared_perm(path, files_store(rs)->shared_perm, err);
	if (!rc)
		rc = packed_refs_write(rs, present, changes, nr, tf->fd, path, err);
	if (!rc)
		make_distinct(present, path);
	if (!rc)
		rc = tempfile_stage(&tf, b, FSYNC_REFERENCE, order, lk->target, false, err);
	tempfile_delete(&tf);
	free(path);
	return rc;
}

int packed_refs_stage_call(struct ref_store *rs, struct fsync_batch *b,
			   int (*call)(void *data, struct err *err), void *data, struct err *err)
{
	char *path = xstrfmt("%s/packed-refs", files_store(rs)->commondir);
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_LATE,
		.how = PUBLISH_CALL,
		.fd = -1,
		.final_path = path,
		.call = call,
		.data = data,
	};
	int rc = fsync_batch_stage(b, &s, err);

	free(path);
	return rc;
}
