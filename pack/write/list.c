/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of objects of a new pack: adding, finding by name. */
#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/name-hash.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/map.h"

#define FIRST_SLOTS 1024

void pack_objects_options_init(struct pack_objects_options *o, struct odb *odb)
{
	*o = (struct pack_objects_options){
		.odb = odb,
		.window = 10,
		.depth = 50,
		.delta_cache_bytes = (size_t)256 << 20,
		.delta_cache_limit = 1000,
		.big_file_threshold = (uint64_t)512 << 20,
		.level = -1,
		.name_hash_version = 1,
		.reuse_delta = true,
		.reuse_object = true,
	};
}

struct pack_objects *pack_objects_new(const struct pack_objects_options *o)
{
	struct pack_objects *po;

	CALLOC_ARRAY(po, 1);
	po->o = *o;
	if (!o->reuse_object)
		po->o.reuse_delta = false;
	if (po->o.depth > UINT16_MAX / 4)
		po->o.depth = UINT16_MAX / 4;
	po->algo = odb_algo(o->odb);
	po->raw_len = po->algo->raw_len;
	po->mask = FIRST_SLOTS - 1;
	CALLOC_ARRAY(po->slots, FIRST_SLOTS);
	return po;
}

void pack_objects_free(struct pack_objects *po)
{
	if (!po)
		return;
	for (uint32_t i = 0; i < po->nr; i++)
		free(po->items[i].delta);
	for (uint32_t i = 0; i < po->nr_sources; i++) {
		if (po->sources[i].fd >= 0)
			close(po->sources[i].fd);
		free(po->sources[i].items);
	}
	free(po->marks.types);
	free(po->marks.v);
	free(po->sources);
	free(po->source_slots);
	free(po->order);
	free(po->excluded);
	free(po->others);
	free(po->ranges);
	free(po->piece.buf);
	free(po->path_hashes);
	free(po->island_set_of);
	free(po->items);
	free(po->names);
	free(po->slots);
	free(po);
}

/* ---- finding ---- */

/* Its slot, or the empty one that it would get. */
static item_ref *slot_of(const struct pack_objects *po, const unsigned char *name)
{
	size_t i = oid_hash_raw(name, po->raw_len) & po->mask;

	while (po->slots[i] &&
	       memcmp(pack_item_name(po, po->slots[i] - 1), name, po->raw_len) != 0)
		i = (i + 1) & po->mask;
	return &po->slots[i];
}

item_ref pack_list_find(const struct pack_objects *po, const unsigned char *name)
{
	return *slot_of(po, name);
}

static bool is_in_marks(const struct pack_marks *m, const unsigned char *name)
{
	uint32_t pos;

	return m->nr && idx_find(&m->pack->idx, name, &pos) && m->types[pos];
}

bool pack_objects_has(const struct pack_objects *po, const struct object_id *oid)
{
	item_ref ref = pack_list_find(po, oid->hash);

	if (ref && !(po->items[ref - 1].flags & ITEM_PREFERRED_BASE))
		return true;
	return is_in_marks(&po->marks, oid->hash);
}

void pack_item_oid(const struct pack_objects *po, uint32_t i, struct object_id *out)
{
	oid_from_raw(out, pack_item_name(po, i), po->algo);
}

uint32_t pack_objects_count(const struct pack_objects *po)
{
	return po->nr_in_ranges + po->marks.nr + po->nr - po->nr_preferred;
}

/* ---- adding ---- */

static void grow_slots(struct pack_objects *po)
{
	po->mask = po->mask * 2 + 1;
	free(po->slots);
	CALLOC_ARRAY(po->slots, po->mask + 1);
	for (uint32_t i = 0; i < po->nr; i++)
		*slot_of(po, pack_item_name(po, i)) = i + 1;
}

static void grow_items(struct pack_objects *po)
{
	size_t want = alloc_growth(po->alloc, (size_t)po->nr + 1);

	if (want > UINT32_MAX - 1)
		want = UINT32_MAX - 1;
	po->items = xreallocarray(po->items, want, sizeof(*po->items));
	po->names = xreallocarray(po->names, want, po->raw_len);
	if (po->o.by_path)
		po->path_hashes = xreallocarray(po->path_hashes, want, sizeof(*po->path_hashes));
	po->alloc = (uint32_t)want;
}

/* The item of that name, made if it is new: index plus one; 0: there are too many. */
static item_ref add_item(struct pack_objects *po, const unsigned char *name, bool *is_new)
{
	item_ref *slot = slot_of(po, name);

	*is_new = !*slot;
	if (*slot)
		return *slot;
	if (po->nr >= UINT32_MAX - 1)
		return 0;
	if (po->nr == po->alloc)
		grow_items(po);
	memset(&po->items[po->nr], 0, sizeof(*po->items));
	if (po->path_hashes)
		po->path_hashes[po->nr] = 0;
	memcpy(po->names + (size_t)po->nr * po->raw_len, name, po->raw_len);
	*slot = ++po->nr;
	if (po->nr > po->mask / 2 + po->mask / 4) /* before the next search */
		grow_slots(po);
	return po->nr;
}

