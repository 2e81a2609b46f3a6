/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New branches, and the branches that they track; git-branch(1), git-config(1). For every
 * command that makes branches.
 */
#ifndef PORCELAIN_BRANCH_H
#define PORCELAIN_BRANCH_H

#include "cli/cli.h"
#include "operation.h"
#include "repo/worktrees.h"

enum branch_track {
	BRANCH_TRACK_NEVER,
	BRANCH_TRACK_REMOTE,   /* where the start is a remote-tracking branch */
	BRANCH_TRACK_ALWAYS,
	BRANCH_TRACK_EXPLICIT, /* --track */
	BRANCH_TRACK_OVERRIDE, /* --set-upstream-to */
	BRANCH_TRACK_INHERIT,
	BRANCH_TRACK_SIMPLE,
	BRANCH_TRACK_UNSET,    /* as branch.autoSetupMerge says */
};

/* ---- names (branch-create.c) ---- */
/*
 * The current branch without refs/heads/; "HEAD" if it is detached. Dies if HEAD cannot
 * be read. Caller frees.
 */
char *branch_current(struct repository *r);
/*
 * "topic", "@{-1}" as a branch: *ref becomes refs/heads/NAME. False if that is no name for
 * a new branch.
 */
bool branch_full_name(struct repository *r, const char *name, struct strbuf *ref);
/* "@{-1}" and the like replaced; allow_remote: "@{u}", too. */
void branch_short_name(struct repository *r, const char *name, bool allow_remote,
		       struct strbuf *out);
/* The same, and dies of a bad one. True if there is such a branch. */
bool branch_check_name(struct repository *r, const char *name, struct strbuf *ref);
/* Also dies if there is one and force is not given, or if it is checked out. */
bool branch_check_new_name(struct repository *r, const char *name, bool force,
			   struct strbuf *ref);
/* The worktrees; dies if they cannot be read. Free with worktrees_free. */
struct worktree *branch_worktrees(struct repository *r);
/* "refs/heads/x" is in use somewhere. */
bool branch_is_checked_out(struct repository *r, const char *ref);

/* ---- making (branch-create.c) ---- */
struct branch_start {
	struct object_id oid;
	char *ref; /* where to track from: a branch or a remote-tracking one; NULL: neither */
};
/* Dies if it is no commit, or if `track` wants what it is not. Free start->ref. */
void branch_find_start(struct repository *r, const char *name, enum branch_track track,
		       struct branch_start *start);

struct branch_create_options {
	bool force, reflog, quiet;
	enum branch_track track;
};
/*
 * Make (or with force reset) a branch; ref, log and configuration are one batch.
 * Returns the exit code.
 */
int branch_create(struct repository *r, const char *name, const char *start,
		  const struct branch_create_options *o);

/* ---- branch-track.c ---- */
/* branch.NAME.KEY; NULL: it is not set, or has no value. */
const struct config_entry *branch_config(struct repository *r, const char *name,
					 const char *key);
enum branch_track branch_track_default(struct repository *r);
/* branch.autoSetupRebase: of what comes from here, from a remote, or both? Dies of others. */
bool branch_wants_rebase(struct repository *r, bool is_remote);
/*
 * Stage branch.NAME.remote, .merge and .rebase, for a branch that starts from start_ref.
 * *told is what the user should read when it is done. Dies if `track` cannot be done.
 */
MUST_USE int branch_stage_tracking(struct repository *r, struct repo_operation *op,
				   const char *name, const char *start_ref,
				   enum branch_track track, struct strbuf *told,
				   struct err *err);

#endif
