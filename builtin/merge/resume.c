/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): --abort, --quit, --continue. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/merge/merge-cmd.h"
#include "porcelain/autostash.h"
#include "repo/state.h"

static int run_command_of(struct command_ctx *ctx, command_fn run, const char *const *args)
{
	const char *argv[4] = { NULL };
	int argc = 0;

	for (; args[argc]; argc++)
		argv[argc] = args[argc];
	return run(argc, argv, ctx);
}

/* Files first: a command that was killed while it changed them. */
static int undo_unfinished(struct merge_cmd *m)
{
	struct err err = ERR_INIT;

	return result_update_undo(m->r, &err) ? report_fatal(&err) : 0;
}

static int abort_merge(struct merge_cmd *m, struct command_ctx *ctx)
{
	bool unfinished = result_update_is_unfinished(m->r), merging = repo_state_exists(m->r, STATE_MERGE_HEAD);
	bool stashed = repo_state_exists(m->r, STATE_MERGE_AUTOSTASH);
	struct repo_operation *op = NULL;
	int rc = 0, end;

	/* A command that was killed may have left nothing but the autostash. */
	if (!unfinished && !merging && !stashed)
		die("There is no merge to abort (MERGE_HEAD missing).");
	if (unfinished)
		rc = undo_unfinished(m);
	if (!rc && merging)
		rc = reset_of_merge(ctx, stashed ? &op : NULL);
	if (rc && !op)
		return rc;
	end = op ? command_end_autostash_in(op, false) : command_end_autostash(m->r, false);
	return end ? 128 : rc;
}

static int quit_merge(struct merge_cmd *m)
{
	static const enum repo_state_file files[] = { STATE_MERGE_HEAD, STATE_MERGE_RR, STATE_MERGE_MSG, STATE_MERGE_MODE,
						      STATE_AUTO_MERGE, STATE_WORKTREE_UPDATE };
	struct repo_operation *op = repo_operation_begin(m->r);
	enum autostash_outcome outcome = AUTOSTASH_NONE;
	struct err err = ERR_INIT;
	int rc = autostash_store(op, STATE_MERGE_AUTOSTASH, &outcome, &err);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(files); i++)
		rc = repo_operation_remove_state(op, files[i], &err);
	rc = repo_operation_end(op, rc, &err);
	if (!rc && outcome)
		fputs(autostash_text(outcome), stderr);
	return rc ? report_fatal(&err) : 0;
}

static int continue_merge(struct merge_cmd *m, struct command_ctx *ctx)
{
	static const char *const args[] = { "commit", NULL };

	if (!repo_state_exists(m->r, STATE_MERGE_HEAD))
		die("There is no merge in progress (MERGE_HEAD missing).");
	return run_command_of(ctx, cmd_commit, args);
}

int merge_resume(struct merge_cmd *m, struct command_ctx *ctx)
{
	if (m->o.mode == MERGE_MODE_ABORT)
		return abort_merge(m, ctx);
	return m->o.mode == MERGE_MODE_QUIT ? quit_merge(m) : continue_merge(m, ctx);
}
