/* SPDX-License-Identifier: GPL-2.0-only */
/* One update: take its lock, read what is there, follow symbolic refs. */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"

#define LOCK_TRIES 5

/* P6: of the whole way no lock becomes a file. */
static int hold(struct ref_transaction *t, struct lockfile *lk, const char *path,
		struct err *err)
{
	if (t->whole)
		return lockfile_hold_linked(lk, path, t->rs->lock_timeout_ms, &t->origin, err);
	return lockfile_hold(lk, path, LOCK_NO_DEREF, t->rs->lock_timeout_ms, err);
}

/* Whoever clears up may remove the directory between its making and our lock. */
static int take_lock(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc = 0, try;

	ref_path(t->rs, u->name, &path);
	for (try = 0; try < LOCK_TRIES; try++) {
		err_release(&why);
		rc = hold(t, &u->lock, path.buf, &why);
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
	if (u->lock.tf->fd < 0)
		return 0;
	if (t->whole || t->open_fds >= t->max_open_fds)
		return lockfile_close(&u->lock, err);
	t->open_fds++;
	return 0;
}

/* The update itself moves to the symref's target; here only the log gets a line. */
static int split_symref(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const char *target = u->current.target;
	struct ref_update *child;

	if (strmap_contains(&t->by_name, target))
		return err_set(err, ERR_INVALID, "multiple updates for '%s' (including one "
			       "via symref '%s') are not allowed", target, u->name);
	if (!refname_is_valid(target, REFNAME_ALLOW_ONELEVEL))
		return err_set(err, ERR_CORRUPT, "cannot lock ref '%s': symbolic ref leads to "
			       "bad name '%s'", update_display_name(u), target);
	child = transaction_add(t, target, u);
	strmap_put(&t->by_name, child->name, child);
	child->via = u;
	if (!strcmp(u->name, "HEAD"))
		child->flags |= UPDATE_VIA_HEAD;
	u->leaf = child;
	u->flags |= UPDATE_LOG_ONLY | REF_NO_DEREF;
	u->flags &= ~UPDATE_HAVE_OLD;
	return 0;
}

/* Where HEAD leads here, its log tells of the update as well. */
static int split_head(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct ref_update *head;

	if (!t->head_target || strcmp(u->name, t->head_target) ||
	    !(u->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET)) ||
	    (u->flags & (UPDATE_LOG_ONLY | UPDATE_VIA_HEAD | REF_SKIP_REFLOG)))
		return 0;
	if (strmap_contains(&t->by_name, "HEAD"))
		return err_set(err, ERR_INVALID, "multiple updates for 'HEAD' (including one "
			       "via its referent '%s') are not allowed", u->name);
	head = transaction_add(t, "HEAD", u);
	strmap_put(&t->by_name, head->name, head);
	head->leaf = u;
	head->flags |= UPDATE_LOG_ONLY | REF_NO_DEREF;
	head->flags &= ~(UPDATE_HAVE_OLD | UPDATE_HAVE_OLD_TARGET | REF_FORCE_REFLOG);
	return 0;
}

int update_lock(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = take_lock(t, u, &why);

	if (!rc)
		rc = park_descriptor(t, u, &why);
	if (!rc)
		rc = loose_read(t->rs, u->name, &u->current, &why);
	if (!rc && u->current.kind == LOOSE_BROKEN)
		rc = err_set(&why, ERR_CORRUPT,
			     "unable to resolve reference '%s': reference broken", u->name);
	if (rc < 0) {
		err_set(err, rc, "cannot lock ref '%s': %s", update_display_name(u),
			err_message(&why));
		err_release(&why);
		return rc;
	}
	u->in_loose = u->current.kind == LOOSE_OID || u->current.kind == LOOSE_SYMREF;
	if (u->current.kind == LOOSE_SYMREF && !(u->flags & REF_NO_DEREF))
		return split_symref(t, u, err);
	return split_head(t, u, err);
}
