/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/reachable.h"
#include "history/bitmap/bitmap.h"
#include "history/revision/objects.h"
#include "history/promisor.h"
#include "maintain/root-lists.h"
#include "object-file.h"
#include "pack/write/mtimes.h"
#include "util/alloc.h"

#define SEEN 1u

struct reachable {
	struct repository *repo;
	struct reachable_options o;
	struct bitmap_walk *bitmaps; /* what strong roots reach, if there are bitmaps */
	struct oid_flags flags;	     /* SEEN: all else that has been reached */
	struct roots roots;	     /* of the last look; sorted */
	struct promises promises;
	uint64_t nr;
};

struct reachable *reachable_new(struct repository *r, const struct reachable_options *o)
{
	struct reachable *x = xcalloc(1, sizeof(*x));

	x->repo = r;
	x->o = *o;
	x->promises.repo = r;
	oid_flags_init(&x->flags, r->algo);
	return x;
}

void reachable_free(struct reachable *x)
{
	if (!x)
		return;
	bitmap_walk_free(x->bitmaps);
	oid_flags_release(&x->flags);
	roots_release(&x->roots);
	promises_release(&x->promises);
	free(x);
}

bool reachable_has(struct reachable *x, const struct object_id *oid)
{
	return (oid_flags_get(&x->flags, oid->hash) & SEEN) ||
	       (x->bitmaps && bitmap_walk_has(x->bitmaps, oid));
}

/* ---- one walk ---- */

static void note_seen(struct reachable *x, const struct object_id *oid)
{
	*oid_flags_at(&x->flags, oid->hash) |= SEEN;
	if (x->o.progress && !(++x->nr & 0xfff))
		x->o.progress(x->o.data, x->nr);
}

static int reachable_on_object(void *data, const struct walked_object *o, struct err *err UNUSED)
{
	note_seen(data, o->oid);
	return 0;
}

static int on_missing_weak(void *data UNUSED, const struct walked_object *o UNUSED,
			   struct err *err UNUSED)
{
	return 0;
}

/* From a strong root: it may be missing if it was promised. */
static int on_missing_strong(void *data, const struct walked_object *o, struct err *err)
{
	struct reachable *x = data;
	int rc = promises_has(&x->promises, o->oid, err);

	if (rc)
		return rc < 0 ? rc : 0;
	return err_set(err, ERR_NOT_FOUND, "missing %s object '%s'",
		       o->type == OBJ_NONE ? "reachable" : object_type_name(o->type),
		       oid_hex(o->oid));
}

static void add_starts(struct rev_walk *w, const struct oid_array *oids, uint32_t flags)
{
	for (size_t i = 0; i < oids->nr; i++) {
		rev_walk_add_commit(w, &oids->oid[i], oid_hex(&oids->oid[i]), flags);
		w->starts[w->nr_starts - 1].implied = true;
	}
}

/*
 * From `starts`, but not into what `known` reaches, which has been seen. weak: links that lead to
 * nothing are passed over.
 */
static int reachable_walk(struct reachable *x, const struct oid_array *starts,
			  const struct oid_array *known,
			  bool weak, struct err *err)
{
	struct object_walk_options o = {
		.check_present = !weak, .object = reachable_on_object,
		.missing = weak ? on_missing_weak : on_missing_strong, .data = x,
	};
	struct rev_walk *w = NULL;
	int rc;

	if (!starts->nr)
		return 0;
	rc = rev_walk_new(&w, x->repo, err);
	if (rc < 0)
		return rc;
	w->objects = true;
	w->missing_ok = true;
	w->ignore_missing = weak;
	add_starts(w, starts, REV_GIVEN);
	if (known)
		add_starts(w, known, REV_UNINTERESTING | REV_BOTTOM);
	rc = rev_walk_begin(w, err);
	if (!rc)
		rc = object_walk(w, &o, err);
	rev_walk_free(w);
	return rc;
}

/* ---- recent objects ---- */

struct recent {
	struct reachable *x;
	struct oid_array oids;
	struct err *err;
};

static void add_if_unseen(struct recent *r, const struct object_id *oid)
{
	if (!reachable_has(r->x, oid))
		oid_array_append(&r->oids, oid);
}

static int add_recent_loose(void *data, const struct object_id *oid, const char *path)
{
	struct recent *r = data;
	struct stat st;

	if (!stat(path, &st) && st.st_mtime > 0 && (timestamp_t)st.st_mtime > r->x->o.recent_after)
		add_if_unseen(r, oid);
	return 0;
}

