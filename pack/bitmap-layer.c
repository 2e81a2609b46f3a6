/* SPDX-License-Identifier: GPL-2.0-only */
/* One .bitmap file: its header, sections, and which commits have a bitmap. See bitmap.h. */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* ---- opening ---- */

static int check_header(const struct bitmap_layer *l, const struct bitmap_source *s, struct err *err)
{
	const unsigned char *p = l->map.p;
	unsigned flags;

	if (l->map.len < BITMAP_HEADER_BYTES + 2 * s->algo->raw_len)
		return bitmap_is_bad(l, "the file is too small", err);
	if (get_be32(p) != BITMAP_SIGNATURE)
		return bitmap_is_bad(l, "the signature is wrong", err);
	if (get_be16(p + 4) != BITMAP_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "bitmap '%s': version %u is not supported",
			       l->path, get_be16(p + 4));
	flags = get_be16(p + 6);
	if (!(flags & BITMAP_FULL_DAG) || (flags & ~BITMAP_KNOWN_FLAGS))
		return err_set(err, ERR_UNSUPPORTED, "bitmap '%s': flags %#x are not supported",
			       l->path, flags);
	if (memcmp(p + BITMAP_HEADER_BYTES, s->checksum, s->algo->raw_len))
		return bitmap_is_bad(l, "it belongs to another pack or multi-pack-index", err);
	return 0;
}

/* Cut the sections off the end, the last one first. */
static int find_sections(struct bitmap_layer *l, const struct bitmap_source *s, size_t *end,
			 struct err *err)
{
	size_t start = BITMAP_HEADER_BYTES + s->algo->raw_len;
	unsigned flags = get_be16(l->map.p + 6);
	uint64_t hashes = (uint64_t)l->nr * 4, table = (uint64_t)l->nr_rows * BITMAP_ROW_BYTES;

