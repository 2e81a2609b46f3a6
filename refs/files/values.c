/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of new values, which are the locks of their refs. Where many refs change, the files
 * are made in threads while the locks are taken: without a name, but marked, with the value
 * in them and on its way to the disk. Each then becomes a lock by getting the lock's name; the
 * locks are taken one after the other, in the order of names, as always. An unused file has no name and
 * is gone when it is closed.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "compat/os.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "util/path.h"
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
#define VALUES_PER_THREAD 16
#define MAX_THREADS 4

enum value_state { NOT_BEGUN, BEING_MADE, MADE };

struct prepared_value {
	const struct ref_update *update;
	struct nameless_lock file; /* owned by the thread that has begun it, until it is made */
	atomic_int state;
};

struct prepared_values {
	struct ref_transaction *t;
	struct prepared_value *v; /* in the order of names */
	size_t nr;
	pthread_t threads[MAX_THREADS];
	size_t nr_threads;
};

/* What a symbolic ref leads to is not known yet. */
static bool has_plain_value(const struct ref_update *u)
{
	return !u->root->rc && u->flags & UPDATE_HAVE_NEW &&
	       !(u->flags & (UPDATE_HAVE_TARGET | UPDATE_LOG_ONLY)) && !oid_is_null(&u->new_oid);
}

static bool begin(struct prepared_value *v)
{
	int expected = NOT_BEGUN;

	return atomic_compare_exchange_strong(&v->state, &expected, BEING_MADE);
}

static void make_value(struct ref_transaction *t, struct prepared_value *v, struct lock_group *g)
{
	struct strbuf path = STRBUF_INIT;

	ref_path(t->rs, v->update->name, &path);
	lockfile_make_nameless(&v->file, path.buf, g);
	if (v->file.fd >= 0 && write_content(v->file.fd, path.buf, v->update, NULL) < 0)
		nameless_lock_release(&v->file);
	if (v->file.fd >= 0)
		fsync_batch_start(t->batch, FSYNC_REFERENCE, path.buf, v->file.fd);
	strbuf_release(&path);
	atomic_store(&v->state, MADE);
}

static void *make_values(void *data)
{
	struct prepared_values *p = data;
	struct lock_group g = LOCK_GROUP_INIT(files_store(p->t->rs)->commondir);

	for (size_t i = 0; i < p->nr; i++)
		if (begin(&p->v[i]))
			make_value(p->t, &p->v[i], &g);
	lock_group_release(&g);
	return NULL;
}

static size_t choose_threads(size_t nr)
{
	size_t threads = (size_t)os_cpu_count() - 1;

	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	return threads < nr / VALUES_PER_THREAD ? threads : nr / VALUES_PER_THREAD;
}

/* As for a lock: if it fails now, it will be reported then. */
static void make_dir_of(struct ref_transaction *t, const char *name)
{
	struct strbuf path = STRBUF_INIT, dir = STRBUF_INIT;

	ref_path(t->rs, name, &path);
	path_dirname(&dir, path.buf);
	if (!file_exists(dir.buf))
		(void)!ref_make_parents(t->rs, path.buf, t->batch, NULL);
	strbuf_release(&dir);
	strbuf_release(&path);
}

void values_prepare(struct ref_transaction *t)
{
	struct files_transaction *ft = files_transaction(t);
	const char *last = NULL;
	struct prepared_values *p;
	size_t wanted;

	if (ft->via_packed || t->sorted_nr < MANY_VALUES || t->flags & REF_TRANSACTION_RECOVERS)
		return;
	p = ft->values = xcalloc(1, sizeof(*p));
	p->t = t;
	CALLOC_ARRAY(p->v, t->sorted_nr);
	for (size_t i = 0; i < t->sorted_nr && p->nr < ft->max_open_fds; i++) {
		if (!has_plain_value(t->sorted[i]))
			continue;
		if (!last || !refnames_are_neighbours(last, t->sorted[i]->name))
			make_dir_of(t, t->sorted[i]->name);
		last = t->sorted[i]->name;
		p->v[p->nr].update = t->sorted[i];
		p->v[p->nr].file.fd = -1;
		files_update(t->sorted[i])->prepared = &p->v[p->nr++];
	}
	wanted = choose_threads(p->nr);
	while (p->nr_threads < wanted &&
	       start_thread(&p->threads[p->nr_threads], make_values, p))
		p->nr_threads++;
}

struct nameless_lock *value_file(struct ref_transaction *t, const struct ref_update *u)
{
	struct prepared_value *v = files_update(u)->prepared;

	if (!v)
		return NULL;
	if (begin(v))
		make_value(t, v, &files_transaction(t)->locks);
	while (atomic_load(&v->state) != MADE)
		sched_yield();
	return &v->file;
}

void values_release(struct ref_transaction *t)
{
	struct prepared_values *p = files_transaction(t)->values;

	if (!p)
		return;
	for (size_t i = 0; i < p->nr; i++)
		(void)begin(&p->v[i]); /* so that no other thread does */
	while (p->nr_threads)
		pthread_join(p->threads[--p->nr_threads], NULL);
	for (size_t i = 0; i < p->nr; i++) {
		files_update(p->v[i].update)->prepared = NULL;
		nameless_lock_release(&p->v[i].file);
	}
	free(p->v);
	FREE_AND_NULL(files_transaction(t)->values);
}
