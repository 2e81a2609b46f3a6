/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparing and refreshing many entries in a row. */
#ifndef WORKTREE_COMPARE_H
#define WORKTREE_COMPARE_H

#include "compat/posix.h"
#include "worktree/lstat-cursor.h"
#include "worktree/worktree.h"

/*
 * As worktree_entry_changed. *mode: that of the file, 0 if there is none.
 * c NULL: content that would have to be read counts as changed.
 */
enum worktree_change worktree_compare(struct repository *r, const struct index_state *ix,
				      struct index_entry *e, struct lstat_cursor *cur,
				      struct converter *c, struct stat *st, unsigned *mode);

/* worktree_refresh_index; really: entries that are assumed to be unchanged as well. */
MUST_USE int worktree_refresh(struct repository *r, struct index_state *ix,
			      const struct pathspec *ps, struct converter *c, bool really,
			      void (*needs_update)(void *data, const struct index_entry *e,
						   enum worktree_change why),
			      void *data, struct err *err);

#endif
