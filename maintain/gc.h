/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Upkeep of a whole repository. git-gc(1).
 *
 *   gc_options_init(&o); rc = gc_options_read(&o, r, err);
 *   op = repo_operation_begin(r);
 *   rc = gc_run(op, r, &o, err);
 *   rc = repo_operation_end(op, rc, err);
 *
 * In this order: refs are packed, reflogs expire, and both are published, so that what comes
 * next sees them; objects are packed; loose objects, worktrees and recorded resolutions that are too old
 * go; the commit-graph is written.
 *
 * Durability: that of the operation, which seals once.
 * Errors:     those of the parts. What has been published by then is right: each part leaves the
 *             repository whole.
 */
#ifndef MAINTAIN_GC_H
#define MAINTAIN_GC_H

#include "compat/posix.h"
#include "maintain/auto.h"
#include "operation/operation.h"
#include "util/date.h"
#include "util/progress.h"

struct gc_options {
	/* ---- what to do; each default comes from the configuration ---- */
	bool aggressive;
	bool cruft;		  /* gc.cruftPacks: else unreachable objects become loose */
	int keep_largest_pack;	  /* -1: as gc.bigPackThreshold says */
	uint64_t big_pack_bytes;  /* gc.bigPackThreshold */
	uint64_t max_cruft_bytes; /* 0: no limit */
	const char *expire_to;	  /* base name of a pack of what goes; NULL: none */
	bool prune;		  /* remove unreachable objects that are not younger than this: */
	timestamp_t prune_before, prune_default; /* TIME_MAX: all, 0: none */
	/* --auto: pack only if there is a need. If `need` says so, pack more than loose objects. */
	bool automatic;
	struct gc_need need;
	/* ---- the rest of the configuration ---- */
	int aggressive_depth, aggressive_window, auto_pack_limit;
	bool pack_refs, write_commit_graph, prune_worktrees;
	timestamp_t worktree_prune_before;
	const char *filter, *filter_to; /* gc.repackFilter…; they belong to the configuration */

	/* All may be NULL. */
	void (*note)(void *data, const char *line);
	void (*warn)(void *data, const char *line);
	void (*progress)(void *data, const char *title, uint64_t done, uint64_t total);
	void *data;
};

void gc_options_init(struct gc_options *o);
/* gc.*; ERR_INVALID names a bad value. The dates are those of now. */
MUST_USE int gc_options_read(struct gc_options *o, struct repository *r, struct err *err);
MUST_USE int gc_run(struct repo_operation *op, struct repository *r, const struct gc_options *o,
		    struct err *err);

#endif
