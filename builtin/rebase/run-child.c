/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): what others do: git commit, git merge, commands of exec. What has been done so far is published before them. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/clean-worktree.h"
#include "cli/git-options.h"
#include "history/history.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/run-command.h"

/* ---- git commit ---- */

static void add_commit_options(struct rebase_run *run, const struct rebase_child_commit *cc, struct strvec *args)
{
	const char *key = run->c->state.sign_key;

	if (cc->amend)
		strvec_push(args, "--amend");
	if (!cc->verify)
		strvec_push(args, "-n");
	if (key)
		strvec_pushf(args, "-S%s", key);
	else
		strvec_push(args, "--no-gpg-sign");
	if (cc->file)
		strvec_pushl(args, "-F", cc->file, NULL);
	if (cc->edit)
		strvec_push(args, "-e");
	if (cc->cleanup)
		strvec_pushf(args, "--cleanup=%s", cc->cleanup);
	if (cc->allow_empty)
		strvec_push(args, "--allow-empty");
	if (!cc->edit)
		strvec_push(args, "--allow-empty-message");
	if (cc->quiet)
		strvec_push(args, "-q");
}

static int add_author_date(struct rebase_run *run, const struct rebase_child_commit *cc, const struct strvec *env,
			   struct strbuf *out, struct err *err)
{
	struct pick head = rebase_run_pick_of(run, commit_lookup(run->c->pool, &run->now.head));
	struct strbuf author = STRBUF_INIT;
	const char *date;
	int rc;

	if (!cc->amend) {
		for (size_t i = 0; i < env->nr; i++)
			if (skip_prefix(env->v[i], "GIT_AUTHOR_DATE=@", &date))
				strbuf_addstr(out, date);
		return 0;
	}
	rc = pick_author(&head, &author, err);
	if (!rc)
		strbuf_addstr(out, rebase_date_of(author.buf));
	strbuf_release(&author);
	return rc;
}

/* --reset-author-date, --committer-date-is-author-date. `env` has the author, or a commit that is amended keeps its own. */
static int push_dates(struct rebase_run *run, const struct rebase_child_commit *cc, struct strvec *env, struct err *err)
{
	const struct rebase_state *s = &run->c->state;
	struct strbuf date = STRBUF_INIT;
	int rc = 0;

	if (s->reset_author_date)
		rebase_add_date_now(&date);
	else if (s->committer_date_is_author_date)
		rc = add_author_date(run, cc, env, &date, err);
	if (!rc && s->reset_author_date)
		strvec_pushf(env, "GIT_AUTHOR_DATE=@%s", date.buf);
	if (!rc && s->committer_date_is_author_date && date.len)
		strvec_pushf(env, "GIT_COMMITTER_DATE=@%s", date.buf);
	strbuf_release(&date);
	return rc;
}

int rebase_child_commit(struct rebase_run *run, const struct rebase_child_commit *cc, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc = cc->own_author ? author_script_read(run->r, &cp.env, err) : 0;

	if (!rc)
		rc = push_dates(run, cc, &cp.env, err);
	push_own_command(&cp.args, "commit");
	add_commit_options(run, cc, &cp.args);
	strvec_pushf(&cp.env, "GIT_REFLOG_ACTION=%s (%s)", run->c->action, cc->command);
	strvec_push(&cp.env, "GIT_CHERRY_PICK_HELP");
	fflush(stdout);
	if (!rc)
		rc = run_command(&cp, err);
	else
		child_process_release(&cp);
	return rc ? rc : rebase_run_read_head(run, err);
}

/* ---- git merge ---- */

static void push_author(const char *line, bool is_committer_date, struct strvec *env)
{
	struct ident_split id;

	if (ident_split_line(&id, line, strlen(line)))
		return;
	strvec_pushf(env, "GIT_AUTHOR_NAME=%.*s", (int)id.name_len, id.name);
	strvec_pushf(env, "GIT_AUTHOR_EMAIL=%.*s", (int)id.mail_len, id.mail);
	strvec_pushf(env, "GIT_AUTHOR_DATE=@%.*s %+05d", (int)id.date_len, id.date_text, id.tz);
	if (is_committer_date)
		strvec_pushf(env, "GIT_COMMITTER_DATE=@%.*s %+05d", (int)id.date_len, id.date_text, id.tz);
}

