/* SPDX-License-Identifier: GPL-2.0-only */
/* The attributes of files that are merged (merge/contents.h): "merge" and "conflict-marker-size" of gitattributes(5). */
#ifndef WORKTREE_CONTENT_MERGE_H
#define WORKTREE_CONTENT_MERGE_H

#include "compat/posix.h"
#include "merge/contents.h"
#include "repo/repo.h"
#include "attr/attr.h"

struct content_merge {
	struct repository *r; /* merge.<driver>.*, merge.default */
	struct attrs *attrs;
};

/*
 * For merge_rules.attributes, with a struct content_merge * as data. ERR_INVALID: the attribute names a driver that the
 * configuration describes without a program (merge.<driver>.driver).
 */
MUST_USE int content_merge_attributes(void *data, const char *path, bool internal, struct merge_attributes *out, struct err *err);

#endif
