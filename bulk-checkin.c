/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an object: a task produces its bytes, names them, asks whether they
 * are new and, once the batch is packing, deflates them, all in a worker thread.
 * Then it is retired in the submitting thread, in order: held in memory, or
 * added to the pack.
 *
 * Threads: only the submitting thread changes the batch, under `lock`, because
 * others read from it. Memory: what tasks have in flight is bounded by
 * `in_flight` (the oldest task always goes on), what is held by HOLD_MAX.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "bulk-checkin.h"
#include "compat/os.h"
#include "fs/tmp-objdir.h"
#include "object-file.h"
#include "pack/pack.h"
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/workers.h"
#include "write-or-die.h"

/* Bytes of content held until it is known whether a pack is worth while. */
#define HOLD_MAX ((uint64_t)32 << 20)
/* Bytes in tasks that have begun; a single one may be larger. */
#define IN_FLIGHT_MAX ((uint64_t)64 << 20)
/* What is done without threads: so many objects, so many bytes. */
#define INLINE_TASKS 16
#define INLINE_BYTES ((uint64_t)256 << 10)
#define TASKS_PER_CPU 32
#define STREAM_BYTES ((size_t)256 << 10)

/* A new object that is in no pack: in memory, then a staged file. */
struct held {
	struct object_id oid;
	enum object_type type;
	size_t size;
	void *data;	    /* NULL: in the staging directory, or published */
	uint64_t disk_size; /* of that file */
};

struct bulk_checkin {
	struct bulk_checkin_options o;
	char *objdir, *packdir;
	struct tmp_objdir *dir;	  /* NULL until it is needed */
	/* objects/pack leads to another file system: packs are staged there */
	bool packs_elsewhere;
	struct tmp_objdir *dir_of_packs;

	pthread_mutex_t lock;
	struct held **held; /* all of them; from `unstaged` on with data */
	size_t nr_held, alloc_held, unstaged;
	uint64_t held_bytes;
	struct oidmap by_oid; /* to struct held */
	struct pack_writer **packs;
	size_t nr_packs, alloc_packs;
	bool pack_open;	      /* the last one takes more */
	size_t nr_small;      /* since the last finish, for unpack_limit */
	_Atomic(bool) packing; /* small objects go into the pack */
	struct err failure;   /* of the batch as a whole */

	struct workers *pool; /* NULL while tasks are run inline */
	unsigned inline_tasks;
	uint64_t inline_bytes;
	pthread_mutex_t gate;
	pthread_cond_t moved;
	uint64_t in_flight, submitted, retired;
};

static bool on_other_device(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev != y.st_dev;
}

struct bulk_checkin *bulk_checkin_new(const struct bulk_checkin_options *opts)
{
	struct bulk_checkin *b = xcalloc(1, sizeof(*b));

	b->o = *opts;
	b->objdir = xstrdup(opts->objdir);
	b->packdir = xstrfmt("%s/pack", opts->objdir);
	b->o.objdir = b->objdir;
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->gate, NULL);
	pthread_cond_init(&b->moved, NULL);
	/* P5: what a killed command left goes even if this one writes nothing. */
	tmp_objdir_reap(b->objdir);
	b->packs_elsewhere = on_other_device(b->objdir, b->packdir);
	if (b->packs_elsewhere)
		tmp_objdir_reap(b->packdir);
	return b;
}

void bulk_checkin_abort(struct bulk_checkin *b)
{
	if (!b)
		return;
	workers_free(b->pool);
	for (size_t i = 0; i < b->nr_held; i++) {
		free(b->held[i]->data);
		free(b->held[i]);
	}
	for (size_t i = 0; i < b->nr_packs; i++)
		pack_writer_free(b->packs[i]);
	tmp_objdir_destroy(&b->dir);
	tmp_objdir_destroy(&b->dir_of_packs);
	oidmap_clear(&b->by_oid, NULL);
	err_release(&b->failure);
	pthread_mutex_destroy(&b->lock);
	pthread_mutex_destroy(&b->gate);
	pthread_cond_destroy(&b->moved);
	free(b->held);
	free(b->packs);
	free(b->packdir);
	free(b->objdir);
	free(b);
}

