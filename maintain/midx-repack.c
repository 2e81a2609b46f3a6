/* SPDX-License-Identifier: GPL-2.0-only */
/* Small packs of a multi-pack-index become one: git-multi-pack-index(1), repack. */
#include "compat/posix.h"
#include "maintain/multi-pack-index.h"
#include "odb/upkeep.h"
#include "util/alloc.h"

static int add_object(void *data, const struct object_id *oid, struct pack *pack, uint64_t offset,
		      struct err *err)
{
	return pack_objects_add_packed(data, oid, OBJ_NONE, 0, pack, offset, err);
}

/*
 * If it is of the same second, the new pack is not younger than the old ones: it is preferred, so
 * that all its objects count.
 */
static int midx_repack_write_index(struct repo_operation *op, struct repository *r, size_t store,
				   const struct object_id *sum, struct err *err)
{
	char *name = xstrfmt("pack-%s.pack", oid_hex(sum));
	struct midx_write_options w = { .preferred = name, .shared_perm = r->settings.shared_perm };
	int rc = multi_pack_index_write(r, store, &w, NULL, repo_operation_batch(op), NULL, err);

	free(name);
	return rc;
}

static int write_pack_and_index(struct new_pack *p, struct repo_operation *op, size_t store, struct err *err)
{
	struct oid_array sums = OID_ARRAY_INIT;
	int rc = new_pack_stage(p, op, odb_store_objdir(p->r->odb, store), "pack", &sums, err);

	/* D4: objects before the index that names them. The index is made of the packs that are there. */
	if (!rc)
		rc = repo_operation_publish(op, err);
	if (!rc)
		rc = midx_repack_write_index(op, p->r, store, &sums.oid[0], err);
	oid_array_clear(&sums);
	return rc;
}

int multi_pack_index_repack(struct repo_operation *op, struct repository *r, size_t store,
			    const struct midx_repack_options *o, uint32_t *nr, struct err *err)
{
	struct midx_batch_options b = { .bytes = o->batch_bytes };
	struct new_pack p;
	uint32_t count = 0;
	int rc = config_get_bool(r->config, "repack.packkeptobjects", &b.kept, err);

	if (rc >= 0)
		rc = new_pack_begin(&p, r, o->progress, o->data, err);
	if (rc < 0)
		return rc;
	rc = odb_store_foreach_midx_batch(r->odb, store, &b, add_object, p.po, err);
	count = pack_objects_count(p.po);
	if (!rc && count)
		rc = write_pack_and_index(&p, op, store, err);
	new_pack_release(&p);
	if (!rc && nr)
		*nr = count;
	return rc;
}
