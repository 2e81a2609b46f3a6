/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One merge of trees while it runs. The files of merge/ share this.
 *
 *   collect    (collect.c)  walk the three trees side by side; each name in a directory that is read becomes a path
 *   renames    (renames.c)  detect renames on both sides
 *   directories (directories.c)  move files that one side has put into a directory which the other side has renamed
 *   follow     (follow.c)   move versions along renames to the paths where they belong together
 *   finish     (finish.c)   from the deepest directory up: resolve each path, write each directory
 *     resolve  (resolve.c)  the rules for one path
 *
 * The states of a path:
 *
 *   collect ──► PATH_OPEN ──► PATH_RESOLVED          `result` is the outcome; mode 0: nothing is left
 *      │            │
 *      │            └───────► PATH_CONFLICTED        the same, and `version` are the stages of the index
 *      ├──► PATH_DEFERRED ──► PATH_OPEN              a directory that only one side has changed: it is read if that side
 *      │            └───────► PATH_RESOLVED          may have renamed files into it
 *      └──► PATH_RESOLVED ──► PATH_OPEN              a directory that was taken over as it is: it is read if a rename
 *                                                    puts a file into it
 *
 * Invariants:
 *   1. A path that is in the table has an entry for each directory above it, or that directory is in no tree.
 *   2. Once a directory is PATH_OPEN, each name that any of the trees has in it is in the table.
 *   3. `version` holds files, symbolic links and submodules alone; directories are in `dir`.
 *   4. After finish every path is PATH_RESOLVED or PATH_CONFLICTED.
 */
#ifndef MERGE_TREES_INTERNAL_H
#define MERGE_TREES_INTERNAL_H

#include "compat/posix.h"
#include "merge/trees.h"
#include "util/map.h"

enum merge_path_state { PATH_OPEN, PATH_DEFERRED, PATH_RESOLVED, PATH_CONFLICTED };

struct merge_path {
	char *path; /* owned */
	size_t round; /* merge_run.round when it was met */
	enum merge_path_state state;
	struct merge_version version[MERGE_STAGES];
	struct merge_version dir[MERGE_STAGES]; /* trees at this path */
	const char *from[MERGE_STAGES];		/* the path of each version in its tree; path of this or another one */
	struct merge_version result;
	bool rename_conflict; /* a conflict even if the versions can be merged */
	bool followed;	      /* versions of other paths came here by a rename */
	bool in_moved_dir; /* below a directory that a side has removed, and to which the other one has added a file */
	bool moved_by_directory; /* a version came here since its directory was renamed */
	bool sides_were_same; /* before that: both have the same file here, which stays */
	/* The branch for which it was moved aside, since a directory has the name: a conflict, unless nothing is left of it. */
	enum merge_stage moved_for; /* MERGE_BASE: it was not */
};

struct merge_run {
	const struct merge_trees *m;
	const struct hash_algo *algo;
	struct strmap paths; /* to struct merge_path */
	struct merge_path **all;
	size_t nr, alloc;
	size_t round;		      /* 0: the first walk; then one more for each deferred directory */
	bool open_all[MERGE_STAGES]; /* directories that this side has changed are not deferred any more */
	struct merge_message *messages;
	size_t nr_messages, alloc_messages;
	size_t needed_rename_limit;
	bool conflicts; /* the result is not clean */
	struct err *err;
};

static inline enum merge_stage merge_other_side(enum merge_stage s)
{
	return s == MERGE_OURS ? MERGE_THEIRS : MERGE_OURS;
}
static inline bool merge_has(const struct merge_path *p, enum merge_stage s)
{
	return p->version[s].mode != 0;
}

/* ---- collect.c ---- */
MUST_USE int merge_collect(struct merge_run *run);
/* The entry of a path; a new one is PATH_OPEN and has no version. Never NULL. */
struct merge_path *merge_path_get(struct merge_run *run, const char *path);
struct merge_path *merge_path_find(const struct merge_run *run, const char *path); /* or NULL */
/*
 * Opens the deferred directories that a side has changed, and those in them; or resolves them all. The order decides which one
 * of equally good renames is found: it is that of Git's hash table.
 */
MUST_USE int merge_open_deferred(struct merge_run *run, enum merge_stage changed_by);
void merge_resolve_deferred(struct merge_run *run);
/* As merge_path_get, for a path that gets a version by a rename: keeps invariants 1 and 2. */
MUST_USE int merge_path_make(struct merge_run *run, const char *path, struct merge_path **out);

/* ---- renames.c ---- */
void merge_cut_component(struct strbuf *path); /* the last one; the root is "" */
/* Is the path one of `dirs`, or below one? */
bool merge_is_in_dir(const struct strset *dirs, const char *path);

/* ---- messages.c ---- */
/* `paths` ends with NULL; the first is the path to which the message belongs. */
void merge_report(struct merge_run *run, enum merge_message_type type, const char *const *paths, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void merge_sort_messages(struct merge_run *run);

/* ---- resolve.c ---- */
/*
 * Decide a path that is PATH_OPEN. in_the_way: a directory of the result has its name. Files that must have other names get
 * entries of their own, which are decided as well.
 */
MUST_USE int merge_resolve(struct merge_run *run, struct merge_path *p, bool in_the_way);
/* Merge both sides, with labels "branch", or "branch:path" where names differ. nested: as in struct merge_blobs. */
MUST_USE int merge_path_contents(struct merge_run *run, const struct merge_path *p, bool nested,
				 struct merge_file_outcome *outcome);

/* ---- finish.c ---- */
MUST_USE int merge_finish(struct merge_run *run, struct object_id *tree);

#endif