void bulk_checkin_free(struct bulk_checkin *b)
{
	if (b && (b->submitted != b->retired || b->unstaged != b->nr_held || b->pack_open))
		BUG("new objects were never staged");
	bulk_checkin_abort(b);
}

/* ---- failure of the whole batch ---- */

static int failed(const struct bulk_checkin *b, struct err *err)
{
	if (!b->failure.code)
		return 0;
	return err_set(err, b->failure.code, "%s", err_message(&b->failure));
}

/* Nothing can be added any more; `why` stays with the caller. */
static int fail(struct bulk_checkin *b, int rc, const struct err *why)
{
	err_set(&b->failure, rc, "%s", err_message(why));
	return rc;
}

/* ---- where things go ---- */

static int need_dir(struct bulk_checkin *b, struct err *err)
{
	if (b->dir)
		return 0;
	return tmp_objdir_create(&b->dir, b->objdir, "bulk", b->o.shared_perm, err);
}

static int need_dir_of_packs(struct bulk_checkin *b, const char **path, struct err *err)
{
	struct tmp_objdir **dir = b->packs_elsewhere ? &b->dir_of_packs : &b->dir;
	const char *top = b->packs_elsewhere ? b->packdir : b->objdir;
	int rc = 0;

	if (!*dir)
		rc = tmp_objdir_create(dir, top, "bulk", b->o.shared_perm, err);
	if (!rc)
		*path = tmp_objdir_path(*dir);
	return rc;
}

static int need_pack(struct bulk_checkin *b, struct err *err)
{
	struct pack_writer_options o = {
		.packdir = b->packdir,
		.algo = b->o.algo,
		.shared_perm = b->o.shared_perm,
		.write_rev = true,
	};
	struct pack_writer *w;
	int rc;

	if (b->pack_open)
		return 0;
	rc = need_dir_of_packs(b, &o.dir, err);
	if (rc < 0)
		return rc;
	rc = pack_writer_new(&w, &o, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&b->lock);
	ALLOC_GROW(b->packs, b->nr_packs + 1, b->alloc_packs);
	b->packs[b->nr_packs++] = w;
	pthread_mutex_unlock(&b->lock);
	b->pack_open = true;
	return 0;
}

static struct pack_writer *open_pack(struct bulk_checkin *b)
{
	return b->packs[b->nr_packs - 1];
}

/* Called with the lock held. */
static struct pack_writer *pack_with(struct bulk_checkin *b, const struct object_id *oid)
{
	for (size_t i = 0; i < b->nr_packs; i++)
		if (pack_writer_has(b->packs[i], oid))
			return b->packs[i];
	return NULL;
}

bool bulk_checkin_has(struct bulk_checkin *b, const struct object_id *oid)
{
	bool has;

	pthread_mutex_lock(&b->lock);
	has = oidmap_contains(&b->by_oid, oid) || pack_with(b, oid);
	pthread_mutex_unlock(&b->lock);
	return has;
}

static bool is_known(struct bulk_checkin *b, const struct object_id *oid)
{
	return bulk_checkin_has(b, oid) || (b->o.exists && b->o.exists(b->o.exists_data, oid));
}

/* ---- held objects: to loose files, or into the pack ---- */

/* Something done to all that are held with their data, in parallel if it pays. */
struct held_work {
	struct bulk_checkin *b;
	struct held **held;
	struct strbuf *deflated; /* per object: for the pack */
	pthread_mutex_t lock;
	int rc;
	struct err err;
};

static void deflate_held(void *data, size_t begin, size_t end)
{
	struct held_work *w = data;

	for (size_t i = begin; i < end; i++)
		deflate_buf(&w->deflated[i], w->held[i]->data, w->held[i]->size,
			    w->b->o.pack_level);
}

static int stage_one(struct bulk_checkin *b, struct held *h, struct err *err)
{
	struct strbuf deflated = STRBUF_INIT;
	int rc;

	loose_object_deflate(&deflated, h->type, h->data, h->size, b->o.loose_level);
	rc = loose_object_stage(tmp_objdir_path(b->dir), b->objdir, &h->oid,
				b->o.shared_perm, deflated.buf, deflated.len,
				b->o.batch, err);
	if (!rc)
		h->disk_size = deflated.len;
	strbuf_release(&deflated);
	return rc;
}

