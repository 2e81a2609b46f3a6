/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads: only one thread changes it, under `lock`, because others read from it.
 * Memory: objects held take at most HOLD_MAX bytes.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "compat/os.h"
#include "odb/stage/object-stage.h"
#include "fs/tmp-objdir.h"
#include "object-file.h"
#include "pack/pack.h"
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/workers.h"
#include "write-or-die.h"

/* Bytes of content held until it is known whether a pack is worth while. */
#define HOLD_MAX ((uint64_t)32 << 20)
/* Limits of the work done without threads: objects, and bytes. */
#define INLINE_OBJECTS 16
#define INLINE_BYTES ((uint64_t)256 << 10)
#define STREAM_BYTES ((size_t)256 << 10)

/* A new object that is in no pack: in memory, then a staged file. */
struct held {
	struct object_id oid;
	enum object_type type;
	size_t size;
	void *data;	    /* NULL: in the staging directory, or published */
	uint64_t disk_size; /* of that file */
};

struct object_stage {
	struct object_stage_options o;
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
};

struct object_stage *object_stage_new(const struct object_stage_options *opts)
{
	struct object_stage *s = xcalloc(1, sizeof(*s));

	s->o = *opts;
	s->objdir = xstrdup(opts->objdir);
	s->packdir = xstrfmt("%s/pack", opts->objdir);
	s->o.objdir = s->objdir;
	pthread_mutex_init(&s->lock, NULL);
	/* P5: what a killed command left goes even if this one writes nothing. */
	tmp_objdir_reap(s->objdir);
	s->packs_elsewhere = !os_same_mount(s->objdir, s->packdir);
	if (s->packs_elsewhere)
		tmp_objdir_reap(s->packdir);
	return s;
}

void object_stage_keep_loose(struct object_stage *s)
{
	s->o.unpack_limit = 0;
}

void object_stage_set_limits(struct object_stage *s, unsigned unpack_limit, uint64_t pack_size_limit, int pack_level)
{
	s->o.unpack_limit = unpack_limit;
	s->o.pack_size_limit = pack_size_limit;
	s->o.pack_level = pack_level;
}

bool object_stage_is_pending(const struct object_stage *s)
{
	return s->unstaged != s->nr_held || s->pack_open;
}

void object_stage_free(struct object_stage *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_held; i++) {
		free(s->held[i]->data);
		free(s->held[i]);
	}
	for (size_t i = 0; i < s->nr_packs; i++)
		pack_writer_free(s->packs[i]);
	tmp_objdir_destroy(&s->dir);
	tmp_objdir_destroy(&s->dir_of_packs);
	oidmap_clear(&s->by_oid, NULL);
	err_release(&s->failure);
	pthread_mutex_destroy(&s->lock);
	free(s->held);
	free(s->packs);
	free(s->packdir);
	free(s->objdir);
	free(s);
}

/* ---- failure of all of it ---- */

int object_stage_failure(const struct object_stage *s, struct err *err)
{
	if (!s->failure.code)
		return 0;
	return err_set(err, s->failure.code, "%s", err_message(&s->failure));
}

/* Nothing can be added any more; `why` stays with the caller. */
static int fail(struct object_stage *s, int rc, const struct err *why)
{
	err_set(&s->failure, rc, "%s", err_message(why));
	return rc;
}

/* ---- where things go ---- */

static int need_dir(struct object_stage *s, struct err *err)
{
	if (s->dir)
		return 0;
	return tmp_objdir_create(&s->dir, s->objdir, "bulk", s->o.shared_perm, err);
}

static int need_dir_of_packs(struct object_stage *s, const char **path, struct err *err)
{
	struct tmp_objdir **dir = s->packs_elsewhere ? &s->dir_of_packs : &s->dir;
	const char *top = s->packs_elsewhere ? s->packdir : s->objdir;
	int rc = 0;

	if (!*dir)
		rc = tmp_objdir_create(dir, top, "bulk", s->o.shared_perm, err);
	if (!rc)
		*path = tmp_objdir_path(*dir);
	return rc;
}

static struct pack_writer *open_pack(struct object_stage *s)
{
	return s->packs[s->nr_packs - 1];
}

static int finish_pack(struct object_stage *s, struct err *err)
{
	int rc = s->pack_open ? pack_writer_finish(open_pack(s), s->o.batch, err) : 0;

	if (!rc)
		s->pack_open = false;
	return rc;
}