static int add(struct pack_objects *po, const struct object_id *oid, enum object_type type,
	       uint32_t name_hash, unsigned flags, struct pack_item **out, struct err *err)
{
	bool is_new;
	struct pack_item *it;
	item_ref ref;

	if (po->prepared)
		BUG("an object is added to a list that has been prepared");
	ref = add_item(po, oid->hash, &is_new);
	if (!ref)
		return err_set(err, ERR_TOO_BIG, "too many objects for one pack");
	it = &po->items[ref - 1];
	if (is_new) {
		it->type = (uint8_t)(type > OBJ_NONE ? type : OBJ_NONE);
		if (flags & PACK_PREFERRED_BASE) {
			it->flags |= ITEM_PREFERRED_BASE;
			po->nr_preferred++;
		}
	} else if ((it->flags & ITEM_PREFERRED_BASE) && !(flags & PACK_PREFERRED_BASE)) {
		it->flags &= (uint8_t)~ITEM_PREFERRED_BASE;
		po->nr_preferred--;
	}
	if (!it->name_hash)
		it->name_hash = name_hash;
	if (flags & PACK_NO_DELTA)
		it->flags |= ITEM_NO_DELTA;
	*out = it;
	return 0;
}

uint32_t pack_list_hash_path(const struct pack_objects *po, const char *path)
{
	return po->o.name_hash_version == 2 ? pack_name_hash_2(path) : pack_name_hash(path);
}

void pack_objects_exclude_list(struct pack_objects *po, const struct pack_objects *other)
{
	ALLOC_GROW(po->others, po->nr_others + 1, po->alloc_others);
	po->others[po->nr_others++] = other;
}

bool pack_objects_is_elsewhere(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i < po->nr_others; i++)
		if (pack_objects_has(po->others[i], oid))
			return true;
	return false;
}

/* One that has been added was asked about before. */
static bool leaves_out(const struct pack_objects *po, const struct object_id *oid)
{
	if (!po->nr_excluded && !po->nr_others && !po->o.incremental && !po->o.local && !po->o.leave_out)
		return false;
	return !pack_objects_has(po, oid) &&
	       (pack_objects_is_elsewhere(po, oid) || pack_list_leaves_out(po, oid));
}

/* FNV-1a: equal for equal paths, and hardly for others. */
static uint32_t hash_whole(const char *path)
{
	uint32_t h = 0x811c9dc5u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x01000193u;
	return h;
}

int pack_objects_add(struct pack_objects *po, const struct object_id *oid,
		     enum object_type type, const char *path, unsigned flags, struct err *err)
{
	struct pack_item *it;
	int rc;

	if (!(flags & PACK_PREFERRED_BASE) && leaves_out(po, oid))
		return 0;
	rc = add(po, oid, type, pack_list_hash_path(po, path), flags, &it, err);
	if (!rc && po->path_hashes && path && !po->path_hashes[it - po->items])
		po->path_hashes[it - po->items] = hash_whole(path);
	return rc;
}

/* The slot of a pack, or the empty one where it belongs. */
static uint32_t *find_source_slot(struct pack_objects *po, const struct pack *pack)
{
	uint32_t i = mem_hash(&pack, sizeof(pack));

	for (;; i++) {
		uint32_t *slot = &po->source_slots[i & po->source_mask];

		if (!*slot || po->sources[*slot - 1].pack == pack)
			return slot;
	}
}

static void grow_source_slots(struct pack_objects *po)
{
	uint32_t nr = po->source_slots ? (po->source_mask + 1) * 2 : 16;

	free(po->source_slots);
	CALLOC_ARRAY(po->source_slots, nr);
	po->source_mask = nr - 1;
	for (uint32_t i = 0; i < po->nr_sources; i++)
		*find_source_slot(po, po->sources[i].pack) = i + 1;
}

uint32_t pack_list_source(struct pack_objects *po, struct pack *pack)
{
	struct pack_source *s;
	uint32_t i = po->last_source, *slot;

	if (i && po->sources[i - 1].pack == pack)
		return i;
	if (!po->source_slots || po->nr_sources >= po->source_mask / 2)
		grow_source_slots(po);
	slot = find_source_slot(po, pack);
	if (*slot)
		return po->last_source = *slot;
	*slot = po->nr_sources + 1;
	ALLOC_GROW(po->sources, po->nr_sources + 1, po->alloc_sources);
	s = &po->sources[po->nr_sources++];
	memset(s, 0, sizeof(*s));
	s->pack = pack;
	s->fd = -1;
	return po->last_source = po->nr_sources;
}

int pack_objects_add_packed(struct pack_objects *po, const struct object_id *oid,
			    enum object_type type, uint32_t name_hash, struct pack *pack,
			    uint64_t offset, struct err *err)
{
	struct pack_item *it;
	int rc;

	if (leaves_out(po, oid))
		return 0;
	rc = add(po, oid, type, name_hash, 0, &it, err);
	if (!rc && pack && !it->source) {
		it->source = pack_list_source(po, pack);
		it->in_offset = offset;
	}
	return rc;
}

int pack_list_add_items(struct pack_objects *po, struct pack *pack, uint32_t first, uint32_t nr,
			struct err *err)
{
	struct object_id oid;
	int rc = 0;

	for (uint32_t i = first; i < first + nr && !rc; i++) {
		uint32_t pos = pack_rev_at(pack, i);

		if (pos >= pack->idx.nr)
			return err_set(err, ERR_CORRUPT, "the reverse index of '%s' is damaged",
				       pack->path);
		oid_from_raw(&oid, idx_name(&pack->idx, pos), po->algo);
		rc = pack_objects_add_packed(po, &oid, OBJ_NONE, 0, pack,
					     idx_offset(&pack->idx, pos), err);
	}
	return rc;
}

int pack_objects_add_pack(struct pack_objects *po, struct pack *pack, struct err *err)
{
	int rc = pack_open_rev(pack, err);

	return rc < 0 ? rc : pack_list_add_items(po, pack, 0, pack->idx.nr, err);
}
