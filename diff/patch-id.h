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

/* ---- patch-id-text.c: git-patch-id(1), which hashes patches as text ---- */

enum patch_id_kind {
	PATCH_ID_UNSTABLE, /* one hash of all files */
	PATCH_ID_STABLE,   /* the sum of a hash for each file: their order does not matter */
	PATCH_ID_VERBATIM, /* stable, and white space counts */
};
/* commit: named above the patch; all zeros: none. */
typedef void (*patch_id_fn)(void *data, const struct object_id *id, const struct object_id *commit);
struct patch_ids;
struct patch_ids *patch_ids_new(const struct hash_algo *algo, enum patch_id_kind kind, patch_id_fn fn, void *data);
/* The next line of the text, NUL-terminated, with its line break. */
void patch_ids_line(struct patch_ids *p, const char *line);
/* The text has ended. Frees p. */
void patch_ids_end(struct patch_ids *p);

#endif
