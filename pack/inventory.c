/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Type and size of all objects of the packs, without looking up each one. Each pack is read from
 * beginning to end. A base mostly stands before its deltas, so the type of a delta is the type of
 * an entry that was read before, which the delta leads back to.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

struct inventory {
	unsigned want;
	struct oidset *seen;
	int (*fn)(void *data, const struct object_id *oid, const struct object_info *info);
	void *data;
	bool more; /* something comes after this pack */
};

/* The entries of a pack by offset. */
struct entries {
	struct pack *pack;
	struct reader *reader;
	struct sortable_offset *at;
	unsigned char *types; /* 0: not known */
	uint32_t nr;
};

static void entries_init(struct entries *e, struct pack *p)
{
	e->pack = p;
	e->nr = p->idx.nr;
	e->reader = reader_get(p->owner);
	ALLOC_ARRAY(e->at, e->nr + !e->nr);
	for (uint32_t i = 0; i < e->nr; i++)
		e->at[i] = (struct sortable_offset){ idx_offset(&p->idx, i), i };
	e->at = offsets_sort(e->at, e->nr);
	CALLOC_ARRAY(e->types, e->nr + !e->nr);
}

static void entries_release(struct entries *e)
{
	reader_put(e->pack->owner, e->reader);
	free(e->at);
	free(e->types);
}

/* The place of the entry at offset, which is before that at `from`; `from`: there is none. */
static uint32_t place_before(const struct entries *e, uint32_t from, uint64_t offset)
{
	uint32_t step = 1, lo, hi = from;

	while (step <= from && e->at[from - step].offset > offset) {
		hi = from - step;
		step *= 2;
	}
	lo = step <= from ? from - step : 0;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (e->at[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < from && e->at[lo].offset == offset ? lo : from;
}

static void oid_at(const struct entries *e, uint32_t i, struct object_id *out)
{
	oid_from_raw(out, idx_name(&e->pack->idx, e->at[i].pos), e->pack->idx.algo);
}

/* A delta whose base is known. Otherwise, and if something is wrong, false. */
static bool delta_info(const struct entries *e, uint32_t i, const struct pack_entry *entry,
		       struct object_info *info)
{
	uint32_t base = i;

	if (entry->base_offset && entry->base_offset < entry->offset)
		base = place_before(e, i, entry->base_offset);
	if (base == i || !e->types[base] || pack_is_marked_bad(e->pack, entry->base_offset) ||
	    pack_delta_size(e->pack, e->reader, entry, &info->size, NULL) < 0)
		return false;
	info->type = (enum object_type)e->types[base];
	oid_at(e, base, &info->delta_base);
	return true;
}

/* False: this copy cannot be used. */
static bool entry_info(struct entries *e, uint32_t i, unsigned want, struct object_info *info)
{
	uint64_t offset = e->at[i].offset;
	struct pack_entry entry;

	if (pack_is_marked_bad(e->pack, offset) || pack_entry_read(e->pack, offset, &entry, NULL) < 0)
		return false;
	info->type = entry.type;
	info->size = entry.size;
	info->delta_base = e->pack->idx.algo->null_oid;
	info->disk_size = (i + 1 < e->nr ? e->at[i + 1].offset : e->pack->end) - offset;
	if ((entry.type == OBJ_OFS_DELTA || entry.type == OBJ_REF_DELTA) &&
	    !delta_info(e, i, &entry, info) &&
	    pack_info_at(e->pack, e->reader, offset, want & OBJECT_INFO_LOCATION ? INFO_LOCATION : 0, info,
			 NULL) < 0)
		return false;
	e->types[i] = (unsigned char)info->type;
	return true;
}

/* Packs with an object twice are rare, and wrong: then the first one counts. */
static bool is_repeated(const struct pack_idx *idx, uint32_t pos)
{
	return pos && !memcmp(idx_name(idx, pos - 1), idx_name(idx, pos), idx->algo->raw_len);
}

static int visit(const struct inventory *v, struct entries *e, uint32_t i)
{
	struct object_info info;
	struct object_id oid;
	bool known = v->want && entry_info(e, i, v->want, &info);

	if (is_repeated(&e->pack->idx, e->at[i].pos))
		return 0;
	oid_at(e, i, &oid);
	if (v->more ? !oidset_insert(v->seen, &oid) : v->seen->map.nr && oidset_contains(v->seen, &oid))
		return 0;
	return v->fn(v->data, &oid, known ? &info : NULL);
}

static int visit_pack(const struct inventory *v, struct pack *p)
{
	struct entries e;
	int rc = 0;

	entries_init(&e, p);
	for (uint32_t i = 0; i < e.nr && !rc; i++)
		rc = visit(v, &e, i);
	entries_release(&e);
	return rc;
}

int packs_foreach_new(struct packs *ps, unsigned want, struct oidset *seen, bool more,
		      int (*fn)(void *data, const struct object_id *oid,
				const struct object_info *info),
		      void *data)
{
	struct pack_set *set = packs_set_held(ps);
	int rc = 0;

	for (size_t i = 0; i < set->nr && !rc; i++) {
		struct pack *p = set->all[i];
		struct inventory v = { want, seen, fn, data, more || i + 1 < set->nr };

		/* A damaged pack was reported when it was opened first. */
		if (pack_open_idx(p, NULL) < 0)
			continue;
		if (want && pack_open_data(p, NULL) < 0)
			v.want = 0;
		rc = visit_pack(&v, p);
	}
	return rc;
}
