/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which entries of reflogs have had their time: git-reflog(1), gc.reflogExpire,
 * gc.reflogExpireUnreachable and gc.<pattern>.* of git-config(1).
 *
 *   reflog_expiry_new(&x, r, &err)
 *   for each log: reflog_expiry_begin(x, name, &err), then reflog_expiry_keeps as the
 *                 callback of reflog_rewrite, with x as its data
 *   reflog_expiry_free(x)
 *
 * Cost: an entry that is young, or older than both limits, is decided by its date. For
 * the others there is one walk from the tip for each log, as far back as the limit for
 * reachable ones; further only if something was not found there.
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
/* --expire=, --expire-unreachable=: for all logs, whatever is configured. 0: never. */
void reflog_expiry_set_reachable(struct reflog_expiry *x, timestamp_t before);
void reflog_expiry_set_unreachable(struct reflog_expiry *x, timestamp_t before);
/*
 * --stale-fix: entries whose commits lack something go as well. Cost: a walk through all
 * that refs reach, and the trees of what they do not.
 */
MUST_USE int reflog_expiry_fix_stale(struct reflog_expiry *x, struct err *err);

/* The log that comes next. */
MUST_USE int reflog_expiry_begin(struct reflog_expiry *x, const char *name, struct err *err);
/* A reflog_keep_fn; data is the struct reflog_expiry. */
int reflog_expiry_keeps(void *data, size_t i, size_t nr, const struct reflog_entry *e,
			struct err *err);

#endif
