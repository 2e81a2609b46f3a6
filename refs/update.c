/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every backend does with the updates of a transaction while it locks and checks: put them
 * in order, follow symbolic refs, compare old values, decide. The wording of the
 * messages is what scripts know.
 */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"

const char *ref_update_display_name(const struct ref_update *u)
{
	while (u->via)
		u = u->via;
	return u->name;
}

/* ---- one after the other ---- */

/*
 * Ends the transaction with `why`; or, where single updates may fail, keeps it with the
 * update and returns 0. `why` is released.
 */
static int fail_update(struct ref_transaction *t, struct ref_update *u, int rc,
		       struct err *why, struct err *err)
{
	struct ref_update *root = u->root;

	if (!(t->flags & REF_TRANSACTION_ALLOW_FAILURE)) {
		err_move(err, why);
		err_release(why);
		return rc;
	}
	if (!root->rc) {
		root->rc = rc;
		root->error = xstrdup(err_message(why));
		/* Conflicts of values have set their own. */
		if (root->failure == REF_FAILURE_OTHER && rc == ERR_CONFLICT)
			root->failure = REF_FAILURE_NAME_CONFLICT;
	}
	err_release(why);
	return 0;
}

int ref_transaction_each(struct ref_transaction *t, ref_update_fn fn, struct err *err)
{
	struct err why = ERR_INIT;
	size_t split = t->queued, i;
	int rc = 0;

	for (i = 0; !rc && (i < t->sorted_nr || split < t->nr);) {
		struct ref_update *u = i < t->sorted_nr ? t->sorted[i++] : t->updates[split++];

		if (u->root->rc)
			continue;
		rc = fn(t, u, &why);
		if (rc < 0)
			rc = fail_update(t, u, rc, &why, err);
	}
	return rc;
}

static int sorted_cmp(const void *a, const void *b)
{
	return strcmp((*(struct ref_update *const *)a)->name,
		      (*(struct ref_update *const *)b)->name);
}

static int index_names(struct ref_transaction *t, struct err *err)
{
	struct err why = ERR_INIT;
	size_t i;
	int rc = 0;

	free(t->sorted);
	ALLOC_ARRAY(t->sorted, t->nr ? t->nr : 1);
	t->sorted_nr = 0;
	for (i = 0; !rc && i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (strmap_contains(&t->by_name, u->name)) {
			rc = err_set(&why, ERR_INVALID,
				     "multiple updates for ref '%s' not allowed", u->name);
			rc = fail_update(t, u, rc, &why, err);
			continue;
		}
		strmap_put(&t->by_name, u->name, u);
		t->sorted[t->sorted_nr++] = u;
	}
	qsort(t->sorted, t->sorted_nr, sizeof(*t->sorted), sorted_cmp);
	return rc;
}

static int read_head(struct ref_transaction *t, struct err *err)
{
	struct ref_value v = { .kind = REF_KIND_MISSING };
	int rc = t->rs->backend->read(t->rs, "HEAD", &v, err);

	if (rc < 0)
		return rc;
	t->head_target = v.target;
	v.target = NULL;
	ref_value_release(&v);
	return 0;
}

int ref_transaction_index(struct ref_transaction *t, struct err *err)
{
	int rc = index_names(t, err);

	return rc ? rc : read_head(t, err);
}

const struct ref_update *ref_update_find_below(const struct ref_transaction *t, const char *dir)
{
	size_t lo = 0, hi = t->sorted_nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->sorted[mid]->name, dir) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < t->sorted_nr && starts_with(t->sorted[lo]->name, dir); lo++)
		if (!t->sorted[lo]->root->rc)
			return t->sorted[lo];
	return NULL;
}

/* ---- symbolic refs ---- */

/* The update itself moves to the symref's target; here only the log gets a line. */
static int split_symref(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const char *target = u->target;
	struct ref_update *child;

	if (strmap_contains(&t->by_name, target))
		return err_set(err, ERR_INVALID, "multiple updates for '%s' (including one "
			       "via symref '%s') are not allowed", target, u->name);
	if (!refname_is_valid(target, REFNAME_ALLOW_ONELEVEL))
		return err_set(err, ERR_CORRUPT, "cannot lock ref '%s': symbolic ref leads to "
			       "bad name '%s'", ref_update_display_name(u), target);
	child = transaction_add_update(t, target, u);
	child->new_target = u->new_target ? xstrdup(u->new_target) : NULL;
	child->old_target = u->old_target ? xstrdup(u->old_target) : NULL;
	strmap_put(&t->by_name, child->name, child);
	child->via = u;
	if (!strcmp(u->name, "HEAD"))
		child->flags |= UPDATE_VIA_HEAD;
	u->leaf = child;
	u->flags |= UPDATE_LOG_ONLY | REF_NO_DEREF;
	return 0;
}

