/* SPDX-License-Identifier: GPL-2.0-only */
/* Object names of all packs: prefixes, counts, enumeration. */
#include "compat/posix.h"
#include "pack/pack-internal.h"
#include "util/alloc.h"

/* Call fn for the midx, then for each idx that it does not cover. Damaged packs are skipped. */
static int foreach_name_table(struct packs *ps,
			      int (*fn)(void *data, const struct name_table *t), void *data)
{
	struct pack_set *set = packs_set(ps);
	struct name_table t;
	int rc = 0;

	for (const struct midx *m = set->midx; m && !rc; m = m->base) {
		t = midx_names(m);
		rc = fn(data, &t);
	}
	for (size_t i = 0; i < set->nr_single && !rc; i++) {
		if (pack_open_idx(set->single[i], NULL) < 0)
			continue;
		t = idx_names(&set->single[i]->idx);
		rc = fn(data, &t);
	}
	return rc;
}

/* ---- prefixes ---- */

struct prefix {
	unsigned char name[HASH_MAX_RAW];
	size_t digits;
	const struct hash_algo *algo;
	struct oid_array *out;
};

static int add_prefixed(void *data, const struct name_table *t)
{
	struct prefix *x = data;

	name_table_prefix(t, x->name, x->digits, x->algo, x->out);
	return 0;
}

int packs_prefix_lookup(struct packs *ps, const char *hex, size_t len,
			struct oid_array *out, struct err *err)
{
	struct prefix x = { .digits = len, .algo = ps->opts.algo, .out = out };

	if (len > x.algo->hex_len)
		return err_set(err, ERR_INVALID, "'%.*s' is too long for an object name",
			       (int)len, hex);
	for (size_t i = 0; i < len; i++) {
		int v = hex_value((unsigned char)hex[i]);

		if (v < 0)
			return err_set(err, ERR_INVALID, "'%.*s' is not a hexadecimal number",
				       (int)len, hex);
		x.name[i / 2] |= (unsigned char)(i & 1 ? v : v << 4);
	}
	return foreach_name_table(ps, add_prefixed, &x);
}

struct unique {
	const struct object_id *oid;
	size_t best;
};

static int max_unique_len(void *data, const struct name_table *t)
{
	struct unique *u = data;
	size_t n = name_table_unique_len(t, u->oid->hash);

	if (n > u->best)
		u->best = n;
	return 0;
}

size_t packs_unique_prefix_len(struct packs *ps, const struct object_id *oid)
{
	struct unique u = { oid, 0 };

	foreach_name_table(ps, max_unique_len, &u);
	return u.best;
}

static int add_count(void *data, const struct name_table *t)
{
	*(size_t *)data += t->nr;
	return 0;
}

size_t packs_object_count(struct packs *ps)
{
	size_t n = 0;

	foreach_name_table(ps, add_count, &n);
	return n;
}

/* ---- enumeration ---- */

int packs_foreach(struct packs *ps, int (*fn)(void *data, struct pack *pack), void *data)
{
	struct pack_set *set = packs_set(ps);
	int rc = 0;

	for (size_t i = 0; i < set->nr && !rc; i++)
		rc = fn(data, set->all[i]);
	return rc;
}

int pack_foreach_object(struct pack *p, bool by_offset,
			int (*fn)(void *data, const struct object_id *oid), void *data,
			struct err *err)
{
	uint32_t *order = NULL;
	int rc = by_offset ? pack_open_rev(p, err) : pack_open_idx(p, err);

	if (!rc && by_offset && !pack_rev_is_sound(p))
		order = idx_order_by_offset(&p->idx);
	for (uint32_t i = 0; i < p->idx.nr && !rc; i++) {
		uint32_t pos = order ? order[i] : by_offset ? pack_rev_at(p, i) : i;
		struct object_id oid;

		oid_from_raw(&oid, idx_name(&p->idx, pos), p->idx.algo);
		rc = fn(data, &oid);
	}
	free(order);
	return rc;
}

int packs_foreach_object(struct packs *ps, bool by_offset,
			 int (*fn)(void *data, const struct object_id *oid),
			 void *data, struct err *err)
{
	struct pack_set *set = packs_set_held(ps);
	int rc = 0;

	for (size_t i = 0; i < set->nr && !rc; i++) {
		/* A damaged pack was reported when it was opened first. */
		if (pack_open_idx(set->all[i], NULL) < 0)
			continue;
		rc = pack_foreach_object(set->all[i], by_offset, fn, data, err);
	}
	return rc;
}
