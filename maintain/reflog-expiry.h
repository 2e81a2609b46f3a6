/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which entries of reflogs expire: git-reflog(1), gc.reflogExpire,
 * gc.reflogExpireUnreachable and gc.<pattern>.* of git-config(1).
 *
 *   reflog_expiry_new(&x, r, &err)
 *   for each log: reflog_expiry_begin(x, name, &err), then reflog_expiry_keeps as the
 *                 callback of reflog_rewrite, with x as its data
 *   reflog_expiry_free(x)
 *
 * Cost: entries younger or older than both limits are decided by their dates. For the
 * others there is one walk from the tip for each log, back to the limit for reachable
 * entries; further only if a commit was not found by then.
 */
#ifndef MAINTAIN_REFLOG_EXPIRY_H
#define MAINTAIN_REFLOG_EXPIRY_H

#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/repo.h"
#include "util/date.h"

struct reflog_expiry;

/* ERR_INVALID: a date of the configuration is bad. */
MUST_USE int reflog_expiry_new(struct reflog_expiry **out, struct repository *r,
			       struct err *err);
void reflog_expiry_free(struct reflog_expiry *x);
/* --expire=, --expire-unreachable=: override the configuration. 0: never. */
void reflog_expiry_set_reachable(struct reflog_expiry *x, timestamp_t before);
void reflog_expiry_set_unreachable(struct reflog_expiry *x, timestamp_t before);
/*
 * --stale-fix: entries whose commits are incomplete expire as well. Cost: a walk through all
 * commits that refs reach, and the trees of the others.
 */
MUST_USE int reflog_expiry_fix_stale(struct reflog_expiry *x, struct err *err);

/* Start with the next log. */
MUST_USE int reflog_expiry_begin(struct reflog_expiry *x, const char *name, struct err *err);
/* A reflog_keep_fn; data is the struct reflog_expiry. */
int reflog_expiry_keeps(void *data, size_t i, size_t nr, const struct reflog_entry *e,
			struct err *err);

#endif
