/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of entries: by position, by offset, by name; and deltas by the names of their bases. */
#include "compat/posix.h"
#include "compat/sort.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* ---- entries ---- */

/*
 * Pointers to chunks are allocated for the count in the pack's header before there are threads (at most
 * 2 MiB); more of them are needed for added bases, when there are none.
 */
static void grow_table(struct pack_receive *rx, size_t chunk)
{
	size_t want = ((size_t)rx->nr_header >> RX_CHUNK_BITS) + 1;

	if (chunk < rx->nr_chunks)
		return;
	if (want <= chunk)
		want = chunk + 1;
	rx->chunks = xreallocarray(rx->chunks, want, sizeof(*rx->chunks));
	memset(rx->chunks + rx->nr_chunks, 0, (want - rx->nr_chunks) * sizeof(*rx->chunks));
	rx->nr_chunks = want;
}

int rx_table_add(struct pack_receive *rx, uint32_t *out, struct err *err)
{
	uint32_t i = rx->nr;
	size_t chunk = i >> RX_CHUNK_BITS;
	struct rx_entry *e;

	if (i >= RX_NONE - 1)
		return err_set(err, ERR_TOO_BIG, "too many objects for one pack");
	grow_table(rx, chunk);
	if (!rx->chunks[chunk])
		rx->chunks[chunk] = xcalloc(1, sizeof(struct rx_chunk) + RX_CHUNK * rx->raw_len);
	e = rx_entry(rx, i);
	e->base = RX_NONE;
	rx->nr++;
	*out = i;
	return 0;
}

void rx_table_release(struct pack_receive *rx)
{
	for (size_t i = 0; i < rx->nr_chunks; i++)
		free(rx->chunks[i]);
	FREE_AND_NULL(rx->chunks);
	FREE_AND_NULL(rx->refs);
	FREE_AND_NULL(rx->order);
	FREE_AND_NULL(rx->big);
	rx->nr_chunks = 0;
	rx->nr = 0;
}

void rx_oid(const struct pack_receive *rx, uint32_t i, struct object_id *out)
{
	oid_from_raw(out, rx_name(rx, i), rx->o.algo);
}

uint32_t rx_find_offset(const struct pack_receive *rx, uint64_t offset, uint32_t nr)
{
	uint32_t lo = 0, hi = nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t at = rx_entry(rx, mid)->offset;

		if (at == offset)
			return mid;
		if (at < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return RX_NONE;
}

/* ---- deltas whose base is given by name ---- */

void rx_add_ref(struct pack_receive *rx, uint32_t entry, const unsigned char *name)
{
	struct rx_ref *r;

	ALLOC_GROW(rx->refs, (size_t)rx->nr_refs + 1, rx->refs_alloc);
	r = &rx->refs[rx->nr_refs++];
	memset(r, 0, sizeof(*r));
	memcpy(r->name, name, rx->raw_len);
	r->entry = entry;
}

static int ref_cmp(const void *a, const void *b)
{
	const struct rx_ref *x = a, *y = b;
	int cmp = memcmp(x->name, y->name, sizeof(x->name));

	return cmp ? cmp : x->entry < y->entry ? -1 : x->entry > y->entry;
}

void rx_sort_refs(struct pack_receive *rx)
{
	if (rx->nr_refs)
		qsort(rx->refs, rx->nr_refs, sizeof(*rx->refs), ref_cmp);
}

uint32_t rx_find_ref(const struct pack_receive *rx, const unsigned char *name)
{
	uint32_t lo = 0, hi = rx->nr_refs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (memcmp(rx->refs[mid].name, name, rx->raw_len) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == rx->nr_refs || memcmp(rx->refs[lo].name, name, rx->raw_len))
		return RX_NONE;
	return lo;
}

uint32_t rx_next_ref(const struct pack_receive *rx, uint32_t ref)
{
	if (ref + 1 == rx->nr_refs || memcmp(rx->refs[ref].name, rx->refs[ref + 1].name, rx->raw_len))
		return RX_NONE;
	return ref + 1;
}

/* ---- by name ---- */


static int name_cmp(const void *a, const void *b, void *data)
{
	const struct pack_receive *rx = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int cmp = memcmp(rx_name(rx, x), rx_name(rx, y), rx->raw_len);

	return cmp ? cmp : x < y ? -1 : x > y;
}

/* Names are hashes: 65536 buckets by their first bytes, each of which is then sorted. */
void rx_sort_names(struct pack_receive *rx)
{
	uint32_t *begin, at = 0;

	FREE_AND_NULL(rx->order);
	ALLOC_ARRAY(rx->order, (size_t)rx->nr + 1);
	CALLOC_ARRAY(begin, 65537);
	for (uint32_t i = 0; i < rx->nr; i++)
		begin[get_be16(rx_name(rx, i)) + 1]++;
	for (unsigned b = 1; b <= 65536; b++)
		begin[b] += begin[b - 1];
	for (uint32_t i = 0; i < rx->nr; i++)
		rx->order[begin[get_be16(rx_name(rx, i))]++] = i;
	/* Each has moved to the beginning of the next. */
	for (unsigned b = 0; b < 65536; b++) {
		if (begin[b] - at > 1)
			qsort_r(rx->order + at, begin[b] - at, sizeof(*rx->order), name_cmp, rx);
		at = begin[b];
	}
	free(begin);
}

uint32_t rx_find_name(const struct pack_receive *rx, const unsigned char *name)
{
	uint32_t lo = 0, hi = rx->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (memcmp(rx_name(rx, rx->order[mid]), name, rx->raw_len) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == rx->nr || memcmp(rx_name(rx, rx->order[lo]), name, rx->raw_len))
		return RX_NONE;
	return rx_entry(rx, rx->order[lo])->type ? rx->order[lo] : RX_NONE;
}

/* ---- failures ---- */

void rx_fail(struct pack_receive *rx, int rc, struct err *err)
{
	pthread_mutex_lock(&rx->lock);
	if (!rx->rc) {
		rx->rc = rc;
		err_move(&rx->err, err);
	}
	pthread_mutex_unlock(&rx->lock);
	err_release(err);
	atomic_store(&rx->failed, true);
}

int rx_broken(struct pack_receive *rx, int rc, struct err *err)
{
	if (!rx->o.keep_going || (rc != ERR_CORRUPT && rc != ERR_NOT_FOUND)) {
		rx_fail(rx, rc, err);
		return rc;
	}
	pthread_mutex_lock(&rx->callback);
	if (rx->o.broken)
		rx->o.broken(rx->o.data, err_message(err));
	pthread_mutex_unlock(&rx->callback);
	err_release(err);
	return 0;
}
