/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a working tree: HEAD against the index, the index against the files,
 * what is untracked and ignored, and what is going on (a merge, a rebase, …).
 */
#ifndef WORKTREE_STATUS_H
#define WORKTREE_STATUS_H

#include "compat/posix.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

/* Status letters are those of git-status(1): ' ' M T A D R C. */
struct status_item {
	char *path;
	char *old_path;	       /* staged rename or copy: the path in HEAD; else NULL */
	char *wt_old_path;     /* rename in the work tree (intent-to-add); else NULL */
	char staged, unstaged; /* letters */
	int score, wt_score;   /* similarity of a rename, percent */
	/* 0 where there is nothing */
	unsigned mode_head, mode_index, mode_worktree;
	struct object_id oid_head, oid_index;
	/* unmerged: bit 0..2 for stages 1..3; mode and id of each */
	unsigned stages;
	unsigned stage_mode[3];
	struct object_id stage_oid[3];
	bool is_gitlink, gitlink_new_commits, gitlink_modified, gitlink_untracked;
};

enum status_operation {
	OP_MERGE = 1, OP_AM = 2, OP_REBASE = 4, OP_REBASE_INTERACTIVE = 8,
	OP_CHERRY_PICK = 16, OP_REVERT = 32, OP_BISECT = 64,
};

/* How far sub-repositories count. */
enum submodule_mode {
	SUBMODULES_ALL,	    /* new commits, changes and untracked files in them */
	SUBMODULES_TRACKED, /* not their untracked files */
	SUBMODULES_COMMITS, /* only where their HEAD is */
	SUBMODULES_NONE,
};

/* "none", "untracked", "dirty", "all": git-status(1); false: none of these. */
bool submodule_mode_parse(const char *word, enum submodule_mode *out);

struct status_options {
	const struct pathspec *ps;    /* NULL: everything */
	enum untracked_mode untracked;
	bool ignored, ignored_matching;
	int renames;		      /* 0 none, 1 renames, 2 copies too */
	int rename_score;	      /* percent; 0: the default */
	bool amend;		      /* compare with HEAD^ (git commit --amend) */
	/* compare this one in place of HEAD's tree; NULL: HEAD */
	const struct object_id *base_tree;
	enum submodule_mode submodules;
	bool submodules_given; /* by the user, now: submodule.<name>.ignore does not count */
};

struct status {
	struct status_item *items; /* sorted by path */
	size_t nr, alloc;
	struct string_list untracked, ignored;
	char *branch;	      /* "refs/heads/x"; NULL: detached */
	bool initial;	      /* no commit yet */
	struct object_id head;
	unsigned operations;  /* set of enum status_operation */
	/* detached: what HEAD was moved to last ("v1.0", "abc1234"), NULL unknown */
	char *detached_from;
	bool detached_at;     /* and HEAD is still there */
	char *rebase_branch, *rebase_onto, *bisect_branch;
	struct object_id cherry_pick_head, revert_head;
	size_t stash_count;
};

void status_init(struct status *s);
void status_release(struct status *s);
/*
 * ix is refreshed on the way (ix->changed tells whether that was worth keeping).
 * Cost: one lstat for each entry, in threads; one readdir for each directory; content
 * is read only where stat data cannot tell.
 */
MUST_USE int status_collect(struct status *s, struct repository *r, struct index_state *ix,
			    struct converter *c, const struct status_options *o,
			    struct err *err);

/* Only where we are: branch or detached HEAD, operations, stash_count. */
MUST_USE int status_collect_whereabouts(struct status *s, struct repository *r, struct err *err);

bool status_has_staged(const struct status *s);
bool status_has_unstaged(const struct status *s);
bool status_has_unmerged(const struct status *s);

#endif
