/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The renames of one side of a merge of trees: files of the base that the side has under other names. The detection is that of
 * diff/ (gitdiffcore(7)), without copies, and without empty files.
 *
 * A source is relevant if the other side has changed or deleted the file, or has added files to a directory above it that this
 * side has removed: only then does a rename make a difference. All other sources take part in the search for equal contents
 * alone.
 */
#ifndef MERGE_RENAMES_H
#define MERGE_RENAMES_H

#include "compat/posix.h"
#include "merge/trees-internal.h"

struct merge_rename {
	enum merge_stage side;
	struct merge_path *from, *to;
};

struct merge_renames {
	struct merge_rename *list; /* of both sides; a side has a source once */
	size_t nr, alloc;
	/* Directories that a side has removed, and to which the other side has added a file: their renames matter. */
	struct strset wanted_dirs[MERGE_STAGES];
};
#define MERGE_RENAMES_INIT { NULL, 0, 0, { STRSET_INIT, STRSET_INIT, STRSET_INIT } }

/*
 * Opens the directories into which files may have been renamed, and finds the renames of both sides.
 * Cost:   reads the files that may be similar.
 * Errors: those of reading objects.
 */
MUST_USE int merge_find_renames(struct merge_run *run, struct merge_renames *out);
void merge_renames_release(struct merge_renames *r);

/* ---- directories.c ---- */
/* Moves files that a side has put into directories which the other side has renamed; `to` of renames moves with them. */
MUST_USE int merge_follow_directories(struct merge_run *run, struct merge_renames *r);

/* ---- follow.c ---- */
/* Moves versions to the new paths, and reports renames that contradict each other. */
MUST_USE int merge_follow_renames(struct merge_run *run, struct merge_renames *r);

#endif
