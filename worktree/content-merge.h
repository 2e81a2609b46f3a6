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
	const struct index_state *ix; /* for content_merge_normalize: attributes are there, too */
	struct object_id tree; /* for content_merge_follow: what attrs belongs to */
	struct converter *conv;	      /* internal: made when it is needed */
};
void content_merge_release(struct content_merge *m); /* all but attrs */

/* Set the rules of a merge that ask the repository: attributes, normalize, submodule. *m outlives the rules. */
void content_merge_use(struct content_merge *m, struct merge_rules *rules);

/*
 * Picks on top of one another: the .gitattributes of `tree`, on which the next one is made, take the place of those of m->tree,
 * if they differ. The ones of GIT_ATTR_SOURCE and attr.tree stay.
 */
MUST_USE int content_merge_follow(struct content_merge *m, const struct object_id *tree, struct err *err);

/*
 * For merge_rules.attributes, with a struct content_merge * as data. ERR_INVALID: the attribute names a driver that the
 * configuration describes without a program (merge.<driver>.driver).
 */
MUST_USE int content_merge_attributes(void *data, const char *path, bool internal, struct merge_attributes *out, struct err *err);
/* For merge_rules.normalize, with a struct content_merge * as data: merge.renormalize of git-merge(1). */
MUST_USE int content_merge_normalize(void *data, const char *path, struct object_buf *buf, struct err *err);

#endif
