/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All checks have passed and all locks are held: write, and hand everything
 * to the batch. What is published in which order (D4, D5) is a matter of classes:
 * reflogs, then refs that get a value, then deletions; among the latter packed-refs
 * goes first, since a loose file that goes before it would bring an old value
 * back to light.
 */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* ---- locks that end without becoming a ref ---- */

static void release_held(void *data, bool published UNUSED)
{
	struct lockfile *lk = data;

	lockfile_release(lk);
	free(lk);
}

/*
 * Remove `path` at publication (missing is fine) and let the lock go then, or when
 * it is given up.
 */
static int stage_removal(struct ref_transaction *t, struct ref_update *u, const char *path,
			 unsigned component, struct err *err)
{
	struct fsync_staging s = {
		.component = component,
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_UNLINK,
		.fd = -1,
		.final_path = path,
		.done = release_held,
	};
	struct lockfile *lk;

	ALLOC_ARRAY(lk, 1);
	*lk = u->lock;
	u->lock = (struct lockfile)LOCKFILE_INIT;
	s.data = lk;
	return fsync_batch_stage(t->batch, &s, err);
}

/*
 * A lock that only kept others away stays until the refs have been published.
 * Removing it needs no durability: component 0.
 */
static int stage_release(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	char *path = xstrdup(u->lock.tf->path);
	int rc;

	if (u->lock.tf->fd >= 0) {
		t->open_fds--;
		rc = lockfile_close(&u->lock, err);
		if (rc < 0)
			goto out;
	}
	rc = stage_removal(t, u, path, 0, err);
out:
	free(path);
	return rc;
}

/* ---- values ---- */

static int stage_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc = 0;

	if (u->lock.tf->fd < 0)
		rc = lockfile_reopen(&u->lock, err);
	else
		t->open_fds--;
	if (u->flags & UPDATE_HAVE_TARGET)
		strbuf_addf(&content, "ref: %s\n", u->new_target);
	else
		strbuf_addf(&content, "%s\n", oid_hex(&u->new_oid));
	if (!rc)
		rc = apply_shared_perm(u->lock.tf->path, t->rs->shared_perm, err);
	if (!rc)
		rc = write_in_full(u->lock.tf->fd, content.buf, content.len,
				   u->lock.tf->path, err);
	strbuf_release(&content);
	if (rc < 0) {
		err_prefix(err, "cannot update ref '%s'", update_display_name(u));
		return rc;
	}
	return lockfile_stage(&u->lock, t->batch, FSYNC_REFERENCE, PUBLISH_REF, err);
}

/* ---- logs ---- */

/* The value that a symref to `target` will show when all this has happened. */
static const struct object_id *target_value(struct ref_transaction *t, const char *target,
					    struct object_id *buf)
{
	const struct ref_update *u = strmap_get(&t->by_name, target);

	if (u && (u->flags & UPDATE_HAVE_NEW) && !u->root->rc)
		return &u->new_oid;
	if (ref_resolve(t->rs, target, buf, NULL, NULL, NULL) < 0)
		*buf = t->rs->algo->null_oid;
	return buf;
}

static int stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct object_id *old_oid = &u->value, *new_oid = &u->new_oid;
	struct object_id buf;
	int rc;

	if (u->flags & UPDATE_HAVE_TARGET) {
		new_oid = target_value(t, u->new_target, &buf);
		if (oid_is_null(new_oid))
			return 0; /* a branch that is yet to be born */
	}
	if (u->flags & UPDATE_LOG_ONLY) {
		while (u->leaf && u != u->leaf && (u->leaf->flags & UPDATE_LOG_ONLY))
			u->leaf = u->leaf->leaf;
		old_oid = &u->leaf->value;
		if (u->leaf->flags & UPDATE_HAVE_TARGET) {
			if (!u->leaf->new_target)
				new_oid = &t->rs->algo->null_oid;
			else
				new_oid = target_value(t, u->leaf->new_target, &buf);
		}
		if (oid_is_null(old_oid) && oid_is_null(new_oid))
			return 0;
	}
	rc = reflog_stage_entry(t->rs, u->name, u->flags & REF_FORCE_REFLOG, old_oid, new_oid,
				t->ident, u->msg, t->batch, err);
	if (rc < 0)
		err_prefix(err, "cannot update the reflog of '%s'", u->name);
	return rc;
}

/* ---- deletions ---- */

