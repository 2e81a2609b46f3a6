/* SPDX-License-Identifier: GPL-2.0-only */
/* The three versions of a file in an unmerged index, merged as its attribute "merge" says: gitattributes(5). */
#ifndef WORKTREE_CONTENT_MERGE_H
#define WORKTREE_CONTENT_MERGE_H

#include "compat/posix.h"
#include "merge/texts.h"
#include "repo/repo.h"
#include "worktree/attr.h"

struct content_merge {
	const char *path;
	const struct object_id *oid[3]; /* by enum merge3_side; NULL: the version is not there */
	const char *label[3];
	enum merge3_style style;
};

/*
 * Append the merged text. *conflicts: how many are in it. Of binary files it is our version, and
 * *binary is set. ERR_UNSUPPORTED: the attribute names a program (merge.<driver>.driver).
 */
MUST_USE int content_merge(const struct content_merge *m, struct repository *r, struct attrs *attrs,
			   struct strbuf *out, size_t *conflicts, bool *binary, struct err *err);

/* merge.conflictStyle; left as it is if that is not set. */
MUST_USE int content_merge_style(enum merge3_style *style, const struct config_set *c, struct err *err);

#endif
