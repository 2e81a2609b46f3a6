/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a merge: merge.* and diff.* of git-config(1), and options of the strategy ort, git-merge(1). */
#ifndef MERGE_OPTIONS_H
#define MERGE_OPTIONS_H

#include "compat/posix.h"
#include "merge/trees.h"

/* Sets m->rules and m->renames. ERR_INVALID names a bad value. */
MUST_USE int merge_options_config(struct merge_trees *m, const struct config_set *c, struct err *err);
/* One -X option, "ours" or "find-renames=50%", which lives as long as *m. False: it is unknown, or its value is not valid. */
bool merge_options_strategy(struct merge_trees *m, const char *option);
/* Those of a pick: as in Git, unknown ones and a path of subtree have no effect. */
void merge_options_of_pick(struct merge_trees *m, const struct strvec *options);
/*
 * The strategy of picks: "ort" (NULL), "recursive", "resolve", "subtree", all by ort; or "ours", which merges nothing.
 * Returns 1 for "ours". ERR_UNSUPPORTED: another one.
 */
MUST_USE int merge_options_strategy_of_pick(struct merge_trees *m, const char *name, struct err *err);

#endif
