/* SPDX-License-Identifier: GPL-2.0-only */
/* Do two commits bring the same change? Names for changes: --cherry-pick of git-rev-list(1). */
#ifndef DIFF_PATCH_ID_H
#define DIFF_PATCH_ID_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "hash/hash.h"
#include "odb/odb.h"
#include "util/err.h"

/*
 * A hash of the patch from one tree (NULL: empty) to another: of paths, of changed lines and the
 * three around them, without line numbers and white space. Binary files count by their names.
 * paths: NULL for all. names_only: of the paths alone, which is cheap; what differs in that differs.
 */
struct pathspec;
MUST_USE int patch_id(struct odb *odb, const struct pathspec *paths, const struct object_id *from,
		      const struct object_id *to, bool names_only, struct object_id *out,
		      struct err *err);
/* The number that git patch-id --stable prints for the patch: the order of files does not matter. */
MUST_USE int patch_id_stable(struct odb *odb, enum diff_detect detect, const struct object_id *from,
			     const struct object_id *to, struct object_id *out, struct err *err);

#endif
