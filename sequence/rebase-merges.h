/* SPDX-License-Identifier: GPL-2.0-only */
/* --rebase-merges: the commands that make the branches and merges of a history anew. git-rebase(1), "REBASING MERGES". */
#ifndef SEQUENCE_REBASE_MERGES_H
#define SEQUENCE_REBASE_MERGES_H

#include "compat/posix.h"
#include "history/revision/revision.h"
#include "pretty/pretty.h"
#include "sequence/rebase-list.h"

/* The walk has begun: oldest first. */
MUST_USE int rebase_list_add_merges(struct todo_list *list, const struct rebase_list_options *o, struct rev_walk *w,
				    struct pretty *p, struct oid_array *skipped, struct err *err);

#endif