static int add_recent_packed(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct recent *r = data;

	if (mtime > r->x->o.recent_after)
		add_if_unseen(r, oid);
	return 0;
}

static int add_recent_pack(void *data, struct pack *p)
{
	struct recent *r = data;
	struct stat st;

	/* A cruft pack has a time for each object, none of them later than its own. */
	if (stat(pack_path(p), &st) < 0 || (timestamp_t)st.st_mtime <= r->x->o.recent_after)
		return 0;
	return pack_foreach_mtime(p, add_recent_packed, r, r->err);
}

static int walk_recent(struct reachable *x, struct err *err)
{
	struct recent r = { .x = x, .oids = OID_ARRAY_INIT, .err = err };
	int rc = roots_collect_recent(&r.oids, x->repo, err);

	if (!rc && x->o.recent_after != TIME_MAX)
		rc = loose_object_foreach(odb_objdir(x->repo->odb), x->repo->algo, add_recent_loose,
					  NULL, &r, err);
	if (!rc && x->o.recent_after != TIME_MAX)
		rc = odb_foreach_pack(x->repo->odb, ODB_OWN, add_recent_pack, &r);
	if (!rc)
		rc = reachable_walk(x, &r.oids, &x->roots.strong, true, err);
	oid_array_clear(&r.oids);
	return rc;
}

/* ---- all together ---- */

static int collect(struct reachable *x, struct roots *out, struct err *err)
{
	int rc = roots_collect(out, x->repo, x->repo->odb, err);

	if (!rc)
		rc = roots_collect_borrowers(out, x->repo, err);
	for (size_t i = 0; x->o.heads && i < x->o.heads->nr; i++)
		oid_array_append(&out->strong, &x->o.heads->oid[i]);
	roots_sort(out);
	return rc;
}

static void take_unseen(struct reachable *x, const struct oid_array *from, struct oid_array *out)
{
	for (size_t i = 0; i < from->nr; i++)
		if (!reachable_has(x, &from->oid[i]))
			oid_array_append(out, &from->oid[i]);
}

/*
 * Takes the new roots. The walk has visited the old ones, even if an object is missing (but
 * promised).
 */
static void take_new(struct reachable *x, const struct oid_array *from, struct oid_array *before,
		     struct oid_array *out)
{
	for (size_t i = 0; i < from->nr; i++)
		if (!oid_array_contains(before, &from->oid[i]) && !reachable_has(x, &from->oid[i]))
			oid_array_append(out, &from->oid[i]);
}

static int walk_weak(struct reachable *x, struct err *err)
{
	struct oid_array starts = OID_ARRAY_INIT;
	int rc;

	take_unseen(x, &x->roots.weak, &starts);
	rc = reachable_walk(x, &starts, &x->roots.strong, true, err);
	oid_array_clear(&starts);
	return rc;
}

static int walk_strong(struct reachable *x, struct err *err)
{
	static const struct oid_array none = OID_ARRAY_INIT;
	int rc = ERR_NOT_FOUND;

	if (x->roots.strong.nr)
		rc = bitmap_walk_new(&x->bitmaps, x->repo, &x->roots.strong, &none, 0, NULL);
	return rc ? reachable_walk(x, &x->roots.strong, NULL, false, err) : 0;
}

int reachable_mark(struct reachable *x, struct err *err)
{
	int rc = collect(x, &x->roots, err);

	if (!rc)
		rc = walk_strong(x, err);
	if (!rc)
		rc = walk_weak(x, err);
	return rc ? rc : walk_recent(x, err);
}

int reachable_update(struct reachable *x, struct err *err)
{
	struct oid_array fresh = OID_ARRAY_INIT;
	int rc;

	do {
		struct roots now = ROOTS_INIT, before = x->roots;

		rc = collect(x, &now, err);
		oid_array_clear(&fresh);
		if (!rc)
			take_new(x, &now.strong, &before.strong, &fresh);
		if (!rc)
			rc = reachable_walk(x, &fresh, &before.strong, false, err);
		x->roots = now;
		if (!rc)
			rc = walk_weak(x, err);
		roots_release(&before);
	} while (!rc && fresh.nr);
	oid_array_clear(&fresh);
	return rc;
}
