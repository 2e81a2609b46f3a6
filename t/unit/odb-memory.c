/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "odb/stage/object-stage.h"
#include "t/unit/odb-memory.h"
#include "util/alloc.h"

/* A store, or a batch of new objects of one. */
struct memory_source {
	struct odb_source base;
	struct memory_source *target; /* of a batch: the store that gets its objects */
	struct object_buf *objects;
	struct object_id *oids;
	size_t nr, alloc, alloc_oids;
};

static const struct odb_source_ops memory_ops;

static struct memory_source *memory_of(struct odb_source *s)
{
	return (struct memory_source *)s;
}

static struct object_buf *find(struct odb_source *s, const struct object_id *oid)
{
	struct memory_source *m = memory_of(s);

	for (size_t i = 0; i < m->nr; i++)
		if (oid_eq(&m->oids[i], oid))
			return &m->objects[i];
	return NULL;
}

/* Takes over *buf. */
static void put(struct memory_source *m, const struct object_id *oid, struct object_buf *buf)
{
	if (find(&m->base, oid)) {
		object_buf_release(buf);
		return;
	}
	ALLOC_GROW(m->objects, m->nr + 1, m->alloc);
	ALLOC_GROW(m->oids, m->nr + 1, m->alloc_oids);
	m->oids[m->nr] = *oid;
	m->objects[m->nr++] = *buf;
}

static struct memory_source *memory_new(const struct hash_algo *algo, struct memory_source *target)
{
	struct memory_source *m = xcalloc(1, sizeof(*m));

	m->base = (struct odb_source){ &memory_ops, algo };
	m->target = target;
	return m;
}

static void memory_free(struct odb_source *s)
{
	struct memory_source *m = memory_of(s);

	for (size_t i = 0; i < m->nr; i++)
		object_buf_release(&m->objects[i]);
	free(m->objects);
	free(m->oids);
	free(m);
}

/* ---- one object ---- */

static int memory_read(struct odb_source *s, const struct object_id *oid, uint64_t max, struct object_buf *out,
		       struct err *err)
{
	const struct object_buf *found = find(s, oid);

	if (!found)
		return ERR_NOT_FOUND;
	if (max && found->size > max)
		return err_set(err, ERR_TOO_BIG, "object %s has %zu bytes", oid_hex(oid), found->size);
	*out = (struct object_buf){ found->type, xmemdupz(found->data, found->size), found->size };
	return 0;
}

static int memory_info(struct odb_source *s, const struct object_id *oid, unsigned want UNUSED,
		       struct object_info *out, struct err *err UNUSED)
{
	const struct object_buf *found = find(s, oid);

	if (!found)
		return ERR_NOT_FOUND;
	*out = (struct object_info){ found->type, found->size, found->size, s->algo->null_oid };
	return 0;
}

static bool memory_has(struct odb_source *s, const struct object_id *oid, bool quick UNUSED)
{
	return find(s, oid) != NULL;
}

static int memory_stream(struct odb_source *s, const struct object_id *oid, odb_sink_fn sink, void *data,
			 bool *any, struct err *err)
{
	const struct object_buf *found = find(s, oid);

	if (!found)
		return ERR_NOT_FOUND;
	*any = true;
	return sink(data, found->data, found->size, err);
}

static bool memory_freshen(struct odb_source *s, const struct object_id *oid,
			   struct object_adopter *adopter UNUSED, bool dry_run UNUSED)
{
	return find(s, oid) != NULL;
}

/* ---- all objects ---- */

static int memory_foreach(struct odb_source *s, odb_oid_fn fn, void *data, struct err *err UNUSED)
{
	int rc = 0;

	for (size_t i = 0; i < memory_of(s)->nr && rc >= 0; i++)
		rc = fn(data, &memory_of(s)->oids[i]);
	return rc < 0 ? rc : 0;
}

static size_t memory_count(struct odb_source *s)
{
	return memory_of(s)->nr;
}

static int memory_prefix_lookup(struct odb_source *s, const char *hex, size_t len, struct oid_array *out,
				struct err *err UNUSED)
{
	for (size_t i = 0; i < memory_of(s)->nr; i++)
		if (oid_has_hex_prefix(&memory_of(s)->oids[i], hex, len))
			oid_array_append(out, &memory_of(s)->oids[i]);
	return 0;
}

static size_t memory_unique_prefix_len(struct odb_source *s, const struct object_id *oid)
{
	size_t need = 0;

	for (size_t i = 0; i < memory_of(s)->nr; i++) {
		size_t digits = oid_digits_apart(&memory_of(s)->oids[i], oid);

		need = digits > need ? digits : need;
	}
	return need;
}

/* ---- writing ---- */

static int memory_begin_batch(struct odb_source *s, const struct object_stage_options *o UNUSED,
			      struct odb_source **batch, struct err *err UNUSED)
{
	*batch = &memory_new(s->algo, memory_of(s))->base;
	return 0;
}

static int memory_write(struct odb_source *s, enum object_type type, const void *data, size_t size,
			struct object_id *oid, struct err *err UNUSED)
{
	struct object_buf buf = { type, xmemdupz(data, size), size };
	char head[OBJECT_HEADER_MAX];
	struct hash_ctx hash;

	hash_init_checked(&hash, s->algo);
	hash_update(&hash, head, (size_t)object_header_format(head, type, size));
	hash_update(&hash, data, size);
	hash_final(&hash, oid);
	hash_release(&hash);
	put(memory_of(s), oid, &buf);
	return 0;
}

static int memory_stage(struct odb_source *s UNUSED, struct err *err UNUSED)
{
	return 0;
}

static unsigned memory_end_batch(struct odb_source *s, bool publish)
{
	struct memory_source *m = memory_of(s);
	unsigned what = m->nr ? ODB_NEW_OBJECTS : 0;

	for (size_t i = 0; publish && i < m->nr; i++)
		put(m->target, &m->oids[i], &m->objects[i]);
	if (publish)
		m->nr = 0;
	memory_free(s);
	return what;
}

static const struct odb_source_ops memory_ops = {
	.name = "memory",
	.rank = ODB_RANK_INDEXED,
	.free = memory_free,
	.read = memory_read,
	.info = memory_info,
	.has = memory_has,
	.stream = memory_stream,
	.freshen = memory_freshen,
	.foreach = memory_foreach,
	.count = memory_count,
	.prefix_lookup = memory_prefix_lookup,
	.unique_prefix_len = memory_unique_prefix_len,
	.begin_batch = memory_begin_batch,
	.write = memory_write,
	.stage_batch = memory_stage,
	.end_batch = memory_end_batch,
};

struct odb_source *odb_source_memory_new(const struct hash_algo *algo)
{
	return &memory_new(algo, NULL)->base;
}
