/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The histories of a few commits, down to where they have all met. git-show-branch(1).
 *
 *	tip_bits_new(&j, repo, err)
 *	tip_bits_add(j, &oid, err)        for each tip
 *	tip_bits_walk(j, more, err)
 *	tip_bits_sort(j, by_date)         j->commits: children before parents
 *	tip_bits_free(j)
 *
 * Cost: the commits down to the last one that all tips have; memory for each of them.
 */
#ifndef HISTORY_REVISION_TIP_BITS_H
#define HISTORY_REVISION_TIP_BITS_H

#include "compat/posix.h"
#include "history/history.h"
#include "util/strbuf.h"

#define TIP_BITS_MAX 27 /* tips */

struct tip_bits {
	struct commit_pool *pool;
	struct commit *tips[TIP_BITS_MAX];
	size_t nr_tips;
	struct commit_list commits; /* after the walk: the youngest first */
	struct tip_bits_state *state;
};

MUST_USE int tip_bits_new(struct tip_bits **out, struct repository *r, struct err *err);
void tip_bits_free(struct tip_bits *j);
/* A commit. ERR_TOO_BIG: there are enough. */
MUST_USE int tip_bits_add(struct tip_bits *j, const struct object_id *oid, struct err *err);
/* Walk until every commit that all tips have is marked, and `more` commits beyond. */
MUST_USE int tip_bits_walk(struct tip_bits *j, int more, struct err *err);

/* ---- after the walk ---- */
/* Bit i: tip number i has it. */
uint32_t tip_bits_tips(const struct tip_bits *j, const struct commit *c);
/* The commits that all tips have and that are no ancestors of other such commits. */
void tip_bits_merge_bases(struct tip_bits *j, struct commit_list *out);
/* No other tip has this one. */
bool tip_bits_is_independent(const struct tip_bits *j, size_t tip);
void tip_bits_sort(struct tip_bits *j, bool by_date);
/* Names for the commits, by the ways that lead to them from tips: "main~2^2". After sort. */
void tip_bits_name(struct tip_bits *j, const char *const *tip_names);
/* Append the name. False: it has none. */
bool tip_bits_add_name(const struct tip_bits *j, const struct commit *c,
			  struct strbuf *out);

#endif
