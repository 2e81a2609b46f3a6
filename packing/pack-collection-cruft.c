/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects objects that are in no pack that stays, with the time when each was last used. An object
 * older than the expiry is left out, unless a younger one leads to it.
 */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "history/revision/objects.h"
#include "odb/odb.h"
#include "pack/write/mtimes.h"
#include "util/alloc.h"
#include "util/map.h"

struct cruft {
	struct pack_collection *c;
	const struct cruft_options *o;
	struct rev_walk *w;
	struct err *err;
};

/* ---- packs ---- */

static bool is_kept_cruft(const struct cruft *f, const struct pack *p)
{
	return f->o->kept_cruft && strset_contains(f->o->kept_cruft, pack_file_name(p));
}

static int exclude_if_it_stays(void *data, struct pack *p)
{
	struct cruft *f = data;

	if (!strset_contains(f->o->discarded, pack_file_name(p)) && !is_kept_cruft(f, p))
		pack_objects_exclude_pack(f->c->po, p);
	return 0;
}

/* ---- times ---- */

/* Notes the time of an object; the youngest copy counts. */
static void put_later(struct oidmap *m, const struct object_id *oid, uint32_t mtime)
{
	uintptr_t now = (uintptr_t)oidmap_get(m, oid);

	if (!now || now - 1 < mtime)
		oidmap_put(m, oid, (void *)((uintptr_t)mtime + 1));
}

static int note_mtime(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct cruft *f = data;

	if (!pack_objects_is_elsewhere(f->c->po, oid))
		put_later(&f->c->mtimes, oid, mtime);
	return 0;
}

static int note_kept_mtime(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct cruft *f = data;

	put_later(&f->c->kept_mtimes, oid, mtime);
	return 0;
}

static int note_pack(void *data, struct pack *p)
{
	struct cruft *f = data;

	if (is_kept_cruft(f, p))
		return pack_foreach_mtime(p, note_kept_mtime, f, f->err);
	if (!strset_contains(f->o->discarded, pack_file_name(p)))
		return 0;
	return pack_foreach_mtime(p, note_mtime, f, f->err);
}

static int note_loose(void *data, const struct object_id *oid)
{
	struct cruft *f = data;
	struct odb *odb = f->c->r->odb;
	const char *hex;
	struct stat st;
	char *path;

	/* In a pack that stays: it is not asked for. */
	if (!oidmap_contains(&f->c->mtimes, oid) && !oidmap_contains(&f->c->kept_mtimes, oid) &&
	    odb_is_packed_in(odb, ODB_OWN, oid))
		return 0;
	hex = oid_hex(oid);
	path = xstrfmt("%s/%.2s/%s", odb_objdir(odb), hex, hex + 2);
	if (!stat(path, &st))
		note_mtime(f, oid, st.st_mtime < 0 ? 0 : (uint32_t)st.st_mtime);
	free(path);
	return 0;
}

uint32_t pack_collection_mtime(void *data, const struct object_id *oid)
{
	struct pack_collection *c = data;
	uintptr_t found = (uintptr_t)oidmap_get(&c->mtimes, oid);

	return found ? (uint32_t)(found - 1) : 0;
}

/* ---- choosing ---- */

/* In a pack of cruft that stays, which says the same of it, or better. */
static bool is_kept(const struct cruft *f, const struct object_id *oid, uintptr_t value)
{
	return (uintptr_t)oidmap_get(&f->c->kept_mtimes, oid) >= value;
}

static bool is_recent(const struct cruft *f, const struct object_id *oid, uintptr_t value)
{
	return !f->o->expiry || value - 1 >= f->o->expiry ||
	       (f->o->recent && oidset_contains(f->o->recent, oid));
}

static int add_recent(struct cruft *f)
{
	const struct object_id *oid;
	void *value;
	int rc = 0;

	for (size_t i = 0; !rc && oidmap_next(&f->c->mtimes, &i, &oid, &value);)
		if (is_recent(f, oid, (uintptr_t)value) && !is_kept(f, oid, (uintptr_t)value)) {
			rc = pack_collection_add(f->c, oid, OBJ_NONE, NULL, 0, f->err);
			if (f->o->expiry && odb_has_quick(f->c->r->odb, oid))
				rev_walk_add_commit(f->w, oid, oid_hex(oid), 0);
		}
	return rc;
}

/*
 * Adds only objects that would be lost: the others are in packs that stay. An older object is kept for
 * a younger one, so it counts as just not expired.
 */
static int add_if_cruft(struct cruft *f, const struct object_id *oid, enum object_type type,
			const char *path, struct err *err)
{
	if (!oidmap_contains(&f->c->mtimes, oid))
		return 0;
	note_mtime(f, oid, f->o->expiry < UINT32_MAX ? (uint32_t)f->o->expiry : UINT32_MAX);
	return pack_collection_add(f->c, oid, type, path, 0, err);
}

static int pack_collection_cruft_on_object(void *data, const struct walked_object *o,
					   struct err *err)
{
	return add_if_cruft(data, o->oid, o->type, o->path, err);
}

/* Unreachable objects may have missing links. */
static int pack_collection_cruft_on_missing(void *data, const struct walked_object *o,
					    struct err *err)
{
	(void)data;
	(void)o;
	(void)err;
	return 0;
}

static int add_reachable_from_recent(struct cruft *f, struct err *err)
{
	struct object_walk_options o = {
		.object = pack_collection_cruft_on_object, .missing = pack_collection_cruft_on_missing, .data = f,
	};
	int rc;

	if (!f->w->nr_starts)
		return 0;
	f->w->missing_ok = true;
	f->w->ignore_missing = true;
	rc = rev_walk_begin(f->w, err);
	return rc < 0 ? rc : object_walk(f->w, &o, err);
}

static int choose(struct cruft *f, struct err *err)
{
	struct odb *odb = f->c->r->odb;
	int rc = odb_foreach_pack(odb, ODB_OWN, exclude_if_it_stays, f);

	if (!rc)
		rc = odb_foreach_pack(odb, ODB_OWN, note_pack, f);
	if (!rc)
		rc = odb_foreach(odb, ODB_FOREACH_LOCAL, note_loose, f, err);
	if (!rc)
		rc = add_recent(f);
	return rc || !f->o->expiry ? rc : add_reachable_from_recent(f, err);
}

int pack_collect_cruft(struct pack_collection *c, const struct cruft_options *o, struct err *err)
{
	struct cruft f = { .c = c, .o = o, .err = err };
	int rc = rev_walk_new(&f.w, c->r, err);

	if (rc < 0)
		return rc;
	f.w->objects = true;
	rc = choose(&f, err);
	rev_walk_free(f.w);
	return rc;
}
