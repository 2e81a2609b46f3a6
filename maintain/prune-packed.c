/* SPDX-License-Identifier: GPL-2.0-only */
/* See prune-packed.h. */
#include "compat/posix.h"
#include "maintain/prune.h"
#include "maintain/prune-packed.h"
#include "object-file.h"
#include "pack/pack.h"
#include "util/alloc.h"

struct prune_packed {
	struct repository *r;
	struct fsync_batch *batch;
	struct pack_check **checks; /* of each store */
	size_t nr;
	bool dry_run;
	void (*report)(void *data, const char *path);
	void *data;
};

/* In the packs of any store. */
static bool is_packed(const struct prune_packed *p, const struct object_id *oid, const char *path)
{
	for (size_t i = 0; i < p->nr; i++) {
		struct stat st;
		time_t mtime;

		if (!pack_check_find(p->checks[i], oid, &mtime))
			continue;
		if (p->dry_run)
			return true;
		return !lstat(path, &st) &&
		       (st.st_mtime <= mtime || packs_touch(odb_packs(p->r->odb, i), oid));
	}
	return false;
}

static int remove_one(const struct prune_packed *p, const char *path, struct err *err)
{
	const struct fsync_staging s = { .component = FSYNC_LOOSE_OBJECT, .order = PUBLISH_OBJECT_DELETE,
					 .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };

	if (p->report)
		p->report(p->data, path);
	return p->dry_run ? 0 : fsync_batch_stage(p->batch, &s, err);
}

static int remove_in(const struct prune_packed *p, unsigned fanout, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	struct strbuf path = STRBUF_INIT;
	int rc = loose_object_list(odb_objdir(p->r->odb), p->r->algo, fanout, &oids, err);

	for (size_t i = 0; i < oids.nr && !rc; i++) {
		strbuf_reset(&path);
		loose_object_path(&path, odb_objdir(p->r->odb), &oids.oid[i]);
		if (is_packed(p, &oids.oid[i], path.buf))
			rc = remove_one(p, path.buf, err);
	}
	oid_array_clear(&oids);
	strbuf_release(&path);
	return rc;
}

int prune_packed_run(struct repo_operation *op, struct repository *r, bool dry_run,
		     void (*report)(void *data, const char *path), void *data, struct err *err)
{
	struct prune_packed p = { .r = r, .batch = repo_operation_batch(op), .dry_run = dry_run,
				  .report = report, .data = data };
	int rc = prune_is_allowed(r, "prune-packed", err);

	if (rc < 0)
		return rc;
	p.nr = odb_nr_alternates(r->odb) + 1;
	CALLOC_ARRAY(p.checks, p.nr);
	for (size_t i = 0; i < p.nr; i++)
		p.checks[i] = pack_check_new(odb_packs(r->odb, i));
	for (unsigned fanout = 0; fanout < 256 && !rc; fanout++)
		rc = remove_in(&p, fanout, err);
	for (size_t i = 0; i < p.nr; i++) {
		if (!rc && !dry_run)
			rc = pack_check_adopt(p.checks[i], p.batch, err);
		pack_check_free(p.checks[i]);
	}
	free(p.checks);
	return rc;
}