/* HEAD's log gets a line for the branch that HEAD leads to, too. */
static int split_head(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct ref_update *head = strmap_get(&t->by_name, "HEAD");

	if (!t->head_target || strcmp(u->name, t->head_target) ||
	    !(u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET)) ||
	    (u->flags & (UPDATE_LOG_ONLY | UPDATE_VIA_HEAD | REF_SKIP_REFLOG)))
		return 0;
	if (head && head->flags & REF_LOG_AFTER_OTHERS) {
		head->log_first = u;
		return 0;
	}
	if (head)
		return err_set(err, ERR_INVALID, "multiple updates for 'HEAD' (including one "
			       "via its referent '%s') are not allowed", u->name);
	head = transaction_add_update(t, "HEAD", u);
	strmap_put(&t->by_name, head->name, head);
	head->leaf = u;
	head->flags |= UPDATE_LOG_ONLY | REF_NO_DEREF;
	return 0;
}

int ref_update_split(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	if (u->target && !(u->flags & REF_NO_DEREF))
		return split_symref(t, u, err);
	return split_head(t, u, err);
}

/* ---- old values ---- */

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
	if (!(u->flags & UPDATE_HAVE_OLD))
		return 0;
	if (oid_is_null(&u->old_oid) && u->exists && oid_is_null(&u->value))
		return refuse(u, REF_FAILURE_EXISTS, err, "dangling symref already exists");
	if (oid_eq(&u->old_oid, &u->value))
		return 0;
	if (oid_is_null(&u->old_oid))
		return refuse(u, REF_FAILURE_EXISTS, err, "reference already exists");
	if (oid_is_null(&u->value) && !u->exists)
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
	const char *is = u->target;

	if (!(u->flags & UPDATE_HAVE_OLD_TARGET))
		return 0;
	if (!u->old_target && u->exists)
		return refuse(u, REF_FAILURE_EXISTS, err, "reference already exists");
	if (!u->old_target)
		return 0;
	if (!u->exists)
		return refuse(u, REF_FAILURE_MISSING, err, "unable to resolve reference '%s'",
			      u->name);
	if (!is)
		return refuse(u, REF_FAILURE_NO_SYMREF, err,
			      "expected symref with target '%s': but is a regular ref",
			      u->old_target);
	if (strcmp(is, u->old_target))
		return refuse(u, REF_FAILURE_OLD_VALUE, err, "verifying symref target: '%s': is at %s but expected %s",
			      u->name, is, u->old_target);
	return 0;
}

int ref_update_check_old(const struct ref_update *u, struct err *err)
{
	int rc = check_old_oid(u, err);

	return rc ? rc : check_old_target(u, err);
}

/* ---- new values ---- */

static bool is_branch(const char *name)
{
	return !strcmp(name, "HEAD") || starts_with(name, "refs/heads/");
}

/* As in Git, the queued update names the ref, unless only the ref that it leads to is a branch. */
static const char *name_of_refusal(const struct ref_update *u)
{
	return is_branch(u->name) && !is_branch(u->root->name) ? u->name : u->root->name;
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
	if (u->root->known_type != OBJ_NONE) {
		t->known_oid = u->new_oid;
		t->known_type = u->root->known_type;
	} else if (oid_is_null(&t->known_oid) || !oid_eq(&t->known_oid, &u->new_oid)) {
		rc = src->info(src->data, &u->new_oid, &info, NULL);
		if (rc < 0)
			goto missing;
		t->known_oid = u->new_oid;
		t->known_type = info.type;
	}
	/* A backend that stores what tags lead to need not read the others again. */
	if (u->root->known_type == OBJ_NONE && t->known_type != OBJ_TAG) {
		u->root->known_type = t->known_type;
		u->root->known_peeled = t->rs->algo->null_oid;
	}
	if (t->known_type == OBJ_COMMIT || !is_branch(u->name))
		return 0;
	u->root->failure = REF_FAILURE_NEW_VALUE;
	return err_set(err, ERR_INVALID, "trying to write non-commit object %s to branch '%s'",
		       oid_hex(&u->new_oid), name_of_refusal(u));
missing:
	u->root->failure = REF_FAILURE_NEW_VALUE;
	return err_set(err, rc == ERR_NOT_FOUND ? ERR_INVALID : rc,
		       "trying to write ref '%s' with nonexistent object %s", u->root->name, oid_hex(&u->new_oid));
}

