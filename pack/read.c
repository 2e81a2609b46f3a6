/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading one object from a pack. The chain of deltas is followed to an object that is not a
 * delta (or is in the cache), then the deltas are applied in reverse order, without recursion.
 * If an entry of the chain is corrupt, its object is read from another pack or store, and
 * the remaining deltas are applied to that.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

struct chain {
	struct pack *pack;
	struct reader *reader;
	struct pack_entry *links; /* deltas, beginning with the requested object */
	size_t nr, alloc;
	/* Cycles are possible with ref-deltas. One offset is remembered, at distances that
	 * double, so that it is met again within two rounds of a cycle. */
	uint64_t mark;
	size_t mark_at;
	struct pack_entry few[8];
};

static void chain_init(struct chain *c, struct pack *p, struct reader *r)
{
	c->pack = p;
	c->reader = r;
	c->links = c->few;
	c->alloc = ARRAY_SIZE(c->few);
	c->nr = 0;
	c->mark = 0;
	c->mark_at = 1;
}

static void chain_release(struct chain *c)
{
	if (c->links != c->few)
		free(c->links);
}

static void chain_push(struct chain *c, const struct pack_entry *e)
{
	if (c->nr == c->alloc) {
		struct pack_entry *more;

		ALLOC_ARRAY(more, c->alloc * 4);
		memcpy(more, c->links, c->nr * sizeof(*more));
		chain_release(c);
		c->links = more;
		c->alloc *= 4;
	}
	c->links[c->nr++] = *e;
}

static bool is_cycle(struct chain *c, uint64_t offset)
{
	if (offset == c->mark)
		return true;
	if (c->nr == c->mark_at) {
		c->mark = offset;
		c->mark_at *= 2;
	}
	return false;
}

static bool is_delta(const struct pack_entry *e)
{
	return e->type == OBJ_OFS_DELTA || e->type == OBJ_REF_DELTA;
}

static int read_entry(struct chain *c, uint64_t offset, struct pack_entry *e, struct err *err)
{
	if (is_cycle(c, offset))
		return err_set(err, ERR_CORRUPT, "deltas form a cycle at offset %" PRIu64
			       " of '%s'", offset, c->pack->path);
	/* The requested object itself is read even if it is marked. */
	if (c->nr && pack_is_marked_bad(c->pack, offset))
		return err_set(err, ERR_CORRUPT, "corrupt object at offset %" PRIu64 " of '%s'",
			       offset, c->pack->path);
	return pack_entry_read(c->pack, offset, e, err);
}

/* ---- another copy ---- */

/* Gets an object's content or type from another pack or store. */
typedef int (*elsewhere_fn)(struct chain *c, const struct object_id *oid, void *out,
			    struct err *err);

static int base_from_elsewhere(struct chain *c, const struct object_id *oid, void *out,
			       struct err *err)
{
	struct packs *ps = c->pack->owner;
	struct base_object *base;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err why = ERR_INIT;
	int rc;

	rc = ps->read_elsewhere(ps, c->pack, oid, &buf, &why);
	if (rc == ERR_NOT_FOUND)
		rc = err_set(err, ERR_CORRUPT, "delta base %s is missing", oid_hex(oid));
	err_move(err, &why);
	err_release(&why);
	if (rc < 0)
		return rc;
	base = base_object_new(buf.type, buf.data, buf.size);
	base->borrowed = true;
	*(struct base_object **)out = base;
	return 0;
}

static int type_from_elsewhere(struct chain *c, const struct object_id *oid, void *out,
			       struct err *err)
{
	struct packs *ps = c->pack->owner;
	struct object_info info;
	int rc = ps->info_elsewhere(ps, c->pack, oid, &info, err);

	if (!rc)
		*(enum object_type *)out = info.type;
	return rc;
}

/*
 * The object at `offset` cannot be read from this pack. Get it from elsewhere; if that fails,
 * the object whose base it is, and so on. On success the remaining links apply to *out. The
 * requested object itself is not tried: that is up to the caller. The error is that of the
 * first failure.
 */
