/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is whose ancestor: merge bases, reachability. git-merge-base(1). */
#ifndef HISTORY_REACH_H
#define HISTORY_REACH_H

#include "compat/posix.h"
#include "history/commits.h"

/* Flags of commits that are used here and cleared again. */
#define REACH_FLAGS 0xff000000u

struct commit_list {
	struct commit **items;
	size_t nr, alloc;
};
#define COMMIT_LIST_INIT { NULL, 0, 0 }
void commit_list_add(struct commit_list *l, struct commit *c);
void commit_list_clear(struct commit_list *l);
/* Queues: the youngest first. */
int commit_date_cmp(const void *a, const void *b, void *data);

/*
 * The best common ancestors of `one` and any of `others`, youngest first: none of
 * them is an ancestor of another.
 */
MUST_USE int merge_bases(struct commit_pool *p, struct commit *one,
			 struct commit *const *others, size_t nr,
			 struct commit_list *out, struct err *err);
/* 1: `old` can be reached from `young` (or is it), 0: not, < 0: failure. */
int is_ancestor(struct commit_pool *p, struct commit *old, struct commit *young,
		struct err *err);

#endif
