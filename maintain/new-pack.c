/* SPDX-License-Identifier: GPL-2.0-only */
/* See new-pack.h. */
#include "compat/posix.h"
#include "maintain/new-pack.h"
#include "pack/write/pack-files.h"

int new_pack_begin(struct new_pack *p, struct repository *r, new_pack_progress_fn progress, void *data,
		   struct err *err)
{
	struct pack_objects_options o;
	int rc;

	pack_objects_options_init(&o, r->odb);
	o.ofs_delta = true;
	o.big_file_threshold = r->settings.big_file_threshold;
	o.order = r->settings.pack_size_limit ? PACK_ORDER_FAMILY : PACK_ORDER_TYPE;
	o.progress = progress;
	o.data = data;
	rc = pack_objects_options_read(&o, r->config, err);
	if (rc >= 0)
		rc = config_get_bool(r->config, "repack.usedeltabaseoffset", &o.ofs_delta, err);
	if (rc < 0)
		return rc;
	*p = (struct new_pack){ r, pack_objects_new(&o) };
	return 0;
}

int new_pack_stage(struct new_pack *p, struct repo_operation *op, const char *base_name,
		   struct oid_array *sums, struct err *err)
{
	struct pack_files_options files = {
		.base_name = base_name,
		.max_bytes = p->r->settings.pack_size_limit,
		.shared_perm = p->r->settings.shared_perm,
		.write_rev = true,
		.index_version = 2,
	};
	struct oid_array none = OID_ARRAY_INIT;
	int rc;

	if (!pack_objects_count(p->po))
		return 0;
	rc = config_get_bool(p->r->config, "pack.writereverseindex", &files.write_rev, err);
	if (rc >= 0)
		rc = pack_objects_prepare(p->po, err);
	if (rc >= 0)
		rc = pack_objects_write_files(p->po, &files, repo_operation_batch(op),
					      sums ? sums : &none, err);
	oid_array_clear(&none);
	return rc < 0 ? rc : 0;
}

void new_pack_release(struct new_pack *p)
{
	pack_objects_free(p->po);
	p->po = NULL;
}
