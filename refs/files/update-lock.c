/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One update. First: take its lock, read the present value, follow symbolic refs. When all are locked:
 * compare old values and check for conflicts of names. Scripts know the wording of the messages.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"

/* ---- names ---- */

/*
 * Another process locks "a" while we make "a/b": one of the two must give
 * way, or both would find the other's name taken only at publication, when it is
 * too late to refuse. Each takes its lock first and looks for the other's after
 * that, so at least one sees it. Test: conflicting_names_in_two_transactions.
 */
static int check_prefix_lock(struct ref_transaction *t, const char *prefix,
			     const char *name, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	ref_path(t->rs, prefix, &path);
	strbuf_addstr(&path, ".lock");
	if (file_exists(path.buf) && lock_owner_of(path.buf, NULL) != LOCK_OWNER_GONE)
		rc = err_set(err, ERR_CONFLICT, "'%s' is locked; cannot create '%s'",
			     prefix, name);
	strbuf_release(&path);
	return rc;
}

/* As in Git, most errors name the ref that could not be locked; a late conflict is met there after the lock. */
static void lock_failure(struct err *err, int rc, const struct ref_transaction *t, const struct ref_update *u, const struct err *why)
{
	const char *text = err_message(why);

	if (files_transaction(t)->found_late || starts_with(text, "verifying symref target: "))
		err_set(err, rc, "%s", text);
	else
		err_set(err, rc, "cannot lock ref '%s': %s", ref_update_display_name(u), text);
	files_transaction(t)->found_late = false;
}

/* Is "a" or "a/b" a ref, when "a/b/c" is to be made? */
static int check_prefix(struct ref_transaction *t, struct packed_refs *packed,
			const char *prefix, const char *name, struct err *err)
{
	const struct ref_update *other = strmap_get(&t->by_name, prefix);
	struct packed_entry e;
	struct loose_value v;
	int rc;

	rc = loose_read(t->rs, prefix, &v, NULL, err);
	if (rc < 0)
		return rc;
	rc = v.kind == LOOSE_OID || v.kind == LOOSE_SYMREF || v.kind == LOOSE_BROKEN;
	loose_value_release(&v);
	if (!rc) {
		rc = packed_refs_lookup(packed, prefix, &e, err);
		files_transaction(t)->found_late = rc > 0;
	}
	if (rc > 0)
		rc = err_set(err, ERR_CONFLICT, "'%s' exists; cannot create '%s'", prefix, name);
	if (!rc && other && !other->root->rc)
		rc = err_set(err, ERR_CONFLICT,
			     "cannot process '%s' and '%s' at the same time", prefix, name);
	if (!rc)
		rc = check_prefix_lock(t, prefix, name, err);
	return rc;
}

