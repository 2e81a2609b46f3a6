/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): --autostash. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "porcelain/autostash.h"
#include "repo/state.h"
#include "worktree/merge-result.h"

/* ---- one operation, step by step ---- */

struct repo_operation *rebase_take_operation(struct rebase_cmd *c)
{
	struct repo_operation *op = c->waiting;

	c->waiting = NULL;
	return op ? op : repo_operation_begin(c->r);
}

int rebase_leave_operation(struct rebase_cmd *c, struct repo_operation *op, int rc, struct err *err)
{
	if (rc && rc != ERR_CONFLICT)
		return repo_operation_end(op, rc, err);
	if (rc)
		repo_operation_abort(op);
	else
		rc = repo_operation_publish(op, err);
	c->waiting = op;
	return rc;
}

int rebase_end_operation(struct rebase_cmd *c, struct repo_operation *op, int rc, struct err *err)
{
	return rc == ERR_CONFLICT ? rebase_leave_operation(c, op, rc, err) : repo_operation_end(op, rc, err);
}

int rebase_seal_waiting(struct rebase_cmd *c, int rc, struct err *err)
{
	struct repo_operation *op = c->waiting;
	struct err own = ERR_INIT;
	int end;

	c->waiting = NULL;
	end = repo_operation_end(op, op ? 0 : ERR_ABORTED, &own);
	if (op && end && rc >= 0) {
		err_move(err, &own);
		rc = end;
	} else if (op && end) {
		report_error(&own);
	}
	err_release(&own);
	return rc;
}

/* ---- local changes ---- */

static enum repo_state_file autostash_file(const struct rebase_cmd *c)
{
	return c->state.applies ? STATE_REBASE_APPLY_AUTOSTASH : STATE_REBASE_MERGE_AUTOSTASH;
}

static int refuse_to_stash(struct err *err)
{
	report_error(err);
	err_release(err);
	fputs("Cannot save the current worktree state\n", stderr);
	return err_set(err, ERR_GENERIC, "Cannot autostash");
}

static void print_created(struct rebase_cmd *c, const struct object_id *stash)
{
	struct strbuf name = STRBUF_INIT;

	odb_abbrev(c->r->odb, stash, c->r->settings.abbrev, &name);
	printf("Created autostash: %s\n", name.buf);
	fflush(stdout);
	strbuf_release(&name);
}

int rebase_stash_changes(struct rebase_cmd *c, struct err *err)
{
	struct repo_operation *op;
	struct object_id stash;
	int rc;

	if (c->o.autostash <= 0)
		return 0;
	op = rebase_take_operation(c);
	rc = autostash_create(op, autostash_file(c), &stash, err);
	rc = rebase_leave_operation(c, op, rc, err);
	if (rc == ERR_CONFLICT)
		return refuse_to_stash(err);
	if (!rc && !oid_is_null(&stash))
		print_created(c, &stash);
	return rc;
}

int rebase_end_state(struct rebase_cmd *c, struct repo_operation *op, enum rebase_stash_end how, struct err *err)
{
	enum autostash_outcome outcome = AUTOSTASH_NONE;
	int rc = 0;

	if (how == REBASE_STASH_STORE)
		rc = autostash_store(op, autostash_file(c), &outcome, err);
	else if (repo_state_exists(c->r, autostash_file(c))) {
		rc = repo_operation_publish(op, err);
		lockfile_release(repo_operation_index_lock(op));
		if (!rc)
			rc = autostash_apply(op, autostash_file(c), &outcome, err);
	}
	if (!rc && c->state.applies) /* without it no am is in progress */
		rc = repo_operation_remove_state(op, STATE_REBASE_APPLY_NEXT, err);
	if (!rc)
		rc = repo_operation_remove_state(op, c->state.applies ? STATE_REBASE_APPLY : STATE_REBASE_MERGE, err);
	fflush(stdout);
	if (!rc && outcome)
		fputs(autostash_text(outcome), stderr);
	return rc;
}

/* After an interruption of our own the files are not whole: `rebase --abort` comes first, and then brings the changes back. */
int rebase_unstash_changes(struct rebase_cmd *c, struct err *err)
{
	const enum repo_state_file head_name = c->state.applies ? STATE_REBASE_APPLY_HEAD_NAME : STATE_REBASE_MERGE_HEAD_NAME;
	struct repo_operation *op;
	int rc;

	if (!repo_state_exists(c->r, autostash_file(c)) || repo_state_exists(c->r, head_name) ||
	    result_update_is_unfinished(c->r))
		return 0;
	op = rebase_take_operation(c);
	rc = rebase_end_state(c, op, REBASE_STASH_APPLY, err);
	return repo_operation_end(op, rc, err);
}
