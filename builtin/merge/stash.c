/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): --autostash. */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "porcelain/autostash.h"
#include "repo/state.h"

static int refuse_autostash(struct err *err)
{
	report_error(err);
	err_release(err);
	fputs("Cannot save the current worktree state\n", stderr);
	return err_set(err, ERR_GENERIC, "Cannot autostash");
}

int merge_stash_changes(struct merge_cmd *m, struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	struct object_id stash;
	int rc;

	if (!m->o.autostash)
		return 0;
	rc = autostash_create(m->op, STATE_MERGE_AUTOSTASH, &stash, err);
	if (rc == ERR_CONFLICT)
		return refuse_autostash(err);
	if (rc || oid_is_null(&stash))
		return rc;
	m->stashed = true;
	odb_abbrev(m->r->odb, &stash, m->r->settings.abbrev, &name);
	printf("Created autostash: %s\n", name.buf);
	fflush(stdout);
	strbuf_release(&name);
	return 0;
}

int merge_end_operation(struct merge_cmd *m, int rc, struct err *err)
{
	if (!rc && m->stashed)
		rc = repo_operation_publish(m->op, err);
	if (!rc && m->stashed)
		return 0;
	rc = repo_operation_end(m->op, rc, err);
	m->op = NULL;
	return rc;
}

/* The operation of a merge that has ended, and waits for its seal. Any other is given up: NULL. */
static struct repo_operation *take_operation(struct merge_cmd *m, bool failed)
{
	struct repo_operation *op = m->op;

	m->op = NULL;
	if (!op || (!failed && repo_operation_state(op) == OPERATION_UNSEALED))
		return op;
	repo_operation_abort(op);
	repo_operation_free(op);
	return NULL;
}

/* After an interruption of our own the files are not whole: `merge --abort` comes first, and then brings the changes back. */
int merge_unstash_changes(struct merge_cmd *m, int code)
{
	struct repo_operation *op = take_operation(m, code);

	if (op)
		return command_end_autostash_in(op, false);
	if (!m->stashed || m->stops || result_update_is_unfinished(m->r))
		return code;
	return command_end_autostash(m->r, false) ? 128 : code;
}
