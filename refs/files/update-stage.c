/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All checks have passed and all locks are held: write, and hand everything
 * to the batch. This is the loose way, for single refs and for what cannot be packed (P6 by a
 * record: redo.c); the whole way is in update-whole.c. What is published in which order (D4, D5) is a
 * matter of classes: reflogs, then refs that get a value, symbolic refs after
 * those that they may lead to, then deletions: of symbolic refs before what they lead to, and
 * of packed-refs before loose files, since one that goes before it would bring an old value back
 * to light.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/reflog-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* ---- values ---- */

static int stage_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc = 0;

	if (files_update(u)->lock.tf->fd < 0)
		rc = lockfile_reopen(&files_update(u)->lock, err);
	else
		files_transaction(t)->open_fds--;
	if (u->flags & UPDATE_HAVE_TARGET)
		strbuf_addf(&content, "ref: %s\n", u->new_target);
	else
		strbuf_addf(&content, "%s\n", oid_hex(&u->new_oid));
	if (!rc)
		rc = apply_shared_perm(files_update(u)->lock.tf->path, files_store(t->rs)->shared_perm, err);
	if (!rc)
		rc = write_in_full(files_update(u)->lock.tf->fd, content.buf, content.len,
				   files_update(u)->lock.tf->path, err);
	strbuf_release(&content);
	if (rc < 0) {
		err_prefix(err, "cannot update ref '%s'", ref_update_display_name(u));
		return rc;
	}
	return lockfile_stage(&files_update(u)->lock, t->batch, FSYNC_REFERENCE, PUBLISH_REF, err);
}

static bool writes_symref(const struct ref_update *u)
{
	return !u->root->rc && u->flags & UPDATE_WRITES && u->flags & UPDATE_HAVE_TARGET;
}

/* D5: what it leads to comes first, if that is a symbolic ref which changes as well. */
static int stage_symref(struct ref_transaction *t, struct ref_update *u, int depth,
			struct err *err)
{
	struct ref_update *target;
	int rc = 0;

	if (!writes_symref(u) || !lockfile_is_held(&files_update(u)->lock)) /* staged already */
		return 0;
	target = strmap_get(&t->by_name, u->new_target);
	if (target && depth < SYMREF_MAX_DEPTH)
		rc = stage_symref(t, target, depth + 1, err);
	return rc || !lockfile_is_held(&files_update(u)->lock) ? rc : stage_value(t, u, err);
}

/* ---- deletions ---- */

static int stage_deletion(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	enum publish_class order = files_update(u)->current.kind == LOOSE_SYMREF ? PUBLISH_SYMREF_DELETE :
								     PUBLISH_REF_DELETE;
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	ref_path(t->rs, u->name, &path);
	if (files_update(u)->in_loose)
		rc = ref_file_stage_removal(path.buf, order, t->batch, err);
	strbuf_release(&path);
	return rc ? rc : reflog_stage_removal(t->rs, u->name, PUBLISH_REF_DELETE, t->batch, err);
}

static bool is_deletion(const struct ref_update *u)
{
	return !u->root->rc && (u->flags & UPDATE_DELETES);
}

static int change_cmp(const void *a, const void *b)
{
	return strcmp(((const struct packed_change *)a)->name,
		      ((const struct packed_change *)b)->name);
}

/* Those that leave packed-refs, in order of names. Somebody may have packed them since. */
static int collect_packed_deletions(struct ref_transaction *t, const struct packed_refs *present,
				    struct packed_change **out, size_t *nr, struct err *err)
{
	struct packed_entry e;
	size_t i, alloc = 0;
	int found;

	for (i = 0; i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (!is_deletion(u) || !ref_may_be_packed(t->rs, u->name))
			continue;
		found = packed_refs_lookup(present, u->name, &e, err);
		if (found < 0)
			return found;
		if (!found)
			continue;
		ALLOC_GROW(*out, *nr + 1, alloc);
		(*out)[*nr] = (struct packed_change){ .name = u->name,
						      .oid = t->rs->algo->null_oid };
		(*nr)++;
	}
	if (*nr)
		qsort(*out, *nr, sizeof(**out), change_cmp);
	return 0;
}

/*
 * packed-refs.lock is held until the loose files are gone, even where there is nothing to be
 * taken out: who packs refs meanwhile would give back what we delete. Test:
 * deletion_keeps_packers_out.
 */
static int stage_packed_deletions(struct ref_transaction *t, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct packed_refs *present = NULL;
	struct packed_change *changes = NULL;
	const char *first = NULL;
	size_t nr = 0, i;
	int rc;

	for (i = 0; !first && i < t->nr; i++)
		if (is_deletion(t->updates[i]) &&
		    ref_may_be_packed(t->rs, t->updates[i]->name))
			first = t->updates[i]->name;
	if (!first)
		return 0;
	rc = packed_refs_lock(t->rs, &lk, err);
	if (!rc)
		rc = packed_refs_get(t->rs, &present, err);
	if (!rc)
		rc = collect_packed_deletions(t, present, &changes, &nr, err);
	if (!rc && nr)
		rc = packed_refs_stage_new(t->rs, &lk, present, changes, nr, t->batch,
					   PUBLISH_REF_DELETE, err);
	if (rc < 0)
		err_prefix(err, "cannot delete '%s' from packed-refs", nr ? changes[0].name : first);
	packed_refs_put(present);
	if (rc < 0)
		lockfile_release(&lk);
	else
		held_locks_add(files_transaction(t)->held, &lk);
	free(changes);
	return rc;
}

/* ---- all ---- */

enum pass { PASS_LOGS, PASS_VALUES, PASS_SYMREFS, PASS_DELETIONS, PASS_NR };

static int stage_update(struct ref_transaction *t, struct ref_update *u, enum pass pass,
			struct err *err)
{
	switch (pass) {
	case PASS_LOGS:
		return update_stage_log(t, u, err);
	case PASS_VALUES:
		return u->flags & UPDATE_WRITES && !(u->flags & UPDATE_HAVE_TARGET) ?
			stage_value(t, u, err) : 0;
	case PASS_SYMREFS:
		return stage_symref(t, u, 0, err);
	default:
		return u->flags & UPDATE_DELETES ? stage_deletion(t, u, err) : 0;
	}
}

int transaction_stage(struct ref_transaction *t, struct err *err)
{
	enum pass pass;
	size_t i;
	int rc;

	rc = stage_packed_deletions(t, err);
	if (!rc && lockfile_is_held(&files_transaction(t)->redo_lock))
		rc = redo_stage(t, err);
	for (pass = PASS_LOGS; !rc && pass < PASS_NR; pass++)
		for (i = 0; !rc && i < t->nr; i++)
			if (!t->updates[i]->root->rc)
				rc = stage_update(t, t->updates[i], pass, err);
	return rc;
}