static void stage_some(void *data, size_t begin, size_t end)
{
	struct held_work *w = data;

	for (size_t i = begin; i < end; i++) {
		struct err err = ERR_INIT;
		int rc = stage_one(w->b, w->held[i], &err);

		if (!rc)
			continue;
		pthread_mutex_lock(&w->lock);
		if (!w->rc)
			w->rc = rc;
		err_move(&w->err, &err);
		pthread_mutex_unlock(&w->lock);
		return;
	}
}

static void for_held(struct held_work *w, void (*fn)(void *, size_t, size_t))
{
	struct bulk_checkin *b = w->b;
	size_t nr = b->nr_held - b->unstaged;

	w->held = b->held + b->unstaged;
	if (b->held_bytes < INLINE_BYTES && nr < INLINE_TASKS)
		fn(w, 0, nr);
	else
		workers_parallel_for(nr, 1, 0, fn, w);
}

static int stage_held(struct bulk_checkin *b, struct err *err)
{
	struct held_work w = { .b = b, .lock = PTHREAD_MUTEX_INITIALIZER };
	int rc;

	if (b->unstaged == b->nr_held)
		return 0;
	rc = need_dir(b, err);
	if (rc < 0)
		return rc;
	for_held(&w, stage_some);
	if (w.rc) {
		err_move(err, &w.err);
		return w.rc;
	}
	pthread_mutex_lock(&b->lock);
	for (; b->unstaged < b->nr_held; b->unstaged++)
		FREE_AND_NULL(b->held[b->unstaged]->data);
	b->held_bytes = 0;
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static int add_held_to_pack(struct held_work *w, struct err *err)
{
	size_t nr = w->b->nr_held - w->b->unstaged;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++)
		rc = pack_writer_add_deflated(open_pack(w->b), &w->held[i]->oid,
					      w->held[i]->type, w->held[i]->size,
					      w->deflated[i].buf, w->deflated[i].len, err);
	return rc;
}

/* From here on small objects go into the pack, first those that are held. */
static int start_packing(struct bulk_checkin *b, struct err *err)
{
	size_t nr = b->nr_held - b->unstaged;
	struct held_work w = { .b = b };
	int rc = need_pack(b, err);

	if (rc < 0)
		return rc;
	w.deflated = xcalloc(nr, sizeof(*w.deflated));
	for (size_t i = 0; i < nr; i++)
		strbuf_init(&w.deflated[i], 0);
	for_held(&w, deflate_held);
	rc = add_held_to_pack(&w, err);
	for (size_t i = 0; i < nr; i++)
		strbuf_release(&w.deflated[i]);
	free(w.deflated);
	if (rc < 0)
		return rc;
	/* Readers find each in the pack before it leaves the map. */
	pthread_mutex_lock(&b->lock);
	while (b->nr_held > b->unstaged) {
		struct held *h = b->held[--b->nr_held];

		oidmap_remove(&b->by_oid, &h->oid);
		free(h->data);
		free(h);
	}
	b->held_bytes = 0;
	pthread_mutex_unlock(&b->lock);
	atomic_store(&b->packing, true);
	return 0;
}

/* ---- a new object arrives ---- */

struct arrival {
	const struct object_id *oid;
	enum object_type type;
	size_t size;
	void *data;		 /* owned by the caller; taken (NULL) when it is held */
	const struct strbuf *deflated; /* for the pack; NULL if not done yet */
};

static int arrive_in_pack(struct bulk_checkin *b, struct arrival *a, struct err *err)
{
	struct strbuf now = STRBUF_INIT;
	const struct strbuf *deflated = a->deflated;
	int rc;

	if (!deflated) {
		deflate_buf(&now, a->data, a->size, b->o.pack_level);
		deflated = &now;
	}
	rc = pack_writer_add_deflated(open_pack(b), a->oid, a->type, a->size,
				      deflated->buf, deflated->len, err);
	strbuf_release(&now);
	return rc;
}

