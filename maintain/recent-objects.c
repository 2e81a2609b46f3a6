/* SPDX-License-Identifier: GPL-2.0-only */
/* See young.h. */
#include "compat/posix.h"
#include "maintain/recent-objects.h"
#include "history/revision/objects.h"
#include "maintain/root-lists.h"
#include "odb/odb.h"
#include "pack/write/mtimes.h"
#include "util/alloc.h"

struct search {
	struct oidset *out;
	struct repository *r;
	struct rev_walk *w;
	timestamp_t since;
	uint32_t pack_time;
	bool (*is_safe)(void *data, const struct object_id *oid);
	bool (*is_closed)(void *data, const struct object_id *oid);
	void *data;
	struct err *err;
};

/* ---- the recent objects themselves ---- */

static int add(struct search *s, const struct object_id *oid)
{
	/* A safe object can lead to objects that are not safe. */
	if (!s->is_closed(s->data, oid) && (s->is_safe(s->data, oid) || oidset_insert(s->out, oid)))
		rev_walk_add_commit(s->w, oid, oid_hex(oid), 0);
	return 0;
}

static int add_packed(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct search *s = data;

	return (mtime > s->pack_time ? mtime : s->pack_time) >= s->since ? add(s, oid) : 0;
}

static int recent_objects_add_pack(void *data, struct pack *p)
{
	struct search *s = data;

	s->pack_time = pack_time(p);
	return pack_foreach_mtime(p, add_packed, s, s->err);
}

static int add_loose(void *data, const struct object_id *oid)
{
	struct search *s = data;
	const char *hex = oid_hex(oid);
	char *path = xstrfmt("%s/%.2s/%s", odb_objdir(s->r->odb), hex, hex + 2);
	struct stat st;

	if (!stat(path, &st) && st.st_mtime >= 0 && (timestamp_t)st.st_mtime >= s->since)
		add(s, oid);
	free(path);
	return 0;
}

static int add_named(struct search *s)
{
	struct oid_array v = OID_ARRAY_INIT;
	int rc = roots_collect_recent(&v, s->r, s->err);

	for (size_t i = 0; i < v.nr && !rc; i++)
		add(s, &v.oid[i]);
	oid_array_clear(&v);
	return rc;
}

/* ---- what that leads to ---- */

static int recent_objects_on_object(void *data, const struct walked_object *o,
				    struct err *err UNUSED)
{
	struct search *s = data;

	oidset_insert(s->out, o->oid);
	return 0;
}

static int on_missing(void *data UNUSED, const struct walked_object *o UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int recent_objects_walk(struct search *s)
{
	struct object_walk_options o = {
		.object = recent_objects_on_object, .missing = on_missing, .data = s,
	};
	int rc;

	if (!s->w->nr_starts)
		return 0;
	s->w->objects = true;
	s->w->missing_ok = true;
	s->w->ignore_missing = true;
	s->w->stops_at = s->is_closed;
	s->w->stops_at_data = s->data;
	rc = rev_walk_begin(s->w, s->err);
	return rc < 0 ? rc : object_walk(s->w, &o, s->err);
}

int young_objects(struct oidset *out, struct repository *r, timestamp_t since,
		  bool (*is_safe)(void *data, const struct object_id *oid),
		  bool (*is_closed)(void *data, const struct object_id *oid), void *data, struct err *err)
{
	struct search s = { .out = out, .r = r, .since = since, .is_safe = is_safe, .is_closed = is_closed,
			    .data = data, .err = err };
	int rc = rev_walk_new(&s.w, r, err);

	if (rc < 0)
		return rc;
	rc = odb_foreach_pack(r->odb, ODB_OWN, recent_objects_add_pack, &s);
	if (!rc)
		rc = odb_foreach(r->odb, ODB_FOREACH_LOCAL, add_loose, &s, err);
	if (!rc)
		rc = add_named(&s);
	if (!rc)
		rc = recent_objects_walk(&s);
	rev_walk_free(s.w);
	return rc;
}