static int stage_log_removal(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_UNLINK,
		.fd = -1,
	};
	struct stat st;
	int rc = 0;

	reflog_path(t->rs, u->name, &path);
	s.final_path = path.buf;
	if (!lstat(path.buf, &st) && S_ISREG(st.st_mode))
		rc = fsync_batch_stage(t->batch, &s, err);
	strbuf_release(&path);
	return rc;
}

static int stage_deletion(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	if (!u->in_loose) {
		rc = stage_release(t, u, err);
	} else {
		if (u->lock.tf->fd >= 0) {
			t->open_fds--;
			rc = lockfile_close(&u->lock, err);
		}
		ref_path(t->rs, u->name, &path);
		if (!rc)
			rc = stage_removal(t, u, path.buf, FSYNC_REFERENCE, err);
		strbuf_release(&path);
	}
	return rc ? rc : stage_log_removal(t, u, err);
}

/* Those that leave packed-refs, in order of names. */
static size_t collect_packed_deletions(struct ref_transaction *t, struct packed_change **out)
{
	size_t i, nr = 0, alloc = 0;

	*out = NULL;
	for (i = 0; i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (u->root->rc || !(u->flags & UPDATE_DELETES) || !u->in_packed)
			continue;
		ALLOC_GROW(*out, nr + 1, alloc);
		(*out)[nr].name = u->name;
		(*out)[nr].oid = (*out)[nr].peeled = t->rs->algo->null_oid;
		nr++;
	}
	return nr;
}

static int change_cmp(const void *a, const void *b)
{
	return strcmp(((const struct packed_change *)a)->name,
		      ((const struct packed_change *)b)->name);
}

static int rewrite_packed(struct ref_transaction *t, struct lockfile *lk,
			  const struct packed_change *changes, size_t nr, struct err *err)
{
	struct packed_refs *present;
	/* Others may have written it since: read it again, now that it is ours. */
	int rc = packed_refs_get(t->rs, &present, err);

	if (rc < 0)
		return rc;
	rc = apply_shared_perm(lk->tf->path, t->rs->shared_perm, err);
	if (!rc)
		rc = packed_refs_write(present, changes, nr, lk->tf->fd, lk->tf->path, err);
	packed_refs_put(present);
	if (rc < 0)
		return rc;
	/*
	 * D5: updates before deletions, so not under PUBLISH_PACKED_REFS but at the
	 * head of the deletions: staged before any of them.
	 */
	return lockfile_stage(lk, t->batch, FSYNC_REFERENCE, PUBLISH_REF_DELETE, err);
}

static int stage_packed_deletions(struct ref_transaction *t, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct packed_change *changes;
	size_t nr = collect_packed_deletions(t, &changes);
	char *path;
	int rc;

	if (!nr)
		return 0;
	qsort(changes, nr, sizeof(*changes), change_cmp);
	path = xstrfmt("%s/packed-refs", t->rs->commondir);
	rc = lockfile_hold(&lk, path, 0, t->rs->packed_lock_timeout_ms, err);
	if (!rc)
		rc = rewrite_packed(t, &lk, changes, nr, err);
	if (rc < 0)
		err_prefix(err, "cannot delete '%s' from packed-refs", changes[0].name);
	lockfile_release(&lk);
	free(path);
	free(changes);
	return rc;
}

/* ---- all ---- */

static bool writes_log(const struct ref_update *u)
{
	return u->flags & (UPDATE_WRITES | UPDATE_LOG_ONLY) &&
	       u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET);
}

static int stage_update(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = 0;

	if (writes_log(u))
		rc = stage_log(t, u, err);
	if (rc < 0)
		return rc;
	if (u->flags & UPDATE_WRITES)
		return stage_value(t, u, err);
	if (u->flags & UPDATE_DELETES)
		return stage_deletion(t, u, err);
	return 0;
}

int transaction_stage(struct ref_transaction *t, struct err *err)
{
	bool any = false;
	size_t i;
	int rc;

	rc = stage_packed_deletions(t, err);
	for (i = 0; !rc && i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (u->root->rc)
			continue;
		any |= (u->flags & (UPDATE_WRITES | UPDATE_DELETES | UPDATE_LOG_ONLY)) != 0;
		rc = stage_update(t, u, err);
	}
	/* The others keep their locks for as long as these take. */
	for (i = 0; !rc && any && i < t->nr; i++)
		if (!t->updates[i]->root->rc && t->updates[i]->lock.tf)
			rc = stage_release(t, t->updates[i], err);
	return rc;
}