/* An open pack that may grow by so many deflated bytes. */
static int need_pack(struct object_stage *s, uint64_t bytes, struct err *err)
{
	struct pack_writer_options o = {
		.packdir = s->packdir,
		.algo = s->o.algo,
		.shared_perm = s->o.shared_perm,
		.write_rev = true,
	};
	struct pack_writer *w;
	int rc;

	if (s->pack_open && s->o.pack_size_limit &&
	    !pack_writer_has_room(open_pack(s), bytes, s->o.pack_size_limit)) {
		rc = finish_pack(s, err);
		if (rc < 0)
			return rc;
	}
	if (s->pack_open)
		return 0;
	if (!s->nr_packs)
		packs_remove_incomplete(s->packdir);
	rc = need_dir_of_packs(s, &o.dir, err);
	if (rc < 0)
		return rc;
	rc = pack_writer_new(&w, &o, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&s->lock);
	ALLOC_GROW(s->packs, s->nr_packs + 1, s->alloc_packs);
	s->packs[s->nr_packs++] = w;
	pthread_mutex_unlock(&s->lock);
	s->pack_open = true;
	return 0;
}

int object_stage_delta_depth(struct object_stage *s, const struct object_id *oid)
{
	return s->pack_open && atomic_load(&s->packing) ? pack_writer_depth(open_pack(s), oid) : -1;
}

/* Called with the lock held. */
static struct pack_writer *pack_with(struct object_stage *s, const struct object_id *oid)
{
	for (size_t i = 0; i < s->nr_packs; i++)
		if (pack_writer_has(s->packs[i], oid))
			return s->packs[i];
	return NULL;
}

bool object_stage_has(struct object_stage *s, const struct object_id *oid)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = oidmap_contains(&s->by_oid, oid) || pack_with(s, oid);
	pthread_mutex_unlock(&s->lock);
	return has;
}

bool object_stage_knows(struct object_stage *s, const struct object_id *oid)
{
	return object_stage_has(s, oid) || (s->o.exists && s->o.exists(s->o.exists_data, oid));
}

/* ---- held objects: to loose files, or into the pack ---- */

/* Something done to all that are held with their data, in parallel if it pays. */
struct held_work {
	struct object_stage *s;
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
			    w->s->o.pack_level);
}

static int stage_one(struct object_stage *s, struct held *h, struct err *err)
{
	struct strbuf deflated = STRBUF_INIT;
	int rc;

	loose_object_deflate(&deflated, h->type, h->data, h->size, s->o.loose_level);
	rc = loose_object_stage(tmp_objdir_path(s->dir), s->objdir, &h->oid,
				s->o.shared_perm, deflated.buf, deflated.len,
				s->o.batch, err);
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
		int rc = stage_one(w->s, w->held[i], &err);

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
	struct object_stage *s = w->s;
	size_t nr = s->nr_held - s->unstaged;

	w->held = s->held + s->unstaged;
	if (s->held_bytes < INLINE_BYTES && nr < INLINE_OBJECTS)
		fn(w, 0, nr);
	else
		workers_parallel_for(nr, 1, 0, fn, w);
}

static int stage_held(struct object_stage *s, struct err *err)
{
	struct held_work w = { .s = s, .lock = PTHREAD_MUTEX_INITIALIZER };
	int rc;

	if (s->unstaged == s->nr_held)
		return 0;
	rc = need_dir(s, err);
	if (rc < 0)
		return rc;
	for_held(&w, stage_some);
	if (w.rc) {
		err_move(err, &w.err);
		return w.rc;
	}
	pthread_mutex_lock(&s->lock);
	for (; s->unstaged < s->nr_held; s->unstaged++)
		FREE_AND_NULL(s->held[s->unstaged]->data);
	s->held_bytes = 0;
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int add_held_to_pack(struct held_work *w, struct err *err)
{
	size_t nr = w->s->nr_held - w->s->unstaged;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		rc = need_pack(w->s, w->deflated[i].len, err);
		if (!rc)
			rc = pack_writer_add_deflated(open_pack(w->s), &w->held[i]->oid,
						      w->held[i]->type, w->held[i]->size,
						      w->deflated[i].buf, w->deflated[i].len,
						      err);
	}
	return rc;
}

/* From here on small objects go into the pack, the held ones first. */
static int start_packing(struct object_stage *s, struct err *err)
{
	size_t nr = s->nr_held - s->unstaged;
	struct held_work w = { .s = s };
	int rc;

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
	pthread_mutex_lock(&s->lock);
	while (s->nr_held > s->unstaged) {
		struct held *h = s->held[--s->nr_held];

		oidmap_remove(&s->by_oid, &h->oid);
		free(h->data);
		free(h);
	}
	s->held_bytes = 0;
	pthread_mutex_unlock(&s->lock);
	atomic_store(&s->packing, true);
	return 0;
}

