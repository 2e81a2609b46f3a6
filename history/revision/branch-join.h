/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The histories of a few commits, down to where they have all met. git-show-branch(1).
 *
 *	branch_join_new(&j, repo, err)
 *	branch_join_add(j, &oid, err)        for each tip
 *	branch_join_walk(j, more, err)
 *	branch_join_sort(j, by_date)         j->commits: children before parents
 *	branch_join_free(j)
 *
 * Cost: the commits down to the last one that all tips have; memory for each of them.
 */
#ifndef HISTORY_BRANCH_JOIN_H
#define HISTORY_BRANCH_JOIN_H

#include "compat/posix.h"
#include "history/history.h"
#include "util/strbuf.h"

#define BRANCH_JOIN_MAX 27 /* tips */

struct branch_join {
	struct commit_pool *pool;
	struct commit *tips[BRANCH_JOIN_MAX];
	size_t nr_tips;
	struct commit_list commits; /* after the walk: the youngest first */
	struct branch_join_state *state;
};

MUST_USE int branch_join_new(struct branch_join **out, struct repository *r, struct err *err);
void branch_join_free(struct branch_join *j);
/* A commit. ERR_TOO_BIG: there are enough. */
MUST_USE int branch_join_add(struct branch_join *j, const struct object_id *oid, struct err *err);
/* more: so many commits beyond those that all tips have. */
MUST_USE int branch_join_walk(struct branch_join *j, int more, struct err *err);

/* ---- after the walk ---- */
/* Bit i: tip number i has it. */
uint32_t branch_join_tips(const struct branch_join *j, const struct commit *c);
/* The commits that all tips have and that are no ancestors of other such commits. */
void branch_join_merge_bases(struct branch_join *j, struct commit_list *out);
/* No other tip has this one. */
bool branch_join_is_independent(const struct branch_join *j, size_t tip);
void branch_join_sort(struct branch_join *j, bool by_date);
/* Names for the commits, by the ways that lead to them from tips: "main~2^2". After sort. */
void branch_join_name(struct branch_join *j, const char *const *tip_names);
/* Append the name. False: it has none. */
bool branch_join_add_name(const struct branch_join *j, const struct commit *c,
			  struct strbuf *out);

#endif
