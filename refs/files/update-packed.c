/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The changes of packed-refs in a transaction. A ref that is deleted leaves it; and where the file is
 * small against the change, several refs change by one rename of it, all at one moment (P6).
 * Their loose files are removed after that, under a record (journal.c).
 *
 * Unrelated transactions wait for packed-refs.lock. It is taken last, by the batch, when
 * all else has been settled, and under it only the new file itself is awaited. It is held
 * until the loose files of deleted refs are gone, even if no line is removed: a process that packs refs
 * meanwhile would bring deleted refs back.
 * Tests: t/unit/test-refs-via-packed.c, deletion_keeps_packers_out.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"

/* ---- can several refs change by one rename? ---- */

/*
 * The file is written anew up to this size for each ref that changes. Beyond it, a file for
 * each and a record are cheaper. Measured with t/perf/refs-beside; the second is for files
 * that would be flushed one by one.
 */
#define PACKED_BYTES_PER_REF 4096
#define PACKED_BYTES_PER_FLUSH (256 * 1024)

/*
 * So many are written faster in one file, even if they have loose ones that have to be removed.
 * For fewer, the record beside packed-refs can be one flush more than the record alone.
 */
#define MANY_LOOSE_REFS 256

static bool flushes_each_file(const struct ref_transaction *t)
{
	return fsync_batch_flushes_each(t->batch, FSYNC_REFERENCE, files_store(t->rs)->commondir);
}

/* GIT_TEST_REF_COMMIT: "packed", wherever it can be; "journal", never; else by size. */
static bool is_forced(const char *way)
{
	const char *forced = getenv("GIT_TEST_REF_COMMIT");

	return forced && !strcmp(forced, way);
}

static bool is_small(struct ref_transaction *t, size_t nr)
{
	struct packed_refs *present;
	size_t per_ref;
	bool small;

	if (is_forced("packed"))
		return true;
	if (is_forced("journal") || packed_refs_get(t->rs, &present, NULL) < 0)
		return false;
	per_ref = flushes_each_file(t) ? PACKED_BYTES_PER_FLUSH : PACKED_BYTES_PER_REF;
	small = packed_refs_size(present) / per_ref <= nr;
	packed_refs_put(present);
	return small;
}

static bool has_file(const struct ref_store *rs, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool there;

	ref_path(rs, name, &path);
	there = !lstat(path.buf, &st) && !S_ISDIR(st.st_mode);
	strbuf_release(&path);
	return there;
}

/* HEAD may be only the way to a branch. */
static bool leads_on(const struct ref_update *u)
{
	return !strcmp(u->name, "HEAD") && !(u->flags & REF_NO_DEREF);
}

static bool may_be_packed(const struct ref_transaction *t, const struct ref_update *u,
			  bool loose)
{
	if (u->flags & UPDATE_HAVE_TARGET)
		return false;
	if (!(u->flags & UPDATE_HAVE_NEW) || leads_on(u))
		return true;
	if (!oid_is_null(&u->new_oid) && (u->flags & REF_SKIP_REFNAME_CHECK))
		return false;
	return ref_may_be_packed(t->rs, u->name) && (loose || !has_file(t->rs, u->name));
}

bool can_commit_via_packed(struct ref_transaction *t)
{
	bool *loose = &files_transaction(t)->loose_via_packed;
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++)
		nr += !!(t->updates[i]->flags & UPDATE_HAVE_NEW);
	if (nr < 2 || !is_small(t, nr))
		return false;
	*loose = nr >= MANY_LOOSE_REFS || flushes_each_file(t) || is_forced("packed");
	for (size_t i = 0; i < t->nr; i++)
		if (!may_be_packed(t, t->updates[i], *loose))
			return false;
	return true;
}

bool all_are_packable(const struct ref_transaction *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];
		const struct files_update *f = files_update(u);

		if (!u->root->rc && u->flags & UPDATE_HAVE_NEW && !(u->flags & UPDATE_LOG_ONLY) &&
		    (!ref_may_be_packed(t->rs, u->name) || f->current.kind == LOOSE_SYMREF ||
		     (f->in_loose && !files_transaction(t)->loose_via_packed)))
			return false;
	}
	return true;
}

/* ---- what changes in it ---- */

