/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One update, its lock held: is the old value what the caller expects, can a
 * ref of that name be, may it have that value? The wording of the messages is
 * what scripts know.
 */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "fs/file.h"
#include "util/alloc.h"

/* ---- names ---- */

/*
 * A lock on "a" by somebody else while we make "a/b": one of the two must give
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

/* Is "a" or "a/b" a ref, when "a/b/c" is to be made? */
static int check_prefix(struct ref_transaction *t, const struct packed_refs *packed,
			const char *prefix, const char *name, struct err *err)
{
	const struct ref_update *other = strmap_get(&t->by_name, prefix);
	struct packed_entry e;
	struct loose_value v;
	int rc;

	rc = loose_read(t->rs, prefix, &v, err);
	if (rc < 0)
		return rc;
	rc = v.kind == LOOSE_OID || v.kind == LOOSE_SYMREF || v.kind == LOOSE_BROKEN;
	loose_value_release(&v);
	if (!rc)
		rc = packed_refs_lookup(packed, prefix, &e, err);
	if (rc > 0)
		rc = err_set(err, ERR_CONFLICT, "'%s' exists; cannot create '%s'", prefix, name);
	if (!rc && other && !other->root->rc)
		rc = err_set(err, ERR_CONFLICT,
			     "cannot process '%s' and '%s' at the same time", prefix, name);
	if (!rc)
		rc = check_prefix_lock(t, prefix, name, err);
	return rc;
}

static int check_prefixes(struct ref_transaction *t, const struct packed_refs *packed,
			  const char *name, struct err *err)
{
	const char *last = strrchr(name, '/'), *slash;
	size_t parent_len = last ? (size_t)(last - name) : 0;
	char *prefix;
	int rc = 0;

	/* Names come sorted, so that neighbours share what has been looked at. */
	if (!last || (t->free_parent && strlen(t->free_parent) == parent_len &&
		      !memcmp(t->free_parent, name, parent_len)))
		return 0;
	for (slash = strchr(name, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		if (slash - name == 4 && !memcmp(name, "refs", 4))
			continue;
		prefix = xstrndup(name, slash - name);
		rc = check_prefix(t, packed, prefix, name, err);
		free(prefix);
	}
	if (!rc) {
		free(t->free_parent);
		t->free_parent = xstrndup(name, parent_len);
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

static char *find_packed_below(const struct packed_refs *packed, const char *dir)
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

static const struct ref_update *find_update_below(const struct ref_transaction *t,
						  const char *dir)
{
	size_t lo = 0, hi = t->sorted_nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->sorted[mid]->name, dir) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo < t->sorted_nr && t->sorted[lo]->root->rc)
		lo++;
	return lo < t->sorted_nr && starts_with(t->sorted[lo]->name, dir) ?
		t->sorted[lo] : NULL;
}

/* Is there an "a/b", when "a" is to be made? loose: there is a directory of that name. */
static int check_below(struct ref_transaction *t, const struct packed_refs *packed,
		       const char *name, bool loose, struct err *err)
{
	const struct ref_update *u;
	char *dir = xstrfmt("%s/", name), *found = NULL;
	int rc = 0;

	if (loose)
		found = find_loose_below(t, dir);
	if (!found)
		found = find_packed_below(packed, dir);
	if (found)
		rc = err_set(err, ERR_CONFLICT, "'%s' exists; cannot create '%s'", found, name);
	else if ((u = find_update_below(t, dir)))
		rc = err_set(err, ERR_CONFLICT,
			     "cannot process '%s' and '%s' at the same time", name, u->name);
	free(found);
	free(dir);
	return rc;
}

static int check_name(struct ref_transaction *t, const char *name, bool loose, struct err *err)
{
	struct packed_refs *packed = t->packed;
	int rc = 0;

	/* While locks are still being taken there is none yet. */
	if (!t->packed)
		rc = packed_refs_get(t->rs, &packed, err);
	if (!rc)
		rc = check_prefixes(t, packed, name, err);
	if (!rc)
		rc = check_below(t, packed, name, loose, err);
	if (!t->packed)
		packed_refs_put(packed);
	return rc;
}

int check_name_available(struct ref_transaction *t, const char *name, struct err *err)
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
		rc = check_prefixes(t, t->packed, u->name, err);
	else
		/* Whoever made the directory after our look at it sees our lock. */
		rc = check_name(t, u->name, u->current.kind == LOOSE_DIR, err);
	if (!rc && u->current.kind == LOOSE_DIR)
		rc = make_way(t, u, err);
	return rc;
}

/* ---- values ---- */

static int read_packed_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct packed_entry e;
	int rc;

	if (!ref_may_be_packed(t->rs, u->name))
		return 0;
	rc = packed_refs_lookup(t->packed, u->name, &e, err);
	if (rc > 0) {
		u->in_packed = true;
		if (!u->in_loose)
			u->value = e.oid;
	}
	return rc < 0 ? rc : 0;
}

static int read_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	if (u->current.kind == LOOSE_OID)
		u->value = u->current.oid;
	else if (u->current.kind == LOOSE_SYMREF &&
		 ref_resolve(t->rs, u->name, &u->value, NULL, NULL, NULL) < 0)
		u->value = t->rs->algo->null_oid; /* it leads nowhere */
	return read_packed_value(t, u, err);
}

static int refuse(const struct ref_update *u, enum ref_failure failure, struct err *err,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);