/* ---- a new object arrives ---- */

/* 1: it went in as a delta. 0: there is none, or another pack was begun, which lacks the base. */
static int arrive_as_delta(struct object_stage *s, const struct new_object *a, struct err *err)
{
	int rc = a->delta ? need_pack(s, a->delta->deflated->len, err) : 0;

	if (rc < 0 || !a->delta || pack_writer_depth(open_pack(s), a->delta->base) < 0)
		return rc;
	rc = pack_writer_add_delta(open_pack(s), a->oid, a->type, a->size, a->delta, err);
	return rc < 0 ? rc : 1;
}

static int arrive_in_pack(struct object_stage *s, struct new_object *a, struct err *err)
{
	struct strbuf now = STRBUF_INIT;
	const struct strbuf *deflated = a->deflated;
	int rc = arrive_as_delta(s, a, err);

	if (rc)
		return rc < 0 ? rc : 0;
	if (!deflated) {
		deflate_buf(&now, a->data, a->size, s->o.pack_level);
		deflated = &now;
	}
	rc = need_pack(s, deflated->len, err);
	if (!rc)
		rc = pack_writer_add_deflated(open_pack(s), a->oid, a->type, a->size,
					      deflated->buf, deflated->len, err);
	strbuf_release(&now);
	return rc;
}

static void hold(struct object_stage *s, struct new_object *a)
{
	struct held *h = xcalloc(1, sizeof(*h));

	h->oid = *a->oid;
	h->type = a->type;
	h->size = a->size;
	h->data = a->data ? a->data : xmemdupz("", 0); /* NULL means staged */
	a->data = NULL;
	pthread_mutex_lock(&s->lock);
	ALLOC_GROW(s->held, s->nr_held + 1, s->alloc_held);
	s->held[s->nr_held++] = h;
	s->held_bytes += h->size;
	oidmap_put(&s->by_oid, &h->oid, h);
	pthread_mutex_unlock(&s->lock);
}

int object_stage_add(struct object_stage *s, struct new_object *a, struct err *err)
{
	int rc = 0;

	if (object_stage_has(s, a->oid)) /* a second one with the same content */
		return 0;
	s->nr_small++;
	if (atomic_load(&s->packing)) {
		rc = arrive_in_pack(s, a, err);
	} else {
		hold(s, a);
		if (s->o.unpack_limit && s->nr_small >= s->o.unpack_limit)
			rc = start_packing(s, err);
		else if (s->held_bytes > HOLD_MAX)
			rc = stage_held(s, err);
	}
	return rc < 0 ? fail(s, rc, err) : 0;
}

/* ---- streaming ---- */

/* size bytes to the pack and the hash; then there must be no more. */
static int copy_stream(struct object_stage *s, const struct object_stream *in, uint64_t size,
		       struct hash_ctx *hash, struct err *err)
{
	unsigned char *buf = xmalloc(STREAM_BYTES);
	uint64_t left = size;
	size_t got = 0;
	int rc = 0;

	while (left && !rc) {
		rc = in->read(in->data, buf, left < STREAM_BYTES ? (size_t)left : STREAM_BYTES, &got, err);
		if (rc < 0 || !got)
			break;
		hash_update(hash, buf, got);
		rc = pack_writer_stream(open_pack(s), buf, got, err);
		left -= got;
	}
	if (!rc && !left)
		rc = in->read(in->data, buf, 1, &got, err);
	if (!rc && (left || got))
		rc = err_set(err, ERR_IO, "'%s' became %s while it was read", in->path,
			     left ? "shorter" : "longer");
	free(buf);
	return rc;
}

/*
 * The name is known only at the end of the stream. If the object exists already, the pack is cut
 * back to its old length.
 */
static int end_stream(struct object_stage *s, const struct object_id *oid, struct err *err)
{
	struct pack_writer *w = open_pack(s);

	if (object_stage_knows(s, oid))
		return pack_writer_stream_cancel(w, err);
	return pack_writer_stream_end(w, oid, err);
}

int object_stage_stream(struct object_stage *s, enum object_type type,
			const struct object_stream *in, uint64_t size, struct object_id *oid,
			struct err *err)
{
	char head[OBJECT_HEADER_MAX];
	struct object_id name;
	struct hash_ctx hash;
	uint64_t worst_case = size + size / 1000 + 64; /* of what zlib makes of it */
	int rc = object_stage_failure(s, err);

