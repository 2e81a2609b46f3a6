/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layers of a chain that become one. Layers above it stay as they are, and their bitmaps have a bit for
 * each object below, too: so the new layer has the same objects, each from the same pack, and its
 * order of bits is that of the layers one after the other. That takes version 2 of the format, where
 * packs need not be sorted by name.
 */
#include "compat/posix.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

static bool is_layer(const struct midx *m, const char *hex)
{
	struct object_id sum;

	oid_from_raw(&sum, midx_checksum(m), m->algo);
	return !strcmp(oid_hex(&sum), hex);
}

struct midx *midx_find_layer(struct midx *top, const char *hex)
{
	while (top && !is_layer(top, hex))
		top = top->base;
	return top;
}

int midx_range_find(struct midx_range *out, struct midx *top, const char *from, const char *to,
		    struct err *err)
{
	struct midx *high = midx_is_chain(top) ? midx_find_layer(top, to) : NULL, *low, *m;
	struct midx_range r = { .nr = 1 };

	if (!midx_is_chain(top) || !midx_find_layer(top, from))
		return err_set(err, ERR_INVALID, "could not find MIDX: %s", from);
	if (!high)
		return err_set(err, ERR_INVALID, "could not find MIDX: %s", to);
	low = midx_find_layer(high, from);
	if (low == high)
		return err_set(err, ERR_INVALID, "MIDX compaction endpoints must be unique");
	if (!low)
		return err_set(err, ERR_INVALID, "MIDX %s must be an ancestor of %s", from, to);
	for (m = high; m != low; m = m->base)
		r.nr++;
	CALLOC_ARRAY(r.v, r.nr);
	CALLOC_ARRAY(r.pack_of, r.nr);
	m = high;
	for (size_t i = r.nr; i--; m = m->base) {
		r.v[i] = m;
		r.nr_objects += m->nr;
		CALLOC_ARRAY(r.pack_of[i], (size_t)m->nr_packs + 1);
	}
	*out = r;
	return 0;
}

void midx_range_release(struct midx_range *r)
{
	for (size_t i = 0; i < r->nr; i++)
		free(r->pack_of[i]);
	free(r->pack_of);
	free(r->v);
	memset(r, 0, sizeof(*r));
}

/* The pack of the first bit; another if that is not known, as then the order does not matter. */
static uint32_t preferred_pack_of_range(const struct midx *m)
{
	uint64_t offset;
	uint32_t pos, id;

	if (!m->order || !m->nr)
		return 0;
	pos = get_be32(m->order);
	if (pos < m->first || pos - m->first >= m->nr || !midx_location(m, pos - m->first, &id, &offset))
		return 0;
	return id;
}

static int add_pack(struct midx_range *r, size_t layer, uint32_t id, struct midx_content *c, struct err *err)
{
	const struct midx *m = r->v[layer];
	struct pack *p = m->packs[id];
	int rc = p ? pack_open_idx(p, err) : err_set(err, ERR_CORRUPT, "pack '%s' of multi-pack-index '%s' "
						     "is not there", m->pack_names[id], m->path);

	if (rc < 0)
		return rc;
	r->pack_of[layer][id] = c->nr_packs;
	c->packs[c->nr_packs++] = (struct midx_pack){ .pack = p, .name = xstrdup(m->pack_names[id]) };
	return 0;
}

int midx_range_list_packs(struct midx_range *r, struct midx_content *c, struct err *err)
{
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; i < r->nr; i++)
		nr += r->v[i]->nr_packs;
	CALLOC_ARRAY(c->packs, nr + 1);
	c->preferred = 0;
	for (size_t i = 0; i < r->nr && !rc; i++) {
		uint32_t preferred = preferred_pack_of_range(r->v[i]);

		if (r->v[i]->nr_packs)
			rc = add_pack(r, i, preferred, c, err);
		for (uint32_t id = 0; id < r->v[i]->nr_packs && !rc; id++)
			if (id != preferred)
				rc = add_pack(r, i, id, c, err);
	}
	return rc;
}

static void add_copy(struct midx_copies *out, const struct midx_copy *c)
{
	ALLOC_GROW(out->v, out->nr + 1, out->alloc);
	out->v[out->nr++] = *c;
}

int midx_range_collect(const struct midx_range *r, unsigned first, struct midx_copies *out, struct err *err)
{
	for (size_t i = 0; i < r->nr; i++) {
		const struct midx *m = r->v[i];
		uint32_t end = get_be32(m->fanout + (size_t)first * 4);

		for (uint32_t pos = first ? get_be32(m->fanout + (size_t)(first - 1) * 4) : 0; pos < end; pos++) {
			struct midx_copy c = { .rank = (uint32_t)i, .raw_len = (uint8_t)m->algo->raw_len };
			uint32_t id;

			if (!midx_location(m, pos, &id, &c.o.offset))
				return err_set(err, ERR_CORRUPT, "multi-pack-index '%s' has no place for an object",
					       m->path);
			c.o.name = m->names + (size_t)pos * m->algo->raw_len;
			c.o.pack = r->pack_of[i][id];
			add_copy(out, &c);
		}
	}
	return 0;
}
