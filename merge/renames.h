/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The renames of one side of a merge of trees: files of the base that the side has under other names. The detection is that of
 * diff/ (gitdiffcore(7)), without copies, and without empty files.
 *
 * A source is relevant if the other side has changed or deleted the file: only then does a rename make a difference. Sources
 * that are not relevant take part in the search for equal contents alone.
 */
#ifndef MERGE_RENAMES_H
#define MERGE_RENAMES_H

#include "compat/posix.h"
#include "merge/trees-internal.h"

struct merge_rename {
	const char *from, *to; /* of the paths in the table; `to` may be moved by a renamed directory */
	unsigned score;
};

struct merge_renames {
	struct merge_rename *list; /* sorted by `from`, each once */
	size_t nr, alloc;
};
#define MERGE_RENAMES_INIT { NULL, 0, 0 }

/* May the side have renamed a file that matters? Asked before directories are opened for renames. */
bool merge_may_have_renamed(const struct merge_run *run, enum merge_stage side);
/* Cost: reads the files that may be similar. Errors: those of reading objects. */
MUST_USE int merge_find_renames(struct merge_run *run, enum merge_stage side, struct merge_renames *out);
const struct merge_rename *merge_rename_of(const struct merge_renames *r, const char *from); /* or NULL */
void merge_renames_release(struct merge_renames *r);

#endif