	if (rc < 0)
		return rc;
	rc = need_pack(s, worst_case, err);
	if (!rc)
		rc = pack_writer_stream_begin(open_pack(s), type, size, s->o.pack_level, err);
	if (rc < 0)
		return fail(s, rc, err);
	hash_init_checked(&hash, s->o.algo);
	hash_update(&hash, head, (size_t)object_header_format(head, type, size));
	rc = copy_stream(s, in, size, &hash, err);
	if (hash_final(&hash, &name) && !rc)
		rc = hash_attack(&name, err);
	hash_release(&hash);
	if (rc < 0) {
		struct err also = ERR_INIT;

		if (pack_writer_stream_cancel(open_pack(s), &also) < 0)
			fail(s, rc, err);
		err_release(&also);
		return rc;
	}
	rc = end_stream(s, &name, err);
	if (rc < 0)
		return fail(s, rc, err);
	*oid = name;
	return 0;
}

/* ---- reading back ---- */

/* A held object's copy, or where its file is. */
static int read_held(struct object_stage *s, const struct object_id *oid,
		     struct object_buf *out, bool *in_file)
{
	struct held *h = oidmap_get(&s->by_oid, oid);

	*in_file = h && !h->data;
	if (!h || !h->data)
		return ERR_NOT_FOUND;
	out->type = h->type;
	out->size = h->size;
	out->data = xmemdupz(h->data, h->size);
	return 0;
}

static int read_staged(struct object_stage *s, const struct object_id *oid,
		       struct object_buf *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	loose_object_stage_path(&path, tmp_objdir_path(s->dir), oid);
	rc = loose_object_read_file(path.buf, oid, s->o.algo, 0, out, NULL);
	if (rc == ERR_NOT_FOUND) /* published meanwhile */
		rc = loose_object_read(s->objdir, oid, s->o.algo, 0, out, err);
	else if (rc < 0)
		rc = loose_object_read_file(path.buf, oid, s->o.algo, 0, out, err);
	strbuf_release(&path);
	return rc;
}

int object_stage_read(struct object_stage *s, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	struct pack_writer *w = NULL;
	bool in_file;
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = read_held(s, oid, out, &in_file);
	if (rc < 0 && !in_file)
		w = pack_with(s, oid);
	pthread_mutex_unlock(&s->lock);
	if (!rc)
		return 0;
	if (in_file)
		return read_staged(s, oid, out, err);
	if (w)
		return pack_writer_read(w, oid, out, err);
	return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
}

int object_stage_info(struct object_stage *s, const struct object_id *oid,
		      struct object_info *out, struct err *err)
{
	struct pack_writer *w = NULL;
	struct held *h;

	pthread_mutex_lock(&s->lock);
	h = oidmap_get(&s->by_oid, oid);
	if (h)
		*out = (struct object_info){ .type = h->type, .size = h->size,
					     .disk_size = h->disk_size,
					     .delta_base = s->o.algo->null_oid };
	else
		w = pack_with(s, oid);
	pthread_mutex_unlock(&s->lock);
	if (h)
		return 0;
	if (w)
		return pack_writer_info(w, oid, out, err);
	return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
}

size_t object_stage_count(const struct object_stage *s)
{
	size_t nr = s->nr_held;

	for (size_t i = 0; i < s->nr_packs; i++)
		nr += pack_writer_count(s->packs[i]);
	return nr;
}

bool object_stage_has_pack(const struct object_stage *s)
{
	return s->nr_packs > 0;
}

int object_stage_foreach(struct object_stage *s,
			 int (*fn)(void *data, const struct object_id *oid), void *data)
{
	int rc = 0;

	for (size_t i = 0; i < s->nr_held && !rc; i++)
		rc = fn(data, &s->held[i]->oid);
	for (size_t i = 0; i < s->nr_packs && !rc; i++)
		rc = pack_writer_foreach(s->packs[i], fn, data);
	return rc;
}

/* ---- the end ---- */

bool object_stage_is_packing(const struct object_stage *s)
{
	return atomic_load(&s->packing);
}

int object_stage_all(struct object_stage *s, struct err *err)
{
	int rc = stage_held(s, err);

	if (!rc)
		rc = finish_pack(s, err);
	if (rc < 0)
		return fail(s, rc, err);
	atomic_store(&s->packing, false);
	s->nr_small = 0;
	return 0;
}
