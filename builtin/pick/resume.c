/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry-pick(1) and git-revert(1): --continue, --skip, --abort, --quit. */
#include "compat/posix.h"
#include "builtin/pick/pick-cmd.h"
#include "cli/git-options.h"
#include "repo/state.h"

/* ---- sequencer/todo ---- */

static int report_list(struct strvec *errors)
{
	for (size_t i = 0; i < errors->nr; i++)
		error("%s", errors->v[i]);
	return ERR_INVALID;
}

static int check_commands(struct pick_cmd *c, struct err *err)
{
	const enum todo_command want = c->revert ? TODO_REVERT : TODO_PICK;

	if (!c->todo.nr)
		return err_set(err, ERR_INVALID, "no commits parsed.");
	for (size_t i = 0; i < c->todo.nr; i++)
		if (c->todo.items[i].command != want)
			return err_set(err, ERR_INVALID, "cannot %s during a %s.", c->name, c->revert ? "cherry-pick" : "revert");
	return 0;
}

static int read_list(struct pick_cmd *c, struct err *err)
{
	const char comment[] = { c->comment_char, '\0' };
	struct strbuf text = STRBUF_INIT;
	struct strvec errors;
	int rc = repo_state_read(c->r, STATE_SEQUENCER_TODO, &text, err);

	strvec_init(&errors);
	if (!rc && todo_parse(&c->todo, c->r, text.buf, text.len, comment, &errors)) {
		char *path = repo_state_path(c->r, STATE_SEQUENCER_TODO);

		(void)report_list(&errors);
		rc = err_set(err, ERR_INVALID, "unusable instruction sheet: '%s'", path);
		free(path);
	}
	if (!rc)
		rc = check_commands(c, err);
	if (!rc)
		rc = pick_read_saved_options(c, err);
	strvec_clear(&errors);
	strbuf_release(&text);
	return rc;
}

/* ---- --continue ---- */

/* The user has resolved the conflicts: `git commit` does the rest. */
static int commit_resolved(struct pick_cmd *c, struct err *err)
{
	struct strvec args;
	int rc;

	strvec_init(&args);
	push_own_command(&args, "commit");
	if (c->o.edit == 0 || (c->o.edit < 0 && !isatty(0)))
		strvec_pushl(&args, "--no-edit", "--cleanup=strip", NULL);
	rc = pick_run_child(c, &args, false, err);
	strvec_clear(&args);
	return rc;
}

static int go_on(struct pick_cmd *c, struct err *err)
{
	int rc = pick_read_head(c, err);

	c->several = c->resumed = true;
	c->todo.at++; /* the last command stopped at the first one */
	return rc ? rc : pick_run_steps(c, err);
}

static int continue_sequence(struct pick_cmd *c, struct err *err)
{
	bool stopped = pick_in_progress(c);
	int rc = result_update_refuse_unfinished(c->r, err);

	if (!rc && !repo_state_exists(c->r, STATE_SEQUENCER_TODO))
		return stopped ? commit_resolved(c, err) : err_set(err, ERR_INVALID, "no cherry-pick or revert in progress");
	if (!rc)
		rc = read_list(c, err);
	if (!rc && stopped)
		rc = commit_resolved(c, err);
	return rc ? rc : go_on(c, err);
}

/* ---- HEAD goes back ---- */

static int reset_to(struct pick_cmd *c, const struct object_id *to)
{
	char hex[HASH_MAX_HEX + 1];
	const char *argv[] = { "reset", "--merge", hex, NULL };

	oid_to_hex_r(hex, to);
	return cmd_reset(3, argv, c->ctx) ? ERR_CONFLICT : 0;
}

/* Is HEAD where the last command left it? */
static bool head_is_known(struct pick_cmd *c, const struct object_id *head)
{
	struct object_id safe;

	if (!repo_state_oid(c->r, STATE_SEQUENCER_ABORT_SAFETY, &safe))
		return oid_is_null(head);
	return oid_eq(&safe, head);
}

