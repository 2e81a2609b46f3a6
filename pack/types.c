/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The type of a delta stands at the end of its chain. For packs with long chains, types that
 * were found are remembered, so that asking for all of them takes time linear in the length of
 * the chain. A table without locks: an entry may displace another one, which is then found anew.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

#define SLOTS_MIN 256
#define SLOTS_MAX ((size_t)1 << 20)
#define TYPE_BITS 3

struct type_table {
	size_t mask;
	_Atomic(uint64_t) slots[]; /* offset and type; 0: empty */
};

static struct type_table *table_new(uint32_t nr_objects)
{
	struct type_table *t;
	size_t nr = SLOTS_MIN;

	while (nr < nr_objects && nr < SLOTS_MAX)
		nr *= 2;
	t = xcalloc(1, st_add(sizeof(*t), st_mult(nr, sizeof(*t->slots))));
	t->mask = nr - 1;
	return t;
}

static struct type_table *table_of(struct pack *p)
{
	struct type_table *t;

	pthread_mutex_lock(&p->lock);
	t = atomic_load(&p->types);
	if (!t) {
		t = table_new(p->idx.nr);
		atomic_store_explicit(&p->types, t, memory_order_release);
	}
	pthread_mutex_unlock(&p->lock);
	return t;
}

static _Atomic(uint64_t) *slot_of(struct type_table *t, uint64_t offset)
{
	return &t->slots[(size_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & t->mask];
}

bool pack_type_get(const struct pack *p, uint64_t offset, enum object_type *type)
{
	struct type_table *t = atomic_load_explicit(&p->types, memory_order_acquire);
	uint64_t v = t ? atomic_load_explicit(slot_of(t, offset), memory_order_relaxed) : 0;

	if (!v || v >> TYPE_BITS != offset)
		return false;
	*type = (enum object_type)(v & ((1 << TYPE_BITS) - 1));
	return true;
}

void pack_type_put(struct pack *p, uint64_t offset, enum object_type type)
{
	struct type_table *t = atomic_load_explicit(&p->types, memory_order_acquire);

	if (!t)
		t = table_of(p);
	atomic_store_explicit(slot_of(t, offset), offset << TYPE_BITS | (uint64_t)type,
			      memory_order_relaxed);
}