static int replace_corrupt(struct chain *c, uint64_t offset, elsewhere_fn from_elsewhere,
			   void *out, struct err *why)
{
	struct object_id oid;

	for (; c->nr; offset = c->links[--c->nr].offset) {
		bool news = pack_mark_bad(c->pack, offset);

		if (pack_offset_to_oid(c->pack, offset, &oid, NULL) < 0 ||
		    from_elsewhere(c, &oid, out, NULL) < 0)
			continue;
		if (news)
			packs_warn(c->pack->owner, "delta base %s is corrupt (%s); another copy "
				   "is used", oid_hex(&oid), err_message(why));
		err_release(why);
		return 0;
	}
	return why->code;
}

/* ---- the chain of deltas ---- */

/* Read one entry: *next is the offset of its base, or *out is the end of the chain. */
static int push_entry(struct chain *c, uint64_t offset, uint64_t *next,
		      struct base_object **out, struct err *err)
{
	struct pack_entry e;
	void *data;
	int rc;

	*out = base_cache_get(c->pack->owner->cache, c->pack, offset);
	if (*out)
		return 0;
	rc = read_entry(c, offset, &e, err);
	if (rc < 0)
		return rc;
	if (!is_delta(&e)) {
		rc = pack_entry_inflate(c->pack, c->reader, &e, &data, err);
		if (!rc)
			*out = base_object_new(e.type, data, (size_t)e.size);
		return rc;
	}
	if (!e.base_offset) {
		rc = base_from_elsewhere(c, &e.base_oid, out, err);
		if (rc < 0)
			return rc;
	}
	chain_push(c, &e);
	*next = e.base_offset;
	return 0;
}

static int push_chain(struct chain *c, uint64_t offset, struct base_object **out,
		      struct err *err)
{
	uint64_t next = 0;
	int rc;

	*out = NULL;
	for (;;) {
		rc = push_entry(c, offset, &next, out, err);
		if (rc < 0 || *out)
			break;
		offset = next;
	}
	return is_damage(rc) ? replace_corrupt(c, offset, base_from_elsewhere, out, err) : rc;
}

static int apply_delta_to_base(struct chain *c, const struct pack_entry *e, const struct base_object *base,
			       struct base_object **out, struct err *err)
{
	uint64_t max = c->pack->owner->max_object_bytes;
	void *delta, *data;
	size_t size;
	int rc = pack_entry_inflate(c->pack, c->reader, e, &delta, err);

	if (rc < 0)
		return rc;
	rc = delta_apply(base->data, base->size, delta, (size_t)e->size,
			 max < SIZE_MAX ? (size_t)max : SIZE_MAX - 1, &data, &size, err);
	free(delta);
	if (!rc)
		*out = base_object_new(base->type, data, size);
	else
		err_prefix(err, "'%s', offset %" PRIu64, c->pack->path, e->offset);
	return rc;
}

static int apply_chain(struct chain *c, struct base_object **object, struct err *err)
{
	struct base_object *base = *object, *made;
	int rc = 0;

	while (!rc && c->nr) {
		struct pack_entry e = c->links[--c->nr];

		/* A borrowed base is not the content at that offset: not for the cache. */
		if (e.base_offset && !base->borrowed)
			base_cache_add(c->pack->owner->cache, c->pack, e.base_offset, base);
		rc = apply_delta_to_base(c, &e, base, &made, err);
		base_object_put(base);
		base = NULL;
		if (!rc)
			base = made;
		else if (rc == ERR_CORRUPT)
			rc = replace_corrupt(c, e.offset, base_from_elsewhere, &base, err);
	}
	*object = base;
	return rc;
}

int pack_read_at(struct pack *p, struct reader *r, uint64_t offset, struct object_buf *out,
		 struct err *err)
{
	struct err why = ERR_INIT;
	struct base_object *object = NULL;
	struct object_buf buf;
	struct chain c;
	int rc;

	chain_init(&c, p, r);
	rc = push_chain(&c, offset, &object, &why);
	if (!rc)
		rc = apply_chain(&c, &object, &why);
	chain_release(&c);
	if (!rc) {
		buf.type = object->type;
		buf.size = object->size;
		buf.data = base_object_detach(object);
		if (buf.data)
			*out = buf;
		else
			rc = err_set(&why, ERR_TOO_BIG, "no memory for an object of %zu bytes",
				     buf.size);
	}
	err_move(err, &why);
	err_release(&why);
	return rc;
}

/* ---- type and size ---- */

