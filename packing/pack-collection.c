/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that are added one by one, and packs whose objects are not. */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "util/alloc.h"

int pack_collection_begin(struct pack_collection *c, struct err *err)
{
	int rc;

	index_init(&c->ix, c->r->algo);
	rc = index_read_repo(&c->ix, c->r, err);
	if (!rc)
		rc = attrs_new(&c->attrs, c->r, &c->ix, c->r->bare ? ATTR_INDEX : ATTR_CHECKIN, err);
	if (!rc)
		c->po = pack_objects_new(&c->o);
	return rc;
}

void pack_collection_end(struct pack_collection *c)
{
	pack_objects_free(c->po);
	c->po = NULL;
	attrs_free(c->attrs);
	c->attrs = NULL;
	if (c->ix.algo)
		index_release(&c->ix);
	c->ix.algo = NULL;
	promises_release(&c->promises);
	oidset_clear(&c->promisor);
	oidmap_clear(&c->mtimes, NULL);
	oidmap_clear(&c->kept_mtimes, NULL);
	delta_islands_release(&c->delta_islands);
}

/* ---- objects ---- */

static bool wants_no_delta(struct pack_collection *c, const char *path)
{
	static const char *const name = "delta";
	struct attr_value v;

	attrs_get(c->attrs, path, &name, 1, &v);
	return v.state == ATTR_UNSET;
}

int pack_collection_add(struct pack_collection *c, const struct object_id *oid, enum object_type type,
		     const char *path, unsigned flags, struct err *err)
{
	if (path && *path && type != OBJ_TREE && type != OBJ_TAG && wants_no_delta(c, path))
		flags |= PACK_NO_DELTA;
	progress_update(c->progress, ++c->nr_enumerated);
	return pack_objects_add(c->po, oid, type, path, flags, err);
}

struct adding {
	struct pack_collection *c;
	struct err *err;
};

static int add_if_not_packed(void *data, const struct object_id *oid)
{
	struct adding *a = data;

	if (odb_is_packed_in(a->c->r->odb, ODB_OWN, oid))
		return 0;
	return pack_collection_add(a->c, oid, OBJ_NONE, NULL, 0, a->err);
}

int pack_collect_loose(struct pack_collection *c, struct err *err)
{
	struct adding a = { c, err };

	return odb_foreach(c->r->odb, ODB_FOREACH_LOCAL, add_if_not_packed, &a, err);
}

int pack_collection_set_islands(struct pack_collection *c, struct err *err)
{
	struct delta_islands *d = &c->delta_islands;
	int rc;

	if (!c->islands)
		return 0;
	rc = delta_islands_find(d, c->r, c->keep_true_parents, c->warn, c->warn_data, err);
	if (rc < 0)
		return rc;
	pack_objects_set_islands(c->po, &(struct pack_islands){
		.sets = d->sets, .marks = &d->marks, .has_core = d->has_core, .core = d->core,
	});
	oid_flags_release(&d->marks);
	return 0;
}

/* ---- packs ---- */

const char *pack_file_name(const struct pack *p)
{
	const char *slash = strrchr(pack_path(p), '/');

	return slash ? slash + 1 : pack_path(p);
}

struct kept {
	struct pack_collection *c;
	struct strset names;
	bool honor;
};

static int exclude_if_kept(void *data, struct pack *p)
{
	struct kept *k = data;

	if (strset_contains(&k->names, pack_file_name(p)) || (k->honor && pack_has_file(p, "keep")))
		pack_objects_exclude_pack(k->c->po, p);
	return 0;
}

void pack_collection_exclude_kept(struct pack_collection *c, const struct strvec *names, bool honor)
{
	struct kept k = { .c = c, .names = STRSET_INIT, .honor = honor };

	for (size_t i = 0; i < names->nr; i++)
		strset_add(&k.names, names->v[i]);
	if (honor || names->nr)
		odb_foreach_pack(c->r->odb, ODB_OWN, exclude_if_kept, &k);
	strset_clear(&k.names);
}
