/* SPDX-License-Identifier: GPL-2.0-only */
/* In which order the objects of a new pack are written (enum pack_order). */
#include "compat/posix.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

static bool is_written(const struct pack_item *it)
{
	return !(it->flags & ITEM_PREFERRED_BASE);
}

/* The newest first, as objects are within a pack. */
static int newest_first(const void *a, const void *b)
{
	const struct pack_source *x = *(struct pack_source *const *)a;
	const struct pack_source *y = *(struct pack_source *const *)b;

	if (x->pack->mtime != y->pack->mtime)
		return x->pack->mtime > y->pack->mtime ? -1 : 1;
	return strcmp(x->pack->path, y->pack->path);
}

static uint32_t *order_by_source(struct pack_objects *po, uint32_t *at)
{
	struct pack_source **v;

	for (uint32_t i = 0; i < po->nr; i++)
		if (!po->items[i].source && is_written(&po->items[i]))
			*at++ = i;
	ALLOC_ARRAY(v, (size_t)po->nr_sources + 1);
	for (uint32_t i = 0; i < po->nr_sources; i++)
		v[i] = &po->sources[i];
	if (po->nr_sources)
		qsort(v, po->nr_sources, sizeof(*v), newest_first);
	for (uint32_t i = 0; i < po->nr_sources; i++)
		for (uint32_t k = 0; k < v[i]->nr; k++)
			if (is_written(&po->items[v[i]->items[k]]))
				*at++ = v[i]->items[k];
	free(v);
	return at;
}

static uint32_t *order_by_type(struct pack_objects *po, uint32_t *at)
{
	static const uint8_t types[] = { OBJ_TAG, OBJ_COMMIT, OBJ_TREE, OBJ_BLOB };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (uint32_t i = 0; i < po->nr; i++)
			if (po->items[i].type == types[t] && is_written(&po->items[i]))
				*at++ = i;
	return at;
}

/* ---- bases first ---- */

struct placing {
	struct pack_objects *po;
	uint8_t *placed;
	uint32_t *out;
	size_t nr;
	uint32_t *path;
	size_t nr_path, alloc_path;
};

/* The item, and before it the bases that have no place yet. Nothing leads in a circle. */
static void place(struct placing *p, uint32_t i)
{
	while (!p->placed[i]) {
		const struct pack_item *it = &p->po->items[i];

		p->placed[i] = 1;
		ALLOC_GROW(p->path, p->nr_path + 1, p->alloc_path);
		p->path[p->nr_path++] = i;
		if (!it->base || !is_written(&p->po->items[it->base - 1]))
			break;
		i = it->base - 1;
	}
	while (p->nr_path)
		p->out[p->nr++] = p->path[--p->nr_path];
}

uint32_t *pack_list_order(struct pack_objects *po)
{
	uint32_t nr = pack_objects_count(po), *order, *end;
	struct placing p = { .po = po };

	ALLOC_ARRAY(order, (size_t)nr + 1);
	if (po->o.order == PACK_ORDER_TYPE)
		end = order_by_type(po, order);
	else
		end = order_by_source(po, order);
	if ((size_t)(end - order) != nr)
		BUG("%zu of %u objects have a place in the pack", (size_t)(end - order), nr);
	ALLOC_ARRAY(p.out, (size_t)nr + 1);
	CALLOC_ARRAY(p.placed, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < nr; i++)
		place(&p, order[i]);
	free(p.placed);
	free(p.path);
	free(order);
	return p.out;
}
