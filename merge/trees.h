/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three-way merge of trees in memory: no index, no working tree.
 *
 *   struct merge_trees m = { .odb = …, .tree = { &base, &ours, &theirs }, .label = { … } };
 *   struct merge_result result;
 *
 *   merge_trees(&m, &result, err)        the odb has a batch open
 *   … result.tree, result.stages, result.messages …
 *   merge_result_release(&result)
 *
 * The result is a tree that shows conflicts as a working tree would (markers in texts, files moved aside), the stages of the
 * paths that have conflicts, and a record of each conflict.
 *
 * Cost: a directory is read where both sides have changed it, or where one side has and renames may lead into it. All others
 *       are taken over by their ids.
 */
#ifndef MERGE_TREES_H
#define MERGE_TREES_H

#include "compat/posix.h"
#include "index/index.h"
#include "merge/contents.h"
#include "util/strvec.h"

/* ---- messages ---- */

enum merge_message_type {
	MERGE_AUTO_MERGING,
	MERGE_CONFLICT_CONTENTS,
	MERGE_CONFLICT_BINARY,
	MERGE_CONFLICT_FILE_DIRECTORY,
	MERGE_CONFLICT_DISTINCT_MODES,
	MERGE_CONFLICT_MODIFY_DELETE,
	MERGE_CONFLICT_RENAME_RENAME,
	MERGE_CONFLICT_RENAME_COLLIDES,
	MERGE_CONFLICT_RENAME_DELETE,
	MERGE_CONFLICT_DIR_RENAME_SUGGESTED,
	MERGE_DIR_RENAME_APPLIED,
	MERGE_DIR_RENAME_SKIPPED,
	MERGE_CONFLICT_DIR_RENAME_FILE_IN_WAY,
	MERGE_CONFLICT_DIR_RENAME_COLLISION,
	MERGE_CONFLICT_DIR_RENAME_SPLIT,
	MERGE_SUBMODULE_FAST_FORWARD,
	MERGE_CONFLICT_SUBMODULE_FAILED,
	MERGE_CONFLICT_SUBMODULE_POSSIBLE,
	MERGE_CONFLICT_SUBMODULE_NOT_INITIALIZED,
	MERGE_CONFLICT_SUBMODULE_NO_HISTORY,
	MERGE_CONFLICT_SUBMODULE_REWINDS,
	MERGE_CONFLICT_SUBMODULE_NO_BASE,
	MERGE_MESSAGE_TYPES
};
/* The stable name that git-merge-tree(1) prints with -z: "CONFLICT (contents)". */
const char *merge_message_type_name(enum merge_message_type type);

struct merge_message {
	enum merge_message_type type;
	struct strvec paths; /* the first one is the path to which the message belongs */
	char *text;	     /* for the user, without a newline at the end */
};

/* ---- the merge ---- */

/* What becomes of files that one side has added to a directory that the other side has renamed: merge.directoryRenames. */
enum merge_directory_renames { MERGE_DIR_RENAMES_CONFLICT, MERGE_DIR_RENAMES_APPLY, MERGE_DIR_RENAMES_NONE };

struct merge_rename_options {
	bool disabled;
	unsigned score; /* of DIFF_MAX_SCORE; 0: 50% */
	int limit;	/* < 0: MERGE_RENAME_LIMIT */
	enum merge_directory_renames directories;
};
#define MERGE_RENAME_LIMIT 7000

struct merge_trees {
	struct odb *odb;
	const struct object_id *tree[MERGE_STAGES];
	const char *label[MERGE_STAGES]; /* in messages and behind conflict markers */
	struct merge_rules rules;
	struct merge_rename_options renames;
	/* -X subtree: base and theirs get the shape of ours first (merge/subtree.h). "": a guess; NULL: no. Not owned */
	const char *subtree;
	int abbrev; /* digits of the name of a single merge base, for merge_commits; -1: automatic */
};

struct merge_result {
	struct object_id tree;
	bool clean;
	struct index_state stages; /* entries of stages 1 to 3 alone, sorted */
	struct merge_message *messages; /* by their first paths; those of one path in the order in which they came up */
	size_t nr_messages;
	size_t needed_rename_limit; /* the limit that would have been enough; 0: it was */
};

/*
 * Ownership:  *result is to be released if 0 is returned, and untouched otherwise.
 * Durability: new objects are in the odb's open batch.
 * Errors:     ERR_NOT_FOUND, ERR_CORRUPT (trees, blobs), those of rules.attributes.
 */
MUST_USE int merge_trees(const struct merge_trees *m, struct merge_result *result, struct err *err);
void merge_result_release(struct merge_result *result);

#endif