/* Packs that Git makes with its defaults have chains of up to 50 deltas. */
#define UNREMEMBERED_LINKS_MAX 50

int pack_delta_size(struct pack *p, struct reader *r, const struct pack_entry *e, uint64_t *size,
		    struct err *err)
{
	unsigned char head[PACK_PEEK_MAX];
	const unsigned char *at = head;
	uint64_t base_size;
	size_t got;
	int rc = pack_entry_peek(p, r, e, head, &got, err);

	if (rc < 0)
		return rc;
	if (delta_read_size(&at, head + got, &base_size) < 0 ||
	    delta_read_size(&at, head + got, size) < 0)
		return err_set(err, ERR_CORRUPT, "delta at offset %" PRIu64
			       " of '%s' has no valid sizes", e->offset, p->path);
	return 0;
}

static bool knows_type(struct pack *p, uint64_t offset, enum object_type *type)
{
	struct base_object *b;

	if (pack_type_get(p, offset, type))
		return true;
	b = base_cache_get(p->owner->cache, p, offset);
	if (b)
		*type = b->type;
	base_object_put(b);
	return b;
}

/* Follow the chain of e, a delta, for the type only. */
static int chain_type(struct chain *c, struct pack_entry e, enum object_type *type,
		      struct err *err)
{
	struct err why = ERR_INIT;
	uint64_t at = e.offset;
	int rc = 0;

	while (!rc && is_delta(&e)) {
		if (!e.base_offset) {
			rc = type_from_elsewhere(c, &e.base_oid, &e.type, &why);
			continue;
		}
		chain_push(c, &e);
		at = e.base_offset;
		if (!knows_type(c->pack, at, &e.type))
			rc = read_entry(c, at, &e, &why);
	}
	atomic_fetch_add_explicit(&c->pack->owner->type_steps, c->nr, memory_order_relaxed);
	if (is_damage(rc))
		rc = replace_corrupt(c, at, type_from_elsewhere, &e.type, &why);
	if (!rc) {
		*type = e.type;
		for (size_t i = 0; i < c->nr && c->nr > UNREMEMBERED_LINKS_MAX; i++)
			pack_type_put(c->pack, c->links[i].offset, e.type);
	}
	err_move(err, &why);
	err_release(&why);
	return rc;
}

/* 1: it is a delta, *base is set; 0: it is none. */
static int base_of(struct pack *p, const struct pack_entry *e, struct object_id *base,
		   struct err *err)
{
	int rc;

	if (!is_delta(e))
		return 0;
	if (e->type == OBJ_REF_DELTA) {
		*base = e->base_oid;
		return 1;
	}
	rc = pack_offset_to_oid(p, e->base_offset, base, err);
	return rc < 0 ? rc : 1;
}

int pack_delta_base(struct pack *p, uint64_t offset, struct object_id *base, struct err *err)
{
	struct pack_entry e;
	int rc = pack_open_data(p, err);

	if (!rc)
		rc = pack_entry_read(p, offset, &e, err);
	return rc < 0 ? rc : base_of(p, &e, base, err);
}

static int add_location(struct pack *p, const struct pack_entry *e, struct object_info *info,
			struct err *err)
{
	uint64_t end;
	uint32_t pos;
	int rc = pack_locate(p, e->offset, &pos, &end, err);

	if (rc < 0)
		return rc;
	info->disk_size = end - e->offset;
	rc = base_of(p, e, &info->delta_base, err);
	return rc < 0 ? rc : 0;
}

int pack_info_at(struct pack *p, struct reader *r, uint64_t offset, unsigned flags,
		 struct object_info *out, struct err *err)
{
	struct object_info info = { .delta_base = p->idx.algo->null_oid };
	struct pack_entry e;
	struct chain c;
	int rc = pack_entry_read(p, offset, &e, err);

	if (rc < 0)
		return rc;
	info.type = e.type;
	info.size = e.size;
	chain_init(&c, p, NULL);
	if (is_delta(&e)) {
		rc = pack_delta_size(p, r, &e, &info.size, err);
		if (!rc)
			rc = chain_type(&c, e, &info.type, err);
	}
	chain_release(&c);
	if (!rc && (flags & INFO_LOCATION))
		rc = add_location(p, &e, &info, err);
	if (!rc)
		*out = info;
	return rc;
}