	*end = l->map.len - s->algo->raw_len;
	if (flags & BITMAP_HASH_CACHE) {
		if (hashes > *end - start)
			return bitmap_is_bad(l, "the cache of hashes is cut off", err);
		*end -= (size_t)hashes;
		l->hashes = l->map.p + *end;
	}
	if (flags & BITMAP_LOOKUP_TABLE) {
		if (table > *end - start)
			return bitmap_is_bad(l, "the table of commits is cut off", err);
		*end -= (size_t)table;
		l->table = l->map.p + *end;
	}
	if (flags & BITMAP_PSEUDO_MERGES) {
		if (!bitmap_merges_len(l->map.p + *end, *end - start, &l->merges_len))
			return bitmap_is_bad(l, "the section of pseudo-merges is malformed", err);
		*end -= l->merges_len;
		l->merges = l->map.p + *end;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_rows(struct bitmap_layer *l)
{
	ALLOC_ARRAY(l->sorted, (size_t)l->nr_rows + 1);
	for (uint32_t i = 0; i < l->nr_rows; i++)
		l->sorted[i] = (uint64_t)l->rows[i].pos << 32 | i;
	qsort(l->sorted, l->nr_rows, sizeof(*l->sorted), by_value);
}

/* Without a table the entries are gone through; their bitmaps are parsed when they are used. */
static int list_entries(struct bitmap_layer *l, size_t at, size_t end, struct err *err)
{
	if (l->nr_rows > (end - at) / BITMAP_ENTRY_BYTES)
		return bitmap_is_bad(l, "it is cut off", err);
	ALLOC_ARRAY(l->rows, (size_t)l->nr_rows + 1);
	for (uint32_t i = 0; i < l->nr_rows; i++) {
		const unsigned char *p = l->map.p + at;
		struct bitmap_row *r = &l->rows[i];
		uint64_t len;

		if (end - at < BITMAP_ENTRY_BYTES + 12)
			return bitmap_is_bad(l, "it is cut off", err);
		*r = (struct bitmap_row){ get_be32(p), BITMAP_NO_ROW, at };
		if (p[4] > i || p[4] > BITMAP_XOR_MAX)
			return bitmap_is_bad(l, "an entry refers to one that is not there", err);
		if (p[4])
			r->xor_row = i - p[4];
		len = BITMAP_ENTRY_BYTES + 12 + (uint64_t)get_be32(p + BITMAP_ENTRY_BYTES + 4) * 8;
		if (len > end - at)
			return bitmap_is_bad(l, "it is cut off", err);
		at += (size_t)len;
	}
	sort_rows(l);
	return 0;
}

/* Git 2.55 has written files in which objects have no type, and which lack bits of commits as well. */
static int check_types(const struct bitmap_layer *l, struct err *err)
{
	struct bitset all = BITSET_INIT, objects = BITSET_INIT;
	size_t sum = 0;
	bool good;

	bitset_add_range(&objects, l->first, (size_t)l->first + l->nr);
	for (int t = 0; t < 4; t++) {
		struct bitset own = BITSET_INIT;

		ewah_or_into(&own, &l->types[t]);
		bitset_and(&own, &objects);
		sum += bitset_count(&own);
		bitset_or(&all, &own);
		bitset_release(&own);
	}
	good = sum == l->nr && bitset_count(&all) == l->nr;
	bitset_release(&all);
	bitset_release(&objects);
	return good ? 0 : bitmap_is_bad(l, "objects do not have one type each", err);
}

static int parse_layer(struct bitmap_layer *l, const struct bitmap_source *s, struct err *err)
{
	size_t at = BITMAP_HEADER_BYTES + s->algo->raw_len, end, used;
	int rc = check_header(l, s, err);

	if (rc < 0)
		return rc;
	l->nr_rows = get_be32(l->map.p + 8);
	rc = find_sections(l, s, &end, err);
	for (int i = 0; i < 4 && !rc; i++, at += used) {
		rc = ewah_parse(&l->types[i], l->map.p + at, end - at, (size_t)l->first + l->nr,
				&used, err);
		if (rc < 0)
			err_prefix(err, "bitmap '%s'", l->path);
	}
	if (!rc)
		rc = check_types(l, err);
	if (!rc && !l->table)
		rc = list_entries(l, at, end, err);
	if (!rc && l->nr_rows > end / BITMAP_ENTRY_BYTES)
		rc = bitmap_is_bad(l, "it is cut off", err);
	if (!rc)
		CALLOC_ARRAY(l->kept, (size_t)l->nr_rows + 1);
	return rc;
}

int bitmap_layer_open(struct bitmap_layer *out, const struct bitmap_source *s, struct err *err)
{
	struct bitmap_layer l = { .first = s->first, .nr = s->nr };
	int rc;

	l.path = xstrdup(s->path);
	rc = mapped_file_open(&l.map, s->path, err);
	if (!rc)
		rc = parse_layer(&l, s, err);
	if (rc < 0)
		bitmap_layer_release(&l);
	else
		*out = l;
	return rc;
}

void bitmap_layer_release(struct bitmap_layer *l)
{
	for (uint32_t i = 0; l->kept && i < l->nr_rows; i++)
		bitset_release(&l->kept[i]);
	free(l->kept);
	free(l->rows);
	free(l->sorted);
	free(l->merge);
	free(l->path);
	mapped_file_release(&l->map);
	memset(l, 0, sizeof(*l));
}

/* ---- use ---- */

struct bitmap_row bitmap_layer_row(const struct bitmap_layer *l, uint32_t row)
{
	const unsigned char *p;

	if (!l->table)
		return l->rows[row];
	p = l->table + (size_t)row * BITMAP_ROW_BYTES;
	return (struct bitmap_row){ get_be32(p), get_be32(p + 12), get_be64(p + 4) };
}

static uint32_t position_at(const struct bitmap_layer *l, uint32_t i)
{
	return l->table ? get_be32(l->table + (size_t)i * BITMAP_ROW_BYTES) :
			  (uint32_t)(l->sorted[i] >> 32);
}

bool bitmap_layer_find(const struct bitmap_layer *l, uint32_t pos, uint32_t *row)
{
	uint32_t lo = 0, hi = l->nr_rows;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2, at = position_at(l, mid);

		if (at == pos) {
			*row = l->table ? mid : (uint32_t)l->sorted[mid];
			return true;
		}
		if (pos < at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}
