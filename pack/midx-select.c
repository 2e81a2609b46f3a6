/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packs and objects a new multi-pack-index has, and which copy of an object counts. */
#include "compat/posix.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* ---- packs ---- */

static int by_pack_name(const void *a, const void *b)
{
	return strcmp(((const struct midx_pack *)a)->name, ((const struct midx_pack *)b)->name);
}

static bool is_covered(const struct midx *m, const char *name)
{
	for (; m; m = m->base)
		if (midx_pack_id(m, name) >= 0)
			return true;
	return false;
}

static bool is_pack_selected(const struct midx_write_options *o, const struct midx *taken, const char *name)
{
	return (!o->only || strset_contains(o->only, name)) &&
	       (!o->except || !strset_contains(o->except, name)) && !is_covered(taken, name);
}

/* A pack whose index cannot be read is reported and left out. */
static void list_packs(struct midx_content *c, struct packs *packs, const struct midx *taken,
		       const struct midx_write_options *o)
{
	struct pack_set *set = packs_set(packs);

	CALLOC_ARRAY(c->packs, set->nr + 1);
	for (size_t i = 0; i < set->nr; i++) {
		struct pack *p = set->all[i];
		char *name = xstrfmt("%s.idx", strrchr(p->base, '/') + 1);
		int rc = is_pack_selected(o, taken, name) ? pack_open_idx(p, NULL) : ERR_NOT_FOUND;

		if (!rc) {
			c->packs[c->nr_packs++] = (struct midx_pack){ .pack = p, .name = name };
			continue;
		}
		if (rc != ERR_NOT_FOUND)
			packs_warn(packs, "failed to open pack-index '%s.idx'", p->base);
		free(name);
	}
	if (c->nr_packs)
		qsort(c->packs, c->nr_packs, sizeof(*c->packs), by_pack_name);
}

static bool is_named(const struct midx_pack *p, const char *wanted)
{
	size_t len = strlen(wanted);

	if (!strip_suffix(wanted, ".pack", &len))
		strip_suffix(wanted, ".idx", &len);
	return strlen(p->name) == len + 4 && !strncmp(p->name, wanted, len);
}

static uint32_t oldest_pack(const struct midx_content *c)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < c->nr_packs; i++)
		if (c->packs[i].pack->idx.nr &&
		    (best == UINT32_MAX || c->packs[i].pack->mtime < c->packs[best].pack->mtime))
			best = i;
	return best;
}

static int find_preferred(struct midx_content *c, struct packs *packs,
			  const struct midx_write_options *o, struct err *err)
{
	c->preferred = UINT32_MAX;
	for (uint32_t i = 0; o->preferred && i < c->nr_packs; i++)
		if (is_named(&c->packs[i], o->preferred))
			c->preferred = i;
	if (o->preferred && c->preferred == UINT32_MAX)
		packs_warn(packs, "unknown preferred pack: '%s'", o->preferred);
	if (c->preferred == UINT32_MAX && o->bitmap)
		c->preferred = oldest_pack(c);
	if (c->preferred != UINT32_MAX && !c->packs[c->preferred].pack->idx.nr)
		return err_set(err, ERR_INVALID, "cannot select preferred pack %s with no objects",
			       c->packs[c->preferred].name);
	return 0;
}

/* ---- objects ---- */

static int compare_copies(const void *va, const void *vb)
{
	const struct midx_copy *a = va, *b = vb;
	int cmp = memcmp(a->o.name, b->o.name, a->raw_len);

	if (cmp)
		return cmp;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->mtime != b->mtime)
		return a->mtime > b->mtime ? -1 : 1;
	return a->o.pack < b->o.pack ? -1 : a->o.pack > b->o.pack;
}

static uint32_t fanout_from(const struct pack_idx *idx, unsigned first)
{
	return first ? get_be32(idx->fanout + (size_t)(first - 1) * 4) : 0;
}

static uint32_t rank_of(const struct midx_content *c, uint32_t pack)
{
	return c->range ? MIDX_RANK_OF_IDX : pack != c->preferred;
}

