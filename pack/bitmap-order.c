/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which object each bit means: those of a pack by offset; those of a multi-pack-index by its chunk
 * RIDX, where the objects of the preferred pack come first, then those of the other packs in their
 * order, each by offset. The tables are not trusted: a position is checked before use, and what
 * cannot be found in them is an error.
 */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* So many searches take about as long as making a table of all. */
#define SEARCHES_MAX 4000

static const struct midx *order_layer_of(const struct bit_order *o, uint32_t i)
{
	const struct midx *m = o->midx;

	while (i < m->first)
		m = m->base;
	return m;
}

bool bit_order_position(const struct bit_order *o, uint32_t bit, uint32_t *pos)
{
	const struct midx *m;

	if (bit >= o->nr)
		return false;
	if (o->pack) {
		*pos = pack_rev_at(o->pack, bit);
		return *pos < o->nr;
	}
	m = order_layer_of(o, bit);
	*pos = get_be32(m->order + (size_t)(bit - m->first) * 4);
	return *pos >= m->first && *pos - m->first < m->nr;
}

/* ---- from an object to its bit ---- */

/* Objects of a layer are sorted by these two. */
struct bit_key {
	uint64_t pack; /* 0: the preferred one */
	uint64_t offset;
};

static bool midx_key(const struct midx *m, uint32_t pos, uint32_t preferred, struct bit_key *out)
{
	uint32_t id;

	if (!midx_location(m, pos - m->first, &id, &out->offset))
		return false;
	out->pack = id == preferred ? 0 : (uint64_t)id + 1;
	return true;
}

static bool key_at(const struct bit_order *o, uint32_t pos, uint32_t preferred, struct bit_key *out)
{
	if (o->midx)
		return midx_key(order_layer_of(o, pos), pos, preferred, out);
	*out = (struct bit_key){ 0, idx_offset(&o->pack->idx, pos) };
	return true;
}

/* The pack of a layer's first object. */
static uint32_t preferred_pack_of_order(const struct bit_order *o, const struct midx *m)
{
	uint64_t offset;
	uint32_t pos, id;

	if (!bit_order_position(o, m->first, &pos) ||
	    !midx_location(m, pos - m->first, &id, &offset))
		return UINT32_MAX;
	return id;
}

static bool search(const struct bit_order *o, uint32_t pos, uint32_t *bit)
{
	const struct midx *m = o->midx ? order_layer_of(o, pos) : NULL;
	uint32_t preferred = m ? preferred_pack_of_order(o, m) : 0;
	uint32_t lo = m ? m->first : 0, hi = m ? m->first + m->nr : o->nr;
	struct bit_key want, k;

	if (!key_at(o, pos, preferred, &want))
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2, at;

		if (!bit_order_position(o, mid, &at) || !key_at(o, at, preferred, &k))
			return false;
		if (at == pos) {
			*bit = mid;
			return true;
		}
		if (want.pack < k.pack || (want.pack == k.pack && want.offset < k.offset))
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

static void build_bit_of(struct bit_order *o)
{
	uint32_t pos;

	ALLOC_ARRAY(o->bit_of, (size_t)o->nr + 1);
	memset(o->bit_of, 0xff, ((size_t)o->nr + 1) * sizeof(*o->bit_of));
	for (uint32_t i = 0; i < o->nr; i++)
		if (bit_order_position(o, i, &pos))
			o->bit_of[pos] = i;
}

bool bit_order_find_position(const struct bit_order *o, const struct object_id *oid, uint32_t *pos)
{
	const struct midx *m;

	if (o->pack)
		return idx_find(&o->pack->idx, oid->hash, pos);
	if (!midx_find(o->midx, oid->hash, &m, pos))
		return false;
	*pos += m->first;
	return true;
}

int bit_order_find(struct bit_order *o, const struct object_id *oid, uint32_t *bit, struct err *err)
{
	uint32_t pos, found = UINT32_MAX;

	if (!bit_order_find_position(o, oid, &pos))
		return 0;
	if (!o->bit_of && ++o->searches > SEARCHES_MAX)
		build_bit_of(o);
	if (o->bit_of)
		found = o->bit_of[pos];
	else if (!search(o, pos, &found))
		found = UINT32_MAX;
	if (found == UINT32_MAX)
		return err_set(err, ERR_CORRUPT, "object %s has no place in the order of bits",
			       oid_hex(oid));
	*bit = found;
	return 1;
}

bool bit_order_object(const struct bit_order *o, uint32_t pos, struct bitmap_object *out)
{
	const struct midx *m;
	uint32_t id;

	if (o->pack) {
		out->offset = idx_offset(&o->pack->idx, pos);
		out->pack = o->pack;
		oid_from_raw(&out->oid, idx_name(&o->pack->idx, pos), o->pack->idx.algo);
		return out->offset != UINT64_MAX;
	}
	m = order_layer_of(o, pos);
	pos -= m->first;
	if (!midx_location(m, pos, &id, &out->offset) || !m->packs[id])
		return false;
	out->pack = m->packs[id];
	oid_from_raw(&out->oid, m->names + (size_t)pos * m->algo->raw_len, m->algo);
	return true;
}

void bit_order_release(struct bit_order *o)
{
	FREE_AND_NULL(o->bit_of);
}
