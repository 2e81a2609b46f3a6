/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the files backend; opening a store, reading one ref. */
#include "compat/posix.h"
#include <dirent.h>
#include "refs/files/files-internal.h"
#include "refs/files/files.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "refs/files/reflog-internal.h"
#include "refs/files/update-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

static int files_open(struct ref_store *rs, const struct ref_store_options *o,
		      struct err *err UNUSED)
{
	struct files_store *fs = files_store(rs);

	fs->gitdir = xstrdup(o->gitdir);
	fs->commondir = xstrdup(o->commondir ? o->commondir : o->gitdir);
	fs->objects_elsewhere = o->objects_elsewhere;
	fs->shared_perm = o->shared_perm;
	fs->lock_timeout_ms = o->lock_timeout_ms;
	fs->packed_lock_timeout_ms = o->table_lock_timeout_ms;
	return 0;
}

static void files_close(struct ref_store *rs)
{
	struct files_store *fs = files_store(rs);

	packed_refs_put(fs->packed);
	free(fs->gitdir);
	free(fs->commondir);
}

/* One step: loose first, then packed. */
static int files_read(struct ref_store *rs, const char *name, struct ref_value *out,
		      struct err *err)
{
	struct packed_refs *packed;
	struct packed_entry e;
	struct loose_value v;
	int rc;

	name = ref_canonical_name(name);
	rc = loose_read(rs, name, &v, NULL, err);
	if (rc < 0)
		return rc;
	*out = (struct ref_value){ .kind = loose_ref_kind(v.kind), .oid = v.oid,
				   .target = v.target };
	if (out->kind != REF_KIND_MISSING || !ref_may_be_packed(rs, name))
		return 0;
	rc = packed_refs_get(rs, &packed, err);
	if (rc < 0)
		return rc;
	rc = packed_refs_lookup(packed, name, &e, err);
	if (rc > 0)
		*out = (struct ref_value){ .kind = REF_KIND_OID, .oid = e.oid, .flags = REF_IS_PACKED };
	packed_refs_put(packed);
	return rc < 0 ? rc : 0;
}

/* Root refs are files beside HEAD. */
static int files_root_names(struct ref_store *rs, const char *worktree, struct string_list *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	char *name = xconcat(worktree, "HEAD");
	DIR *dir;
	struct dirent *de;
	int rc = 0;

	ref_path(rs, name, &path);
	strbuf_setlen(&path, path.len - strlen("/HEAD"));
	dir = opendir(path.buf);
	if (!dir)
		rc = err_set_errno(err, "cannot open directory '%s'", path.buf);
	while (dir && (errno = 0, de = readdir(dir)))
		root_names_add(out, worktree, de->d_name);
	if (dir && errno)
		rc = err_set_errno(err, "cannot read directory '%s'", path.buf);
	if (dir)
		closedir(dir);
	strbuf_release(&path);
	free(name);
	return rc;
}

static const struct ref_path paths[] = {
	{ .path = "HEAD" },
	{ .path = "refs", .is_tree = true },
	{ .path = "packed-refs", .is_replaced = true },
	{ .path = NULL },
};

static const char *const layout_dirs[] = { "refs", "refs/heads", "refs/tags", NULL };
static const struct ref_layout layout = { .dirs = layout_dirs };

const struct ref_backend files_ref_backend = {
	.name = "files",
	.store_size = sizeof(struct files_store),
	.transaction_size = sizeof(struct files_transaction),
	.update_size = sizeof(struct files_update),
	.open = files_open,
	.close = files_close,
	.recover = files_recover,
	.read = files_read,
	.foreach = files_foreach,
	.root_refs_are_files = true,
	.root_names = files_root_names,
	.import = files_import,
	.lock = files_lock,
	.stage = files_stage,
	.unlock = files_unlock,
	.release = files_release,
	.update_clear = files_update_clear,
	.pack = files_pack,
	.pack_is_due = files_pack_is_due,
	.verify = files_verify,
	.reflog_exists = files_reflog_exists,
	.reflog_foreach = files_reflog_foreach,
	.reflogs_foreach = files_reflogs_foreach,
	.reflog_rewrite = files_reflog_rewrite,
	.reflog_remove = files_reflog_remove,
	.reflog_append = files_reflog_append,
	.paths = paths,
	.layout = &layout,
	.table = &packed_table_format,
};
