/* SPDX-License-Identifier: GPL-2.0-only */
/* See prune-packed.h. */
#include "compat/posix.h"
#include "maintain/prune.h"
#include "maintain/prune-packed.h"
#include "object-file.h"
#include "odb/upkeep.h"
#include "pack/write/mtimes.h"
#include "util/alloc.h"
#include "util/map.h"

struct prune_packed {
	struct repository *r;
	struct fsync_batch *batch;
	struct pack_check **checks; /* of each store; NULL: it has no packs */
	size_t nr;
	bool dry_run;
	void (*report)(void *data, const char *path);
	void *data;
	bool knows_cruft;
	struct oidmap cruft; /* of all cruft packs: seconds, plus one */
};

/* ---- copies in cruft packs ---- */

static int note_mtime(void *data, const struct object_id *oid, uint32_t mtime)
{
	struct oidmap *m = data;

	if ((uintptr_t)oidmap_get(m, oid) <= mtime)
		oidmap_put(m, oid, (void *)((uintptr_t)mtime + 1));
	return 0;
}

/* A damaged .mtimes says nothing, so the loose files stay. */
static int prune_packed_note_cruft(void *data, struct pack *pack)
{
	struct prune_packed *p = data;

	if (pack_has_file(pack, "mtimes"))
		(void)!pack_foreach_mtime(pack, note_mtime, &p->cruft, NULL);
	return 0;
}

static void prune_packed_read_cruft(struct prune_packed *p)
{
	if (p->knows_cruft)
		return;
	p->knows_cruft = true;
	odb_foreach_pack(p->r->odb, ODB_ALL, prune_packed_note_cruft, p);
}

/* ---- all copies ---- */

/*
 * Does the pack keep the object as long as the loose file would have kept it? The time of a cruft pack
 * is not the time of its objects: an object that was written again since is younger than the .mtimes
 * says.
 */
static bool is_as_young(struct prune_packed *p, size_t store, struct pack *in, const struct object_id *oid,
			const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return false;
	if (pack_has_file(in, "mtimes")) {
		prune_packed_read_cruft(p);
		return st.st_mtime < 0 || (uintptr_t)oidmap_get(&p->cruft, oid) > (uintptr_t)st.st_mtime;
	}
	return st.st_mtime <= (time_t)pack_time(in) || p->dry_run ||
	       odb_store_touch_packed(p->r->odb, store, oid);
}

/* In the packs of any store. */
static bool is_packed(struct prune_packed *p, const struct object_id *oid, const char *path)
{
	struct pack *in;

	for (size_t i = 0; i < p->nr; i++)
		if (p->checks[i] && pack_check_find(p->checks[i], oid, &in))
			return is_as_young(p, i, in, oid, path);
	return false;
}

static int prune_packed_remove_one(const struct prune_packed *p, const char *path, struct err *err)
{
	const struct fsync_staging s = { .component = FSYNC_LOOSE_OBJECT, .order = PUBLISH_OBJECT_DELETE,
					 .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };

	if (p->report)
		p->report(p->data, path);
	return p->dry_run ? 0 : fsync_batch_stage(p->batch, &s, err);
}

static int remove_in(struct prune_packed *p, unsigned fanout, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	struct strbuf path = STRBUF_INIT;
	int rc = loose_object_list(odb_objdir(p->r->odb), p->r->algo, fanout, &oids, err);

	for (size_t i = 0; i < oids.nr && !rc; i++) {
		strbuf_reset(&path);
		loose_object_path(&path, odb_objdir(p->r->odb), &oids.oid[i]);
		if (is_packed(p, &oids.oid[i], path.buf))
			rc = prune_packed_remove_one(p, path.buf, err);
	}
	oid_array_clear(&oids);
	strbuf_release(&path);
	return rc;
}

int prune_packed_run(struct repo_operation *op, struct repository *r, bool dry_run,
		     void (*report)(void *data, const char *path), void *data, struct err *err)
{
	struct prune_packed p = { .r = r, .batch = repo_operation_batch(op), .dry_run = dry_run,
				  .report = report, .data = data, .cruft = OIDMAP_INIT };
	int rc = prune_is_allowed(r, "prune-packed", err);

	if (rc < 0)
		return rc;
	p.nr = odb_nr_alternates(r->odb) + 1;
	CALLOC_ARRAY(p.checks, p.nr);
	for (size_t i = 0; i < p.nr; i++)
		p.checks[i] = odb_store_pack_check(r->odb, i);
	for (unsigned fanout = 0; fanout < 256 && !rc; fanout++)
		rc = remove_in(&p, fanout, err);
	for (size_t i = 0; i < p.nr; i++) {
		if (!rc && !dry_run && p.checks[i])
			rc = pack_check_adopt(p.checks[i], p.batch, err);
		pack_check_free(p.checks[i]);
	}
	free(p.checks);
	oidmap_clear(&p.cruft, NULL);
	return rc;
}
