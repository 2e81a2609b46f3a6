/* SPDX-License-Identifier: GPL-2.0-only */
/* The packs of one object directory: a thin layer over pack/, which does the work. */
#include "compat/posix.h"
#include "odb/source.h"
#include "pack/pack.h"
#include "util/alloc.h"

struct packs_source {
	struct odb_source base;
	const char *objdir;
	struct packs *packs;
};

static struct packs *source_packs_packs_of(struct odb_source *s)
{
	return ((struct packs_source *)s)->packs;
}

/* ---- one object ---- */

/* The header says the size, before the content is in memory. */
static int source_packs_check_size(struct packs *packs, const struct object_id *oid, uint64_t max,
				   struct err *err)
{
	enum object_type type;
	uint64_t size;
	int rc = packs_type(packs, oid, &type, &size, err);

	if (!rc && size > max)
		rc = err_set(err, ERR_TOO_BIG, "object %s has %" PRIu64 " bytes", oid_hex(oid), size);
	return rc;
}

static int packed_read(struct odb_source *s, const struct object_id *oid, uint64_t max, struct object_buf *out,
		       struct err *err)
{
	int rc = max ? source_packs_check_size(source_packs_packs_of(s), oid, max, err) : 0;

	return rc ? rc : packs_read(source_packs_packs_of(s), oid, out, err);
}

static int packed_info(struct odb_source *s, const struct object_id *oid, unsigned want,
		       struct object_info *out, struct err *err)
{
	return want & OBJECT_INFO_LOCATION ? packs_info(source_packs_packs_of(s), oid, out, err) :
	       packs_type(source_packs_packs_of(s), oid, &out->type, &out->size, err);
}

static bool packed_has(struct odb_source *s, const struct object_id *oid, bool quick UNUSED)
{
	return packs_has(source_packs_packs_of(s), oid);
}

struct hashing {
	odb_sink_fn sink;
	void *data;
	bool *any;
	struct hash_ctx hash;
};

static int hash_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct hashing *h = data;

	*h->any = true;
	hash_update(&h->hash, p, len);
	return h->sink(h->data, p, len, err);
}

static int packed_stream(struct odb_source *s, const struct object_id *oid, odb_sink_fn sink, void *data,
			 bool *any, struct err *err)
{
	struct hashing h = { .sink = sink, .data = data, .any = any };
	char head[OBJECT_HEADER_MAX];
	struct object_id actual;
	enum object_type type;
	uint64_t size;
	int rc = packs_type(source_packs_packs_of(s), oid, &type, &size, err);

	if (rc < 0)
		return rc;
	hash_init_checked(&h.hash, s->algo);
	hash_update(&h.hash, head, (size_t)object_header_format(head, type, size));
	rc = packs_stream(source_packs_packs_of(s), oid, hash_piece, &h, err);
	if (hash_final(&h.hash, &actual) && !rc)
		rc = hash_attack(&actual, err);
	hash_release(&h.hash);
	if (!rc && !oid_eq(&actual, oid))
		rc = err_set(err, ERR_CORRUPT, "packed object %s in '%s/pack' is corrupt: hash mismatch",
			     oid_hex(oid), ((struct packs_source *)s)->objdir);
	return rc;
}

/* The files of packs are adopted elsewhere (pack_file_adopt): the adopter is for loose ones. */
static bool packed_freshen(struct odb_source *s, const struct object_id *oid,
			   struct object_adopter *adopter UNUSED, bool dry_run)
{
	return dry_run ? packs_can_touch(source_packs_packs_of(s),
					 oid) : packs_touch(source_packs_packs_of(s), oid);
}

/* ---- all objects ---- */

static int packed_foreach(struct odb_source *s, odb_oid_fn fn, void *data, struct err *err)
{
	return packs_foreach_object(source_packs_packs_of(s), false, fn, data, err);
}

static int packed_foreach_new(struct odb_source *s, unsigned want, struct oidset *seen, bool more,
			      odb_info_fn fn, void *data)
{
	return packs_foreach_new(source_packs_packs_of(s), want, seen, more, fn, data);
}

static size_t packed_count(struct odb_source *s)
{
	return packs_object_count(source_packs_packs_of(s));
}

static int packed_prefix_lookup(struct odb_source *s, const char *hex, size_t len, struct oid_array *out,
				struct err *err)
{
	return packs_prefix_lookup(source_packs_packs_of(s), hex, len, out, err);
}

static size_t packed_unique_prefix_len(struct odb_source *s, const struct object_id *oid)
{
	return packs_unique_prefix_len(source_packs_packs_of(s), oid);
}

/* ---- changes ---- */

static bool packed_refresh(struct odb_source *s)
{
	return packs_reprepare(source_packs_packs_of(s));
}

static void packed_objects_added(struct odb_source *s, unsigned what)
{
	if (what & ODB_NEW_PACK)
		packs_reprepare(source_packs_packs_of(s));
}

static void packed_drop_cache(struct odb_source *s)
{
	packs_drop_cache(source_packs_packs_of(s));
}

static void packed_free(struct odb_source *s)
{
	packs_free(source_packs_packs_of(s));
	free(s);
}

static const struct odb_source_ops packs_ops = {
	.name = "packs",
	.rank = ODB_RANK_INDEXED,
	.free = packed_free,
	.read = packed_read,
	.info = packed_info,
	.has = packed_has,
	.stream = packed_stream,
	.freshen = packed_freshen,
	.foreach = packed_foreach,
	.foreach_new = packed_foreach_new,
	.count = packed_count,
	.prefix_lookup = packed_prefix_lookup,
	.unique_prefix_len = packed_unique_prefix_len,
	.refresh = packed_refresh,
	.objects_added = packed_objects_added,
	.drop_cache = packed_drop_cache,
	.packs = source_packs_packs_of,
};

struct odb_source *odb_source_packs_new(const struct packs_options *o)
{
	struct packs_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct odb_source){ &packs_ops, o->algo };
	s->objdir = o->objdir;
	s->packs = packs_new(o);
	return &s->base;
}
