/* SPDX-License-Identifier: GPL-2.0-only */
/* See new-pack.h. */
#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "packing/new-pack.h"
#include "pack/write/pack-files.h"
#include "util/alloc.h"

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

/* The directory is empty by now, or its files have been given up. */
static void forget_directory(void *data, bool published UNUSED)
{
	struct tmp_objdir *dir = data;

	tmp_objdir_destroy(&dir);
}

int tmp_objdir_stage_end(struct tmp_objdir *dir, struct fsync_batch *b, struct err *err)
{
	const struct fsync_staging s = { .order = PUBLISH_LOOSE_OBJECT, .how = PUBLISH_NOTE, .fd = -1,
					 .done = forget_directory, .data = dir };

	return fsync_batch_stage(b, &s, err);
}

int new_pack_files_stage(struct pack_objects *po, struct repo_operation *op, const char *objdir,
			 struct pack_files_options *files, struct oid_array *sums, struct err *err)
{
	struct fsync_batch *b = repo_operation_batch(op);
	struct tmp_objdir *dir;
	int end, rc = tmp_objdir_create(&dir, objdir, "maintenance", files->shared_perm, err);

	if (rc < 0)
		return rc;
	files->tmp_dir = tmp_objdir_path(dir);
	rc = pack_objects_prepare(po, err);
	if (!rc)
		rc = pack_objects_write_files(po, files, b, sums, err);
	end = tmp_objdir_stage_end(dir, b, err);
	return rc < 0 ? rc : end;
}

int new_pack_stage(struct new_pack *p, struct repo_operation *op, const char *objdir, const char *prefix,
		   struct oid_array *sums, struct err *err)
{
	struct oid_array none = OID_ARRAY_INIT;
	char *base = xstrfmt("%s/pack/%s", objdir, prefix);
	struct pack_files_options files = {
		.base_name = base,
		.max_bytes = p->r->settings.pack_size_limit,
		.shared_perm = p->r->settings.shared_perm,
		.write_rev = true,
		.index_version = 2,
	};
	int rc = config_get_bool(p->r->config, "pack.writereverseindex", &files.write_rev, err);

	tmp_objdir_reap(objdir);
	if (rc >= 0 && pack_objects_count(p->po))
		rc = new_pack_files_stage(p->po, op, objdir, &files, sums ? sums : &none, err);
	oid_array_clear(&none);
	free(base);
	return rc < 0 ? rc : 0;
}

void new_pack_release(struct new_pack *p)
{
	pack_objects_free(p->po);
	p->po = NULL;
}
