/* SPDX-License-Identifier: GPL-2.0-only */
/* New objects that are not published yet: a thin layer over bulk-checkin.c, which does the work. */
#include "compat/posix.h"
#include "bulk-checkin.h"
#include "odb/source.h"
#include "util/alloc.h"

struct batch_source {
	struct odb_source base;
	struct bulk_checkin *checkin;
};

static struct bulk_checkin *checkin_of(struct odb_source *s)
{
	return ((struct batch_source *)s)->checkin;
}

/* ---- one object ---- */

static int source_batch_check_size(struct odb_source *s, const struct object_id *oid, uint64_t max,
				   struct err *err)
{
	struct object_info info;
	int rc = bulk_checkin_info(checkin_of(s), oid, &info, err);

	if (!rc && info.size > max)
		rc = err_set(err, ERR_TOO_BIG, "object %s has %" PRIu64 " bytes", oid_hex(oid), info.size);
	return rc;
}

static int batch_read(struct odb_source *s, const struct object_id *oid, uint64_t max, struct object_buf *out,
		      struct err *err)
{
	int rc = max ? source_batch_check_size(s, oid, max, err) : 0;

	return rc ? rc : bulk_checkin_read(checkin_of(s), oid, out, err);
}

static int batch_info(struct odb_source *s, const struct object_id *oid, unsigned want UNUSED,
		      struct object_info *out, struct err *err)
{
	return bulk_checkin_info(checkin_of(s), oid, out, err);
}

static bool batch_has(struct odb_source *s, const struct object_id *oid, bool quick UNUSED)
{
	return bulk_checkin_has(checkin_of(s), oid);
}

static int batch_stream(struct odb_source *s, const struct object_id *oid, odb_sink_fn sink, void *data,
			bool *any, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = bulk_checkin_read(checkin_of(s), oid, &buf, err);

	if (rc < 0)
		return rc;
	*any = true;
	rc = sink(data, buf.data, buf.size, err);
	object_buf_release(&buf);
	return rc;
}

/* They get the time of their publication. */
static bool batch_freshen(struct odb_source *s, const struct object_id *oid,
			  struct object_adopter *adopter UNUSED, bool dry_run UNUSED)
{
	return bulk_checkin_has(checkin_of(s), oid);
}

/* ---- all objects ---- */

static int batch_foreach(struct odb_source *s, odb_oid_fn fn, void *data, struct err *err UNUSED)
{
	return bulk_checkin_foreach(checkin_of(s), fn, data);
}

static size_t batch_count(struct odb_source *s)
{
	return bulk_checkin_count(checkin_of(s));
}

struct prefix {
	const char *hex;
	size_t len;
	struct oid_array *out;
};

static int add_if_prefix(void *data, const struct object_id *oid)
{
	const struct prefix *p = data;

	if (oid_has_hex_prefix(oid, p->hex, p->len))
		oid_array_append(p->out, oid);
	return 0;
}

static int batch_prefix_lookup(struct odb_source *s, const char *hex, size_t len, struct oid_array *out,
			       struct err *err UNUSED)
{
	struct prefix p = { hex, len, out };

	return bulk_checkin_foreach(checkin_of(s), add_if_prefix, &p);
}

struct neighbour {
	const struct object_id *oid;
	size_t need;
};

static int compare_neighbour(void *data, const struct object_id *oid)
{
	struct neighbour *n = data;
	size_t digits = oid_digits_apart(oid, n->oid);

	if (digits > n->need)
		n->need = digits;
	return 0;
}

static size_t batch_unique_prefix_len(struct odb_source *s, const struct object_id *oid)
{
	struct neighbour n = { oid, 0 };

	bulk_checkin_foreach(checkin_of(s), compare_neighbour, &n);
	return n.need;
}

/* ---- writing ---- */

static int batch_write(struct odb_source *s, enum object_type type, const void *data, size_t size,
		       struct object_id *oid, struct err *err)
{
	return bulk_checkin_add(checkin_of(s), type, data, size, oid, err);
}

static int batch_stage(struct odb_source *s, struct err *err)
{
	return bulk_checkin_finish(checkin_of(s), err);
}

static unsigned batch_end(struct odb_source *s, bool publish)
{
	struct bulk_checkin *b = checkin_of(s);
	unsigned what = (bulk_checkin_count(b) ? ODB_NEW_OBJECTS : 0) |
			(bulk_checkin_has_pack(b) ? ODB_NEW_PACK : 0);

	if (publish)
		bulk_checkin_free(b);
	else
		bulk_checkin_abort(b);
	free(s);
	return what;
}

static void batch_free(struct odb_source *s)
{
	batch_end(s, false);
}

static const struct odb_source_ops batch_ops = {
	.name = "batch",
	.rank = ODB_RANK_INDEXED,
	.free = batch_free,
	.read = batch_read,
	.info = batch_info,
	.has = batch_has,
	.stream = batch_stream,
	.freshen = batch_freshen,
	.foreach = batch_foreach,
	.count = batch_count,
	.prefix_lookup = batch_prefix_lookup,
	.unique_prefix_len = batch_unique_prefix_len,
	.write = batch_write,
	.stage_batch = batch_stage,
	.end_batch = batch_end,
	.checkin = checkin_of,
};

struct odb_source *odb_source_batch_new(const struct object_stage_options *o)
{
	struct batch_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct odb_source){ &batch_ops, o->algo };
	s->checkin = bulk_checkin_new(o);
	return &s->base;
}
