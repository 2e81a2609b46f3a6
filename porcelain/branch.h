/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New branches, and the branches that they track; git-branch(1), git-config(1). For every
 * command that makes branches.
 */
#ifndef PORCELAIN_BRANCH_H
#define PORCELAIN_BRANCH_H

#include "cli/cli.h"
#include "operation/operation.h"
#include "repo/worktrees.h"

/* ---- names (branch-create.c) ---- */
/* The current branch without refs/heads/; "HEAD" if it is detached. Caller frees. */
MUST_USE int branch_current(struct repository *r, char **out, struct err *err);
/* "@{-1}" and the like replaced; remote: what stands for a remote-tracking branch ("@{u}"), nothing else. */
MUST_USE int branch_short_name(struct repository *r, const char *name, bool remote,
			       struct strbuf *out, struct err *err);
/*
 * "topic", "@{-1}" as a branch: *ref becomes refs/heads/NAME. *valid: a new branch may have
 * that name.
 */
MUST_USE int branch_full_name(struct repository *r, const char *name, struct strbuf *ref,
			      bool *valid, struct err *err);
/* "See 'git help check-ref-format'", unless advice.refSyntax is off. */
void branch_advise_syntax(struct repository *r, struct strbuf *advice);
/* The same as branch_full_name; ERR_INVALID, and *advice for the user, if no branch may have that name. */
MUST_USE int branch_check_name(struct repository *r, const char *name, struct strbuf *ref,
			       bool *exists, struct strbuf *advice, struct err *err);
/* Also ERR_CONFLICT if there is one and force is not given, or if it is checked out. */
MUST_USE int branch_check_new_name(struct repository *r, const char *name, bool force,
				   struct strbuf *ref, bool *exists, struct strbuf *advice,
				   struct err *err);
/* "refs/heads/x" is in use in some worktree. */
MUST_USE int branch_is_checked_out(struct repository *r, const char *ref, bool *used,
				   struct err *err);

/* ---- branch-guess.c ---- */
/*
 * The remote-tracking ref of the only remote that has a branch of that name, or of checkout.defaultRemote. *ref NULL: none;
 * *nr: the number of remotes that have one. Caller frees *ref.
 */
MUST_USE int branch_guess_remote(struct repository *r, const char *name, char **ref, size_t *nr, struct err *err);

/* ---- making (branch-create.c) ---- */
struct branch_start {
	struct object_id oid;
	char *ref; /* where to track from: a branch or a remote-tracking one; NULL: neither */
};
/*
 * Fails if it is no commit, or if `track` wants what it is not; *advice is for the user then.
 * Free start->ref.
 */
MUST_USE int branch_find_start(struct repository *r, const char *name, enum branch_track track,
			       struct branch_start *start, struct strbuf *advice,
			       struct err *err);

struct branch_create_options {
	bool force, reflog;
	enum branch_track track;
};
/*
 * Make (or with force reset) a branch; ref, log and configuration are one batch. *text is for
 * the user: what has been done, or advice beside an error.
 */
MUST_USE int branch_create(struct repository *r, const char *name, const char *start,
			   const struct branch_create_options *o, struct strbuf *text,
			   struct err *err);

/* ---- branch-track.c ---- */
/* branch.NAME.KEY; NULL: it is not set, or has no value. */
const struct config_entry *branch_config(struct repository *r, const char *name,
					 const char *key);
/*
 * Stage branch.NAME.remote, .merge and .rebase, for a branch that starts from start_ref.
 * *text is what the user should read when it is done, or advice beside an error.
 */
MUST_USE int branch_stage_tracking(struct repository *r, struct repo_operation *op,
				   const char *name, const char *start_ref,
				   enum branch_track track, struct strbuf *text,
				   struct err *err);

#endif
