/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an object: a task produces its bytes, names them, asks whether they
 * are new and, once small objects go into a pack, deflates them, all in a worker thread.
 * Then it is retired in the submitting thread, in order: it goes to odb/stage/, which
 * holds it in memory or adds it to the pack.
 *
 * Memory: what tasks have in flight is bounded by `in_flight` (the oldest task always
 * goes on).
 */
#include "compat/posix.h"
#include <pthread.h>
#include "bulk-checkin.h"
#include "compat/os.h"
#include "object-file.h"
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/workers.h"
#include "write-or-die.h"

/* Bytes in tasks that have begun; a single one may be larger. */
#define IN_FLIGHT_MAX ((uint64_t)64 << 20)
/* Up to so many objects and so many bytes are handled without threads. */
#define INLINE_TASKS 16
#define INLINE_BYTES ((uint64_t)256 << 10)
#define TASKS_PER_CPU 32
/* Larger versions are not handled by threads, which would have too many bytes in flight. */
#define VERSION_BYTES ((size_t)1 << 20)
#define UNSETTLED_MAX 65536

struct bulk_checkin {
	struct object_stage *stage;
	const struct hash_algo *algo;
	int pack_level;
	struct workers *pool; /* NULL while tasks are run inline */
	unsigned inline_tasks;
	uint64_t inline_bytes;
	pthread_mutex_t gate;
	pthread_cond_t moved;
	uint64_t in_flight, submitted, retired;
	/* Versions that may not be in the stage yet. */
	struct oidset unsettled;
	unsigned nr_unsettled;
};

struct bulk_checkin *bulk_checkin_new(const struct object_stage_options *opts)
{
	struct bulk_checkin *b = xcalloc(1, sizeof(*b));

	b->stage = object_stage_new(opts);
	b->algo = opts->algo;
	b->pack_level = opts->pack_level;
	pthread_mutex_init(&b->gate, NULL);
	pthread_cond_init(&b->moved, NULL);
	return b;
}

void bulk_checkin_keep_loose(struct bulk_checkin *b)
{
	object_stage_keep_loose(b->stage);
}

void bulk_checkin_set_limits(struct bulk_checkin *b, unsigned unpack_limit, uint64_t pack_size_limit, int pack_level)
{
	b->pack_level = pack_level;
	object_stage_set_limits(b->stage, unpack_limit, pack_size_limit, pack_level);
}

void bulk_checkin_abort(struct bulk_checkin *b)
{
	if (!b)
		return;
	workers_free(b->pool);
	oidset_clear(&b->unsettled);
	object_stage_free(b->stage);
	pthread_mutex_destroy(&b->gate);
	pthread_cond_destroy(&b->moved);
	free(b);
}

