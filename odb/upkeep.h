/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packs of one store, for code that verifies, indexes, touches or removes them as files. `store`: 0 is our own, 1…
 * are the alternates (odb.h).
 *
 * A store may have no packs on a local disk. Then there is nothing to verify, to index or to remove: each function
 * says what it returns. Code above knows stores, and never the set of packs behind one.
 */
#ifndef ODB_UPKEEP_H
#define ODB_UPKEEP_H

#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/midx.h"

/* The set of packs itself, for pack/ alone (tools/check-calls). NULL: the store has none. */
struct packs *odb_local_packs(struct odb *odb, size_t store);
bool odb_store_has_packs(struct odb *odb, size_t store); /* on a local disk: perhaps none yet */
size_t odb_store_count_packs(struct odb *odb, size_t store);
size_t odb_store_count_single_packs(struct odb *odb, size_t store); /* packs that no multi-pack-index covers */

/* packs_touch(); false without packs. */
bool odb_store_touch_packed(struct odb *odb, size_t store, const struct object_id *oid);
/* pack_check_new(), packs_removal_new(); NULL without packs. The caller frees it. */
struct pack_check *odb_store_pack_check(struct odb *odb, size_t store);
struct packs_removal *odb_store_packs_removal(struct odb *odb, size_t store);

/* packs_parse_midx(), packs_verify_midx(), packs_verify_bitmaps(); 0 without packs. */
MUST_USE int odb_store_parse_midx(struct odb *odb, size_t store, struct err *err);
int odb_store_verify_midx(struct odb *odb, size_t store, const struct midx_verify_options *o);
void odb_store_verify_bitmaps(struct odb *odb, size_t store, void (*bad)(void *data, const char *msg), void *data);

/* ---- the multi-pack-index (pack/midx.h) ---- */
/* ERR_UNSUPPORTED without packs; else as midx_update_begin(). */
MUST_USE int odb_store_begin_midx_update(struct midx_update **out, struct odb *odb, size_t store,
					 const struct midx_write_options *o, struct err *err);
/* The following find no index without packs. */
void odb_store_midx_layers(struct odb *odb, size_t store, struct midx_layers *out);
bool odb_store_midx_names_any(struct odb *odb, size_t store, const struct strset *names);
MUST_USE int odb_store_stage_midx_clearing(struct odb *odb, size_t store, struct fsync_batch *b, struct err *err);
MUST_USE int odb_store_foreach_midx_batch(struct odb *odb, size_t store, const struct midx_batch_options *o,
					  midx_batch_fn fn, void *data, struct err *err);

#endif
