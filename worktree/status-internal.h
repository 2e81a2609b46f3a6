/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of status share. */
#ifndef WORKTREE_STATUS_INTERNAL_H
#define WORKTREE_STATUS_INTERNAL_H

#include "worktree/status.h"
#include "util/map.h"

struct collector {
	struct status *s;
	struct repository *r;
	struct index_state *ix;
	struct converter *conv;
	const struct status_options *o;
	struct strmap submodule_modes; /* by path: enum submodule_mode + 1 */
};

/* What submodule.<name>.ignore says, by path; as in the collector. */
MUST_USE int submodule_ignores_read(struct strmap *by_path, struct repository *r,
				    struct err *err);
/* How far the sub-repository at that path counts. */
enum submodule_mode status_mode_of(const struct collector *c, const char *path);

struct status_item *status_item_append(struct status *s, const char *path);
/* Sort; a path that was found twice (staged and unstaged changes) becomes one item. */
void status_merge_items(struct status *s);
/* Branch, HEAD, operations in progress, stash (status-head.c). */
MUST_USE int status_collect_head(struct collector *c, struct err *err);
/* What has changed inside of gitlinks (status-submodule.c). */
MUST_USE int status_collect_submodules(struct collector *c, struct err *err);
/* Staged additions and deletions that belong together (status-rename.c). */
MUST_USE int status_detect_renames(struct collector *c, struct err *err);

#endif
