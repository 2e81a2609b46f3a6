/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a clone, as a walk finds them. As long as one pack has them all they are only marked, in a
 * table by their positions in its index. If that is so to the end, and the bases of their deltas are
 * among them, they become ranges of the pack; otherwise items like others, in the order in which they
 * were found, so that deltas between packs are searched.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

struct mark {
	uint32_t pos; /* in the index */
	uint32_t name_hash;
};

/* In the table of types: not known. */
#define TYPE_UNKNOWN ((uint8_t)OBJ_ANY)

static void forget(struct pack_marks *m)
{
	FREE_AND_NULL(m->types);
	FREE_AND_NULL(m->v);
	m->nr = m->alloc = 0;
}

/* ---- marking ---- */

/* The position in the marked pack, which is that of the first object. */
static bool find_place(struct pack_objects *po, const struct object_id *oid, uint32_t *pos)
{
	struct pack_marks *m = &po->marks;
	struct pack_location at;

	if (m->pack)
		return idx_find(&m->pack->idx, oid->hash, pos);
	if (!pack_objects_keeps_ranges(po) || !pack_list_find_packed(po, oid, &at) ||
	    pack_open_idx(at.pack, NULL) < 0 || !idx_find(&at.pack->idx, oid->hash, pos))
		return false;
	m->pack = at.pack;
	CALLOC_ARRAY(m->types, (size_t)m->pack->idx.nr + 1);
	return true;
}

static int make_items(struct pack_objects *po, struct err *err);

int pack_objects_mark(struct pack_objects *po, const struct object_id *oid, enum object_type type,
		      const char *path, struct err *err)
{
	struct pack_marks *m = &po->marks;
	uint32_t pos;
	int rc = 0;

	if (po->prepared)
		BUG("an object is marked in a list that has been prepared");
	if (m->over || po->nr || !find_place(po, oid, &pos)) {
		if (!m->over)
			rc = make_items(po, err);
		return rc < 0 ? rc : pack_objects_add(po, oid, type, path, 0, err);
	}
	if (m->types[pos])
		return 0;
	m->types[pos] = type > OBJ_NONE ? (uint8_t)type : TYPE_UNKNOWN;
	ALLOC_GROW(m->v, (size_t)m->nr + 1, m->alloc);
	m->v[m->nr++] = (struct mark){ pos, pack_list_hash_path(po, path) };
	return 0;
}

/* ---- are the bases there, too? ---- */

static bool is_position_marked(const struct pack_marks *m, uint32_t place)
{
	return m->types[pack_rev_at(m->pack, place)];
}

/* The object at that offset, which is before the one at `place`; mostly it is near. */
static bool find_before(const struct pack *p, uint32_t place, uint64_t offset, uint32_t *out)
{
	uint32_t hi = place, step = 1;

	while (step < hi && pack_rev_offset(p, hi - step) > offset) {
		hi -= step;
		step *= 2;
	}
	return pack_rev_find(p, step < hi ? hi - step : 0, hi, offset, out);
}

/* Can the entry stay as it is, since it is no delta, or its base is marked and comes before it? */
static bool has_base(const struct pack_marks *m, uint32_t place)
{
	struct pack_entry e;
	uint32_t base;

	if (pack_entry_read(m->pack, pack_rev_offset(m->pack, place), &e, NULL) < 0)
		return false;
	if (e.type != OBJ_OFS_DELTA && e.type != OBJ_REF_DELTA)
		return true;
	return e.base_offset && e.base_offset < e.offset &&
	       find_before(m->pack, place, e.base_offset, &base) && is_position_marked(m, base);
}

/* A pack all of whose objects go has their bases. */
static bool is_closed(const struct pack_marks *m)
{
	const struct pack *p = m->pack;

	for (uint32_t i = 0; m->nr < p->idx.nr && i < p->idx.nr; i++)
		if (is_position_marked(m, i) && !has_base(m, i))
			return false;
	return true;
}

/* ---- what becomes of them ---- */

static bool can_be_ranges(const struct pack_objects *po)
{
	struct pack *p = po->marks.pack;

	return !po->nr && !po->nr_ranges && !pack_open_data(p, NULL) && !pack_open_rev(p, NULL) &&
	       pack_rev_is_sound(p) && is_closed(&po->marks);
}

static int make_ranges(struct pack_objects *po, struct err *err)
{
	struct pack_marks *m = &po->marks;
	uint32_t nr = m->pack->idx.nr, from, i = 0;
	int rc = 0;

	while (!rc && i < nr) {
		while (i < nr && !is_position_marked(m, i))
			i++;
		for (from = i; i < nr && is_position_marked(m, i);)
			i++;
		if (i > from)
			rc = pack_objects_add_range(po, m->pack, from, i - from, err);
	}
	forget(m);
	return rc;
}

static int make_items(struct pack_objects *po, struct err *err)
{
	struct pack_marks *m = &po->marks;
	struct object_id oid;
	int rc = 0;

	m->over = true;
	for (uint32_t i = 0; !rc && i < m->nr; i++) {
		const struct pack_idx *idx = &m->pack->idx;
		uint32_t pos = m->v[i].pos;
		uint8_t type = m->types[pos];

		oid_from_raw(&oid, idx_name(idx, pos), po->algo);
		rc = pack_objects_add_packed(po, &oid, type == TYPE_UNKNOWN ? OBJ_NONE : type,
					     m->v[i].name_hash, m->pack, idx_offset(idx, pos), err);
	}
	forget(m);
	return rc;
}

int pack_marks_finish(struct pack_objects *po, struct err *err)
{
	if (!po->marks.nr)
		return 0;
	return can_be_ranges(po) ? make_ranges(po, err) : make_items(po, err);
}
