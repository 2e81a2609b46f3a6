/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the objects of a new pack are now: in which pack, between which offsets, as what kind of
 * entry. An entry that looks wrong is not copied: the object database is asked for the object, and
 * may have another copy.
 */
#include "compat/posix.h"
#include "odb/upkeep.h"
#include "pack/read-internal.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* ---- which pack ---- */

bool pack_list_find_packed(const struct pack_objects *po, const struct object_id *oid,
			   struct pack_location *out)
{
	size_t nr = odb_nr_alternates(po->o.odb) + 1;

	for (size_t i = 0; i < nr; i++) {
		struct packs *packs = odb_local_packs(po->o.odb, i);

		if (packs && packs_find(packs, oid, NULL, out))
			return true;
	}
	return false;
}

static void find_pack(struct pack_objects *po, uint32_t i)
{
	struct pack_item *it = &po->items[i];
	struct pack_location at;
	struct object_id oid;

	pack_item_oid(po, i, &oid);
	if (!pack_list_find_packed(po, &oid, &at))
		return;
	it->source = pack_list_source(po, at.pack);
	it->in_offset = at.offset;
}

/* Items and their names lie anywhere in memory: they are asked for some turns before. */
#define FETCH_AHEAD 16

static void fetch(const struct pack_objects *po, uint32_t i)
{
	__builtin_prefetch(pack_item_name(po, i));
	__builtin_prefetch(&po->items[i].in_offset);
	__builtin_prefetch(&po->items[i].source);
}

/*
 * In the order of names, as indexes are: neighbours are found in memory that is at hand. Sorting by
 * the first bytes is enough for that.
 */
static void find_packs(struct pack_objects *po)
{
	struct sortable_offset *v;
	uint32_t nr = 0;

	ALLOC_ARRAY(v, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < po->nr; i++)
		if (!po->items[i].source)
			v[nr++] = (struct sortable_offset){ get_be32(pack_item_name(po, i)), i };
	v = offsets_sort(v, nr);
	for (uint32_t k = 0; k < nr; k++) {
		if (nr - k > FETCH_AHEAD)
			fetch(po, v[k + FETCH_AHEAD].pos);
		find_pack(po, v[k].pos);
	}
	free(v);
}

/* In a partial clone: fetches all missing objects with one request; they are in a pack then. */
static int fetch_missing(struct pack_objects *po, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	struct object_id oid;
	int rc;

	if (!odb_fetches_on_read(po->o.odb))
		return 0;
	for (uint32_t i = 0; i < po->nr; i++)
		if (!po->items[i].source) {
			pack_item_oid(po, i, &oid);
			oid_array_append(&wanted, &oid);
		}
	rc = odb_prefetch(po->o.odb, &wanted, err);
	if (!rc && wanted.nr)
		find_packs(po);
	oid_array_clear(&wanted);
	return rc;
}

/* ---- the items of each pack, sorted by offset ---- */

static void fill_sources(struct pack_objects *po)
{
	for (uint32_t i = 0; i < po->nr; i++)
		if (po->items[i].source)
			po->sources[po->items[i].source - 1].alloc++;
	for (uint32_t i = 0; i < po->nr_sources; i++)
		ALLOC_ARRAY(po->sources[i].items, (size_t)po->sources[i].alloc + 1);
	for (uint32_t i = 0; i < po->nr; i++) {
		struct pack_source *s;

		if (!po->items[i].source)
			continue;
		s = &po->sources[po->items[i].source - 1];
		s->items[s->nr++] = i;
	}
}

static void sort_source(struct pack_objects *po, struct pack_source *s)
{
	struct sortable_offset *v;

	ALLOC_ARRAY(v, (size_t)s->nr + 1);
	for (uint32_t k = 0; k < s->nr; k++)
		v[k] = (struct sortable_offset){ po->items[s->items[k]].in_offset, s->items[k] };
	v = offsets_sort(v, s->nr);
	for (uint32_t k = 0; k < s->nr; k++)
		s->items[k] = v[k].pos;
	free(v);
}

