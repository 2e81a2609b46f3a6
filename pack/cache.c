/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The delta-base cache: objects by pack and offset, up to a limit in bytes, with LRU
 * eviction. Objects have counted references and never change, so they are used without the
 * lock.
 */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

struct base_object *base_object_new(enum object_type type, void *data, size_t size)
{
	struct base_object *b;

	CALLOC_ARRAY(b, 1);
	atomic_init(&b->refs, 1);
	b->type = type;
	b->data = data;
	b->size = size;
	return b;
}

void base_object_put(struct base_object *b)
{
	if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
		return;
	free(b->data);
	free(b);
}

void *base_object_detach(struct base_object *b)
{
	void *data;

	if (atomic_load(&b->refs) == 1) {
		data = b->data;
		b->data = NULL;
	} else {
		data = try_alloc(b->size + 1);
		if (data)
			memcpy(data, b->data, b->size + 1);
	}
	base_object_put(b);
	return data;
}

/* ---- the cache ---- */

/*
 * Few cache misses: the hash table uses linear probing, so that the search for an absent key, the
 * first step of each read, mostly touches one cache line. A recently used entry keeps its place in
 * the LRU list, so that its neighbours there need not be touched.
 */
struct slot {
	uint64_t hash; /* of pack and offset */
	struct base_object *base; /* NULL: the slot is free */
};

struct base_cache {
	pthread_mutex_t lock;
	struct slot *slots;
	size_t mask, nr;
	size_t bytes, limit;
	uint64_t time; /* counts additions to the list */
	struct base_object *newest, *oldest;
};

#define MIN_SLOTS 256

struct base_cache *base_cache_new(size_t limit_bytes)
{
	struct base_cache *c;

	CALLOC_ARRAY(c, 1);
	pthread_mutex_init(&c->lock, NULL);
	c->limit = limit_bytes;
	c->mask = MIN_SLOTS - 1;
	CALLOC_ARRAY(c->slots, MIN_SLOTS);
	return c;
}

void base_cache_free(struct base_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i <= c->mask; i++)
		base_object_put(c->slots[i].base);
	pthread_mutex_destroy(&c->lock);
	free(c->slots);
	free(c);
}

/* Products whose upper halves are mixed in: neighbours in a pack are no neighbours in the table. */
static uint64_t hash_of(const struct pack *pack, uint64_t offset)
{
	uint64_t h = (offset + (uint64_t)(uintptr_t)pack) * UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 32;
}

/* Its slot, or the free one where it belongs. */
static size_t find(const struct base_cache *c, uint64_t hash, const struct pack *pack, uint64_t offset)
{
	size_t i = hash & c->mask;

	for (;; i = (i + 1) & c->mask) {
		const struct slot *s = &c->slots[i];

		if (!s->base || (s->hash == hash && s->base->offset == offset && s->base->pack == pack))
			return i;
	}
}

/* Memory for an object, bookkeeping included. */
static size_t cost_bytes(const struct base_object *b)
{
	return b->size + sizeof(*b) + 2 * sizeof(struct slot);
}

static void list_remove(struct base_cache *c, struct base_object *b)
{
	if (b->newer)
		b->newer->older = b->older;
	else
		c->newest = b->older;
	if (b->older)
		b->older->newer = b->newer;
	else
		c->oldest = b->newer;
}

static void list_add(struct base_cache *c, struct base_object *b)
{
	b->newer = NULL;
	b->older = c->newest;
	if (c->newest)
		c->newest->newer = b;
	else
		c->oldest = b;
	c->newest = b;
	b->time = ++c->time;
}

/* Used; if that was so lately it is near the head of the list anyway. */
static void touch(struct base_cache *c, struct base_object *b)
{
	if (c->time - b->time <= c->nr / 4)
		return;
	list_remove(c, b);
	list_add(c, b);
}

/* Free slot i; what stands behind it because of it moves up. */
static void close_gap(struct base_cache *c, size_t i)
{
	size_t j = i;

	for (;;) {
		size_t home;

		c->slots[i].base = NULL;
		do {
			j = (j + 1) & c->mask;
			if (!c->slots[j].base)
				return;
			home = c->slots[j].hash & c->mask;
		} while (((j - home) & c->mask) < ((j - i) & c->mask));
		c->slots[i] = c->slots[j];
		i = j;
	}
}

static void evict_oldest(struct base_cache *c)
{
	struct base_object *b = c->oldest;

	list_remove(c, b);
	close_gap(c, find(c, hash_of(b->pack, b->offset), b->pack, b->offset));
	c->bytes -= cost_bytes(b);
	c->nr--;
	b->is_cached = false;
	base_object_put(b);
}

void base_cache_clear(struct base_cache *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->oldest)
		evict_oldest(c);
	pthread_mutex_unlock(&c->lock);
}

static void grow(struct base_cache *c)
{
	struct slot *old = c->slots;
	size_t size = c->mask + 1;

	c->mask = size * 2 - 1;
	CALLOC_ARRAY(c->slots, size * 2);
	for (size_t i = 0; i < size; i++) {
		size_t to = old[i].hash & c->mask;

		if (!old[i].base)
			continue;
		while (c->slots[to].base)
			to = (to + 1) & c->mask;
		c->slots[to] = old[i];
	}
	free(old);
}

struct base_object *base_cache_get(struct base_cache *c, const struct pack *pack, uint64_t offset)
{
	uint64_t hash = hash_of(pack, offset);
	struct base_object *b;

	pthread_mutex_lock(&c->lock);
	b = c->slots[find(c, hash, pack, offset)].base;
	if (b) {
		touch(c, b);
		atomic_fetch_add(&b->refs, 1);
	}
	pthread_mutex_unlock(&c->lock);
	return b;
}

void base_cache_add(struct base_cache *c, const struct pack *pack, uint64_t offset,
		    struct base_object *b)
{
	uint64_t hash = hash_of(pack, offset);

	if (cost_bytes(b) > c->limit)
		return;
	pthread_mutex_lock(&c->lock);
	if (!b->is_cached && !c->slots[find(c, hash, pack, offset)].base) {
		while (c->oldest && c->bytes > c->limit - cost_bytes(b))
			evict_oldest(c);
		if (c->nr > c->mask / 2)
			grow(c);
		b->pack = pack;
		b->offset = offset;
		b->is_cached = true;
		list_add(c, b);
		atomic_fetch_add(&b->refs, 1);
		c->slots[find(c, hash, pack, offset)] = (struct slot){ hash, b };
		c->bytes += cost_bytes(b);
		c->nr++;
	}
	pthread_mutex_unlock(&c->lock);
}
