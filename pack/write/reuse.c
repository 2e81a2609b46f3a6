/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deltas of packs that are used again: those whose base goes along (or is there already, for a
 * thin pack). The copies of an object and of its base may come from different packs, so their
 * deltas can lead in a circle; and chains can be longer than is asked for now. Either is cut.
 */
#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

enum { UNSEEN, ON_PATH, DONE };

struct walk {
	struct pack_objects *po;
	uint8_t *state;
	uint32_t *path;
	size_t nr, alloc;
};

static bool is_usable_base(const struct pack_objects *po, const struct pack_item *it, uint32_t i)
{
	const struct pack_item *base = &po->items[it->base - 1];

	if (it->base - 1 == i || (it->flags & (ITEM_NO_COPY | ITEM_PREFERRED_BASE)) ||
	    !pack_islands_allow(po, it->base - 1, i))
		return false;
	return po->o.thin || !(base->flags & ITEM_PREFERRED_BASE);
}

static void drop_unusable(struct pack_objects *po)
{
	for (uint32_t i = 0; i < po->nr; i++) {
		struct pack_item *it = &po->items[i];

		if (it->base && is_usable_base(po, it, i))
			it->flags |= ITEM_REUSE_DELTA;
		else
			it->base = 0;
	}
}

static void cut(struct pack_item *it)
{
	it->base = 0;
	it->depth = 0;
	it->flags &= (uint8_t)~ITEM_REUSE_DELTA;
}

/* From the item up to one that is no delta, or has been done; the items between are on the path. */
static void climb(struct walk *w, uint32_t i)
{
	while (w->state[i] == UNSEEN) {
		struct pack_item *it = &w->po->items[i];

		w->state[i] = ON_PATH;
		ALLOC_GROW(w->path, w->nr + 1, w->alloc);
		w->path[w->nr++] = i;
		if (it->base && w->state[it->base - 1] == ON_PATH)
			cut(it);
		if (!it->base)
			break;
		i = it->base - 1;
	}
}

static void descend(struct walk *w)
{
	while (w->nr) {
		uint32_t i = w->path[--w->nr];
		struct pack_item *it = &w->po->items[i];
		const struct pack_item *base = it->base ? &w->po->items[it->base - 1] : NULL;

		if (base && base->type)
			it->type = base->type;
		if (base && base->depth >= w->po->o.depth)
			cut(it);
		else if (base)
			it->depth = base->depth + 1;
		w->state[i] = DONE;
	}
}

void pack_list_find_heights(struct pack_objects *po)
{
	for (uint32_t i = 0; i < po->nr; i++)
		po->items[i].height = 0;
	for (uint32_t i = 0; i < po->nr; i++) {
		const struct pack_item *it = &po->items[i];

		for (uint16_t h = 1; it->base; h++) {
			struct pack_item *base = &po->items[it->base - 1];

			if (base->height >= h)
				break;
			base->height = h;
			it = base;
		}
	}
}

/*
 * Checks objects that are in no pack, and deltas whose base is outside: another store must have
 * them.
 */
static int find_others(struct pack_objects *po, struct err *err)
{
	enum object_type type;
	struct object_id oid;
	uint64_t size;
	int rc = 0;

	for (uint32_t i = 0; i < po->nr && !rc; i++) {
		struct pack_item *it = &po->items[i];

		if ((it->type && it->source) || (it->flags & ITEM_PREFERRED_BASE))
			continue;
		pack_item_oid(po, i, &oid);
		rc = odb_type(po->o.odb, &oid, &type, &size, err);
		if (rc < 0)
			break;
		it->type = (uint8_t)type;
		it->size = size;
		it->flags |= ITEM_SIZE_KNOWN;
	}
	return rc;
}

int pack_list_reuse(struct pack_objects *po, struct err *err)
{
	struct walk w = { .po = po };

	drop_unusable(po);
	CALLOC_ARRAY(w.state, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < po->nr; i++) {
		climb(&w, i);
		descend(&w);
	}
	free(w.state);
	free(w.path);
	pack_list_find_heights(po);
	return find_others(po, err);
}
