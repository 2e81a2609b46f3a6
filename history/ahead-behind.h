/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HISTORY_AHEAD_BEHIND_H
#define HISTORY_AHEAD_BEHIND_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "history/commits.h"

/*
 * Commits that only `ours` reaches, and that only `theirs` reaches.
 * Cost: the history down to where the two meet.
 */
MUST_USE int ahead_behind(struct repository *r, const struct object_id *ours,
			  const struct object_id *theirs, size_t *ahead, size_t *behind,
			  struct err *err);
/* The same with commits that stay known for the next question. Uses REACH_FLAGS. */
MUST_USE int ahead_behind_in(struct commit_pool *pool, const struct object_id *ours,
			     const struct object_id *theirs, size_t *ahead, size_t *behind,
			     struct err *err);

#endif
