/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs that options like --all, --branches=PATTERN and --exclude mean. */
#ifndef HISTORY_REACH_REFGLOB_H
#define HISTORY_REACH_REFGLOB_H

#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/hidden-refs.h"
#include "repo/repo.h"
#include "util/strvec.h"

/* The refs that --exclude and --exclude-hidden leave out of the next option; cleared by it. */
struct ref_exclusions {
	struct strvec patterns;
	struct hidden_refs hidden;
	char *namespace_prefix; /* of GIT_NAMESPACE, for hidden; NULL: not set */
	bool hidden_configured;
};
#define REF_EXCLUSIONS_INIT { STRVEC_INIT, HIDDEN_REFS_INIT, NULL, false }
void ref_exclusions_clear(struct ref_exclusions *x);
void ref_exclusions_add(struct ref_exclusions *x, const char *pattern);
/* section: "receive", "uploadpack" or "fetch"; ERR_INVALID otherwise, or if given twice. */
MUST_USE int ref_exclusions_hide(struct ref_exclusions *x, struct repository *r,
				 const char *section, struct err *err);
/* By a pattern. In one "*" matches "/" as well. */
bool ref_is_excluded(const struct ref_exclusions *x, const char *name);

/*
 * Refs below prefix ("refs/heads/"; "" for all) that match `pattern` (NULL: all; with
 * prefix "" it is a whole name, "refs/" put before it where it is missing) and are not
 * excluded. A pattern without glob characters gets a "/" and a "*" behind it. flags: of refs_foreach.
 */
MUST_USE int refs_foreach_glob(struct repository *r, const char *prefix, const char *pattern,
			       const struct ref_exclusions *x, unsigned flags, ref_fn fn, void *data,
			       struct err *err);
/*
 * Calls fn for the ref `name`, as refs_foreach does with REFS_ALL_ROOTS: a broken one has a null oid and
 * REF_IS_BROKEN. A missing one, and a symbolic one that leads nowhere, hold nothing: fn is not called.
 */
MUST_USE int ref_visit_root(struct repository *r, const char *name, ref_fn fn, void *data, struct err *err);
/* The same for HEAD. */
MUST_USE int ref_visit_head(struct repository *r, ref_fn fn, void *data, struct err *err);

#endif
