/* SPDX-License-Identifier: GPL-2.0-only */
/* See upkeep.h: each function asks the store for its packs, and pack/ does the work. */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "odb/upkeep.h"

struct packs *odb_local_packs(struct odb *odb, size_t store)
{
	struct odb_store *st = odb_store_at(odb, store);

	return st ? odb_store_packs(st) : NULL;
}

/* ---- packs ---- */

bool odb_store_has_packs(struct odb *odb, size_t store)
{
	return odb_local_packs(odb, store);
}

size_t odb_store_count_packs(struct odb *odb, size_t store)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? packs_count(packs) : 0;
}

size_t odb_store_count_single_packs(struct odb *odb, size_t store)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? packs_count_single(packs) : 0;
}

bool odb_store_touch_packed(struct odb *odb, size_t store, const struct object_id *oid)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs && packs_touch(packs, oid);
}

struct pack_check *odb_store_pack_check(struct odb *odb, size_t store)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? pack_check_new(packs) : NULL;
}

struct packs_removal *odb_store_packs_removal(struct odb *odb, size_t store)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? packs_removal_new(packs) : NULL;
}

/* ---- verification ---- */

int odb_store_parse_midx(struct odb *odb, size_t store, struct err *err)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? packs_parse_midx(packs, err) : 0;
}

int odb_store_verify_midx(struct odb *odb, size_t store, const struct midx_verify_options *o)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? packs_verify_midx(packs, o) : 0;
}

void odb_store_verify_bitmaps(struct odb *odb, size_t store, void (*bad)(void *data, const char *msg), void *data)
{
	struct packs *packs = odb_local_packs(odb, store);

	if (packs)
		packs_verify_bitmaps(packs, bad, data);
}

/* ---- the multi-pack-index ---- */

int odb_store_begin_midx_update(struct midx_update **out, struct odb *odb, size_t store,
				const struct midx_write_options *o, struct err *err)
{
	struct packs *packs = odb_local_packs(odb, store);

	if (!packs)
		return err_set(err, ERR_UNSUPPORTED, "the object store has no packs on a local disk");
	return midx_update_begin(out, packs, o, err);
}

void odb_store_midx_layers(struct odb *odb, size_t store, struct midx_layers *out)
{
	struct packs *packs = odb_local_packs(odb, store);

	if (packs)
		midx_layers_read(out, packs);
	else
		*out = (struct midx_layers){ 0 };
}

bool odb_store_midx_names_any(struct odb *odb, size_t store, const struct strset *names)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs && midx_names_any(packs, names);
}

int odb_store_stage_midx_clearing(struct odb *odb, size_t store, struct fsync_batch *b, struct err *err)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? midx_stage_clearing(packs, b, err) : 0;
}

int odb_store_foreach_midx_batch(struct odb *odb, size_t store, const struct midx_batch_options *o,
				 midx_batch_fn fn, void *data, struct err *err)
{
	struct packs *packs = odb_local_packs(odb, store);

	return packs ? midx_batch_foreach(packs, o, fn, data, err) : 0;
}
