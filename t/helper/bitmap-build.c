/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bitmap-build [--midx] [<ref>...]
 *
 * Writes the .bitmap of the largest pack of the current repository, or of its multi-pack-index, as
 * the configuration says (pack.writeBitmapHashCache, pack.writeBitmapLookupTable). Tips: what the
 * names given stand for, or all refs. Exit code 3: there cannot be one.
 */
#include "compat/posix.h"
#include "history/bitmap-build.h"
#include "history/revparse.h"
#include "operation.h"

static NORETURN void fail(struct err *err)
{
	fprintf(stderr, "fatal: %s\n", err_message(err));
	exit(128);
}

static int pick_largest(void *data, struct pack *p)
{
	struct pack **best = data;

	if (!*best || pack_nr_objects(p) > pack_nr_objects(*best))
		*best = p;
	return 0;
}

static int open_target(struct bitmap_target **out, struct repository *r, bool midx, struct err *err)
{
	struct packs *packs = odb_packs(r->odb, 0);
	struct pack *p = NULL;

	if (midx)
		return bitmap_target_midx(out, packs, err);
	packs_foreach(packs, pick_largest, &p);
	return p ? bitmap_target_pack(out, p, err) : err_set(err, ERR_NOT_FOUND, "there is no pack");
}

int main(int argc UNUSED, const char **argv)
{
	struct repo_open_options open_options = { 0 };
	struct bitmap_build_options o = { 0 };
	struct oid_array tips = OID_ARRAY_INIT;
	struct bitmap_target *target = NULL;
	struct repo_operation *op;
	struct repository *r;
	struct err err = ERR_INIT;
	bool midx = false;
	int rc;

	if (repo_open(&r, &open_options, &err) < 0 || bitmap_build_options_read(&o, r, &err) < 0)
		fail(&err);
	while (*++argv) {
		struct object_id oid;

		if (!strcmp(*argv, "--midx")) {
			midx = true;
			continue;
		}
		if (revparse_oid(r, *argv, &oid, &err) < 0)
			fail(&err);
		oid_array_append(&tips, &oid);
		o.tips = &tips;
	}
	op = repo_operation_begin(r);
	rc = open_target(&target, r, midx, &err);
	if (!rc)
		rc = bitmap_build(r, target, &o, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	bitmap_target_free(target);
	oid_array_clear(&tips);
	repo_free(r);
	if (rc == ERR_NOT_FOUND) {
		fprintf(stderr, "%s\n", err_message(&err));
		err_release(&err);
		return 3;
	}
	if (rc < 0)
		fail(&err);
	return 0;
}
