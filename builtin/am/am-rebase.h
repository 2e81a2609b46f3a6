/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine of `git rebase --apply`: git-am(1) in the mode in which the patches are those of commits. A mail names its commit;
 * author, message and patch are read there, and what the commit becomes is noted for the end of the rebase.
 *
 *   struct am_rebase a = { .ctx = ctx, .state = &state, .action = "rebase (pick)" };
 *
 *   rc = am_rebase_start(&a, &start, err)    or am_rebase_go_on(&a, skip, err)
 *   if (!rc)                                 index and files are staged, with all patches
 *           … refs, with the log entries in a.steps; the state goes; a.op ends …
 *   am_rebase_release(&a)
 *
 * Errors:     > 0: a stop, which has been reported, with its exit code; a.op is NULL then. < 0: the caller ends a.op, if it is there.
 * Durability: what stops is sealed. At the end nothing of it is published yet.
 * Cost:       one flush for a stop, none at the end.
 * Tests:      t/t3430-rebase-apply.sh, t/interop/rebase-turns.py
 */
#ifndef BUILTIN_AM_AM_REBASE_H
#define BUILTIN_AM_AM_REBASE_H

#include "builtin/builtin.h"
#include "commit/commit.h"
#include "operation/operation.h"
#include "sequence/rebase-state.h"
#include "util/strvec.h"

struct am_cmd;
struct am_rebase {
	struct command_ctx *ctx;
	struct repo_operation *op; /* of the start, taken over; at the end it is the caller's */
	const struct rebase_state *state;
	const char *action; /* of the reflog, and for hooks */

	/* ---- at the end ---- */
	const struct head_step *steps; /* for HEAD's log */
	size_t nr_steps;
	struct object_id base_head, head; /* HEAD now, and what it becomes */
	const struct strbuf *rewritten;	  /* "OLD NEW" lines */
	bool begun;			  /* rebase-apply/ and ORIG_HEAD are there */

	struct am_cmd *am; /* internal */
};

struct am_rebase_start {
	const struct oid_array *commits; /* at least one; parents first */
	const struct strvec *apply_options;
	const char *start_log; /* of the move to state->onto */
	/* The hook post-checkout, if there is one: HEAD is at state->onto, and published. */
	void (*post_checkout)(void *data);
	void *data;
};

MUST_USE int am_rebase_start(struct am_rebase *a, const struct am_rebase_start *start, struct err *err);
/* skip: the commit at which it stopped is left out. Else the index is what has become of it. */
MUST_USE int am_rebase_go_on(struct am_rebase *a, bool skip, struct err *err);
void am_rebase_release(struct am_rebase *a);

#endif
