/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of new values, which are the locks of their refs. Where many refs change, the files
 * are made before the locks are taken, in threads: without a name, but marked, with the value
 * in them and on its way to the disk. Each then becomes a lock by getting the lock's name; the
 * locks are taken one after the other, in the order of names, as always. What is not needed in
 * the end has no name and is gone when it is closed.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "util/workers.h"
#include "write-or-die.h"

/* ---- one value ---- */

static int write_content(int fd, const char *path, const struct ref_update *u, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc;

	if (u->flags & UPDATE_HAVE_TARGET)
		strbuf_addf(&content, "ref: %s", u->new_target);
	else
		strbuf_add_oid(&content, &u->new_oid);
	strbuf_addch(&content, '\n');
	rc = write_in_full(fd, content.buf, content.len, path, err);
	strbuf_release(&content);
	return rc;
}

int value_write(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct files_update *f = files_update(u);
	struct lockfile *lk = &f->lock;
	int rc = 0;

	/* Closed, it is opened again and empty. */
	if (lk->tf->fd < 0)
		rc = lockfile_reopen(lk, err);
	else
		files_transaction(t)->open_fds--;
	if (!rc)
		rc = apply_shared_perm(lk->tf->path, files_store(t->rs)->shared_perm, err);
	if (!rc && !lk->started)
		rc = write_content(lk->tf->fd, lk->tf->path, u, err);
	return rc;
}

/* ---- many of them, in threads ---- */

/* Fewer are not worth a thread. */
#define MANY_VALUES 32
#define VALUES_AT_ONCE 8

/* What a symbolic ref leads to is not known yet. */
static bool has_plain_value(const struct ref_update *u)
{
	return !u->root->rc && u->flags & UPDATE_HAVE_NEW &&
	       !(u->flags & (UPDATE_HAVE_TARGET | UPDATE_LOG_ONLY)) && !oid_is_null(&u->new_oid);
}

static void prepare_some(void *data, size_t begin, size_t end)
{
	struct ref_transaction *t = data;
	struct lock_group g = LOCK_GROUP_INIT(files_store(t->rs)->commondir);
	struct strbuf path = STRBUF_INIT;

	for (size_t i = begin; i < end; i++) {
		const struct ref_update *u = t->sorted[i];
		struct nameless_lock *n = &files_transaction(t)->prepared[i];

		if (!has_plain_value(u))
			continue;
		strbuf_reset(&path);
		ref_path(t->rs, u->name, &path);
		lockfile_make_nameless(n, path.buf, &g);
		if (n->fd < 0)
			continue;
		if (!write_content(n->fd, path.buf, u, NULL))
			fsync_batch_start(t->batch, FSYNC_REFERENCE, path.buf, n->fd);
		else
			nameless_lock_release(n);
	}
	lock_group_release(&g);
	strbuf_release(&path);
}

void values_prepare(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);

	if (ft->via_packed || t->sorted_nr < MANY_VALUES ||
	    t->flags & REF_TRANSACTION_RECOVERS)
		return;
	values_release(t);
	ft->prepared_nr = t->sorted_nr < ft->max_open_fds ? t->sorted_nr : ft->max_open_fds;
	ALLOC_ARRAY(ft->prepared, ft->prepared_nr);
	for (size_t i = 0; i < ft->prepared_nr; i++) {
		ft->prepared[i].fd = -1;
		files_update(t->sorted[i])->prepared = &ft->prepared[i];
	}
	workers_parallel_for(ft->prepared_nr, VALUES_AT_ONCE, 0, prepare_some, t);
}

void values_release(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);

	for (size_t i = 0; i < t->nr; i++)
		files_update(t->updates[i])->prepared = NULL;
	for (size_t i = 0; i < ft->prepared_nr; i++)
		nameless_lock_release(&ft->prepared[i]);
	FREE_AND_NULL(ft->prepared);
	ft->prepared_nr = 0;
}
