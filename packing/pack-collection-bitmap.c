/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects found by bitmaps, and a new bitmap for a new pack. */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "history/bitmap/bitmap-build.h"
#include "history/bitmap/bitmap.h"
#include "util/alloc.h"

/* ---- reading ---- */

struct ends {
	struct oid_array wants, haves;
};

static void collect_ends(const struct rev_walk *w, struct ends *e)
{
	for (size_t i = 0; i < w->nr_starts; i++) {
		const struct rev_start *s = &w->starts[i];

		oid_array_append(s->flags & REV_UNINTERESTING ? &e->haves : &e->wants, &s->oid);
	}
}

static bool is_without_blobs(const struct filter_spec *f)
{
	return f->nr == 1 && f->parts[0].kind == FILTER_BLOB_NONE;
}

/*
 * Do bitmaps lead to the same pack? For a thin one the walk finds bases; objects that are left out, or
 * come from elsewhere, are not in them.
 */
static bool may_use(const struct pack_collection *c, const struct ends *e)
{
	if (!c->use_bitmaps || c->unpacked || c->reflog || c->indexed_objects ||
	    c->keep_unreachable || c->pack_loose_unreachable ||
	    c->missing != MISSING_ERROR || (c->o.thin && e->haves.nr) || !e->wants.nr)
		return false;
	return !c->filter || is_without_blobs(c->filter);
}

struct adding {
	struct pack_collection *c;
	bool copy;
	struct err *err;
};

static int add_object(void *data, const struct object_id *oid, enum object_type type,
		      uint32_t name_hash, struct pack *pack, uint64_t offset)
{
	struct adding *a = data;

	progress_update(a->c->progress, ++a->c->nr_enumerated);
	if (pack && a->copy)
		return pack_objects_copy(a->c->po, oid, type, name_hash, pack, offset, a->err);
	return pack_objects_add_packed(a->c->po, oid, type, name_hash, pack, offset, a->err);
}

static int add_run(void *data, struct pack *pack, uint32_t first, uint32_t nr)
{
	struct adding *a = data;

	a->c->nr_enumerated += nr;
	progress_update(a->c->progress, a->c->nr_enumerated);
	return pack_objects_add_range(a->c->po, pack, first, nr, a->err);
}

static int add_objects(struct pack_collection *c, struct bitmap_walk *bw, bool copy, struct err *err)
{
	struct adding a = { c, copy, err };

	if (c->filter)
		bitmap_walk_drop(bw, OBJ_BLOB);
	else if (copy && pack_objects_keeps_ranges(c->po))
		c->whole = bitmap_walk_whole_pack(bw);
	if (!c->whole)
		return copy && pack_objects_keeps_ranges(c->po)
			? bitmap_walk_foreach_run(bw, add_run, add_object, &a, err)
			: bitmap_walk_foreach(bw, add_object, &a, err);
	c->nr_enumerated += pack_nr_objects(c->whole);
	progress_update(c->progress, c->nr_enumerated);
	return 0;
}

int pack_collect_by_bitmaps(struct pack_collection *c, const struct rev_walk *w, struct err *err)
{
	struct ends e = { OID_ARRAY_INIT, OID_ARRAY_INIT };
	struct bitmap_walk *bw = NULL;
	struct err why = ERR_INIT;
	int rc = ERR_NOT_FOUND;

	collect_ends(w, &e);
	if (may_use(c, &e))
		rc = bitmap_walk_new(&bw, c->r, &e.wants, &e.haves, 0, &why);
	if (rc == ERR_NOT_FOUND) {
		rc = 0;
	} else if (!rc) {
		/* Objects with an order of their own (files) are chosen one by one. */
		rc = add_objects(c, bw, !e.haves.nr && c->o.order == PACK_ORDER_SOURCE &&
				 !c->include_tag && !c->islands && !c->o.leave_out, &why);
		rc = rc < 0 ? rc : 1;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	bitmap_walk_free(bw);
	oid_array_clear(&e.wants);
	oid_array_clear(&e.haves);
	return rc;
}

/* ---- writing ---- */

static int build(struct pack_collection *c, struct bitmap_target *t, struct err *err)
{
	struct oid_array tips = OID_ARRAY_INIT, preferred = OID_ARRAY_INIT;
	struct bitmap_build_options o;
	int rc = bitmap_build_options_read(&o, c->r, err);

	if (!rc)
		rc = bitmap_collect_tips(c->r, &tips, &preferred, err);
	o.tips = &tips;
	o.preferred = &preferred;
	o.progress = c->bitmap_progress;
	o.progress_data = c->bitmap_data;
	if (!rc)
		rc = bitmap_build(c->r, t, &o, c->batch, err);
	oid_array_clear(&tips);
	oid_array_clear(&preferred);
	return rc;
}

static void tell_why(const struct pack_collection *c, const struct err *why)
{
	char *msg = xstrfmt("Failed to write bitmap index. Packfile doesn't have full closure (%s)",
			    err_message(why));

	if (c->warn && !c->bitmap_quiet)
		c->warn(c->warn_data, msg);
	free(msg);
}

int pack_collection_write_bitmap(void *data, const char *tmp_dir, const struct idx_entry *v, uint32_t nr,
				 const struct object_id *sum, struct err *err)
{
	struct pack_collection *c = data;
	struct bitmap_target *t = bitmap_target_entries(v, nr, sum, c->base_name, tmp_dir);
	struct err why = ERR_INIT;
	int rc = build(c, t, &why);

	/* A pack that is not closed under reachability can have none; it is a good pack all the same. */
	if (rc == ERR_NOT_FOUND) {
		tell_why(c, &why);
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	bitmap_target_free(t);
	return rc;
}
