/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of status share. */
#ifndef WORKTREE_STATUS_INTERNAL_H
#define WORKTREE_STATUS_INTERNAL_H

#include "worktree/status.h"

struct collector {
	struct status *s;
	struct repository *r;
	struct index_state *ix;
	struct converter *conv;
	const struct status_options *o;
};

struct status_item *status_item_append(struct status *s, const char *path);
/* Branch, HEAD, operations in progress, stash (status-place.c). */
MUST_USE int status_collect_place(struct collector *c, struct err *err);
/* What has changed inside of gitlinks (status-submodule.c). */
MUST_USE int status_collect_submodules(struct collector *c, struct err *err);
/* Staged additions and deletions that belong together (status-rename.c). */
MUST_USE int status_detect_renames(struct collector *c, struct err *err);

#endif
