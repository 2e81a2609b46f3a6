/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The roots of a repository: every place that names an object and so keeps it. This is the one
 * list of them. fsck, prune, gc, repack, pack-objects and walks of revisions all read it, so that
 * no command forgets a root that another one honours: a forgotten root loses objects.
 *
 *   struct roots_options o = { .kinds = ROOTS(ROOT_REF) | ROOTS(ROOT_HEAD) };
 *   rc = roots_foreach(r, &o, fn, data, err);
 *
 * Kinds come in the order of the enum up to ROOT_LOG. The others follow worktree by worktree: the
 * current one first, then the main one, then the linked ones by id. A linked worktree counts if
 * worktrees/ID/gitdir exists.
 *
 * Whether the object is present is not looked up: entries of reflogs, indexes and state files can
 * be older than the last prune. The caller decides which of them it requires.
 *
 * Errors:     what fn returns, if it is not 0; ERR_CORRUPT, "bad object NAME", for a broken ref or
 *             HEAD (but see the flags) or an index that cannot be parsed; ERR_IO.
 * Cost:       each file of a wanted kind is read once. Nothing is kept in memory but one index.
 */
#ifndef HISTORY_REACH_ROOTS_H
#define HISTORY_REACH_ROOTS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "refs/refs.h"
#include "repo/repo.h"
#include "history/reach/refglob.h"

enum root_kind {
	ROOT_REF,	   /* below refs/, as this worktree sees it */
	ROOT_HEAD,	   /* HEAD of a worktree */
	ROOT_LOG,	   /* an entry of a reflog: its old and its new value are a root each */
	ROOT_WORKTREE_REF, /* refs/bisect/, refs/worktree/ and refs/rewritten/ of the other worktrees */
	ROOT_INDEX,	   /* an entry of an index; submodules are none */
	ROOT_CACHED_TREE,  /* a tree in the index's cache */
	ROOT_RESOLVE_UNDO, /* a stage of a resolved conflict in the index */
	ROOT_STATE,	   /* a name in FETCH_HEAD, ORIG_HEAD and the like, or in rebase-merge/, … */
	ROOT_KIND_NR
};
#define ROOTS(kind) (1u << (kind))
#define ROOTS_OF_INDEX (ROOTS(ROOT_INDEX) | ROOTS(ROOT_CACHED_TREE) | ROOTS(ROOT_RESOLVE_UNDO))

struct root {
	enum root_kind kind;
	struct object_id oid; /* null: see flags; and the old value of a new ref's first entry */
	/*
	 * As seen from here: "refs/heads/main", "worktrees/ID/HEAD", the log's name; the path in the index or, of a cached
	 * tree, "dir/"; the state file's path in its worktree's directory.
	 */
	const char *name;
	size_t name_len; /* of ROOT_INDEX alone */
	const char *worktree; /* "", "main-worktree/" or "worktrees/ID/". Refs shared by all: "" */
	unsigned flags; /* REF_IS_BROKEN: oid is null; REF_IS_SYMREF, … */
	unsigned mode; /* of an entry of the index, or of a resolved stage */
	int stage; /* of a resolved conflict: 0 to 2 */
	const struct reflog_entry *entry; /* of ROOT_LOG */
	bool is_old; /* the entry's old value */
	const char *why; /* the message for a log that cannot be read: ROOTS_VISIT_UNREADABLE_LOGS */
};
/* The root and what it points to live as long as the call. */
typedef int (*root_fn)(void *data, const struct root *root);

/* Only the current worktree's. */
#define ROOTS_SINGLE_WORKTREE 1u
/*
 * Broken refs and HEADs do not end the walk: they are visited, with a null oid and REF_IS_BROKEN. A HEAD that is symbolic
 * is passed over: if its target is a ref, that is visited on its own.
 */
#define ROOTS_VISIT_BROKEN 2u
/* The same, and each HEAD is visited, unborn ones too, and symbolic refs that lead nowhere: for fsck. */
#define ROOTS_VISIT_DANGLING 4u
/* A log that cannot be read does not end the walk: it is visited with a null oid, `why` and no entry. */
#define ROOTS_VISIT_UNREADABLE_LOGS 8u
#define ROOTS_NEWEST_ENTRY_FIRST 16u
/* If GIT_INDEX_FILE names another index: the worktree's own one as well, and before it. */
#define ROOTS_OWN_INDEX_TOO 32u

struct roots_options {
	unsigned kinds; /* ROOTS(kind), or-ed */
	unsigned flags;
	/* Filters of refs and HEADs, see refglob.h. NULL: all. */
	const char *prefix, *pattern;
	const struct ref_exclusions *exclusions;
};
MUST_USE int roots_foreach(struct repository *r, const struct roots_options *o, root_fn fn, void *data,
			   struct err *err);

#endif