static int refuse(const struct ref_update *u, enum ref_failure failure, struct err *err,
		  const char *fmt, ...)
{
	va_list ap;

	u->root->failure = failure;
	va_start(ap, fmt);
	err_vset(err, ERR_CONFLICT, fmt, ap);
	va_end(ap);
	return ERR_CONFLICT;
}

static int check_old_oid(const struct ref_update *u, struct err *err)
{
	if (!(u->flags & UPDATE_HAVE_OLD) || oid_eq(&u->old_oid, &u->value))
		return 0;
	if (oid_is_null(&u->old_oid))
		return refuse(u, REF_FAILURE_EXISTS, err, "reference already exists");
	if (oid_is_null(&u->value) && !u->in_loose)
		return refuse(u, REF_FAILURE_MISSING, err, "unable to resolve reference '%s'",
			      u->name);
	if (oid_is_null(&u->value))
		return refuse(u, REF_FAILURE_MISSING, err, "reference is missing but expected %s",
			      oid_hex(&u->old_oid));
	return refuse(u, REF_FAILURE_OLD_VALUE, err, "is at %s but expected %s",
		      oid_hex(&u->value), oid_hex(&u->old_oid));
}

static int check_old_target(const struct ref_update *u, struct err *err)
{
	const char *is = u->current.kind == LOOSE_SYMREF ? u->current.target : NULL;

	if (!(u->flags & UPDATE_HAVE_OLD_TARGET))
		return 0;
	if (!u->old_target && (u->in_loose || u->in_packed))
		return refuse(u, REF_FAILURE_EXISTS, err, "reference already exists");
	if (!u->old_target)
		return 0;
	if (!u->in_loose && !u->in_packed)
		return refuse(u, REF_FAILURE_MISSING, err, "reference is missing but expected %s",
			      u->old_target);
	if (!is)
		return refuse(u, REF_FAILURE_NO_SYMREF, err,
			      "expected symref with target '%s': but is a regular ref",
			      u->old_target);
	if (strcmp(is, u->old_target))
		return refuse(u, REF_FAILURE_OLD_VALUE, err, "is at %s but expected %s", is,
			      u->old_target);
	return 0;
}

static bool is_branch(const char *name)
{
	return !strcmp(name, "HEAD") || starts_with(name, "refs/heads/");
}

static int check_new_oid(struct ref_transaction *t, const struct ref_update *u,
			 struct err *err)
{
	const struct object_source *src = t->rs->objects;
	struct object_info info;
	int rc;

	if (!src || (u->flags & REF_SKIP_OBJECT_CHECK))
		return 0;
	/* Many refs get the same value: it is looked up once. */
	if (oid_is_null(&t->known_oid) || !oid_eq(&t->known_oid, &u->new_oid)) {
		rc = src->info(src->data, &u->new_oid, &info, NULL);
		if (rc < 0)
			goto missing;
		t->known_oid = u->new_oid;
		t->known_type = info.type;
	}
	if (t->known_type == OBJ_COMMIT || !is_branch(u->name))
		return 0;
	u->root->failure = REF_FAILURE_NEW_VALUE;
	return err_set(err, ERR_INVALID, "cannot update ref '%s': trying to write "
		       "non-commit object %s to branch '%s'", u->name,
		       oid_hex(&u->new_oid), u->name);
missing:
	u->root->failure = REF_FAILURE_NEW_VALUE;
	return err_set(err, rc == ERR_NOT_FOUND ? ERR_INVALID : rc,
		       "cannot update ref '%s': trying to write ref '%s' with "
		       "nonexistent object %s", u->name, u->name, oid_hex(&u->new_oid));
}

/* What is to be done? Sets UPDATE_WRITES or UPDATE_DELETES, or neither. */
static int decide(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	bool exists = u->in_loose || u->in_packed;
	bool deletes = u->flags & UPDATE_HAVE_TARGET ? !u->new_target :
		       u->flags & UPDATE_HAVE_NEW ? oid_is_null(&u->new_oid) : false;

	if (!(u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET)))
		return 0;
	if (deletes) {
		if (exists)
			u->flags |= UPDATE_DELETES;
		return 0;
	}
	if (u->flags & UPDATE_HAVE_NEW) {
		if (exists && u->current.kind != LOOSE_SYMREF && oid_eq(&u->value, &u->new_oid))
			return 0; /* it has that value */
		if (check_new_oid(t, u, err) < 0)
			return err->code;
	}
	u->flags |= UPDATE_WRITES;
	return 0;
}

int update_check(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct err why = ERR_INIT;
	int rc;

	if (u->flags & UPDATE_LOG_ONLY)
		return 0;
	rc = read_value(t, u, &why);
	if (!rc)
		rc = check_old_oid(u, &why);
	if (!rc)
		rc = check_old_target(u, &why);
	if (!rc && u->redo_old && !redo_applies(t->rs, u))
		rc = err_set(&why, ERR_CONFLICT, "it has changed");
	if (!rc) {
		rc = decide(t, u, err);
		if (rc < 0)
			return rc;
	}
	if (!rc && (u->flags & UPDATE_WRITES) && !u->in_loose && !u->in_packed)
		rc = check_new_name(t, u, &why);
	/* It may be packed while the directory of a former ref is still there. */
	else if (!rc && (u->flags & UPDATE_WRITES) && u->current.kind == LOOSE_DIR)
		rc = make_way(t, u, &why);
	if (rc < 0)
		err_set(err, rc, "cannot lock ref '%s': %s", update_display_name(u),
			err_message(&why));
	err_release(&why);
	return rc;
}