static int remove_sequence(struct pick_cmd *c, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(c->r);
	int rc = repo_operation_end_state(op, STATE_ENDS_BY_SWITCH, err);

	if (!rc)
		rc = repo_operation_remove_state(op, STATE_SEQUENCER, err);
	return repo_operation_end(op, rc, err);
}

/* One pick; or a sequence that was interrupted before sequencer/head had its name, so that HEAD has not moved. */
static int abort_single(struct pick_cmd *c, bool unfinished, struct err *err)
{
	bool incomplete = repo_state_exists(c->r, STATE_SEQUENCER), stopped = pick_in_progress(c);
	int rc = 0;

	if (!stopped && !unfinished && !incomplete)
		return err_set(err, ERR_INVALID, "no cherry-pick or revert in progress");
	if (stopped && oid_is_null(&c->head))
		return err_set(err, ERR_INVALID, "cannot abort from a branch yet to be born");
	if (stopped)
		rc = reset_to(c, &c->head);
	return rc || !incomplete ? rc : remove_sequence(c, err);
}

static int abort_sequence(struct pick_cmd *c, struct err *err)
{
	bool unfinished = result_update_is_unfinished(c->r);
	struct object_id to;
	int rc = unfinished ? result_update_undo(c->r, err) : 0;

	if (!rc)
		rc = pick_read_head(c, err);
	if (rc)
		return rc;
	if (!repo_state_exists(c->r, STATE_SEQUENCER_HEAD))
		return abort_single(c, unfinished, err);
	if (!repo_state_oid(c->r, STATE_SEQUENCER_HEAD, &to))
		return err_set(err, ERR_CORRUPT, "stored pre-cherry-pick HEAD file '%s/%s' is corrupt", c->r->gitdir,
			       repo_state_name(STATE_SEQUENCER_HEAD));
	if (oid_is_null(&to))
		return err_set(err, ERR_INVALID, "cannot abort from a branch yet to be born");
	if (!head_is_known(c, &c->head))
		warning("You seem to have moved HEAD. Not rewinding, check your HEAD!");
	else
		rc = reset_to(c, &to);
	return rc ? rc : remove_sequence(c, err);
}

/* ---- --skip ---- */

static int nothing_to_skip(struct pick_cmd *c)
{
	error("there is nothing to skip");
	advise("have you committed already?\ntry \"git %s --continue\"", c->name);
	return ERR_CONFLICT;
}

static int skip_commit(struct pick_cmd *c, struct err *err)
{
	bool mine = repo_state_exists(c->r, c->revert ? STATE_REVERT_HEAD : STATE_CHERRY_PICK_HEAD);
	bool several = repo_state_exists(c->r, STATE_SEQUENCER_TODO);
	int rc = result_update_refuse_unfinished(c->r, err);

	if (!rc && !mine && !several)
		return err_set(err, ERR_INVALID, "no %s in progress", c->name);
	if (!rc && several)
		rc = read_list(c, err);
	if (rc) {
		if (err->msg && starts_with(err->msg, "cannot ")) {
			err_release(err);
			return err_set(err, ERR_INVALID, "no %s in progress", c->name);
		}
		return rc;
	}
	rc = pick_read_head(c, err);
	if (!rc && !mine && !head_is_known(c, &c->head))
		return nothing_to_skip(c);
	if (!rc)
		rc = reset_to(c, &c->head);
	return rc || !several ? rc : go_on(c, err);
}

int pick_resume(struct pick_cmd *c, struct err *err)
{
	switch (c->o.mode) {
	case PICK_MODE_CONTINUE:
		return continue_sequence(c, err);
	case PICK_MODE_SKIP:
		return skip_commit(c, err);
	case PICK_MODE_ABORT:
		return abort_sequence(c, err);
	default:
		return remove_sequence(c, err);
	}
}