static int check_prefixes(struct ref_transaction *t, struct packed_refs *packed,
			  const char *name, struct err *err)
{
	const char *last = strrchr(name, '/'), *slash;
	size_t parent_len = last ? (size_t)(last - name) : 0;
	char *prefix;
	int rc = 0;

	/* Names come sorted, so that neighbours share what has been looked at. */
	if (!last || (files_transaction(t)->free_parent && strlen(files_transaction(t)->free_parent) == parent_len &&
		      !memcmp(files_transaction(t)->free_parent, name, parent_len)))
		return 0;
	for (slash = strchr(name, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		if (slash - name == 4 && !memcmp(name, "refs", 4))
			continue;
		prefix = xstrndup(name, slash - name);
		rc = check_prefix(t, packed, prefix, name, err);
		free(prefix);
	}
	if (!rc) {
		free(files_transaction(t)->free_parent);
		files_transaction(t)->free_parent = xstrndup(name, parent_len);
	}
	return rc;
}

/* A loose ref below the directory; NULL if there is none. Caller frees. */
static char *find_loose_below(const struct ref_transaction *t, const char *dir)
{
	struct loose_list list = { .nr = 0 };
	char *found = NULL;

	if (!loose_collect(t->rs, dir, &list, NULL) && list.nr)
		found = xstrdup(list.items[0].name);
	loose_list_clear(&list);
	return found;
}

static char *find_packed_below(struct packed_refs *packed, const char *dir)
{
	size_t len = strlen(dir);
	struct packed_cursor c;
	struct packed_entry e;

	if (packed_cursor_start(&c, packed, dir, NULL) < 0 ||
	    packed_cursor_next(&c, &e, NULL) <= 0 ||
	    e.name_len < len || memcmp(e.name, dir, len))
		return NULL;
	return xmemdupz(e.name, e.name_len);
}

static bool is_queued_before(const struct ref_transaction *t, const char *name, const struct ref_update *other)
{
	for (size_t i = 0; i < t->nr && t->updates[i] != other; i++)
		if (!strcmp(t->updates[i]->name, name))
			return true;
	return false;
}

/* Is there an "a/b", when "a" is to be made? loose: there is a directory of that name. */
static int check_below(struct ref_transaction *t, struct packed_refs *packed,
		       const char *name, bool loose, struct err *err)
{
	const struct ref_update *u;
	char *dir = xconcat(name, "/"), *found = NULL;
	int rc = 0;

	if (loose)
		found = find_loose_below(t, dir);
	if (!found) {
		found = find_packed_below(packed, dir);
		files_transaction(t)->found_late = found != NULL;
	}
	if (found)
		rc = err_set(err, ERR_CONFLICT, "'%s' exists; cannot create '%s'", found, name);
	else if ((u = ref_update_find_below(t, dir))) {
		files_transaction(t)->found_late = is_queued_before(t, name, u);
		rc = err_set(err, ERR_CONFLICT,
			     "cannot process '%s' and '%s' at the same time", name, u->name);
	}
	free(found);
	free(dir);
	return rc;
}

static int check_name(struct ref_transaction *t, const char *name, bool loose, struct err *err)
{
	struct packed_refs *packed = files_transaction(t)->packed;
	int rc = 0;

	/* While locks are still being taken there is none yet. */
	if (!files_transaction(t)->packed)
		rc = packed_refs_get(t->rs, &packed, err);
	if (!rc)
		rc = check_prefixes(t, packed, name, err);
	if (!rc)
		rc = check_below(t, packed, name, loose, err);
	if (!files_transaction(t)->packed)
		packed_refs_put(packed);
	return rc;
}

static int check_name_available(struct ref_transaction *t, const char *name, struct err *err)
{
	return check_name(t, name, true, err);
}

/* Empty directories that a former "a/b" left where "a" is to be. */
static int make_way(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	ref_path(t->rs, u->name, &path);
	rc = ref_clear_dir(path.buf, NULL);
	if (rc < 0)
		rc = err_set(err, ERR_CONFLICT, "there is a non-empty directory '%s' blocking "
			     "reference '%s'", path.buf, u->name);
	strbuf_release(&path);
	return rc;
}

static int check_new_name(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	int rc;

	if (!starts_with(u->name, "refs/"))
		rc = check_prefixes(t, files_transaction(t)->packed, u->name, err);
	else
		/* A process that made the directory after our look at it sees our lock. */
		rc = check_name(t, u->name, files_update(u)->current.kind == LOOSE_DIR, err);
	if (!rc && files_update(u)->current.kind == LOOSE_DIR)
		rc = make_way(t, u, err);
	return rc;
}

/* ---- locks ---- */

/* Holds the lock. It does not become a file if the ref goes into packed-refs. */
static int hold(struct ref_transaction *t, struct lockfile *lk, struct nameless_lock *prepared,
		const char *path, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	int rc;

	ft->locks.own_files = !ft->via_packed;
	ft->locks.prepared = prepared;
	rc = lockfile_hold_in_group(lk, path, ft->lock_timeout_ms, &ft->locks, err);
	ft->locks.prepared = NULL;
	return rc;
}

/* Another process may remove the empty directory between its making and our lock. */
static int acquire_lock(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc = 0, try;

	ref_path(t->rs, u->name, &path);
	for (try = 0; try < REF_DIR_TRIES; try++) {
		err_release(&why);
		ref_dir_pause(try);
		rc = hold(t, &files_update(u)->lock, value_file(t, u), path.buf, &why);
		if (rc >= 0 || why.sys_errno != ENOENT)
			break;
		err_release(&why);
		rc = ref_make_parents(t->rs, path.buf, t->batch, &why);
		if (rc < 0 && why.sys_errno != ENOENT)
			break;
	}
	/* A ref in the place of a directory explains more than the system does. */
	if (rc < 0 && rc != ERR_LOCKED && check_name_available(t, u->name, err) < 0)
		rc = ERR_CONFLICT;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	strbuf_release(&path);
	return rc;
}

/* Few descriptors are kept open; the others are opened again to be written. */
static int park_descriptor(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	struct lockfile *lk = &files_update(u)->lock;

	if (lk->tf->fd < 0)
		return 0;
	if (ft->via_packed || ft->open_fds >= ft->max_open_fds)
		return lockfile_close(lk, err);
	ft->open_fds++;
	return 0;
}

static bool needs_no_lock(struct ref_transaction *t)
{
	return t->flags & REF_TRANSACTION_ALONE && files_transaction(t)->via_packed;
}

static int lock_and_read(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct loose_value *v = &files_update(u)->current;
	struct stat st = { .st_size = 0 };
	bool locks = !needs_no_lock(t);
	int rc = locks ? acquire_lock(t, u, err) : 0;

	if (!rc && locks)
		rc = park_descriptor(t, u, err);
	if (!rc)
		rc = loose_read(t->rs, u->name, v, &st, err);
	files_update(u)->mtime = st.st_mtime;
	files_update(u)->mtime_nsec = ST_MTIME_NSEC(st);
	if (!rc && v->kind == LOOSE_BROKEN)
		rc = err_set(err, ERR_CORRUPT,
			     "unable to resolve reference '%s': reference broken", u->name);
	return rc;
}

int update_lock(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct files_update *f = files_update(u);
	struct err why = ERR_INIT;
	int rc = lock_and_read(t, u, &why);

	if (rc < 0) {
		lock_failure(err, rc, t, u, &why);
		err_release(&why);
		return rc;
	}
	f->in_loose = f->current.kind == LOOSE_OID || f->current.kind == LOOSE_SYMREF;
	u->target = f->current.target;
	return ref_update_split(t, u, err);
}

/* ---- values ---- */

static int read_packed_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct files_update *f = files_update(u);
	struct packed_entry e;
	int rc;

	if (!ref_may_be_packed(t->rs, u->name))
		return 0;
	rc = packed_refs_lookup(files_transaction(t)->packed, u->name, &e, err);
	if (rc > 0) {
		f->in_packed = true;
		if (!f->in_loose)
			u->value = e.oid;
	}
	return rc < 0 ? rc : 0;
}

