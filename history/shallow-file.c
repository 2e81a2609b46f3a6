/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/lockfile.h"
#include "history/history.h"
#include "history/shallow-file.h"
#include "util/alloc.h"
#include "write-or-die.h"

static void unlock(void *data, bool published UNUSED)
{
	struct lockfile *lk = data;

	lockfile_release(lk);
	free(lk);
}

/* The file goes; its lock keeps others away until then. */
static int stage_removal(struct lockfile *lk, const char *path, struct fsync_batch *b, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_SHALLOW, .how = PUBLISH_UNLINK,
				   .fd = -1, .final_path = path, .done = unlock, .data = lk };

	return fsync_batch_stage(b, &s, err);
}

static int write_boundary(struct lockfile *lk, const struct oid_array *all, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < all->nr; i++) {
		strbuf_add_oid(&text, &all->oid[i]);
		strbuf_addch(&text, '\n');
	}
	rc = write_in_full(lk->tf->fd, text.buf, text.len, lk->target, err);
	strbuf_release(&text);
	return rc;
}

int repo_stage_shallow_boundary(struct repository *r, const struct oid_array *before,
				const struct oid_array *after, struct repo_operation *op, struct err *err)
{
	struct oid_array now = OID_ARRAY_INIT;
	struct lockfile *lk;
	char *path = repo_path(r, "shallow");
	int rc;

	CALLOC_ARRAY(lk, 1);
	rc = lockfile_hold(lk, path, 0, 1000, err);
	if (!rc)
		rc = repo_shallow_boundary(r, &now, err);
	if (!rc && (now.nr != before->nr || (now.nr && memcmp(now.oid, before->oid, now.nr * sizeof(*now.oid)))))
		rc = err_set(err, ERR_CONFLICT, "shallow file has changed since we read it");
	if (!rc && !after->nr) {
		rc = stage_removal(lk, path, repo_operation_batch(op), err);
		lk = NULL;
	} else if (!rc) {
		rc = write_boundary(lk, after, err);
		if (!rc)
			rc = lockfile_stage(lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_SHALLOW, err);
	}
	if (lk) {
		lockfile_release(lk);
		free(lk);
	}
	oid_array_clear(&now);
	free(path);
	return rc;
}
