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

struct slot {
	const struct pack *pack;
	uint64_t offset;
	struct base_object *base;
	struct slot *next;	    /* in the bucket */
	struct slot *newer, *older;
};

struct base_cache {
	pthread_mutex_t lock;
	struct slot **buckets;
	size_t mask, nr;
	size_t bytes, limit;
	struct slot *newest, *oldest;
};

struct base_cache *base_cache_new(size_t limit_bytes)
{
	struct base_cache *c;

	CALLOC_ARRAY(c, 1);
	pthread_mutex_init(&c->lock, NULL);
	c->limit = limit_bytes;
	c->mask = 255;
	CALLOC_ARRAY(c->buckets, c->mask + 1);
	return c;
}

static size_t bucket_of(const struct base_cache *c, const struct pack *pack, uint64_t offset)
{
	uint64_t h = (offset + (uint64_t)(uintptr_t)pack) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 32) & c->mask;
}

static struct slot **find(struct base_cache *c, const struct pack *pack, uint64_t offset)
{
	struct slot **at = &c->buckets[bucket_of(c, pack, offset)];

	while (*at && ((*at)->offset != offset || (*at)->pack != pack))
		at = &(*at)->next;
	return at;
}

static void lru_remove(struct base_cache *c, struct slot *s)
{
	if (s->newer)
		s->newer->older = s->older;
	else
		c->newest = s->older;
	if (s->older)
		s->older->newer = s->newer;
	else
		c->oldest = s->newer;
}

static void lru_add(struct base_cache *c, struct slot *s)
{
	s->newer = NULL;
	s->older = c->newest;
	if (c->newest)
		c->newest->newer = s;
	else
		c->oldest = s;
	c->newest = s;
}

/* Memory for an object, bookkeeping included. */
static size_t cost_bytes(const struct base_object *b)
{
	return b->size + sizeof(*b) + sizeof(struct slot);
}

static void evict(struct base_cache *c, struct slot *s)
{
	struct slot **at = find(c, s->pack, s->offset);

	*at = s->next;
	lru_remove(c, s);
	c->bytes -= cost_bytes(s->base);
	c->nr--;
	base_object_put(s->base);
	free(s);
}

static void grow(struct base_cache *c)
{
	size_t old = c->mask + 1;
	struct slot **from = c->buckets;

	c->mask = old * 4 - 1;
	CALLOC_ARRAY(c->buckets, c->mask + 1);
	for (size_t i = 0; i < old; i++)
		for (struct slot *s = from[i], *next; s; s = next) {
			struct slot **to = &c->buckets[bucket_of(c, s->pack, s->offset)];

			next = s->next;
			s->next = *to;
			*to = s;
		}
	free(from);
}

void base_cache_free(struct base_cache *c)
{
	if (!c)
		return;
	while (c->oldest)
		evict(c, c->oldest);
	pthread_mutex_destroy(&c->lock);
	free(c->buckets);
	free(c);
}

struct base_object *base_cache_get(struct base_cache *c, const struct pack *pack, uint64_t offset)
{
	struct base_object *b = NULL;
	struct slot *s;

	pthread_mutex_lock(&c->lock);
	s = *find(c, pack, offset);
	if (s) {
		lru_remove(c, s);
		lru_add(c, s);
		b = s->base;
		atomic_fetch_add(&b->refs, 1);
	}
	pthread_mutex_unlock(&c->lock);
	return b;
}

void base_cache_add(struct base_cache *c, const struct pack *pack, uint64_t offset,
		    struct base_object *b)
{
	struct slot *s, **at;

	if (cost_bytes(b) > c->limit)
		return;
	pthread_mutex_lock(&c->lock);
	if (!*find(c, pack, offset)) {
		while (c->oldest && c->bytes > c->limit - cost_bytes(b))
			evict(c, c->oldest);
		if (c->nr > c->mask)
			grow(c);
		CALLOC_ARRAY(s, 1);
		s->pack = pack;
		s->offset = offset;
		s->base = b;
		atomic_fetch_add(&b->refs, 1);
		at = &c->buckets[bucket_of(c, pack, offset)];
		s->next = *at;
		*at = s;
		lru_add(c, s);
		c->bytes += cost_bytes(b);
		c->nr++;
	}
	pthread_mutex_unlock(&c->lock);
}