static void hold(struct bulk_checkin *b, struct arrival *a)
{
	struct held *h = xcalloc(1, sizeof(*h));

	h->oid = *a->oid;
	h->type = a->type;
	h->size = a->size;
	h->data = a->data ? a->data : xmemdupz("", 0); /* NULL means staged */
	a->data = NULL;
	pthread_mutex_lock(&b->lock);
	ALLOC_GROW(b->held, b->nr_held + 1, b->alloc_held);
	b->held[b->nr_held++] = h;
	b->held_bytes += h->size;
	oidmap_put(&b->by_oid, &h->oid, h);
	pthread_mutex_unlock(&b->lock);
}

static int arrive(struct bulk_checkin *b, struct arrival *a, struct err *err)
{
	int rc = 0;

	if (bulk_checkin_has(b, a->oid)) /* a second one with the same content */
		return 0;
	b->nr_small++;
	if (atomic_load(&b->packing)) {
		rc = arrive_in_pack(b, a, err);
	} else {
		hold(b, a);
		if (b->o.unpack_limit && b->nr_small >= b->o.unpack_limit)
			rc = start_packing(b, err);
		else if (b->held_bytes > HOLD_MAX)
			rc = stage_held(b, err);
	}
	return rc < 0 ? fail(b, rc, err) : 0;
}

int bulk_checkin_add(struct bulk_checkin *b, enum object_type type,
		     const void *data, size_t size, struct object_id *oid,
		     struct err *err)
{
	struct arrival a = { .oid = oid, .type = type, .size = size };
	struct object_id name;
	int rc = bulk_checkin_drain(b, err);

	if (rc < 0)
		return rc;
	hash_object_buf(b->o.algo, object_type_name(type), data, size, &name);
	if (!is_known(b, &name)) {
		a.oid = &name;
		a.data = xmemdupz(data, size);
		rc = arrive(b, &a, err);
		free(a.data);
	}
	if (!rc)
		*oid = name;
	return rc;
}

/* ---- tasks ---- */

struct task {
	struct bulk_checkin *b;
	struct bulk_checkin_job job;
	uint64_t number;
	uint64_t reserved; /* of in_flight */
	int rc;
	struct err err;
	struct object_buf content;
	size_t size;
	enum object_type type;
	struct object_id oid;
	bool known;
	struct strbuf deflated;
	bool is_deflated;
};

static void gate_enter(struct task *t)
{
	struct bulk_checkin *b = t->b;

	pthread_mutex_lock(&b->gate);
	while (b->in_flight && b->in_flight + t->job.size_hint > IN_FLIGHT_MAX &&
	       t->number != b->retired)
		pthread_cond_wait(&b->moved, &b->gate);
	t->reserved = t->job.size_hint;
	b->in_flight += t->reserved;
	pthread_mutex_unlock(&b->gate);
}

static void gate_adjust(struct task *t, uint64_t bytes)
{
	struct bulk_checkin *b = t->b;

	pthread_mutex_lock(&b->gate);
	b->in_flight += bytes - t->reserved;
	t->reserved = bytes;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->gate);
}

static void gate_leave(struct task *t)
{
	struct bulk_checkin *b = t->b;

	pthread_mutex_lock(&b->gate);
	b->in_flight -= t->reserved;
	b->retired++;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->gate);
}

/* In a worker thread: everything that does not depend on the order. */
static void run_task(void *arg)
{
	struct task *t = arg;
	struct bulk_checkin *b = t->b;

	gate_enter(t);
	t->rc = t->job.produce(t->job.data, &t->content, &t->err);
	if (!t->rc) {
		t->size = t->content.size;
		t->type = t->content.type;
		hash_object_buf(b->o.algo, object_type_name(t->type), t->content.data,
				t->size, &t->oid);
		t->known = is_known(b, &t->oid);
		if (!t->known && atomic_load(&b->packing)) {
			deflate_buf(&t->deflated, t->content.data, t->size, b->o.pack_level);
			t->is_deflated = true;
		}
		if (t->known || t->is_deflated)
			object_buf_release(&t->content);
	}
	gate_adjust(t, t->content.size + t->deflated.alloc);
}

