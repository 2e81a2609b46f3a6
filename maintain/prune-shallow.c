/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/lockfile.h"
#include "history/history.h"
#include "maintain/prune-internal.h"
#include "util/alloc.h"

/* Keeps the lines of reachable commits, and lines that were added after we began. */
static bool keep_lines(const struct prune_options *o, struct reachable *x,
		       struct oid_array *before, const struct oid_array *now, struct strbuf *out)
{
	bool all = true;

	for (size_t i = 0; i < now->nr; i++) {
		const struct object_id *oid = &now->oid[i];

		if (reachable_has(x, oid) || !oid_array_contains(before, oid)) {
			strbuf_addf(out, "%s\n", oid_hex(oid));
			continue;
		}
		if (o->dry_run)
			prune_report(o, "Removing %s from .git/shallow", oid_hex(oid));
		all = false;
	}
	return all;
}

static void unlock(void *data, bool published UNUSED)
{
	struct lockfile *lk = data;

	lockfile_release(lk);
	free(lk);
}

/* The file goes under its lock, which is held until then. Takes the lock over. */
static int stage_end(struct repo_operation *op, struct lockfile *lk, const char *path,
		     struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path,
				   .done = unlock };
	struct lockfile *held = xmalloc(sizeof(*held));

	*held = *lk;
	*lk = (struct lockfile)LOCKFILE_INIT;
	s.data = held;
	return fsync_batch_stage(repo_operation_batch(op), &s, err);
}

static int stage_lines(struct repo_operation *op, struct lockfile *lk, const struct strbuf *text,
		       struct err *err)
{
	int rc = write_in_full(lk->tf->fd, text->buf, text->len, lk->tf->path, err);

	return rc < 0 ? rc : lockfile_stage(lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_FILE,
					    err);
}

int prune_shallow(struct repo_operation *op, struct repository *r, const struct prune_options *o,
		  struct reachable *x, struct oid_array *before, struct err *err)
{
	struct oid_array now = OID_ARRAY_INIT;
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = repo_path(r, "shallow");
	int rc = o->dry_run ? 0 : lockfile_hold(&lk, path, 0, 0, err);

	if (!rc && !o->dry_run)
		rc = reachable_update(x, err); /* refs that have come with a new boundary */
	if (!rc)
		rc = repo_shallow_boundary(r, &now, err);
	if (!rc && !keep_lines(o, x, before, &now, &text) && !o->dry_run)
		rc = text.len ? stage_lines(op, &lk, &text, err) : stage_end(op, &lk, path, err);
	lockfile_release(&lk);
	strbuf_release(&text);
	oid_array_clear(&now);
	free(path);
	return rc;
}

int prune_shallow_missing(struct repo_operation *op, struct repository *r, struct err *err)
{
	struct oid_array now = OID_ARRAY_INIT;
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = repo_path(r, "shallow");
	size_t kept = 0;
	int rc = repo_shallow_boundary(r, &now, err);

	if (rc < 0 || !now.nr)
		goto out;
	oid_array_clear(&now);
	rc = lockfile_hold(&lk, path, 0, 0, err);
	if (!rc)
		rc = repo_shallow_boundary(r, &now, err);
	for (size_t i = 0; !rc && i < now.nr; i++) {
		if (!odb_has(r->odb, &now.oid[i]))
			continue;
		strbuf_addf(&text, "%s\n", oid_hex(&now.oid[i]));
		kept++;
	}
	if (!rc && kept < now.nr)
		rc = kept ? stage_lines(op, &lk, &text, err) : stage_end(op, &lk, path, err);
out:
	lockfile_release(&lk);
	strbuf_release(&text);
	oid_array_clear(&now);
	free(path);
	return rc;
}
