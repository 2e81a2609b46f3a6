/* SPDX-License-Identifier: GPL-2.0-only */
/* The bitmaps of a set of packs: which file is used, and questions to it. See bitmap.h. */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

struct bitmap_index {
	struct bit_order order;
	struct bitmap_layer *layers; /* the lowest first */
	size_t nr_layers;
	struct bitset types[4];
	size_t kept_bytes;
};

/* ---- opening ---- */

static int open_pack_bitmap(struct bitmap_index *b, struct pack *p, struct err *err)
{
	char *path = xstrfmt("%s.bitmap", p->base);
	struct bitmap_source s = { .path = path };
	int rc = ERR_NOT_FOUND;

	if (!access(path, F_OK))
		rc = pack_open_data(p, err);
	if (!rc)
		rc = pack_open_rev(p, err);
	if (!rc) {
		s.checksum = p->idx.pack_sum;
		s.algo = p->idx.algo;
		s.nr = p->idx.nr;
		CALLOC_ARRAY(b->layers, 1);
		rc = bitmap_layer_open(b->layers, &s, err);
		if (rc < 0)
			FREE_AND_NULL(b->layers);
	}
	if (!rc) {
		b->nr_layers = 1;
		b->order = (struct bit_order){ .nr = s.nr, .pack = p };
	}
	free(path);
	return rc;
}

static int open_layer(struct bitmap_layer *out, const struct midx *m, struct err *err)
{
	struct bitmap_source s = { .checksum = midx_checksum(m), .algo = m->algo,
				   .first = m->first, .nr = m->nr };
	char *path = midx_bitmap_path(m);
	int rc;

	s.path = path;
	rc = bitmap_layer_open(out, &s, err);
	if (!rc && !m->order) {
		rc = err_set(err, ERR_UNSUPPORTED, "multi-pack-index '%s' has no order of bits", m->path);
		bitmap_layer_release(out);
	}
	free(path);
	return rc;
}

/* A pack that is gone is no damage: another process has just written a new index. */
static int open_packs(const struct midx *m, struct err *err)
{
	for (uint32_t i = 0; i < m->nr_packs; i++) {
		int rc = m->packs[i] ? pack_open_data(m->packs[i], err) : ERR_NOT_FOUND;

		if (rc < 0)
			return rc;
	}
	return 0;
}

static size_t nr_layers(const struct midx *m)
{
	size_t n = 0;

	for (; m; m = m->base)
		n++;
	return n;
}

/* All layers from m down have to have one. */
static int open_layers(struct bitmap_index *b, const struct midx *m, struct err *err)
{
	size_t nr = nr_layers(m), i = nr;
	const struct midx *layer;
	int rc = 0;

	CALLOC_ARRAY(b->layers, nr);
	for (layer = m; layer && !rc; layer = layer->base) {
		rc = open_layer(&b->layers[--i], layer, err);
		if (!rc)
			rc = open_packs(layer, err);
	}
	b->nr_layers = nr;
	if (!rc) {
		b->order = (struct bit_order){ .nr = m->first + m->nr, .midx = m };
		return 0;
	}
	while (nr--)
		bitmap_layer_release(&b->layers[nr]);
	FREE_AND_NULL(b->layers);
	b->nr_layers = 0;
	return rc;
}

/* Opens the bitmaps of the chain, or of its lower part that has bitmaps. */
static int open_midx_bitmap(struct bitmap_index *b, const struct midx *m, struct err *err)
{
	int rc = ERR_NOT_FOUND;

	for (; m && rc < 0; m = m->base) {
		struct err why = ERR_INIT;

		rc = open_layers(b, m, &why);
		if (rc < 0 && rc != ERR_NOT_FOUND)
			err_move(err, &why);
		err_release(&why);
	}
	return rc;
}

static void unite_types(struct bitmap_index *b)
{
	for (size_t i = 0; i < b->nr_layers; i++)
		for (int t = 0; t < 4; t++)
			ewah_or_into(&b->types[t], &b->layers[i].types[t]);
}

/* Warns about a damaged bitmap file; the next one may be usable. */
static void tell(struct packs *packs, int rc, struct err *why)
{
	if (rc < 0 && rc != ERR_NOT_FOUND && why->code)
		packs_warn(packs, "%s", err_message(why));
	err_release(why);
}

static int open_any(struct bitmap_index *b, struct packs *packs, struct pack_set *set)
{
	struct err why = ERR_INIT;
	int rc = open_midx_bitmap(b, set->midx, &why);

	tell(packs, why.code ? ERR_CORRUPT : rc, &why);
	for (size_t i = 0; rc < 0 && i < set->nr; i++) {
		rc = open_pack_bitmap(b, set->all[i], &why);
		tell(packs, rc, &why);
	}
	return rc;
}

int bitmap_index_open(struct bitmap_index **out, struct packs *packs, struct err *err)
{
	struct pack_set *set = packs_set(packs);
	struct bitmap_index *b;
	int rc;

	CALLOC_ARRAY(b, 1);
	rc = open_any(b, packs, set);
	if (rc < 0) {
		/* A repack may have put others in their place. */
		packs_reprepare(packs);
		if (packs_set(packs) != set)
			rc = open_any(b, packs, packs_set(packs));
	}
	if (rc < 0) {
		free(b);
		return err_set(err, ERR_NOT_FOUND, "there are no bitmaps");
	}
	unite_types(b);
	*out = b;
	return 0;
}

