/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks of git-maintenance(1) about objects: loose-objects, incremental-repack. */
#include "compat/posix.h"
#include "maintain/counts.h"
#include "maintain/multi-pack-index.h"
#include "maintain/prune-packed.h"
#include "maintain/tasks/tasks-internal.h"
#include "object-file.h"
#include "odb/upkeep.h"

#define LOOSE_BATCH 50000
#define REPACK_BYTES_MAX ((uint64_t)INT32_MAX)

static int show_progress(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
			 struct err *err UNUSED)
{
	const struct maintenance_options *o = data;

	o->progress(o->data, pack_phase_title(phase), done, total);
	return 0;
}

static new_pack_progress_fn progress_of(const struct maintenance_options *o)
{
	return o->progress ? show_progress : NULL;
}

/* ---- loose-objects ---- */

int task_loose_objects_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	size_t nr;
	int rc = loose_objects_count_to(r, (size_t)limit, &nr, err);

	if (rc < 0)
		return rc;
	*out = nr >= (size_t)limit;
	return 0;
}

/*
 * Adds loose objects. Objects that are in a pack already are not listed: they have been removed, or
 * will be.
 */
static int add_loose(struct repository *r, struct pack_objects *po, size_t max, struct err *err)
{
	int rc = 0;

	for (unsigned fanout = 0; fanout < 256 && !rc; fanout++) {
		struct oid_array oids = OID_ARRAY_INIT;

		rc = loose_object_list(odb_objdir(r->odb), r->algo, fanout, &oids, err);
		for (size_t i = 0; i < oids.nr && !rc; i++) {
			if (max && pack_objects_count(po) >= max)
				break;
			if (!odb_is_packed(r->odb, &oids.oid[i]))
				rc = pack_objects_add(po, &oids.oid[i], OBJ_NONE, NULL, 0, err);
		}
		oid_array_clear(&oids);
	}
	return rc;
}

static int pack_loose(struct repository *r, struct repo_operation *op, const struct maintenance_options *o,
		      struct err *err)
{
	int max = LOOSE_BATCH;
	struct new_pack p;
	int rc = config_get_int(r->config, "maintenance.loose-objects.batchsize", &max, err);

	if (rc >= 0)
		rc = new_pack_begin(&p, r, progress_of(o), (void *)o, err);
	if (!rc) {
		rc = add_loose(r, p.po, max > 0 ? (size_t)max : 0, err);
		if (!rc)
			rc = new_pack_stage(&p, op, odb_objdir(r->odb), "loose", NULL, err);
		new_pack_release(&p);
	}
	return rc;
}

int task_loose_objects(struct repository *r, struct repo_operation *op,
		       const struct maintenance_options *o, struct err *err)
{
	int rc = prune_packed_run(op, r, false, NULL, NULL, err);

	return rc < 0 ? rc : pack_loose(r, op, o, err);
}

/* ---- incremental-repack ---- */

static int midx_is_used(struct repository *r, bool *out, struct err *err)
{
	bool used = true;
	int rc = config_get_bool(r->config, "core.multipackindex", &used, err);

	if (rc < 0)
		return rc;
	*out = used;
	return 0;
}

int task_incremental_repack_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	bool used;
	int rc = midx_is_used(r, &used, err);

	if (rc < 0)
		return rc;
	odb_refresh(r->odb, ODB_OWN);
	*out = used && odb_store_count_single_packs(r->odb, 0) >= (size_t)limit;
	return 0;
}

struct largest {
	uint64_t first, second;
};

static int note_size(void *data, struct pack *p)
{
	struct largest *l = data;
	uint64_t bytes = pack_size_bytes(p);

	if (bytes > l->first) {
		l->second = l->first;
		l->first = bytes;
	} else if (bytes > l->second) {
		l->second = bytes;
	}
	return 0;
}

/* All but the largest pack are small enough, unless they are very large as well. */
static uint64_t batch_bytes(struct odb *odb)
{
	struct largest l = { 0, 0 };

	odb_foreach_pack(odb, ODB_OWN, note_size, &l);
	return l.second < REPACK_BYTES_MAX ? l.second + 1 : REPACK_BYTES_MAX;
}

static int write_index(struct repository *r, struct repo_operation *op, bool drop_unused, struct err *err)
{
	const struct midx_write_options w = { .drop_unused = drop_unused,
					      .shared_perm = r->settings.shared_perm };
	int rc = multi_pack_index_write(r, 0, &w, NULL, repo_operation_batch(op), NULL, err);

	/* The next step reads the index, and the directory without what has been removed. */
	return rc ? rc : repo_operation_publish(op, err);
}

int task_incremental_repack(struct repository *r, struct repo_operation *op,
			    const struct maintenance_options *o, struct err *err)
{
	struct midx_repack_options repack = { .progress = progress_of(o), .data = (void *)o };
	bool used;
	int rc = midx_is_used(r, &used, err);

	if (rc < 0)
		return rc;
	if (!used && o->warn)
		o->warn(o->data, "skipping incremental-repack task because core.multiPackIndex is disabled");
	odb_refresh(r->odb, ODB_OWN);
	if (!used || !odb_store_count_packs(r->odb, 0))
		return 0;
	/* What covers all packs stays: it takes objects from where the last repack has put them. */
	if (odb_store_count_single_packs(r->odb, 0))
		rc = write_index(r, op, false, err);
	if (!rc)
		rc = write_index(r, op, true, err);
	odb_refresh(r->odb, ODB_OWN);
	repack.batch_bytes = batch_bytes(r->odb);
	if (!rc)
		rc = multi_pack_index_repack(op, r, 0, &repack, NULL, err);
	return rc;
}