int ref_update_decide(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	bool deletes = u->flags & UPDATE_HAVE_TARGET ? !u->new_target :
		       u->flags & UPDATE_HAVE_NEW ? oid_is_null(&u->new_oid) : false;

	if (!(u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET)))
		return 0;
	if (deletes) {
		if (u->exists)
			u->flags |= UPDATE_DELETES;
		return 0;
	}
	if (u->flags & UPDATE_HAVE_NEW) {
		if (u->exists && !u->target && oid_eq(&u->value, &u->new_oid))
			return 0; /* it has that value */
		if (check_new_oid(t, u, err) < 0)
			return err->code;
	}
	u->flags |= UPDATE_WRITES;
	return 0;
}

/* ---- reflogs ---- */

/* One step of a symref's way, as it will be. NULL: the way ends, and *oid is the value. */
static char *next_target(struct ref_transaction *t, const char *name, struct object_id *oid)
{
	const struct ref_update *u = strmap_get(&t->by_name, name);
	char *target = NULL;

	*oid = t->rs->algo->null_oid;
	if (u && u->flags & UPDATE_HAVE_TARGET && !(u->flags & UPDATE_LOG_ONLY) && !u->root->rc)
		return u->new_target ? xstrdup(u->new_target) : NULL;
	if (u && u->flags & UPDATE_HAVE_NEW && !u->root->rc)
		*oid = u->new_oid;
	else if (ref_read_raw(t->rs, name, oid, &target, NULL) < 0)
		*oid = t->rs->algo->null_oid;
	return target;
}

/* The value that a symref to `target` will show when all this has happened. */
static void target_value(struct ref_transaction *t, const char *target, struct object_id *oid)
{
	char *name = xstrdup(target);

	for (int depth = 0; name && depth <= SYMREF_MAX_DEPTH; depth++) {
		char *next = next_target(t, name, oid);

		free(name);
		name = next;
	}
	if (name)
		*oid = t->rs->algo->null_oid;
	free(name);
}

/* A symref that leads to what changes. */
static bool log_only_values(struct ref_transaction *t, struct ref_update *u, struct object_id *old_oid,
			    struct object_id *new_oid)
{
	while (u->leaf && u != u->leaf && (u->leaf->flags & UPDATE_LOG_ONLY))
		u->leaf = u->leaf->leaf;
	*old_oid = u->leaf->value;
	*new_oid = u->new_oid;
	if (u->leaf->flags & UPDATE_HAVE_TARGET) {
		if (!u->leaf->new_target)
			*new_oid = t->rs->algo->null_oid;
		else
			target_value(t, u->leaf->new_target, new_oid);
	}
	return !oid_is_null(old_oid) || !oid_is_null(new_oid);
}

bool ref_update_logs(struct ref_transaction *t, struct ref_update *u, struct object_id *old_oid,
		     struct object_id *new_oid)
{
	if (u->flags & REF_SKIP_REFLOG || (!(u->flags & (UPDATE_WRITES | UPDATE_LOG_ONLY)) && !u->root->nr_log_steps) ||
	    !(u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET)))
		return false;
	if (u->flags & UPDATE_LOG_ONLY)
		return log_only_values(t, u, old_oid, new_oid);
	*old_oid = u->value;
	*new_oid = u->new_oid;
	if (!(u->flags & UPDATE_HAVE_TARGET))
		return true;
	if (u->flags & REF_LOG_AFTER_OTHERS && u->target)
		target_value(t, u->target, old_oid);
	target_value(t, u->new_target, new_oid);
	return !oid_is_null(new_oid); /* else a branch that is yet to be born */
}
