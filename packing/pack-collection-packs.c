/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects objects of packs, and the missing objects that their commits need. */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "history/revision/objects.h"
#include "odb/odb.h"

struct following {
	struct pack_collection *c;
	const struct pack_choices *p;
	struct rev_walk *w;
	struct err *err;
};

/* ---- starts ---- */

static int start_at(void *data, const struct object_id *oid)
{
	struct following *f = data;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(f->c->r->odb, oid, &type, &size, f->err);

	if (!rc && type == OBJ_COMMIT)
		rev_walk_add_commit(f->w, oid, oid_hex(oid), 0);
	return rc;
}

static int start_at_loose(void *data, const struct object_id *oid)
{
	const struct following *f = data;

	return odb_is_packed_in(f->c->r->odb, ODB_OWN, oid) ? 0 : start_at(data, oid);
}

static int start_at_packs(struct following *f, const struct pack_choice *v)
{
	int rc = 0;

	for (size_t i = 0; i < v->nr && !rc; i++)
		rc = pack_foreach_object(v->v[i], true, start_at, f, f->err);
	return rc;
}

static int pack_collection_packs_add_starts(struct following *f)
{
	int rc = start_at_packs(f, &f->p->included);

	if (!rc)
		rc = start_at_packs(f, &f->p->open);
	if (!rc && f->c->unpacked)
		rc = odb_foreach(f->c->r->odb, ODB_FOREACH_LOCAL, start_at_loose, f, f->err);
	return rc;
}

/* ---- the walk ---- */

static bool is_closed(void *data, const struct object_id *oid)
{
	const struct following *f = data;

	for (size_t i = 0; i < f->p->closed.nr; i++)
		if (pack_has_object(f->p->closed.v[i], oid))
			return true;
	return false;
}

static int pack_collection_packs_on_object(void *data, const struct walked_object *o,
					   struct err *err)
{
	const struct following *f = data;

	return pack_collection_add(f->c, o->oid, o->type, o->path, 0, err);
}

static int pack_collection_packs_on_missing(void *data UNUSED, const struct walked_object *o UNUSED,
					    struct err *err UNUSED)
{
	return 0;
}

static int pack_collection_packs_walk(struct following *f, struct err *err)
{
	struct object_walk_options o = {
		.object = pack_collection_packs_on_object, .missing = pack_collection_packs_on_missing,
		.check_present = true, .data = f,
	};
	int rc;

	if (!f->w->nr_starts)
		return 0;
	f->w->missing_ok = true;
	if (f->p->open.nr) {
		f->w->stops_at = is_closed;
		f->w->stops_at_data = f;
	}
	if (f->c->keep_true_parents)
		commit_pool_keep_true_parents(f->w->pool);
	rc = rev_walk_begin(f->w, err);
	return rc < 0 ? rc : object_walk(f->w, &o, err);
}

static int follow(struct pack_collection *c, const struct pack_choices *p, struct err *err)
{
	struct following f = { .c = c, .p = p, .err = err };
	int rc = rev_walk_new(&f.w, c->r, err);

	if (rc < 0)
		return rc;
	rc = pack_collection_packs_add_starts(&f);
	if (!rc)
		rc = pack_collection_packs_walk(&f, err);
	rev_walk_free(f.w);
	return rc;
}

/* ---- all of it ---- */

static void exclude(struct pack_collection *c, const struct pack_choice *v)
{
	for (size_t i = 0; i < v->nr; i++)
		pack_objects_exclude_pack(c->po, v->v[i]);
}

int pack_collect_packs(struct pack_collection *c, const struct pack_choices *p, struct err *err)
{
	int rc = 0;

	exclude(c, &p->closed);
	exclude(c, &p->open);
	for (size_t i = 0; i < p->included.nr && !rc; i++)
		rc = pack_objects_add_pack(c->po, p->included.v[i], err);
	if (!rc && c->unpacked)
		rc = pack_collect_loose(c, err);
	return rc || !p->follow ? rc : follow(c, p, err);
}