static int read_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct files_update *f = files_update(u);
	int rc;

	if (f->current.kind == LOOSE_OID)
		u->value = f->current.oid;
	else if (f->current.kind == LOOSE_SYMREF &&
		 ref_resolve(t->rs, u->name, &u->value, NULL, NULL, NULL) < 0)
		u->value = t->rs->algo->null_oid; /* it leads nowhere */
	rc = read_packed_value(t, u, err);
	u->exists = f->in_loose || f->in_packed;
	return rc;
}

int update_check(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	enum journal_entry_state state = ENTRY_APPLIES;
	struct err why = ERR_INIT;
	int rc;

	if (u->flags & UPDATE_LOG_ONLY)
		return 0;
	rc = read_value(t, u, &why);
	if (!rc)
		rc = ref_update_check_old(u, &why);
	if (!rc && files_update(u)->journal_old)
		state = journal_entry_state(u);
	if (!rc && state == ENTRY_IS_DONE)
		return 0;
	if (!rc && state == ENTRY_DIFFERS)
		rc = err_set(&why, ERR_CONFLICT, "it has changed");
	if (!rc) {
		rc = ref_update_decide(t, u, err);
		if (rc < 0)
			return rc;
	}
	if (!rc && (u->flags & UPDATE_WRITES) && !u->exists)
		rc = check_new_name(t, u, &why);
	/* A ref that is missing is verified or deleted only where it could be made, as in Git. */
	else if (!rc && !u->exists && !files_update(u)->journal_old && starts_with(u->name, "refs/"))
		rc = check_name(t, u->name, files_update(u)->current.kind == LOOSE_DIR, &why);
	/* It may be packed while the directory of a former ref is still there. */
	else if (!rc && (u->flags & UPDATE_WRITES) && files_update(u)->current.kind == LOOSE_DIR)
		rc = make_way(t, u, &why);
	if (rc < 0)
		lock_failure(err, rc, t, u, &why);
	err_release(&why);
	return rc;
}