/* In the submitting thread, in order. */
static void retire_task(void *arg)
{
	struct task *t = arg;
	struct bulk_checkin *b = t->b;
	struct arrival a = { .oid = &t->oid, .type = t->type, .size = t->size,
			     .data = t->content.data,
			     .deflated = t->is_deflated ? &t->deflated : NULL };

	if (!t->rc)
		t->rc = failed(b, &t->err);
	if (!t->rc && !t->known) {
		t->rc = arrive(b, &a, &t->err);
		t->content.data = a.data;
	}
	t->job.done(t->job.data, t->rc, t->rc ? NULL : &t->oid, &t->err);
	gate_leave(t);
	object_buf_release(&t->content);
	strbuf_release(&t->deflated);
	err_release(&t->err);
	free(t);
}

/* Starting a thread costs more than a few small objects. */
static bool run_inline(struct bulk_checkin *b, uint64_t size_hint)
{
	if (b->pool || b->inline_tasks >= INLINE_TASKS ||
	    b->inline_bytes + size_hint > INLINE_BYTES)
		return false;
	b->inline_tasks++;
	b->inline_bytes += size_hint;
	return true;
}

void bulk_checkin_submit(struct bulk_checkin *b, const struct bulk_checkin_job *job)
{
	struct task *t = xcalloc(1, sizeof(*t));

	t->b = b;
	t->job = *job;
	t->number = b->submitted++;
	strbuf_init(&t->deflated, 0);
	if (run_inline(b, job->size_hint)) {
		run_task(t);
		b->inline_bytes += t->size;
		retire_task(t);
		return;
	}
	if (!b->pool)
		b->pool = workers_new(0, (size_t)os_cpu_count() * TASKS_PER_CPU);
	workers_submit(b->pool, run_task, retire_task, t);
}

int bulk_checkin_drain(struct bulk_checkin *b, struct err *err)
{
	if (b->pool)
		workers_drain(b->pool);
	return failed(b, err);
}

/* ---- streaming ---- */

/* size bytes from fd to the pack and the hash; then there must be no more. */
static int copy_stream(struct bulk_checkin *b, int fd, uint64_t size, const char *path,
		       struct hash_ctx *hash, bool *pack_failed, struct err *err)
{
	unsigned char *buf = xmalloc(STREAM_BYTES);
	uint64_t left = size;
	ssize_t got = 0;
	int rc = 0;

	while (left && !rc) {
		got = read_in_full(fd, buf, left < STREAM_BYTES ? (size_t)left : STREAM_BYTES);
		if (got <= 0)
			break;
		hash_update(hash, buf, (size_t)got);
		rc = pack_writer_stream(open_pack(b), buf, (size_t)got, err);
		*pack_failed = rc < 0;
		left -= (uint64_t)got;
	}
	if (!rc && !left)
		got = read_in_full(fd, buf, 1);
	if (!rc && got < 0)
		rc = err_set_errno(err, "cannot read '%s'", path);
	else if (!rc && (left || got))
		rc = err_set(err, ERR_IO, "'%s' became %s while it was read", path,
			     left ? "shorter" : "longer");
	free(buf);
	return rc;
}

/* The name is known at the end only: what is known already is cut off again. */
static int end_stream(struct bulk_checkin *b, const struct object_id *oid, struct err *err)
{
	struct pack_writer *w = open_pack(b);

	if (is_known(b, oid))
		return pack_writer_stream_cancel(w, err);
	return pack_writer_stream_end(w, oid, err);
}

int bulk_checkin_stream(struct bulk_checkin *b, enum object_type type, int fd,
			uint64_t size, const char *path, struct object_id *oid,
			struct err *err)
{
	char head[OBJECT_HEADER_MAX];
	struct object_id name;
	struct hash_ctx hash;
	bool pack_failed = false;
	int rc = bulk_checkin_drain(b, err);

