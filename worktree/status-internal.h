/* SPDX-License-Identifier: GPL-2.0-only */
/* One status while it is collected; what the files of status share. */
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

/* Read submodule.<name>.ignore into a map like submodule_modes. */
MUST_USE int submodule_ignores_read(struct strmap *by_path, struct repository *r,
				    struct err *err);
/* Which changes of the submodule at that path are reported. */
enum submodule_mode status_mode_of(const struct collector *c, const char *path);

struct status_item *status_item_append(struct status *s, const char *path);
/* Sort; a path that was found twice (staged and unstaged changes) becomes one item. */
void status_merge_items(struct status *s);
/* Branch, HEAD, operations in progress, stash (status-head.c). */
MUST_USE int status_collect_head(struct collector *c, struct err *err);
/* Operations in progress (status-operations.c). */
void status_find_operations(struct collector *c);
/* A ref without refs/heads/, refs/tags/ or refs/remotes/. Caller frees. */
char *status_short_name(const char *ref);
/* What has changed inside of gitlinks (status-submodule.c). */
MUST_USE int status_collect_submodules(struct collector *c, struct err *err);
/* Has it changed files, or untracked ones? Runs a process in it. */
MUST_USE int submodule_inspect(struct repository *r, const char *path, bool with_untracked,
			       bool *modified, bool *untracked, struct err *err);
/* Turns additions and deletions that belong together into renames (status-rename.c). */
MUST_USE int status_detect_renames(struct collector *c, struct err *err);

#endif
