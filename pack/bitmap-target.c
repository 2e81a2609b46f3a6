/* SPDX-License-Identifier: GPL-2.0-only */
/* For which objects a .bitmap is written, and which bit each of them has. */
#include "compat/posix.h"
#include "pack/bitmap-write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

static struct bitmap_target *target_new(const struct hash_algo *algo, uint32_t nr)
{
	struct bitmap_target *t;

	CALLOC_ARRAY(t, 1);
	t->algo = algo;
	t->nr = nr;
	t->order = PUBLISH_PACK_DATA;
	t->tmp_prefix = BITMAP_TMP_PREFIX;
	return t;
}

/* Positions must be each of 0 to nr - 1 once. */
static bool invert(struct bitmap_target *t)
{
	ALLOC_ARRAY(t->bit_of, (size_t)t->nr + 1);
	memset(t->bit_of, 0xff, ((size_t)t->nr + 1) * sizeof(*t->bit_of));
	for (uint32_t i = 0; i < t->nr; i++) {
		uint32_t pos = t->position[i];

		if (pos >= t->nr || t->bit_of[pos] != UINT32_MAX)
			return false;
		t->bit_of[pos] = i;
	}
	return true;
}

static unsigned char *make_fanout(const struct idx_entry *v, uint32_t nr)
{
	unsigned char *fanout = xmalloc(1024);
	uint32_t n = 0;

	for (unsigned first = 0; first < 256; first++) {
		while (n < nr && v[n].oid.hash[0] <= first)
			n++;
		put_be32(fanout + (size_t)first * 4, n);
	}
	return fanout;
}

struct bitmap_target *bitmap_target_entries(const struct idx_entry *v, uint32_t nr,
					    const struct object_id *pack_sum, const char *base_name,
					    const char *tmp_dir)
{
	struct bitmap_target *t = target_new(hash_algo_by_id(pack_sum->algo), nr);

	t->fanout = make_fanout(v, nr);
	t->names = (struct name_table){ t->fanout, nr ? v[0].oid.hash : NULL, sizeof(*v),
					t->algo->raw_len, nr };
	t->checksum = *pack_sum;
	t->path = xstrfmt("%s-%s.bitmap", base_name, oid_hex(pack_sum));
	t->dir = xstrdup(tmp_dir);
	t->position = idx_entries_order_by_offset(v, nr);
	if (!invert(t))
		BUG("positions of a new pack are not in order");
	return t;
}

struct bitmap_target *bitmap_target_of_midx(const struct midx *m, struct bitmap_index *bitmaps)
{
	const char *slash = strrchr(m->path, '/');
	struct bitmap_target *t = target_new(m->algo, m->nr);

	t->first = m->first;
	t->order = PUBLISH_DERIVED;
	t->tmp_prefix = MIDX_TMP_PREFIX;
	t->names = midx_names(m);
	t->dir = xstrndup(m->path, (size_t)(slash - m->path));
	oid_from_raw(&t->checksum, midx_checksum(m), m->algo);
	t->path = midx_bitmap_path(m);
	t->lower_bitmaps = bitmaps;
	if (m->base)
		t->lower = (struct bit_order){ .nr = m->first, .midx = m->base };
	ALLOC_ARRAY(t->position, (size_t)m->nr + 1);
	/* The check that follows tells those below apart. */
	for (uint32_t i = 0; m->order && i < m->nr; i++)
		t->position[i] = get_be32(m->order + (size_t)i * 4) - m->first;
	if (m->order && invert(t))
		return t;
	bitmap_target_free(t);
	return NULL;
}

void bitmap_target_free(struct bitmap_target *t)
{
	if (!t)
		return;
	bitmap_index_free(t->lower_bitmaps);
	bit_order_release(&t->lower);
	free(t->fanout);
	free(t->position);
	free(t->bit_of);
	free(t->path);
	free(t->dir);
	free(t);
}

/* ---- use ---- */

uint32_t bitmap_target_nr(const struct bitmap_target *t)
{
	return t->first + t->nr;
}

uint32_t bitmap_target_first(const struct bitmap_target *t)
{
	return t->first;
}

int bitmap_target_find(struct bitmap_target *t, const struct object_id *oid, uint32_t *bit,
		       struct err *err)
{
	uint32_t pos;

	if (name_table_find(&t->names, oid->hash, &pos)) {
		*bit = t->first + t->bit_of[pos];
		return 1;
	}
	return t->lower.midx ? bit_order_find(&t->lower, oid, bit, err) : 0;
}

void bitmap_target_object(const struct bitmap_target *t, uint32_t bit, struct object_id *oid)
{
	uint32_t pos = t->position[bit - t->first];

	oid_from_raw(oid, t->names.names + (size_t)pos * t->names.stride, t->algo);
}

int bitmap_target_or_lower(struct bitmap_target *t, const struct object_id *commit,
			   struct bitset *to, struct err *err)
{
	return t->lower_bitmaps ? bitmap_index_or_commit(t->lower_bitmaps, commit, to, err) : 0;
}