static void push_merge(struct rebase_run *run, const struct rebase_child_merge *cm, struct child_process *cp)
{
	const struct rebase_state *s = &run->c->state;

	push_own_command(&cp->args, "merge");
	strvec_pushl(&cp->args, "-s", "octopus", "--no-edit", "--no-ff", "--no-log", "--no-stat", "--no-autostash",
		     "--cleanup=verbatim", NULL);
	if (s->sign_key)
		strvec_pushf(&cp->args, "-S%s", s->sign_key);
	else
		strvec_push(&cp->args, "--no-gpg-sign");
	strvec_pushl(&cp->args, "-m", cm->message, NULL);
	for (size_t i = 0; i < cm->heads->nr; i++)
		strvec_push(&cp->args, oid_hex(&cm->heads->items[i]->oid));
	push_author(cm->author, s->committer_date_is_author_date, &cp->env);
}

static int take_merge_back(struct rebase_run *run, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	if (!repo_state_exists(run->r, STATE_MERGE_HEAD))
		return 0;
	push_own_command(&cp.args, "merge");
	strvec_push(&cp.args, "--abort");
	return run_command(&cp, err);
}

int rebase_child_octopus(struct rebase_run *run, const struct rebase_child_merge *cm, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc, end = 0;

	push_merge(run, cm, &cp);
	fflush(stdout);
	rc = run_command(&cp, err);
	if (rc > 0)
		end = take_merge_back(run, err);
	if (end)
		return end < 0 ? end : err_set(err, ERR_GENERIC, "could not take the merge back");
	return rc ? rc : rebase_run_read_head(run, err);
}

/* ---- exec ---- */

static int is_dirty(struct rebase_run *run, bool *dirty, struct err *err)
{
	struct object_id head;
	int rc = ref_resolve(run->r->refs, "HEAD", &head, NULL, NULL, err);

	if (!rc)
		rc = tell_if_unclean(run->r, &head, "rebase", err);
	*dirty = rc > 0;
	return rc < 0 ? rc : 0;
}

static int run_shell(const char *command, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	cp.use_shell = true;
	strvec_push(&cp.args, command);
	strvec_push(&cp.env, "GIT_CHERRY_PICK_HELP");
	fflush(stdout);
	return run_command(&cp, err);
}

static void explain_exec(const char *command, int code, bool dirty)
{
	if (code) {
		warning("execution failed: %s\n%sYou can fix the problem, and then run\n\n  git rebase --continue\n\n", command,
			dirty ? "and made changes to the index and/or the working tree.\n" : "");
		return;
	}
	warning("execution succeeded: %s\nbut left changes to the index and/or the working tree.\n"
		"Commit or stash your changes, and then run\n\n  git rebase --continue\n\n", command);
}

/* The command may have moved HEAD, and changed the list. */
static int read_anew(struct rebase_run *run, struct err *err)
{
	int rc = rebase_run_read_head(run, err);

	if (!rc)
		rc = rebase_read_list(run->c, err);
	run->now.at = run->published.at = run->dropped_to = 0;
	run->total = run->now.done_nr + todo_count_left(&run->c->list);
	return rc ? rc : rebase_run_prepare_merge(run, err);
}

/* rebase.rescheduleFailedExec: --continue runs it again. It counts as done, too. */
static int put_back(struct rebase_run *run, struct err *err)
{
	run->now.at--;
	return rebase_stop_put_back(run, &run->c->list.items[run->now.at], err);
}

int rebase_run_exec(struct rebase_run *run, const struct todo_item *item, struct err *err)
{
	char *command = xstrdup(item->arg);
	bool dirty = false;
	int code, rc;

	rebase_run_advance_early(run);
	rc = rebase_publish(run, NULL, false, err);
	if (rc)
		goto out;
	if (!run->c->state.quiet)
		fprintf(stderr, "Executing: %s\n", command);
	code = run_shell(command, err);
	err_release(err);
	rc = is_dirty(run, &dirty, err);
	if (!rc && (code || dirty)) {
		explain_exec(command, code, dirty);
		rc = run->c->state.reschedule_failed_exec && code ? put_back(run, err) : rebase_publish(run, NULL, true, err);
		rc = rc ? rc : 1;
		goto out;
	}
	if (!rc)
		rc = read_anew(run, err);
out:
	free(command);
	return rc;
}