item_ref pack_source_at(const struct pack_objects *po, const struct pack_source *s,
			uint64_t offset)
{
	uint32_t lo = 0, hi = s->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t at = po->items[s->items[mid]].in_offset;

		if (at == offset)
			return s->items[mid] + 1;
		if (offset < at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return 0;
}

/* ---- where entries end ---- */

/* If a pack has this many items, one pass over all its offsets is cheaper than look-ups. */
#define DENSE(s) ((uint64_t)(s)->nr * 16 > (s)->pack->idx.nr)

static void find_ends_by_scan(struct pack_objects *po, struct pack_source *s)
{
	struct pack *p = s->pack;
	uint32_t k = 0;

	for (uint32_t i = 0; i < p->idx.nr && k < s->nr; i++) {
		struct pack_item *it = &po->items[s->items[k]];
		uint64_t at = pack_rev_offset(p, i);

		if (at == it->in_offset) {
			it->in_pos = pack_rev_at(p, i);
			it->in_end = i + 1 < p->idx.nr ? pack_rev_offset(p, i + 1) : p->end;
			k++;
		} else if (at > it->in_offset) {
			k++; /* the .rev is wrong: in_end stays 0 */
			i--;
		}
	}
}

static void find_ends(struct pack_objects *po, struct pack_source *s)
{
	if (DENSE(s) && !pack_open_rev(s->pack, NULL))
		find_ends_by_scan(po, s);
	for (uint32_t k = 0; k < s->nr; k++) {
		struct pack_item *it = &po->items[s->items[k]];

		if (it->in_end > it->in_offset && it->in_end <= s->pack->end)
			continue;
		if (pack_locate(s->pack, it->in_offset, &it->in_pos, &it->in_end, NULL) < 0)
			it->flags |= ITEM_NO_COPY;
	}
}

/* ---- headers ---- */

/* The base of a delta, if it is in the list. */
static item_ref find_base(struct pack_objects *po, struct pack_source *s,
			  const struct pack_entry *e)
{
	if (e->type == OBJ_REF_DELTA)
		return pack_list_find(po, e->base_oid.hash);
	if (e->type == OBJ_OFS_DELTA)
		return pack_source_at(po, s, e->base_offset);
	return 0;
}

/*
 * A base that is there, but comes from another pack, has no item at that offset: then its name is
 * looked for.
 */
static item_ref find_base_by_name(struct pack_objects *po, struct pack_source *s,
				  const struct pack_entry *e)
{
	struct object_id oid;

	if (e->type != OBJ_OFS_DELTA || pack_offset_to_oid(s->pack, e->base_offset, &oid, NULL) < 0)
		return 0;
	return pack_list_find(po, oid.hash);
}

static void read_header(struct pack_objects *po, struct pack_source *s, struct pack_item *it)
{
	struct pack_entry e;

	if (pack_entry_read(s->pack, it->in_offset, &e, NULL) < 0 || e.data_offset >= it->in_end) {
		it->flags |= ITEM_NO_COPY;
		return;
	}
	it->in_type = (uint8_t)e.type;
	it->in_header = (uint8_t)(e.data_offset - e.offset);
	it->in_size = e.size;
	if (!item_is_delta_copy(it)) {
		it->type = it->in_type;
		it->size = e.size;
		it->flags |= ITEM_SIZE_KNOWN;
		return;
	}
	if (!po->o.reuse_delta)
		return;
	it->base = find_base(po, s, &e);
	if (!it->base && po->nr_sources > 1)
		it->base = find_base_by_name(po, s, &e);
}

/* A pack that cannot be opened any more: its objects are read through the database. */
static void give_up(struct pack_objects *po, struct pack_source *s)
{
	for (uint32_t k = 0; k < s->nr; k++)
		po->items[s->items[k]].source = 0;
	s->nr = 0;
}

static void read_source(struct pack_objects *po, struct pack_source *s)
{
	if (pack_open_data(s->pack, NULL) < 0 || pack_source_fd(po, s) < 0) {
		give_up(po, s);
		return;
	}
	sort_source(po, s);
	find_ends(po, s);
	for (uint32_t k = 0; k < s->nr; k++)
		if (!(po->items[s->items[k]].flags & ITEM_NO_COPY))
			read_header(po, s, &po->items[s->items[k]]);
}

int pack_list_locate(struct pack_objects *po, struct err *err)
{
	int rc;

	find_packs(po);
	rc = fetch_missing(po, err);
	if (rc < 0)
		return rc;
	fill_sources(po);
	for (uint32_t i = 0; i < po->nr_sources; i++)
		read_source(po, &po->sources[i]);
	return 0;
}

/* ---- sizes ---- */

int pack_item_size(struct pack_objects *po, uint32_t i, uint64_t *out, struct err *err)
{
	struct pack_item *it = &po->items[i];
	enum object_type type;
	struct object_id oid;
	int rc = 0;

	if (!(it->flags & ITEM_SIZE_KNOWN)) {
		pack_item_oid(po, i, &oid);
		rc = odb_type(po->o.odb, &oid, &type, &it->size, err);
		if (rc < 0)
			return rc;
		it->type = (uint8_t)type;
		it->flags |= ITEM_SIZE_KNOWN;
	}
	*out = it->size;
	return rc;
}