	if (rc < 0)
		return rc;
	rc = need_pack(b, err);
	if (!rc)
		rc = pack_writer_stream_begin(open_pack(b), type, size, b->o.pack_level, err);
	if (rc < 0)
		return fail(b, rc, err);
	hash_init(&hash, b->o.algo);
	hash_update(&hash, head, (size_t)object_header_format(head, type, size));
	rc = copy_stream(b, fd, size, path, &hash, &pack_failed, err);
	hash_final(&hash, &name);
	hash_release(&hash);
	if (rc < 0) {
		struct err also = ERR_INIT;

		if (pack_writer_stream_cancel(open_pack(b), &also) < 0 || pack_failed)
			fail(b, rc, err);
		err_release(&also);
		return rc;
	}
	rc = end_stream(b, &name, err);
	if (rc < 0)
		return fail(b, rc, err);
	*oid = name;
	return 0;
}

/* ---- reading back ---- */

/* A held object's copy, or where its file is. */
static int read_held(struct bulk_checkin *b, const struct object_id *oid,
		     struct object_buf *out, bool *in_file)
{
	struct held *h = oidmap_get(&b->by_oid, oid);

	*in_file = h && !h->data;
	if (!h || !h->data)
		return ERR_NOT_FOUND;
	out->type = h->type;
	out->size = h->size;
	out->data = xmemdupz(h->data, h->size);
	return 0;
}

static int read_staged(struct bulk_checkin *b, const struct object_id *oid,
		       struct object_buf *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	loose_object_stage_path(&path, tmp_objdir_path(b->dir), oid);
	rc = loose_object_read_file(path.buf, oid, b->o.algo, 0, out, NULL);
	if (rc == ERR_NOT_FOUND) /* published meanwhile */
		rc = loose_object_read(b->objdir, oid, b->o.algo, 0, out, err);
	else if (rc < 0)
		rc = loose_object_read_file(path.buf, oid, b->o.algo, 0, out, err);
	strbuf_release(&path);
	return rc;
}

int bulk_checkin_read(struct bulk_checkin *b, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	struct pack_writer *w = NULL;
	bool in_file;
	int rc;

	pthread_mutex_lock(&b->lock);
	rc = read_held(b, oid, out, &in_file);
	if (rc < 0 && !in_file)
		w = pack_with(b, oid);
	pthread_mutex_unlock(&b->lock);
	if (!rc)
		return 0;
	if (in_file)
		return read_staged(b, oid, out, err);
	if (w)
		return pack_writer_read(w, oid, out, err);
	return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
}

int bulk_checkin_info(struct bulk_checkin *b, const struct object_id *oid,
		      struct object_info *out, struct err *err)
{
	struct pack_writer *w = NULL;
	struct held *h;

	pthread_mutex_lock(&b->lock);
	h = oidmap_get(&b->by_oid, oid);
	if (h)
		*out = (struct object_info){ .type = h->type, .size = h->size,
					     .disk_size = h->disk_size,
					     .delta_base = b->o.algo->null_oid };
	else
		w = pack_with(b, oid);
	pthread_mutex_unlock(&b->lock);
	if (h)
		return 0;
	if (w)
		return pack_writer_info(w, oid, out, err);
	return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
}

size_t bulk_checkin_count(const struct bulk_checkin *b)
{
	size_t nr = b->nr_held;

	for (size_t i = 0; i < b->nr_packs; i++)
		nr += pack_writer_count(b->packs[i]);
	return nr;
}

bool bulk_checkin_has_pack(const struct bulk_checkin *b)
{
	return b->nr_packs > 0;
}

int bulk_checkin_foreach(struct bulk_checkin *b,
			 int (*fn)(void *data, const struct object_id *oid), void *data)
{
	int rc = 0;

	for (size_t i = 0; i < b->nr_held && !rc; i++)
		rc = fn(data, &b->held[i]->oid);
	for (size_t i = 0; i < b->nr_packs && !rc; i++)
		rc = pack_writer_foreach(b->packs[i], fn, data);
	return rc;
}

/* ---- the end ---- */

int bulk_checkin_finish(struct bulk_checkin *b, struct err *err)
{
	int rc = bulk_checkin_drain(b, err);

	if (rc < 0)
		return rc;
	rc = stage_held(b, err);
	if (!rc && b->pack_open)
		rc = pack_writer_finish(open_pack(b), b->o.batch, err);
	if (rc < 0)
		return fail(b, rc, err);
	b->pack_open = false;
	atomic_store(&b->packing, false);
	b->nr_small = 0;
	return 0;
}
