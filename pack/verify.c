/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verifying a pack: checksums of its files, the order of names, then every object in the
 * order of offsets: the crc32 of its entry, and its name by hashing the content.
 *
 * Worker threads process blocks of objects; findings and callbacks come in the order of
 * offsets, in the caller's thread. A block keeps contents for the callback up to a limit, and
 * the others are read again for it.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/progress.h"
#include "util/strvec.h"
#include "util/workers.h"

#define BLOCK_OBJECTS 64
#define BLOCK_PACKED_BYTES ((uint64_t)1024 * 1024)
#define BLOCK_KEEP_BYTES ((size_t)8 * 1024 * 1024)
#define BLOCKS_IN_FLIGHT 8
#define HASH_PIECE ((size_t)4 * 1024 * 1024)

/* Reports and counts failures. */
struct findings {
	void (*bad)(void *data, const char *msg);
	void *data;
	int nr;
};

static void report(struct findings *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void report(struct findings *f, const char *fmt, ...)
{
	va_list ap;

	f->nr++;
	va_start(ap, fmt);
	vreport(f->bad, f->data, fmt, ap);
	va_end(ap);
}

struct verify {
	struct pack *pack;
	struct workers *workers;
	uint32_t *order; /* idx positions by offset */
	int (*object)(void *data, const struct object_id *oid, const struct object_buf *buf);
	void *data; /* of object */
	struct findings found;
	int stop; /* what the callback returned */
};

/* ---- the idx and the order of offsets ---- */

static bool has_valid_sum(const struct mapped_file *map, const struct hash_algo *algo)
{
	struct object_id sum;

	if (map->len < algo->raw_len)
		return false;
	hash_buf(algo, map->p, map->len - algo->raw_len, &sum);
	return !memcmp(sum.hash, map->p + map->len - algo->raw_len, algo->raw_len);
}

static void check_names(struct verify *v)
{
	const struct pack_idx *x = &v->pack->idx;
	uint32_t at = 0;

	for (uint32_t i = 0; i < x->nr; i++) {
		const unsigned char *name = idx_name(x, i);

		if (i && memcmp(idx_name(x, i - 1), name, x->algo->raw_len) >= 0) {
			report(&v->found, "Packfile index for %s: names are out of order at position %u",
			       v->pack->path, i);
			return;
		}
		while (at < 256 && get_be32(x->fanout + 4 * at) <= i)
			at++;
		if (at != name[0]) {
			report(&v->found, "Packfile index for %s: the fan-out does not fit the name at "
			       "position %u", v->pack->path, i);
			return;
		}
	}
}

static void check_offsets(struct verify *v)
{
	struct pack *p = v->pack;
	uint64_t before = 0;

	for (uint32_t i = 0; i < p->idx.nr; i++) {
		uint64_t at = idx_offset(&p->idx, v->order[i]);

		if (i && at == before)
			report(&v->found, "Packfile index for %s: two objects at offset %" PRIu64,
			       p->path, at);
		before = at;
	}
}

/* ---- the checksum of the pack file ---- */

struct pack_sum_check {
	struct verify *v;
	bool ok;
	struct err err;
};

static void hash_pack(void *job)
{
	struct pack_sum_check *w = job;
	struct pack *p = w->v->pack;
	struct window_pin pin;
	struct hash_ctx hash;
	struct object_id sum;
	int rc = 0;

	hash_init(&hash, p->idx.algo);
	for (uint64_t at = 0; at < p->end && !rc;) {
		size_t n;

		rc = window_pin(&pin, p->file, at, 1, &w->err);
		if (rc < 0)
			break;
		n = pin.len < p->end - at ? pin.len : (size_t)(p->end - at);
		if (n > HASH_PIECE)
			n = HASH_PIECE;
		hash_update(&hash, pin.p, n);
		window_unpin(p->file, &pin);
		at += n;
	}
	hash_final(&hash, &sum);
	hash_release(&hash);
	/* Opening has checked that the trailer agrees with the idx. */
	w->ok = !rc && !memcmp(sum.hash, p->idx.pack_sum, p->idx.algo->raw_len);
}

static void pack_sum_done(void *job)
{
	struct pack_sum_check *w = job;

	if (w->err.code)
		report(&w->v->found, "%s", err_message(&w->err));
	else if (!w->ok)
		report(&w->v->found, "%s pack checksum mismatch", w->v->pack->path);
	err_release(&w->err);
	free(w);
}

/* ---- blocks of objects ---- */

struct checked {
	struct object_id oid;
	struct object_buf buf; /* data NULL: not kept */
	bool ok;
};

struct block {
	struct verify *v;
	uint32_t from, nr;
	size_t kept;
	struct strvec bad; /* messages */
	uint32_t bad_at[2 * BLOCK_OBJECTS]; /* the object that each message is about */
	struct checked objects[BLOCK_OBJECTS];
};

static void add_bad(struct block *b, uint32_t i, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void add_bad(struct block *b, uint32_t i, const char *fmt, ...)
{
	va_list ap;
	char *msg;

	va_start(ap, fmt);
	msg = xvstrfmt(fmt, ap);
	va_end(ap);
	b->bad_at[b->bad.nr] = i;
	strvec_push(&b->bad, msg);
	free(msg);
}

int pack_crc(struct pack *p, uint64_t from, uint64_t to, uint32_t *crc, struct err *err)
{
	struct window_pin pin;
	uint32_t sum = 0;

	while (from < to) {
		int rc = window_pin(&pin, p->file, from, 1, err);
		size_t n;

		if (rc < 0)
			return rc;
		n = pin.len < to - from ? pin.len : (size_t)(to - from);
		sum = libdeflate_crc32(sum, pin.p, n);
		window_unpin(p->file, &pin);
		from += n;
	}
	*crc = sum;
	return 0;
}

static int hash_sink(void *data, const void *piece, size_t len, struct err *err)
{
	(void)err;
	hash_update(data, piece, len);
	return 0;
}

/* Hash a big blob in pieces. */
static int hash_stream(struct pack *p, const struct pack_entry *e, struct object_id *out,
		       struct err *err)
{
	char head[OBJECT_HEADER_MAX];
	int len = object_header_format(head, e->type, e->size), rc;
	struct object_id name;
	struct hash_ctx hash;
	bool any;

	hash_init_checked(&hash, p->idx.algo);
	hash_update(&hash, head, (size_t)len);
	rc = pack_entry_stream(p, e, hash_sink, &hash, &any, err);
	if (hash_final(&hash, &name) && !rc)
		rc = hash_attack(&name, err);
	if (!rc)
		*out = name;
	hash_release(&hash);
	return rc;
}

/* Read one object into c->buf and compute its name; of a big blob the name only. */
static int read_and_hash(struct block *b, struct reader *r, uint64_t offset,
			 struct checked *c, struct object_id *name, struct err *err)
{
	struct pack *p = b->v->pack;
	struct pack_entry e;
	int rc = pack_entry_read(p, offset, &e, err);

	if (rc < 0)
		return rc;
	if (e.type == OBJ_BLOB && e.size > PACK_VERIFY_BLOB_KEEP) {
		c->buf.type = OBJ_BLOB;
		c->buf.size = (size_t)e.size;
		return hash_stream(p, &e, name, err);
	}
	rc = pack_read_at(p, r, offset, &c->buf, err);
	if (!rc)
		rc = hash_object_buf(p->idx.algo, object_type_name(c->buf.type), c->buf.data,
				     c->buf.size, name, err);
	return rc;
}

/* Keep the content for the callback if it fits in the block's limit. */
static void keep_or_drop(struct block *b, struct checked *c)
{
	if (!b->v->object || c->buf.size > BLOCK_KEEP_BYTES - b->kept)
		FREE_AND_NULL(c->buf.data);
	else
		b->kept += c->buf.size;
}

static void check_object(struct block *b, struct reader *r, uint32_t i)
{
	struct pack *p = b->v->pack;
	uint32_t order = b->from + i, pos = b->v->order[order], crc = 0;
	uint64_t offset = idx_offset(&p->idx, pos), end = p->end;
	struct checked *c = &b->objects[i];
	struct err err = ERR_INIT;
	struct object_id name;
	int rc = 0;

	oid_from_raw(&c->oid, idx_name(&p->idx, pos), p->idx.algo);
	if (order + 1 < p->idx.nr)
		end = idx_offset(&p->idx, b->v->order[order + 1]);
	if (p->idx.crc && offset < end && end <= p->end) {
		rc = pack_crc(p, offset, end, &crc, &err);
		if (!rc && crc != idx_crc(&p->idx, pos))
			add_bad(b, i, "index CRC mismatch for object %s from %s at offset %" PRIu64,
				oid_hex(&c->oid), p->path, offset);
	}
	if (!rc)
		rc = read_and_hash(b, r, offset, c, &name, &err);
	if (rc < 0)
		add_bad(b, i, "cannot unpack %s from %s at offset %" PRIu64 ": %s",
			oid_hex(&c->oid), p->path, offset, err_message(&err));
	else if (!oid_eq(&name, &c->oid))
		add_bad(b, i, "packed %s from %s is corrupt", oid_hex(&c->oid), p->path);
	else
		c->ok = true;
	keep_or_drop(b, c);
	err_release(&err);
}

static void check_block(void *job)
{
	struct block *b = job;
	struct reader *r = reader_get(b->v->pack->owner);

	for (uint32_t i = 0; i < b->nr; i++)
		check_object(b, r, i);
	reader_put(b->v->pack->owner, r);
}

/* Call the callback for object i; content that was not kept is read again, except big blobs. */
static void call_object(struct verify *v, struct block *b, uint32_t i)
{
	struct checked *c = &b->objects[i];
	struct reader *r;

	if (!v->object || v->stop)
		return;
	if (!c->buf.data && (c->buf.type != OBJ_BLOB || c->buf.size <= PACK_VERIFY_BLOB_KEEP)) {
		struct err err = ERR_INIT;
		uint64_t offset = idx_offset(&v->pack->idx, v->order[b->from + i]);

		r = reader_get(v->pack->owner);
		if (pack_read_at(v->pack, r, offset, &c->buf, &err) < 0)
			report(&v->found, "cannot unpack %s: %s", oid_hex(&c->oid), err_message(&err));
		reader_put(v->pack->owner, r);
		err_release(&err);
		if (!c->buf.data)
			return;
	}
	v->stop = v->object(v->data, &c->oid, &c->buf);
}

static void block_done(void *job)
{
	struct block *b = job;
	struct verify *v = b->v;
	size_t bad = 0;

	for (uint32_t i = 0; i < b->nr; i++) {
		for (; bad < b->bad.nr && b->bad_at[bad] == i; bad++)
			report(&v->found, "%s", b->bad.v[bad]);
		if (b->objects[i].ok)
			call_object(v, b, i);
		free(b->objects[i].buf.data);
	}
	strvec_clear(&b->bad);
	free(b);
}

static void submit_block(struct verify *v, uint32_t from, uint32_t nr)
{
	struct block *b;

	CALLOC_ARRAY(b, 1);
	b->v = v;
	b->from = from;
	b->nr = nr;
	strvec_init(&b->bad);
	workers_submit(v->workers, check_block, block_done, b);
}

static void check_objects(struct verify *v)
{
	const struct pack_idx *x = &v->pack->idx;
	uint32_t from = 0;

	while (from < x->nr && !v->stop) {
		uint64_t start = idx_offset(x, v->order[from]);
		uint32_t n = 1;

		while (n < BLOCK_OBJECTS && from + n < x->nr &&
		       idx_offset(x, v->order[from + n]) - start < BLOCK_PACKED_BYTES)
			n++;
		submit_block(v, from, n);
		from += n;
	}
}

int pack_verify(struct pack *p,
		int (*object)(void *data, const struct object_id *oid, const struct object_buf *buf),
		void (*bad)(void *data, const char *msg), void *data, struct err *err)
{
	struct verify v = { .pack = p, .object = object, .data = data, .found = { bad, data, 0 } };
	struct pack_sum_check *w;
	int rc = pack_open_data(p, err);

	if (rc < 0)
		return rc;
	if (!has_valid_sum(&p->idx.map, p->idx.algo))
		report(&v.found, "Packfile index for %s hash mismatch", p->path);
	check_names(&v);
	v.order = idx_order_by_offset(&p->idx);
	check_offsets(&v);
	v.workers = workers_new(0, BLOCKS_IN_FLIGHT);
	CALLOC_ARRAY(w, 1);
	w->v = &v;
	workers_submit(v.workers, hash_pack, pack_sum_done, w);
	check_objects(&v);
	workers_free(v.workers);
	free(v.order);
	return v.stop < 0 ? v.stop : v.found.nr;
}

/* ---- the multi-pack-index ---- */

struct midx_verify {
	struct packs *packs;
	struct midx *midx;
	const struct midx_verify_options *o; /* NULL when bitmaps are verified */
	struct findings found;
};

static struct progress *midx_meter(const struct midx_verify *v, const char *title, uint64_t total)
{
	return v->o->progress ? v->o->progress(v->o->progress_data, title, total) : NULL;
}

static void find_midx_packs(struct midx_verify *v)
{
	struct pack_set *set = packs_set(v->packs);

	for (size_t i = 0; i < set->nr; i++) {
		char *name = xstrfmt("%s.idx", strrchr(set->all[i]->base, '/') + 1);

		midx_attach(v->midx, name, set->all[i]);
		free(name);
	}
	for (uint32_t id = 0; id < v->midx->nr_packs; id++)
		if (!v->midx->packs[id] || pack_open_idx(v->midx->packs[id], NULL) < 0) {
			report(&v->found, "failed to load pack in position %u", id);
			v->midx->packs[id] = NULL;
		}
}

static void check_order(struct midx_verify *v)
{
	struct name_table t = midx_names(v->midx);
	uint32_t last = v->midx->nr ? v->midx->nr - 1 : 0;
	struct progress *meter = midx_meter(v, "Verifying OID order in multi-pack-index", last);

	for (uint32_t i = 1; i <= last; i++) {
		const unsigned char *name = t.names + (size_t)i * t.raw_len;
		struct object_id oid;

		progress_update(meter, i);
		oid_from_raw(&oid, name, v->midx->algo);
		if (memcmp(name - t.raw_len, name, t.raw_len) >= 0)
			report(&v->found, "oid lookup out of order at oid[%u] = %s", i, oid_hex(&oid));
	}
	progress_stop(&meter);
}

static void check_location(struct midx_verify *v, uint32_t i)
{
	struct name_table t = midx_names(v->midx);
	const unsigned char *name = t.names + (size_t)i * t.raw_len;
	struct object_id oid;
	uint64_t offset, real;
	uint32_t id, pos;

	oid_from_raw(&oid, name, v->midx->algo);
	if (!midx_location(v->midx, i, &id, &offset) || !v->midx->packs[id]) {
		report(&v->found, "failed to load pack entry for oid[%u] = %s", i, oid_hex(&oid));
		return;
	}
	if (!idx_find(&v->midx->packs[id]->idx, name, &pos)) {
		report(&v->found, "failed to load pack entry for oid[%u] = %s", i, oid_hex(&oid));
		return;
	}
	real = idx_offset(&v->midx->packs[id]->idx, pos);
	if (real != offset)
		report(&v->found, "incorrect object offset for oid[%u] = %s: %" PRIx64 " != %" PRIx64,
		       i, oid_hex(&oid), offset, real);
}

static void verify_layer(struct midx_verify *v)
{
	const struct midx *m = v->midx;
	struct progress *meter;

	if (!has_valid_sum(&m->map, m->algo))
		report(&v->found, "incorrect checksum");
	find_midx_packs(v);
	check_order(v);
	meter = midx_meter(v, "Verifying object offsets", m->nr);
	for (uint32_t i = 0; i < m->nr; i++) {
		progress_update(meter, i + 1);
		check_location(v, i);
	}
	progress_stop(&meter);
}

int packs_parse_midx(struct packs *ps, struct err *err)
{
	struct midx *top = NULL;
	struct err why = ERR_INIT;
	int rc = midx_open_dir(&top, ps->dir, ps->opts.algo, &why);

	midx_free(top);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	else
		rc = 0;
	err_release(&why);
	return rc;
}

int packs_verify_midx(struct packs *ps, const struct midx_verify_options *o)
{
	struct midx_verify v = { .packs = ps, .o = o, .found = { o->bad, o->data, 0 } };
	struct err err = ERR_INIT;
	struct midx *top = NULL;
	int rc = midx_open_dir(&top, ps->dir, ps->opts.algo, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		report(&v.found, "%s", err_message(&err));
	for (v.midx = top; v.midx; v.midx = v.midx->base)
		verify_layer(&v);
	midx_free(top);
	err_release(&err);
	return v.found.nr;
}

/* ---- files beside them ---- */

static void compare_order(struct pack *p, const struct mapped_file *map, struct findings *found)
{
	uint32_t *order = idx_order_by_offset(&p->idx);

	for (uint32_t i = 0; i < p->idx.nr; i++) {
		uint32_t pos = get_be32(map->p + REV_HEADER_BYTES + (size_t)i * 4);

		if (pos == order[i])
			continue;
		report(found, "invalid rev-index position at %u of %s.rev: %u != %u", i, p->base, pos, order[i]);
		break;
	}
	free(order);
}

int pack_verify_rev(struct pack *p, void (*bad)(void *data, const char *msg), void *data)
{
	struct findings found = { bad, data, 0 };
	struct mapped_file map = MAPPED_FILE_INIT;
	struct err err = ERR_INIT;
	char *path = xstrfmt("%s.rev", p->base);
	int rc = pack_open_idx(p, &err);

	/* The message about an unreadable index names the pack. */
	if (!rc) {
		rc = mapped_file_open(&map, path, &err);
		if (!rc)
			rc = rev_check_file(&map, p, path, &err);
		if (rc < 0 && rc != ERR_NOT_FOUND)
			report(&found, "%s", err_message(&err));
	}
	if (!rc) {
		if (!has_valid_sum(&map, p->idx.algo))
			report(&found, "Reverse index for %s hash mismatch", p->path);
		compare_order(p, &map, &found);
	}
	mapped_file_release(&map);
	err_release(&err);
	free(path);
	return found.nr;
}

static void verify_bitmap(const char *path, const struct hash_algo *algo, struct findings *found)
{
	struct mapped_file map = MAPPED_FILE_INIT;
	struct err err = ERR_INIT;
	int rc = mapped_file_open(&map, path, &err);

	if (!rc && !has_valid_sum(&map, algo))
		report(found, "bitmap file '%s' has invalid checksum", path);
	else if (rc < 0 && rc != ERR_NOT_FOUND)
		report(found, "%s", err_message(&err));
	mapped_file_release(&map);
	err_release(&err);
}

static int verify_pack_bitmap(void *data, struct pack *p)
{
	struct midx_verify *v = data;
	char *path = xstrfmt("%s.bitmap", p->base);

	verify_bitmap(path, v->packs->opts.algo, &v->found);
	free(path);
	return 0;
}

int packs_verify_bitmaps(struct packs *ps, void (*bad)(void *data, const char *msg), void *data)
{
	struct midx_verify v = { .packs = ps, .found = { bad, data, 0 } };
	struct midx *top = NULL;
	/* packs_verify_midx reports a damaged one. */
	int rc = midx_open_dir(&top, ps->dir, ps->opts.algo, NULL);

	for (const struct midx *m = rc < 0 ? NULL : top; m; m = m->base) {
		char *path = midx_bitmap_path(m);

		verify_bitmap(path, m->algo, &v.found);
		free(path);
	}
	midx_free(top);
	packs_foreach(ps, verify_pack_bitmap, &v);
	return v.found.nr;
}
