/* SPDX-License-Identifier: GPL-2.0-only */
/* See loosen.h. */
#include "compat/posix.h"
#include "maintain/loosen.h"
#include "compat/syscalls.h"
#include "fs/tmp-objdir.h"
#include "maintain/new-pack.h"
#include "object-file.h"
#include "odb.h"
#include "pack/write/mtimes.h"

struct loosening {
	struct repo_operation *op;
	struct repository *r;
	bool (*wanted)(void *data, const struct object_id *oid);
	void *data;
	const char *dir;
	struct err *err;
};

/* It is as old as it was: a prune by age comes when it would have come. */
static int set_time(const struct loosening *l, const struct object_id *oid, uint32_t mtime)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = mtime } };
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	loose_object_stage_path(&path, l->dir, oid);
	if (sys->utimens(path.buf, times) < 0)
		rc = err_set_errno(l->err, "cannot set the time of '%s'", path.buf);
	strbuf_release(&path);
	return rc;
}

static int loosen(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct loosening *l = data;
	const char *objdir = odb_objdir(l->r->odb);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf z = STRBUF_INIT;
	int rc;

	if (!l->wanted(l->data, oid) || loose_object_exists(objdir, oid))
		return 0;
	rc = odb_read(l->r->odb, oid, &buf, l->err);
	if (!rc) {
		loose_object_deflate(&z, buf.type, buf.data, buf.size, l->r->settings.loose_level);
		rc = loose_object_stage(l->dir, objdir, oid, l->r->settings.shared_perm, z.buf, z.len,
					repo_operation_batch(l->op), l->err);
	}
	if (!rc)
		rc = set_time(l, oid, mtime);
	strbuf_release(&z);
	object_buf_release(&buf);
	return rc;
}

int pack_loosen(struct repo_operation *op, struct repository *r, struct pack *pack,
		bool (*wanted)(void *data, const struct object_id *oid), void *data, struct err *err)
{
	struct loosening l = { .op = op, .r = r, .wanted = wanted, .data = data, .err = err };
	struct tmp_objdir *dir;
	int end, rc = tmp_objdir_create(&dir, odb_objdir(r->odb), "maintenance", r->settings.shared_perm, err);

	if (rc < 0)
		return rc;
	l.dir = tmp_objdir_path(dir);
	rc = pack_foreach_mtime(pack, loosen, &l, err);
	end = tmp_objdir_stage_end(dir, repo_operation_batch(op), err);
	return rc < 0 ? rc : end;
}