static int collect(const struct midx_content *c, unsigned first, struct midx_copies *out, struct err *err)
{
	out->nr = 0;
	for (uint32_t k = 0; k < c->nr_packs; k++) {
		const struct pack *p = c->packs[k].pack;
		uint32_t end = get_be32(p->idx.fanout + (size_t)first * 4);

		for (uint32_t i = fanout_from(&p->idx, first); i < end; i++) {
			uint64_t offset = idx_offset(&p->idx, i);

			if (offset == UINT64_MAX)
				return err_set(err, ERR_CORRUPT, "'%s.idx' has no offset for an object", p->base);
			ALLOC_GROW(out->v, out->nr + 1, out->alloc);
			out->v[out->nr++] = (struct midx_copy){ { idx_name(&p->idx, i), offset, k }, p->mtime,
								rank_of(c, k), (uint8_t)c->algo->raw_len };
		}
	}
	if (c->range)
		return midx_range_collect(c->range, first, out, err);
	return 0;
}

static int select_objects(struct midx_content *c, const struct midx *base, struct err *err)
{
	struct midx_copies copies = { 0 };
	size_t out_alloc = 0, out = 0;
	int rc = 0;

	for (unsigned first = 0; first < 256 && !rc; first++) {
		const struct midx_copy *v;

		rc = collect(c, first, &copies, err);
		v = copies.v;
		if (!rc && copies.nr)
			qsort(copies.v, copies.nr, sizeof(*copies.v), compare_copies);
		for (size_t i = 0; i < copies.nr && !rc; i++) {
			const struct midx *layer;
			uint32_t pos;

			if (i && !memcmp(v[i].o.name, v[i - 1].o.name, c->algo->raw_len))
				continue;
			if (base && midx_find(base, v[i].o.name, &layer, &pos))
				continue;
			ALLOC_GROW(c->v, out + 1, out_alloc);
			c->v[out++] = v[i].o;
		}
		if (!rc && out >= UINT32_MAX - c->first)
			rc = err_set(err, ERR_TOO_BIG, "too many objects for a multi-pack-index");
	}
	c->nr = (uint32_t)out;
	free(copies.v);
	return rc;
}

/* ---- the order of bits ---- */

struct placed {
	uint64_t pack; /* 0: the preferred one */
	uint64_t offset;
	uint32_t pos;
};

static int compare_places(const void *va, const void *vb)
{
	const struct placed *a = va, *b = vb;

	if (a->pack != b->pack)
		return a->pack < b->pack ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void make_order(struct midx_content *c)
{
	struct placed *v;

	ALLOC_ARRAY(v, (size_t)c->nr + 1);
	ALLOC_ARRAY(c->order, (size_t)c->nr + 1);
	for (uint32_t i = 0; i < c->nr; i++) {
		const struct midx_object *o = &c->v[i];

		v[i] = (struct placed){ o->pack == c->preferred ? 0 : (uint64_t)o->pack + 1, o->offset, i };
	}
	qsort(v, c->nr, sizeof(*v), compare_places);
	for (uint32_t i = 0; i < c->nr; i++) {
		struct midx_pack *p = &c->packs[c->v[v[i].pos].pack];

		c->order[i] = v[i].pos;
		if (!p->nr++)
			p->first_bit = i;
	}
	free(v);
}

static int choose_packs(struct midx_content *c, struct packs *packs, const struct midx_selection *s,
			const struct midx_write_options *o, struct err *err)
{
	if (s->range) {
		c->range = s->range;
		return midx_range_list_packs(s->range, c, err);
	}
	list_packs(c, packs, s->taken, o);
	if (!c->nr_packs)
		return err_set(err, ERR_NOT_FOUND, "no pack files to index.");
	return find_preferred(c, packs, o, err);
}

int midx_content_select(struct midx_content *out, struct packs *packs, const struct midx_selection *s,
			const struct midx_write_options *o, struct err *err)
{
	struct midx_content c = { .algo = packs->opts.algo, .version = o->version ? o->version : 1 };
	int rc;

	if (s->base)
		c.first = s->base->first + s->base->nr;
	rc = choose_packs(&c, packs, s, o, err);
	if (!rc)
		rc = select_objects(&c, s->base, err);
	if (!rc && o->bitmap)
		make_order(&c);
	if (rc < 0)
		midx_content_release(&c);
	else
		*out = c;
	return rc;
}

void midx_content_release(struct midx_content *c)
{
	for (uint32_t i = 0; i < c->nr_packs; i++)
		free(c->packs[i].name);
	free(c->packs);
	free(c->v);
	free(c->order);
	memset(c, 0, sizeof(*c));
}
