/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/reftable/objects-internal.h"
#include "refs/reftable/record-internal.h"
#include "util/alloc.h"

#define ID_LEN_MAX 31
#define BUCKETS 65536 /* by the first two bytes */
#define FEW_PLACES 4096

/* Many refs of a block may lead to the same object: one place is enough. */
static bool is_recent(const struct object_places *o, const unsigned char *hash, uint64_t position)
{
	const size_t nr = o->recent[*hash];
	const struct object_place *place = nr ? &o->items[nr - 1] : NULL;

	return place && place->position == position && !memcmp(place->hash, hash, o->hash_len);
}

void object_places_add(struct object_places *o, const unsigned char *hash, uint64_t position)
{
	struct object_place *place;

	if (is_recent(o, hash, position))
		return;
	ALLOC_GROW(o->items, o->nr + 1, o->alloc);
	place = &o->items[o->nr++];
	memset(place->hash, 0, sizeof(place->hash));
	memcpy(place->hash, hash, o->hash_len);
	place->position = position;
	o->recent[*hash] = o->nr;
}

static int place_cmp(const void *a, const void *b)
{
	const struct object_place *x = a, *y = b;
	int c = memcmp(x->hash, y->hash, sizeof(x->hash));

	return c ? c : x->position < y->position ? -1 : x->position > y->position;
}

/* Places come in the order of blocks: those of one object are in order. */
static void sort_few(struct object_place *items, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (place_cmp(&items[i - 1], &items[i]) <= 0)
			continue;
		qsort(items, nr, sizeof(*items), place_cmp);
		return;
	}
}

static size_t bucket_of(const struct object_place *place)
{
	return (size_t)place->hash[0] << 8 | place->hash[1];
}

static void sort_many(struct object_places *o)
{
	struct object_place *sorted;
	size_t *at, sum = 0; /* of each bucket: how many, then its start, then its end */

	ALLOC_ARRAY(sorted, o->nr);
	CALLOC_ARRAY(at, BUCKETS);
	for (size_t i = 0; i < o->nr; i++)
		at[bucket_of(&o->items[i])]++;
	for (size_t i = 0; i < BUCKETS; i++) {
		size_t nr = at[i];

		at[i] = sum;
		sum += nr;
	}
	for (size_t i = 0; i < o->nr; i++)
		sorted[at[bucket_of(&o->items[i])]++] = o->items[i];
	for (size_t i = 0; i < BUCKETS; i++)
		sort_few(sorted + (i ? at[i - 1] : 0), at[i] - (i ? at[i - 1] : 0));
	free(at);
	free(o->items);
	o->items = sorted;
	o->alloc = o->nr;
}

size_t object_places_sort(struct object_places *o)
{
	size_t id_len = 2, nr = 0;

	if (o->nr > FEW_PLACES)
		sort_many(o);
	else
		sort_few(o->items, o->nr);
	for (size_t i = 0; i < o->nr; i++) {
		const struct object_place *last = nr ? &o->items[nr - 1] : NULL;
		size_t same = 0;

		if (last && !place_cmp(last, &o->items[i]))
			continue;
		while (last && same < o->hash_len && last->hash[same] == o->items[i].hash[same])
			same++;
		if (same < o->hash_len && same + 1 > id_len)
			id_len = same + 1;
		o->items[nr++] = o->items[i];
	}
	o->nr = nr;
	return id_len < ID_LEN_MAX ? id_len : ID_LEN_MAX;
}

static bool same_id(const struct object_places *o, size_t i, size_t j, size_t id_len)
{
	return j < o->nr && !memcmp(o->items[i].hash, o->items[j].hash, id_len);
}

size_t object_places_record(const struct object_places *o, size_t i, size_t id_len, struct strbuf *key, unsigned *extra,
			    struct strbuf *value)
{
	size_t end = i + 1;

	while (same_id(o, i, end, id_len))
		end++;
	strbuf_reset(key);
	strbuf_add(key, o->items[i].hash, id_len);
	strbuf_reset(value);
	*extra = end - i < 8 ? (unsigned)(end - i) : 0;
	if (!*extra)
		varint_add(value, end - i);
	varint_add(value, o->items[i].position);
	for (size_t j = i + 1; j < end; j++)
		varint_add(value, o->items[j].position - o->items[j - 1].position);
	return end;
}

void object_places_release(struct object_places *o)
{
	FREE_AND_NULL(o->items);
	o->nr = o->alloc = 0;
	memset(o->recent, 0, sizeof(o->recent));
}
