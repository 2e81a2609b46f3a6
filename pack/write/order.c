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

/* ---- families: an object, the deltas upon it, the deltas upon these ---- */

struct families {
	struct pack_objects *po;
	uint32_t *first; /* the deltas upon item i: children[first[i]..first[i + 1]) */
	uint32_t *children;
	uint32_t *stack;
	size_t nr_stack, alloc_stack;
	uint32_t *out;
};

/* Its base is in the pack, too. */
static bool is_child(const struct pack_objects *po, const struct pack_item *it)
{
	return it->base && is_written(it) && is_written(&po->items[it->base - 1]);
}

static void families_init(struct families *f, struct pack_objects *po, uint32_t *out)
{
	*f = (struct families){ .po = po, .out = out };
	CALLOC_ARRAY(f->first, (size_t)po->nr + 2);
	ALLOC_ARRAY(f->children, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < po->nr; i++)
		if (is_child(po, &po->items[i]))
			f->first[po->items[i].base + 1]++;
	for (uint32_t i = 1; i <= po->nr + 1; i++)
		f->first[i] += f->first[i - 1];
	/* first[i + 1] moves from the beginning of the list of i to its end. */
	for (uint32_t i = 0; i < po->nr; i++)
		if (is_child(po, &po->items[i]))
			f->children[f->first[po->items[i].base]++] = i;
}

static void push_children(struct families *f, uint32_t i)
{
	uint32_t from = f->first[i], to = f->first[i + 1];

	ALLOC_GROW(f->stack, f->nr_stack + (to - from) + 1, f->alloc_stack);
	while (to > from)
		f->stack[f->nr_stack++] = f->children[--to];
}

static void put_descendants(struct families *f, uint32_t root)
{
	push_children(f, root);
	while (f->nr_stack) {
		uint32_t i = f->stack[--f->nr_stack];

		*f->out++ = i;
		push_children(f, i);
	}
}

/* roots: put the objects that are no deltas; with_rest: put the deltas below them. */
static void put_families(struct families *f, uint8_t type, bool roots, bool with_rest)
{
	for (uint32_t i = 0; i < f->po->nr; i++) {
		const struct pack_item *it = &f->po->items[i];

		if (it->type != type || !is_written(it) || is_child(f->po, it))
			continue;
		if (roots)
			*f->out++ = i;
		if (with_rest)
			put_descendants(f, i);
	}
}

static void put_type(struct families *f, uint8_t type)
{
	for (uint32_t i = 0; i < f->po->nr; i++)
		if (f->po->items[i].type == type && is_written(&f->po->items[i]))
			*f->out++ = i;
}

/*
 * An object that is no delta is mostly the youngest version, which a checkout reads: such objects
 * stand together. Deltas stand with their relatives, which are read to apply them.
 */
static uint32_t *order_by_type(struct pack_objects *po, uint32_t *at)
{
	static const uint8_t types[] = { OBJ_TREE, OBJ_BLOB };
	struct families f;

	families_init(&f, po, at);
	put_type(&f, OBJ_TAG);
	put_type(&f, OBJ_COMMIT);
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		if (po->o.order == PACK_ORDER_FAMILY) {
			put_families(&f, types[t], true, true);
			continue;
		}
		put_families(&f, types[t], true, false);
		put_families(&f, types[t], false, true);
	}
	free(f.first);
	free(f.children);
	free(f.stack);
	return f.out;
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
	uint32_t nr = po->nr - po->nr_preferred, *order, *end;
	struct placing p = { .po = po };

	ALLOC_ARRAY(order, (size_t)nr + 1);
	if (po->o.order != PACK_ORDER_SOURCE)
		end = order_by_type(po, order);
	else
		end = order_by_source(po, order);
	if ((size_t)(end - order) != nr)
		BUG("%zu of %u objects have a place in the pack", (size_t)(end - order), nr);
	pack_islands_put_core_first(po, order, nr);
	ALLOC_ARRAY(p.out, (size_t)nr + 1);
	CALLOC_ARRAY(p.placed, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < nr; i++)
		place(&p, order[i]);
	free(p.placed);
	free(p.path);
	free(order);
	return p.out;
}
