/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions about several commits at once: --independent and --octopus of git-merge-base(1). */
#ifndef HISTORY_MERGE_HEADS_H
#define HISTORY_MERGE_HEADS_H

#include "compat/posix.h"
#include "history/history.h"

/* Drop duplicates, and commits that can be reached from another one. The order stays. */
MUST_USE int commits_reduce(struct commit_pool *p, struct commit_list *l, struct err *err);
/* The best common ancestors of all of them. */
MUST_USE int merge_bases_of_all(struct commit_pool *p, const struct commit_list *heads,
				struct commit_list *out, struct err *err);

#endif
