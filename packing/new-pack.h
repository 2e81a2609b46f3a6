/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new pack of objects that are somewhere in the repository, made as the configuration says (pack.*,
 * repack.useDeltaBaseOffset). What else becomes of the objects is the caller's affair.
 *
 *   new_pack_begin(&p, r, NULL, NULL, err)
 *   pack_objects_add(p.po, ...)
 *   new_pack_stage(&p, op, objdir, "pack", &sums, err)
 *   new_pack_release(&p)
 */
#ifndef PACKING_NEW_PACK_H
#define PACKING_NEW_PACK_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "pack/write/pack-objects.h"
#include "repo/repo.h"

struct new_pack {
	struct repository *r;
	struct pack_objects *po;
};

/* As in struct pack_objects_options. */
typedef int (*new_pack_progress_fn)(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
				    struct err *err);

/* ERR_INVALID: a setting is bad. */
MUST_USE int new_pack_begin(struct new_pack *p, struct repository *r, new_pack_progress_fn progress,
			    void *data, struct err *err);
/*
 * PREFIX-HASH.pack with its companions in objdir/pack, staged; several if pack.packSizeLimit says so. They
 * are written in a temporary object directory, which tells its owner (P5). The checksums are appended to
 * sums, which may be NULL. Without objects nothing is staged.
 */
MUST_USE int new_pack_stage(struct new_pack *p, struct repo_operation *op, const char *objdir,
			    const char *prefix, struct oid_array *sums, struct err *err);
/*
 * The same with other options: what has been added to po, as files; tmp_dir is set here. There has to be an
 * object.
 */
struct pack_files_options;
MUST_USE int new_pack_files_stage(struct pack_objects *po, struct repo_operation *op,
				  const char *objdir, struct pack_files_options *files, struct oid_array *sums,
				  struct err *err);
/* The directory, in which staged files are, goes when they have their names. Takes it over. */
struct tmp_objdir;
MUST_USE int tmp_objdir_stage_end(struct tmp_objdir *dir, struct fsync_batch *b, struct err *err);
void new_pack_release(struct new_pack *p); /* idempotent */

#endif
