/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/multi-pack-index.h"
#include "odb/upkeep.h"

static int stage_bitmap(struct repository *r, struct midx_update *u,
			const struct bitmap_build_options *o, struct fsync_batch *b, struct err *err)
{
	struct bitmap_target *t;
	int rc = midx_update_target(&t, u, err);

	if (rc < 0)
		return rc;
	rc = bitmap_build(r, t, o, b, err);
	bitmap_target_free(t);
	return rc;
}

static int read_version(unsigned *out, struct repository *r, bool compact, struct err *err)
{
	int version = compact ? 2 : 1, rc = config_get_int(r->config, "midx.version", &version, err);

	if (rc >= 0 && version != 1 && version != 2)
		return err_set(err, ERR_INVALID, "unknown MIDX version: %d", version);
	if (rc >= 0 && compact && version == 1)
		return err_set(err, ERR_UNSUPPORTED, "cannot perform MIDX compaction with v1 format");
	*out = (unsigned)version;
	return rc < 0 ? rc : 0;
}

int multi_pack_index_write(struct repository *r, size_t store,
			   const struct midx_write_options *o,
			   const struct bitmap_build_options *bitmap, struct fsync_batch *b,
			   struct object_id *written, struct err *err)
{
	struct midx_write_options options = *o;
	struct midx_update *u;
	int rc = o->version ? 0 : read_version(&options.version, r, o->from, err);

	if (!rc)
		rc = odb_store_begin_midx_update(&u, r->odb, store, &options, err);
	if (rc < 0)
		return rc;
	if (bitmap && !(midx_update_is_current(u) && (o->no_chain || midx_update_has_bitmap(u)))) {
		rc = stage_bitmap(r, u, bitmap, b, err);
		if (rc < 0)
			err_prefix(err, "could not write multi-pack bitmap");
	}
	if (!rc)
		rc = midx_update_stage(u, b, err);
	if (!rc && written && midx_update_new(u))
		*written = *midx_update_new(u);
	midx_update_free(u);
	return rc;
}
