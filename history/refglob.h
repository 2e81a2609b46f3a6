/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --all, --branches=, --tags=, --remotes=, --glob=, --exclude=, --exclude-hidden=:
 * which refs they mean (git-rev-parse(1), git-log(1)).
 */
#ifndef HISTORY_REFGLOB_H
#define HISTORY_REFGLOB_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/strvec.h"

/* What the next of these options leaves out; cleared by it. */
struct ref_exclusions {
	struct strvec patterns;
	struct strvec hidden; /* hideRefs, in order of precedence: last wins */
	bool hidden_configured;
};
#define REF_EXCLUSIONS_INIT { STRVEC_INIT, STRVEC_INIT, false }
void ref_exclusions_clear(struct ref_exclusions *x);
void ref_exclusions_add(struct ref_exclusions *x, const char *pattern);
/* section: "receive", "uploadpack" or "fetch"; ERR_INVALID otherwise, or if given twice. */
MUST_USE int ref_exclusions_hide(struct ref_exclusions *x, struct repository *r,
				 const char *section, struct err *err);

/*
 * Refs below prefix ("refs/heads/"; "" for all) that match `pattern` (NULL: all; with
 * prefix "" it is a whole name, "refs/" put before it where it is missing) and are not
 * excluded. A pattern without glob characters gets a "/" and a "*" behind it.
 */
MUST_USE int refs_foreach_glob(struct repository *r, const char *prefix, const char *pattern,
			       const struct ref_exclusions *x, ref_fn fn, void *data,
			       struct err *err);
/* HEAD as a ref, if it resolves. */
int ref_visit_head(struct repository *r, ref_fn fn, void *data);
/* The HEADs of the other worktrees, as main-worktree/HEAD and worktrees/ID/HEAD. */
int ref_visit_other_heads(struct repository *r, ref_fn fn, void *data);

#endif