void bulk_checkin_free(struct bulk_checkin *b)
{
	if (b && (b->submitted != b->retired || object_stage_is_pending(b->stage)))
		BUG("new objects were never staged");
	bulk_checkin_abort(b);
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
		t->rc = hash_object_buf(b->algo, object_type_name(t->type), t->content.data,
					t->size, &t->oid, &t->err);
	}
	if (!t->rc) {
		t->known = object_stage_knows(b->stage, &t->oid);
		if (!t->known && object_stage_is_packing(b->stage)) {
			deflate_buf(&t->deflated, t->content.data, t->size, b->pack_level);
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
	struct new_object a = { .oid = &t->oid, .type = t->type, .size = t->size,
			     .data = t->content.data,
			     .deflated = t->is_deflated ? &t->deflated : NULL };

	if (!t->rc)
		t->rc = object_stage_failure(b->stage, &t->err);
	if (!t->rc && !t->known) {
		t->rc = object_stage_add(b->stage, &a, &t->err);
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

static void start_pool(struct bulk_checkin *b)
{
	if (!b->pool)
		b->pool = workers_new(0, (size_t)os_cpu_count() * TASKS_PER_CPU);
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
	start_pool(b);
	workers_submit(b->pool, run_task, retire_task, t);
}

static void settle(struct bulk_checkin *b)
{
	if (b->pool)
		workers_drain(b->pool);
	if (!b->nr_unsettled) /* other threads may be looking */
		return;
	oidset_clear(&b->unsettled);
	b->nr_unsettled = 0;
}

/* A caller that asks for the object waits for it. */
static void settle_object(struct bulk_checkin *b, const struct object_id *oid)
{
	if (b->nr_unsettled && oidset_contains(&b->unsettled, oid))
		settle(b);
}

int bulk_checkin_drain(struct bulk_checkin *b, struct err *err)
{
	settle(b);
	return object_stage_failure(b->stage, err);
}

/* ---- at once ---- */

int bulk_checkin_add(struct bulk_checkin *b, enum object_type type,
		     const void *data, size_t size, struct object_id *oid,
		     struct err *err)
{
	struct new_object a = { .oid = oid, .type = type, .size = size };
	struct object_id name;
	int rc = bulk_checkin_drain(b, err);

	if (!rc)
		rc = hash_object_buf(b->algo, object_type_name(type), data, size, &name, err);
	if (rc < 0)
		return rc;
	if (!object_stage_knows(b->stage, &name)) {
		a.oid = &name;
		a.data = xmemdupz(data, size);
		rc = object_stage_add(b->stage, &a, err);
		free(a.data);
	}
	if (!rc)
		*oid = name;
	return rc;
}

/* ---- versions ---- */

struct version {
	struct bulk_checkin *b;
	struct bulk_checkin_version v; /* with copies of its own */
	struct object_id oid, base;
	struct strbuf deflated;
	size_t delta_size; /* 0: `deflated` is the whole object */
};

static void deflate_whole(struct version *t)
{
	strbuf_reset(&t->deflated);
	deflate_buf(&t->deflated, t->v.data, t->v.len, t->b->pack_level);
	t->delta_size = 0;
}

/* In a worker thread. Whether the base has too many deltas below it is not known yet; mostly it has not. */
static void prepare_version(void *arg)
{
	struct version *t = arg;

	if (t->v.base)
		t->delta_size = t->v.make_delta(t->v.ctx, &t->v, &t->deflated);
	if (!t->delta_size)
		deflate_whole(t);
}

static bool may_be_delta(const struct version *t)
{
	int depth = t->v.base ? object_stage_delta_depth(t->b->stage, t->v.base) : -1;

	return depth >= 0 && (unsigned long)depth < t->v.depth;
}

/* In the submitting thread, in order. */
static void store_version(void *arg)
{
	struct version *t = arg;
	struct pack_delta delta = { .base = t->v.base, .deflated = &t->deflated };
	struct new_object a = { .oid = &t->oid, .type = t->v.type, .size = t->v.len, .data = (void *)t->v.data };
	struct err err = ERR_INIT;
	bool tried = may_be_delta(t);

	if (!tried && t->delta_size)
		deflate_whole(t);
	delta.size = t->delta_size;
	if (t->delta_size)
		a.delta = &delta;
	else
		a.deflated = &t->deflated;
	if (!object_stage_failure(t->b->stage, NULL) && !object_stage_add(t->b->stage, &a, &err))
		t->v.stored(t->v.ctx, t->v.type, tried, t->delta_size > 0);
	err_release(&err); /* the stage keeps it */
	free(a.data);
	free((void *)t->v.base_data);
	strbuf_release(&t->deflated);
	free(t);
}

static void submit_version(struct bulk_checkin *b, const struct bulk_checkin_version *v, const struct object_id *oid)
{
	struct version *t = xcalloc(1, sizeof(*t));

	t->b = b;
	t->v = *v;
	t->oid = *oid;
	strbuf_init(&t->deflated, 0);
	t->v.data = xmemdupz(v->data, v->len);
	if (v->base) {
		t->base = *v->base;
		t->v.base = &t->base;
		t->v.base_data = xmemdup(v->base_data, v->base_len);
	}
	if (v->len > VERSION_BYTES || v->base_len > VERSION_BYTES) {
		settle(b);
		prepare_version(t);
		store_version(t);
		return;
	}
	start_pool(b);
	oidset_insert(&b->unsettled, oid);
	if (++b->nr_unsettled == UNSETTLED_MAX)
		settle(b);
	workers_submit(b->pool, prepare_version, store_version, t);
}

int bulk_checkin_add_version(struct bulk_checkin *b, const struct bulk_checkin_version *v, struct object_id *oid,
			     struct err *err)
{
	struct new_object a = { .oid = oid, .type = v->type, .size = v->len };
	int rc = hash_object_buf(b->algo, object_type_name(v->type), v->data, v->len, oid, err);

	if (!rc)
		rc = object_stage_failure(b->stage, err);
	if (rc < 0 || oidset_contains(&b->unsettled, oid) || object_stage_knows(b->stage, oid))
		return rc;
	if (object_stage_is_packing(b->stage)) {
		submit_version(b, v, oid);
		return 1;
	}
	rc = bulk_checkin_drain(b, err);
	a.data = xmemdupz(v->data, v->len);
	if (!rc)
		rc = object_stage_add(b->stage, &a, err);
	free(a.data);
	if (!rc)
		v->stored(v->ctx, v->type, false, false);
	return rc < 0 ? rc : 1;
}

int bulk_checkin_stream_from(struct bulk_checkin *b, enum object_type type,
			     const struct object_stream *in, uint64_t size,
			     struct object_id *oid, struct err *err)
{
	int rc = bulk_checkin_drain(b, err);

	return rc < 0 ? rc : object_stage_stream(b->stage, type, in, size, oid, err);
}

struct file_stream {
	int fd;
	const char *path;
};

static int read_piece(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	const struct file_stream *f = data;
	ssize_t n = read_in_full(f->fd, buf, len);

	if (n < 0)
		return err_set_errno(err, "cannot read '%s'", f->path);
	*got = (size_t)n;
	return 0;
}

int bulk_checkin_stream(struct bulk_checkin *b, enum object_type type, int fd,
			uint64_t size, const char *path, struct object_id *oid,
			struct err *err)
{
	struct file_stream f = { fd, path };
	const struct object_stream in = { read_piece, &f, path };

	return bulk_checkin_stream_from(b, type, &in, size, oid, err);
}

int bulk_checkin_finish(struct bulk_checkin *b, struct err *err)
{
	int rc = bulk_checkin_drain(b, err);

	return rc < 0 ? rc : object_stage_all(b->stage, err);
}

/* ---- reading back ---- */

bool bulk_checkin_has(struct bulk_checkin *b, const struct object_id *oid)
{
	settle_object(b, oid);
	return object_stage_has(b->stage, oid);
}

int bulk_checkin_read(struct bulk_checkin *b, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	settle_object(b, oid);
	return object_stage_read(b->stage, oid, out, err);
}

int bulk_checkin_info(struct bulk_checkin *b, const struct object_id *oid,
		      struct object_info *out, struct err *err)
{
	settle_object(b, oid);
	return object_stage_info(b->stage, oid, out, err);
}

size_t bulk_checkin_count(struct bulk_checkin *b)
{
	settle(b);
	return object_stage_count(b->stage);
}

bool bulk_checkin_has_pack(struct bulk_checkin *b)
{
	settle(b);
	return object_stage_has_pack(b->stage);
}

int bulk_checkin_foreach(struct bulk_checkin *b,
			 int (*fn)(void *data, const struct object_id *oid), void *data)
{
	settle(b);
	return object_stage_foreach(b->stage, fn, data);
}
