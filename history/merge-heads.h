/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions about several commits at once: --independent, --octopus and --fork-point of git-merge-base(1). */
#ifndef HISTORY_MERGE_HEADS_H
#define HISTORY_MERGE_HEADS_H

#include "compat/posix.h"
#include "history/history.h"

/* Drop duplicates, and commits that can be reached from another one. The order stays. */
MUST_USE int commits_reduce(struct commit_pool *p, struct commit_list *l, struct err *err);
/* The best common ancestors of all of them. */
MUST_USE int merge_bases_of_all(struct commit_pool *p, const struct commit_list *heads,
				struct commit_list *out, struct err *err);

/*
 * The commit at which `derived` was made from the branch `ref`, as the reflog of that branch knows it. NULL: there is none.
 * ERR_NOT_FOUND: "No such ref: 'x'", "Ambiguous refname: 'x'".
 */
MUST_USE int fork_point_of(struct commit_pool *p, struct repository *r, const char *ref, struct commit *derived,
			   struct commit **out, struct err *err);

#endif