/* Does the file as it is now matter to this update? */
static bool concerns_packed(const struct ref_transaction *t, const struct ref_update *u)
{
	unsigned which = files_transaction(t)->via_packed ? UPDATE_WRITES | UPDATE_DELETES :
							    UPDATE_DELETES;

	return !u->root->rc && u->flags & which && ref_may_be_packed(t->rs, u->name);
}

struct changes {
	struct packed_change *items;
	size_t nr, alloc;
};

static int add_change(struct ref_transaction *t, struct changes *c, const struct ref_update *u,
		      struct packed_refs *present, struct err *err)
{
	struct packed_change change = { .name = u->name, .oid = t->rs->algo->null_oid,
					.peeled = t->rs->algo->null_oid };
	struct packed_entry e;
	int found = 1;

	if (u->flags & UPDATE_WRITES) {
		change.oid = u->new_oid;
		if (u->root->known_type != OBJ_NONE)
			change.peeled = u->root->known_peeled;
		else
			change.peel_unknown = !ref_peel(t->rs, &u->new_oid, &change.peeled);
	} else {
		found = packed_refs_lookup(present, u->name, &e, err);
	}
	if (found <= 0)
		return found;
	ALLOC_GROW(c->items, c->nr + 1, c->alloc);
	c->items[c->nr++] = change;
	return 0;
}

static int change_cmp(const void *a, const void *b)
{
	return strcmp(((const struct packed_change *)a)->name,
		      ((const struct packed_change *)b)->name);
}

static int collect_changes(struct ref_transaction *t, struct packed_refs *present,
			   struct changes *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->nr; i++)
		if (concerns_packed(t, t->updates[i]))
			rc = add_change(t, c, t->updates[i], present, err);
	if (c->nr)
		qsort(c->items, c->nr, sizeof(*c->items), change_cmp);
	return rc;
}

/* ---- under its lock ---- */

static const char *first_name(const struct ref_transaction *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (concerns_packed(t, t->updates[i]))
			return t->updates[i]->name;
	return NULL;
}

static int say_which(const struct ref_transaction *t, int rc, struct err *err)
{
	err_prefix(err, files_transaction(t)->via_packed ? "cannot update ref '%s'" :
							   "cannot delete '%s' from packed-refs",
		   first_name(t));
	return rc;
}

/* Others may have written the file since: it is read again, now that it is ours. */
static int lock_and_write(void *data, struct err *err)
{
	struct ref_transaction *t = data;
	struct files_transaction *ft = files_transaction(t);
	struct lockfile lk = LOCKFILE_INIT;
	struct packed_refs *present = NULL;
	struct changes c = { NULL, 0, 0 };
	int rc = packed_refs_lock(t->rs, &lk, ft->packed_timeout_ms, ft->patience_ms, err);

	if (!rc)
		rc = packed_refs_get(t->rs, &present, err);
	if (!rc)
		rc = collect_changes(t, present, &c, err);
	if (!rc && c.nr)
		rc = packed_refs_stage(t->rs, &lk, present, c.items, c.nr, t->batch,
				       ft->via_packed ? PUBLISH_PACKED_REFS :
							PUBLISH_PACKED_DELETE, err);
	if (rc < 0)
		rc = say_which(t, rc, err);
	packed_refs_put(present);
	held_locks_add(ft->held, &lk);
	free(c.items);
	return rc;
}

/*
 * The file will be written anew when other names have been published: that it can be read to its end must be
 * known before.
 */
static int check_whole(struct packed_refs *present, struct err *err)
{
	struct packed_cursor cursor;
	struct packed_entry e;
	int rc = packed_cursor_start(&cursor, present, "", err);

	while (!rc && (rc = packed_cursor_next(&cursor, &e, err)) > 0)
		rc = 0;
	return rc;
}

static bool is_rewritten(const struct ref_transaction *t)
{
	bool rewritten = files_transaction(t)->via_packed;

	for (size_t i = 0; i < t->nr && !rewritten; i++)
		rewritten = concerns_packed(t, t->updates[i]) && files_update(t->updates[i])->in_packed;
	return rewritten;
}

int update_stage_packed(struct ref_transaction *t, struct err *err)
{
	int rc = 0;

	if (!first_name(t))
		return 0;
	if (is_rewritten(t))
		rc = check_whole(files_transaction(t)->packed, err);
	if (rc < 0)
		return say_which(t, rc, err);
	return packed_refs_stage_call(t->rs, t->batch, lock_and_write, t, err);
}
