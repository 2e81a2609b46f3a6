/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bitmap-build
 *
 * Writes the .bitmap of the largest pack of the current repository, as the configuration says
 * (pack.writeBitmapHashCache, pack.writeBitmapLookupTable). Exit code 3: there cannot be one.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap-build.h"
#include "operation/operation.h"
#include "t/pack-craft.h"

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

static int open_target(struct craft_target *out, struct repository *r, struct err *err)
{
	struct pack *p = NULL;

	odb_foreach_pack(r->odb, ODB_OWN, pick_largest, &p);
	return p ? craft_target_init(out, p, err) : err_set(err, ERR_NOT_FOUND, "there is no pack");
}

int main(void)
{
	struct repo_open_options open_options = { 0 };
	struct bitmap_build_options o = { 0 };
	struct craft_target target = { 0 };
	struct repo_operation *op;
	struct repository *r;
	struct err err = ERR_INIT;
	int rc;

	if (repo_open(&r, &open_options, &err) < 0 || bitmap_build_options_read(&o, r, &err) < 0)
		fail(&err);
	op = repo_operation_begin(r);
	rc = open_target(&target, r, &err);
	if (!rc)
		rc = bitmap_build(r, target.target, &o, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	craft_target_release(&target);
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
