/* SPDX-License-Identifier: GPL-2.0-only */
/* See loosen.h. */
#include "compat/posix.h"
#include "maintain/unpack-unreachable.h"
#include "compat/syscalls.h"
#include "fs/tmp-objdir.h"
#include "packing/new-pack.h"
#include "object-file.h"
#include "odb/odb.h"
#include "pack/write/mtimes.h"

struct loosening {
	struct repo_operation *op;
	struct repository *r;
	bool (*wanted)(void *data, const struct object_id *oid);
	void *data;
	const char *dir;
	uint32_t pack_time;
	struct oidset done;
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

	if (!l->wanted(l->data, oid) || loose_object_exists(objdir, oid) || !oidset_insert(&l->done, oid))
		return 0;
	rc = odb_read(l->r->odb, oid, &buf, l->err);
	if (!rc) {
		loose_object_deflate(&z, buf.type, buf.data, buf.size, l->r->settings.loose_level);
		rc = loose_object_stage(l->dir, objdir, oid, l->r->settings.shared_perm, z.buf, z.len,
					repo_operation_batch(l->op), l->err);
	}
	if (!rc)
		rc = set_time(l, oid, mtime > l->pack_time ? mtime : l->pack_time);
	strbuf_release(&z);
	object_buf_release(&buf);
	return rc;
}

static int newest_first(const void *va, const void *vb)
{
	const struct pack *const *a = va, *const *b = vb;
	const uint32_t x = pack_time(*a), y = pack_time(*b);

	return x != y ? (x > y ? -1 : 1) : strcmp(pack_path(*a), pack_path(*b));
}

int packs_loosen(struct repo_operation *op, struct repository *r, struct pack **packs, size_t nr,
		 bool (*wanted)(void *data, const struct object_id *oid), void *data, struct err *err)
{
	struct loosening l = { .op = op, .r = r, .wanted = wanted, .data = data, .done = OIDSET_INIT, .err = err };
	struct tmp_objdir *dir;
	int end, rc = tmp_objdir_create(&dir, odb_objdir(r->odb), "maintenance", r->settings.shared_perm, err);

	if (rc < 0)
		return rc;
	l.dir = tmp_objdir_path(dir);
	if (nr)
		qsort(packs, nr, sizeof(*packs), newest_first);
	for (size_t i = 0; i < nr && !rc; i++) {
		l.pack_time = pack_time(packs[i]);
		rc = pack_foreach_mtime(packs[i], loosen, &l, err);
	}
	end = tmp_objdir_stage_end(dir, repo_operation_batch(op), err);
	oidset_clear(&l.done);
	return rc < 0 ? rc : end;
}
