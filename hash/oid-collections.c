/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps, sets and arrays of object ids; in maps linear probing, and removal moves later entries back. */
#include "compat/posix.h"
#include "compat/os.h"
#include "hash/hash.h"
#include "util/alloc.h"

struct oidmap_slot {
	struct object_id oid;
	bool used;
	void *value;
};

#define MIN_SLOTS 16

/*
 * Random per process. A peer chooses an id that it only mentions (a parent, an entry of a tree, the base of a
 * delta), so the slot depends on every word of the id. The upper half of a sum of products of pairs of words, each
 * added to a random number, is strongly universal (multilinear hashing): two different ids have the same hash with
 * a chance of one in 2^32, even if an attacker chose them. The steps after it are a bijection: they keep that
 * chance, and spread series of ids that differ by a constant.
 */
#define WORDS_MAX (HASH_MAX_RAW / 4)
static uint64_t keys[WORDS_MAX + 1];

__attribute__((constructor)) static void choose_keys(void)
{
	os_random64_fill(keys, ARRAY_SIZE(keys));
}

static inline uint64_t product(const unsigned char *raw, const uint64_t *key)
{
	uint32_t w[2];

	memcpy(w, raw, sizeof(w));
	return (key[0] + w[0]) * (key[1] + w[1]);
}

/* As if zeros followed it. */
static inline uint64_t last_product(const unsigned char *raw, const uint64_t *key)
{
	uint32_t w;

	memcpy(&w, raw, sizeof(w));
	return (key[0] + w) * key[1];
}

uint32_t oid_hash_raw(const unsigned char *raw, size_t len)
{
	uint64_t sum = keys[WORDS_MAX] + product(raw, keys) + product(raw + 8, keys + 2);
	uint32_t h;

	if (len == 20)
		sum += last_product(raw + 16, keys + 4);
	else
		sum += product(raw + 16, keys + 4) + product(raw + 24, keys + 6);
	h = (uint32_t)(sum >> 32);
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	return h ^ h >> 13;
}

uint32_t oid_hash(const struct object_id *oid)
{
	return oid_hash_raw(oid->hash, HASH_MAX_RAW);
}

/* The id's slot, or the free one where it belongs. m->slots must not be NULL. */
static struct oidmap_slot *oidmap_probe(const struct oidmap *m, const struct object_id *oid)
{
	size_t i = oid_hash(oid) & m->mask;

	while (m->slots[i].used && !oid_eq(&m->slots[i].oid, oid))
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static struct oidmap_slot *find(const struct oidmap *m, const struct object_id *oid)
{
	struct oidmap_slot *s;

	if (!m->nr)
		return NULL;
	s = oidmap_probe(m, oid);
	return s->used ? s : NULL;
}

static void make_room(struct oidmap *m)
{
	struct oidmap_slot *old = m->slots;
	size_t old_size = old ? m->mask + 1 : 0;
	size_t size = old_size ? st_mult(old_size, 2) : MIN_SLOTS;

	if (old && m->nr + 1 <= old_size / 4 * 3)
		return;
	m->slots = xcalloc(size, sizeof(*m->slots));
	m->mask = size - 1;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].used)
			*oidmap_probe(m, &old[i].oid) = old[i];
	free(old);
}

void *oidmap_get(const struct oidmap *m, const struct object_id *oid)
{
	struct oidmap_slot *s = find(m, oid);

	return s ? s->value : NULL;
}

bool oidmap_contains(const struct oidmap *m, const struct object_id *oid)
{
	return find(m, oid) != NULL;
}

static struct oidmap_slot *find_or_add(struct oidmap *m, const struct object_id *oid,
				       bool *is_new)
{
	struct oidmap_slot *s;

	make_room(m);
	s = oidmap_probe(m, oid);
	*is_new = !s->used;
	if (*is_new) {
		s->oid = *oid;
		s->used = true;
		s->value = NULL;
		m->nr++;
	}
	return s;
}

void *oidmap_put(struct oidmap *m, const struct object_id *oid, void *value)
{
	bool is_new;
	struct oidmap_slot *s = find_or_add(m, oid, &is_new);
	void *old = s->value;

	s->value = value;
	return old;
}

/* Free slot i: move entries that were displaced past it back, so that probing finds them. */
static void close_gap(struct oidmap *m, size_t i)
{
	size_t j = i;

	for (;;) {
		size_t home;

		m->slots[i].used = false;
		do {
			j = (j + 1) & m->mask;
			if (!m->slots[j].used)
				return;
			home = oid_hash(&m->slots[j].oid) & m->mask;
		} while (((j - home) & m->mask) < ((j - i) & m->mask));
		m->slots[i] = m->slots[j];
		i = j;
	}
}

void *oidmap_remove(struct oidmap *m, const struct object_id *oid)
{
	struct oidmap_slot *s = find(m, oid);
	void *value;

	if (!s)
		return NULL;
	value = s->value;
	close_gap(m, (size_t)(s - m->slots));
	m->nr--;
	return value;
}

bool oidmap_next(const struct oidmap *m, size_t *iter,
		 const struct object_id **oid, void **value)
{
	while (m->slots && *iter <= m->mask) {
		struct oidmap_slot *s = &m->slots[(*iter)++];

		if (!s->used)
			continue;
		if (oid)
			*oid = &s->oid;
		if (value)
			*value = s->value;
		return true;
	}
	return false;
}

void oidmap_clear(struct oidmap *m, void (*free_value)(void *))
{
	for (size_t i = 0; free_value && m->slots && i <= m->mask; i++)
		if (m->slots[i].used)
			free_value(m->slots[i].value);
	free(m->slots);
	*m = (struct oidmap)OIDMAP_INIT;
}

/* ---- oidset ---- */

bool oidset_insert(struct oidset *s, const struct object_id *oid)
{
	bool is_new;

	find_or_add(&s->map, oid, &is_new);
	return is_new;
}

bool oidset_contains(const struct oidset *s, const struct object_id *oid)
{
	return oidmap_contains(&s->map, oid);
}

void oidset_clear(struct oidset *s)
{
	oidmap_clear(&s->map, NULL);
}

/* ---- arrays ---- */

void oid_array_append(struct oid_array *a, const struct object_id *oid)
{
	ALLOC_GROW(a->oid, st_add(a->nr, 1), a->alloc);
	a->oid[a->nr++] = *oid;
	a->sorted = false;
}

static int compare(const void *a, const void *b)
{
	return oid_cmp(a, b);
}

void oid_array_sort(struct oid_array *a)
{
	if (!a->sorted && a->nr > 1)
		qsort(a->oid, a->nr, sizeof(*a->oid), compare);
	a->sorted = true;
}

void oid_array_sort_unique(struct oid_array *a)
{
	size_t kept = 0;

	oid_array_sort(a);
	for (size_t i = 0; i < a->nr; i++)
		if (!kept || !oid_eq(&a->oid[kept - 1], &a->oid[i]))
			a->oid[kept++] = a->oid[i];
	a->nr = kept;
}

bool oid_array_contains(struct oid_array *a, const struct object_id *oid)
{
	oid_array_sort(a);
	return a->nr && bsearch(oid, a->oid, a->nr, sizeof(*a->oid), compare);
}

void oid_array_clear(struct oid_array *a)
{
	free(a->oid);
	*a = (struct oid_array)OID_ARRAY_INIT;
}
