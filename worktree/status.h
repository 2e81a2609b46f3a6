/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status of a working tree: HEAD against the index, the index against files, untracked
 * and ignored files, and operations in progress (a merge, a rebase, …).
 */
#ifndef WORKTREE_STATUS_H
#define WORKTREE_STATUS_H

#include "compat/posix.h"
#include "util/string-list.h"
#include "util/strvec.h"
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

/* Number of commands of a rebase to print before and after the current place. */
#define STATUS_COMMANDS 2

enum status_operation {
	OP_MERGE = 1, OP_AM = 2, OP_REBASE = 4, OP_REBASE_INTERACTIVE = 8,
	OP_CHERRY_PICK = 16, OP_REVERT = 32, OP_BISECT = 64,
	OP_INTERRUPTED = 128, /* while files changed (WORKTREE_UPDATE): merge --abort brings them back */
};

/* Which changes of submodules are reported. */
enum submodule_mode {
	SUBMODULES_ALL,	    /* new commits, changes and untracked files in them */
	SUBMODULES_TRACKED, /* not their untracked files */
	SUBMODULES_COMMITS, /* only new commits */
	SUBMODULES_NONE,
};

/* "none", "untracked", "dirty", "all": git-status(1); false: none of these. */
bool submodule_mode_parse(const char *word, enum submodule_mode *out);

struct status_options {
	const struct pathspec *ps;    /* NULL: everything */
	enum untracked_mode untracked;
	bool ignored, ignored_matching;
	int renames;		      /* 0: none, 1: renames, 2: renames and copies */
	unsigned rename_score;	      /* of DIFF_MAX_SCORE; 0: the default */
	bool amend;		      /* compare with HEAD^ (git commit --amend) */
	/* the tree to compare with instead of that of HEAD; NULL: HEAD */
	const struct object_id *base_tree;
	enum submodule_mode submodules;
	bool submodules_given; /* on the command line: overrides submodule.<name>.ignore */
};

struct status {
	struct status_item *items; /* sorted by path */
	size_t nr, alloc;
	struct string_list untracked, ignored;
	char *branch;	      /* "refs/heads/x"; NULL: detached */
	bool initial;	      /* no commit yet */
	struct object_id head;
	unsigned operations;  /* set of enum status_operation */
	/* detached: where HEAD was moved to last ("v1.0", "abc1234"); NULL: unknown */
	char *detached_from;
	bool detached_at;     /* HEAD has not moved since */
	char *rebase_branch, *rebase_onto, *bisect_branch;
	/* null: a sequence of several commits, between two of them */
	struct object_id cherry_pick_head, revert_head;
	bool am_patch_empty;
	bool merge_message;	/* a message waits for the commit that is yet to be made */
	/* interactive rebase: the last commands done, the next ones to do, and how many in all */
	struct strvec rebase_done, rebase_todo;
	size_t nr_rebase_done, nr_rebase_todo;
	bool rebase_todo_missing;
	bool rebase_splits;	/* HEAD was moved since a commit was stopped at */
	size_t stash_count;
};

void status_init(struct status *s);
void status_release(struct status *s);
/*
 * ix is refreshed on the way; ix->changed is set if it should be written.
 * Cost: one lstat for each entry, in threads; one readdir for each directory; content is
 * read only where stat data are not enough.
 */
MUST_USE int status_collect(struct status *s, struct repository *r, struct index_state *ix,
			    struct converter *c, const struct status_options *o,
			    struct err *err);

/* Only the branch or detached HEAD, operations in progress, and stash_count. */
MUST_USE int status_collect_state(struct status *s, struct repository *r, struct err *err);

bool status_has_staged(const struct status *s);
bool status_has_unstaged(const struct status *s);
bool status_has_unmerged(const struct status *s);

#endif
