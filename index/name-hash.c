/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking names up without regard to case, for core.ignoreCase. */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "util/alloc.h"
#include "util/map.h"

struct index_name_hash {
	struct index_entry **slots; /* open addressing, NULL: free */
	size_t nr, mask;
};

static void put(struct index_name_hash *h, struct index_entry *e)
{
	size_t i = mem_ihash(e->name, e->name_len) & h->mask;

	while (h->slots[i])
		i = (i + 1) & h->mask;
	h->slots[i] = e;
	h->nr++;
}

static struct index_name_hash *build(const struct index_state *ix)
{
	struct index_name_hash *h = xcalloc(1, sizeof(*h));
	size_t size = 64;

	while (size / 2 < ix->nr)
		size = st_mult(size, 2);
	h->mask = size - 1;
	CALLOC_ARRAY(h->slots, size);
	for (size_t i = 0; i < ix->nr; i++)
		put(h, ix->entries[i]);
	return h;
}

void name_hash_drop(struct index_state *ix)
{
	if (ix->name_hash)
		free(ix->name_hash->slots);
	FREE_AND_NULL(ix->name_hash);
}

void name_hash_added(struct index_state *ix, struct index_entry *e)
{
	if (!ix->name_hash)
		return;
	if (ix->name_hash->nr >= ix->name_hash->mask / 4 * 3)
		name_hash_drop(ix);
	else
		put(ix->name_hash, e);
}

struct index_entry *index_find_icase(struct index_state *ix, const char *name, size_t len)
{
	struct index_name_hash *h;

	if (!ix->name_hash)
		ix->name_hash = build(ix);
	h = ix->name_hash;
	for (size_t i = mem_ihash(name, len) & h->mask; h->slots[i]; i = (i + 1) & h->mask) {
		struct index_entry *e = h->slots[i];

		if (e->name_len == len && !strncasecmp(e->name, name, len))
			return e;
	}
	return NULL;
}
