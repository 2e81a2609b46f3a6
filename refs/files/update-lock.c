/* SPDX-License-Identifier: GPL-2.0-only */
/* One update: take its lock, read what is there, follow symbolic refs. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"

#define LOCK_TRIES 5

/* Of what goes via packed-refs no lock becomes a file. */
static int hold(struct ref_transaction *t, struct lockfile *lk, const char *path,
		struct err *err)
{
	struct files_transaction *ft = files_transaction(t);

	if (ft->via_packed)
		return lockfile_hold_linked(lk, path, ft->lock_timeout_ms, &ft->origin, err);
	return lockfile_hold(lk, path, LOCK_NO_DEREF, ft->lock_timeout_ms, err);
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
		rc = hold(t, &files_update(u)->lock, path.buf, &why);
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

static int lock_and_read(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct loose_value *v = &files_update(u)->current;
	int rc = take_lock(t, u, err);

	if (!rc)
		rc = park_descriptor(t, u, err);
	if (!rc)
		rc = loose_read(t->rs, u->name, v, err);
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
		err_set(err, rc, "cannot lock ref '%s': %s", ref_update_display_name(u),
			err_message(&why));
		err_release(&why);
		return rc;
	}
	f->in_loose = f->current.kind == LOOSE_OID || f->current.kind == LOOSE_SYMREF;
	u->target = f->current.target;
	return ref_update_split(t, u, err);
}
