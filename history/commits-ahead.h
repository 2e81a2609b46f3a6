/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that reads commits along a chain of first parents, for a walk that goes there: inflating
 * them is half of the work of a walk without a commit-graph(5).
 *
 * Nothing is wrong or missing because of it: what the thread has not read, the walk reads by itself, with the
 * errors. Used by history/commits.c alone.
 */
#ifndef HISTORY_COMMITS_AHEAD_H
#define HISTORY_COMMITS_AHEAD_H

#include "object/object.h"

struct odb;
struct commits_ahead;

/* NULL: it would not help. The thread begins with the first chain. */
struct commits_ahead *commits_ahead_new(struct odb *odb, const struct hash_algo *algo);
void commits_ahead_free(struct commits_ahead *a);
/* The commit, if the thread has read it; waits for it if it comes next. The buffer passes to the caller. */
bool commits_ahead_take(struct commits_ahead *a, const struct object_id *oid, struct object_buf *out);
/* The walk has read a commit that was not taken; it has this first parent. A new chain may begin there. */
void commits_ahead_missed(struct commits_ahead *a, const struct object_id *first_parent);

#endif
