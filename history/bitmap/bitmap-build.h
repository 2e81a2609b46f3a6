/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the .bitmap of a pack or a multi-pack-index: choose commits, find out what they reach, and
 * stage the file. "--write-bitmap-index" of git-repack(1), "--bitmap" of git-multi-pack-index(1).
 *
 *   target = bitmap_target_entries(…)                  (or midx_update_target)
 *   rc = bitmap_build(r, target, &options, repo_operation_batch(op), err)
 *   bitmap_target_free(target)
 *
 * Cost: reads every commit and tree once, those between two chosen commits now and then twice.
 * Memory: a few bytes for each object, and the compressed bitmaps.
 */
#ifndef HISTORY_BITMAP_BITMAP_BUILD_H
#define HISTORY_BITMAP_BITMAP_BUILD_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "pack/bitmap-write.h"
#include "repo/repo.h"

struct bitmap_build_options {
	/*
	 * Objects of any type at which queries will start. Objects that are not in the target are
	 * skipped. NULL: the objects that refs name.
	 */
	const struct oid_array *tips;
	/* Tips that come first when commits are chosen (pack.preferBitmapTips); may be NULL. */
	const struct oid_array *preferred;
	bool hash_cache;   /* pack.writeBitmapHashCache */
	bool lookup_table; /* pack.writeBitmapLookupTable */
	void (*progress)(void *data, size_t done, size_t total); /* commits chosen; may be NULL */
	void *progress_data;
};
/* As the configuration has it. Tips stay NULL. ERR_INVALID: a bad value. */
MUST_USE int bitmap_build_options_read(struct bitmap_build_options *out, struct repository *r,
				       struct err *err);
/* What the refs name, appended to `tips`; those below pack.preferBitmapTips to `preferred`, too. */
MUST_USE int bitmap_collect_tips(struct repository *r, struct oid_array *tips,
				 struct oid_array *preferred, struct err *err);

/*
 * ERR_NOT_FOUND: a commit that is in the target leads to an object that is not, so that there can be no
 * bitmap; the message names it. Nothing has been staged then. A target without commits gets a file
 * without bitmaps of commits.
 */
MUST_USE int bitmap_build(struct repository *r, struct bitmap_target *t,
			  const struct bitmap_build_options *o, struct fsync_batch *b,
			  struct err *err);

#endif