int bitmap_index_open_midx(struct bitmap_index **out, const struct midx *m, struct err *err)
{
	struct bitmap_index *b;
	int rc;

	CALLOC_ARRAY(b, 1);
	rc = open_layers(b, m, err);
	if (rc < 0) {
		free(b);
		return rc;
	}
	unite_types(b);
	*out = b;
	return 0;
}

void bitmap_index_free(struct bitmap_index *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nr_layers; i++)
		bitmap_layer_release(&b->layers[i]);
	for (int t = 0; t < 4; t++)
		bitset_release(&b->types[t]);
	bit_order_release(&b->order);
	free(b->layers);
	free(b);
}

/* ---- objects ---- */

uint32_t bitmap_index_nr(const struct bitmap_index *b)
{
	return b->order.nr;
}

int bitmap_index_find(struct bitmap_index *b, const struct object_id *oid, uint32_t *bit,
		      struct err *err)
{
	return bit_order_find(&b->order, oid, bit, err);
}

static struct bitmap_layer *bitmap_layer_of(const struct bitmap_index *b, uint32_t pos)
{
	size_t i = b->nr_layers;

	while (pos < b->layers[--i].first)
		;
	return &b->layers[i];
}

int bitmap_index_object(const struct bitmap_index *b, uint32_t bit, struct bitmap_object *out,
			struct err *err)
{
	const struct bitmap_layer *l;
	struct bitmap_object o;
	uint32_t pos;

	if (!bit_order_position(&b->order, bit, &pos) || !bit_order_object(&b->order, pos, &o))
		return err_set(err, ERR_CORRUPT, "bit %u of bitmap '%s' means no object", bit,
			       b->layers[b->nr_layers - 1].path);
	l = bitmap_layer_of(b, pos);
	o.name_hash = l->hashes ? get_be32(l->hashes + (size_t)(pos - l->first) * 4) : 0;
	*out = o;
	return 0;
}

const struct bitset *bitmap_index_type(const struct bitmap_index *b, enum object_type type)
{
	if (type < OBJ_COMMIT || type > OBJ_TAG)
		BUG("object type %d has no bitmap", (int)type);
	return &b->types[type - OBJ_COMMIT];
}

struct pack *bitmap_index_single_pack(const struct bitmap_index *b)
{
	const struct midx *m = b->order.midx;

	if (b->order.pack)
		return b->order.pack;
	if (m->base || m->nr_packs != 1 || !m->packs[0] || pack_nr_objects(m->packs[0]) != m->nr)
		return NULL;
	return m->packs[0];
}

void bitmap_index_summary(const struct bitmap_index *b, struct bitmap_summary *out)
{
	const struct midx *m = b->order.midx;

	memset(out, 0, sizeof(*out));
	out->version = BITMAP_VERSION;
	out->is_midx = m != NULL;
	out->has_table = b->layers[b->nr_layers - 1].table != NULL;
	for (size_t i = 0; i < b->nr_layers; i++)
		out->nr_commits += b->layers[i].nr_rows;
	if (m)
		oid_from_raw(&out->checksum, midx_checksum(m), m->algo);
	else
		oid_from_raw(&out->checksum, b->order.pack->idx.pack_sum, b->order.pack->idx.algo);
}

/* ---- commits ---- */

int bitmap_index_or_commit(struct bitmap_index *b, const struct object_id *commit, struct bitset *to,
			   struct err *err)
{
	uint32_t pos, row;

	if (!bit_order_find_position(&b->order, commit, &pos))
		return 0;
	for (size_t i = 0; i < b->nr_layers; i++) {
		int rc;

		if (!bitmap_layer_find(&b->layers[i], pos, &row))
			continue;
		rc = bitmap_layer_or_row(&b->layers[i], row, to, &b->kept_bytes, err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

int bitmap_index_or_merges(struct bitmap_index *b, const struct bitset *commits, struct bitset *to,
			   struct err *err)
{
	int used = 0;

	/* What commits of a layer reach can be commits of one below, not the other way round. */
	for (size_t i = b->nr_layers; i--;) {
		int rc = bitmap_layer_or_merges(&b->layers[i], commits, to, err);

		if (rc < 0)
			return rc;
		used += rc;
	}
	return used;
}

int bitmap_index_foreach_commit(struct bitmap_index *b,
				int (*fn)(void *data, const struct object_id *commit), void *data,
				struct err *err)
{
	struct bitmap_object o;

	for (size_t i = 0; i < b->nr_layers; i++) {
		const struct bitmap_layer *l = &b->layers[i];

		for (uint32_t k = 0; k < l->nr_rows; k++) {
			uint32_t pos = bitmap_layer_row(l, k).pos;
			int rc;

			if (pos >= b->order.nr || !bit_order_object(&b->order, pos, &o))
				return bitmap_is_bad(l, "an entry is for no object", err);
			rc = fn(data, &o.oid);
			if (rc)
				return rc;
		}
	}
	return 0;
}
