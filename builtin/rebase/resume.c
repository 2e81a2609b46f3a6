/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): --continue, --skip, --abort, --quit, --edit-todo, --show-current-patch. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/clean-worktree.h"
#include "cli/edit-text.h"
#include "cli/git-options.h"
#include "object/message.h"
#include "porcelain/head.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/run-command.h"

static int require_progress(struct rebase_cmd *c, struct err *err)
{
	int rc;

	c->state.applies = repo_state_exists(c->r, STATE_REBASE_APPLY);
	if (!c->state.applies && !repo_state_exists(c->r, STATE_REBASE_MERGE))
		return err_set(err, ERR_INVALID, "no rebase in progress");
	rc = rebase_state_read(&c->state, c->r, err);
	if (!rc && (c->o.mode == REBASE_CONTINUE || c->o.mode == REBASE_SKIP))
		rc = rebase_state_read_commits(&c->state, c->r, err);
	return rc;
}

/* ---- what the files say ---- */

static int read_optional(struct rebase_run *run, enum repo_state_file f, struct strbuf *out, struct err *err)
{
	return repo_state_exists(run->r, f) ? repo_state_read(run->r, f, out, err) : 0;
}

static int read_number(struct rebase_run *run, enum repo_state_file f, size_t *out)
{
	char *line = repo_state_line(run->r, f), *end = NULL;
	unsigned long n = line ? strtoul(line, &end, 10) : 0;

	if (line && end > line && n < INT_MAX)
		*out = n;
	free(line);
	return 0;
}

static int read_progress(struct rebase_run *run, struct err *err)
{
	struct rebase_progress *p = &run->now;
	int rc = read_optional(run, STATE_REBASE_MERGE_DONE, &p->done, err);

	if (!rc)
		rc = read_optional(run, STATE_REBASE_MERGE_REWRITTEN_LIST, &p->rewritten, err);
	if (!rc)
		rc = read_optional(run, STATE_REBASE_MERGE_REWRITTEN_PENDING, &p->pending, err);
	if (!rc)
		rc = read_optional(run, STATE_REBASE_MERGE_CURRENT_FIXUPS, &p->fixups, err);
	if (!rc)
		rc = read_optional(run, STATE_REBASE_MERGE_MESSAGE_SQUASH, &p->squash_text, err);
	p->has_fixup_text = repo_state_exists(run->r, STATE_REBASE_MERGE_MESSAGE_FIXUP);
	if (!rc)
		rc = read_optional(run, STATE_REBASE_MERGE_MESSAGE_FIXUP, &p->fixup_text, err);
	read_number(run, STATE_REBASE_MERGE_MSGNUM, &p->done_nr);
	run->total = p->done_nr + todo_count_left(&run->c->list);
	return rc ? rc : rebase_run_read_refs(run, err);
}

/*
 * HEAD was detached at `onto` first; then came what `done` lists, or a list that the user has to mend; with --apply, a commit
 * that was read, or has become another one.
 */
static bool has_begun(struct rebase_cmd *c, const struct object_id *head, bool is_symbolic)
{
	static const enum repo_state_file later[] = { STATE_REBASE_MERGE_DONE, STATE_REBASE_MERGE_DROPPED,
						      STATE_REBASE_APPLY_FINAL_COMMIT, STATE_REBASE_APPLY_REWRITTEN };

	for (size_t i = 0; i < ARRAY_SIZE(later); i++)
		if (repo_state_exists(c->r, later[i]))
			return true;
	return !is_symbolic && oid_eq(head, &c->state.onto);
}

/* P7: a kill before HEAD was detached, or after it had its branch again. Commits would be picked onto the wrong one. */
static int refuse_not_detached(struct rebase_cmd *c, struct err *err)
{
	struct object_id oid;
	char *target = NULL;
	int rc = ref_read_raw(c->r->refs, "HEAD", &oid, &target, err);

	if (!rc && ((target && !strcmp(target, c->state.head_name)) || !has_begun(c, &oid, target)))
		rc = err_set(err, ERR_CONFLICT, "the rebase was interrupted while HEAD moved; 'git rebase --abort' "
						"restores the old state, 'git rebase --quit' keeps the present one");
	free(target);
	return rc;
}

static int open_run(struct rebase_run *run, struct rebase_cmd *c, struct err *err)
{
	int rc = commit_pool_new(&c->pool, c->r, err);

	rebase_run_init(run, c);
	run->begun = true;
	if (!rc)
		rc = rebase_run_read_head(run, err);
	if (!rc)
		rc = read_progress(run, err);
	progress_copy(&run->published, &run->now);
	return rc;
}

/* ---- --continue ---- */

static int note_difference(void *data, const char *path UNUSED, unsigned old_mode UNUSED,
			   const struct object_id *old_oid UNUSED, const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	*(bool *)data = true;
	return 0;
}

/* 1: there are conflicts, or changes that are not staged; that has been printed. */
static int view_index(struct rebase_run *run, bool *differs, struct err *err)
{
	struct index_state ix;
	bool unready = false;
	int rc;

	index_init(&ix, run->r->algo);
	rc = index_read_repo(&ix, run->r, err);
	if (!rc)
		rc = has_unstaged_changes(run->r, &ix, &unready, err);
	unready |= !rc && print_unmerged(&ix);
	if (!rc && !unready)
		rc = index_diff_tree(&ix, odb_source(run->r->odb), &run->now.tree, note_difference, differs, err);
	if (!rc && unready)
		puts("You must edit all merge conflicts and then\nmark them as resolved using git add");
	fflush(stdout);
	index_release(&ix);
	return rc ? rc : unready;
}

static bool is_amending(struct rebase_run *run, struct object_id *amend)
{
	return repo_state_oid(run->r, STATE_REBASE_MERGE_AMEND, amend);
}

static bool has_merge_head(struct rebase_run *run)
{
	return repo_state_exists(run->r, STATE_MERGE_HEAD);
}

static bool fixup_follows(const struct rebase_run *run)
{
	return rebase_list_has_fixup_at(&run->c->list, 0);
}

/*
 * HEAD takes the messages of the chain. Behind a conflict the user edits them, and the chain ends: a fixup that follows
 * begins a new one, with that commit. Where the last command was skipped, the user is asked only if a squash is left.
 */
static int commit_chain(struct rebase_run *run, bool resolved, struct err *err)
{
	const bool is_last = resolved || !fixup_follows(run);
	const bool edits = resolved || (is_last && strstr(run->now.fixups.buf, "squash "));
	struct rebase_child_commit cc = { .command = "continue", .amend = true, .edit = edits,
					  .allow_empty = true, .quiet = !edits,
					  .cleanup = is_last ? "strip" : "verbatim" };
	char *path = repo_state_path(run->r, STATE_REBASE_MERGE_MESSAGE_SQUASH);
	int rc;

	cc.file = path;
	rc = rebase_child_commit(run, &cc, err);
	if (!rc && resolved)
		strbuf_reset(&run->now.fixups); /* as in Git: see begin_chain() about the other files */
	else if (!rc && is_last)
		rebase_fixup_end(run);
	free(path);
	return rc;
}

/* The command at which the rebase stopped brings nothing. HEAD has the messages of those before it. */
static int skip_in_chain(struct rebase_run *run, struct err *err)
{
	struct strbuf *f = &run->now.fixups;
	char *last = f->len ? strrchr(f->buf, '\n') : NULL;
	int rc;

	if (!f->len)
		return 0;
	strbuf_setlen(f, last ? (size_t)(last - f->buf) : 0);
	if (!f->len)
		return 0; /* as in Git: see begin_chain() about the other files */
	rc = rebase_fixup_read_head(run, err);
	if (!rc && !fixup_follows(run))
		rc = rebase_publish(run, NULL, false, err);
	return rc || fixup_follows(run) ? rc : commit_chain(run, false, err);
}

static int commit_amended(struct rebase_run *run, const struct object_id *amend, struct err *err)
{
	struct rebase_child_commit cc = { .command = "continue", .amend = true, .edit = true, .allow_empty = true };

	if (!oid_eq(amend, &run->now.head)) {
		error("\nYou have uncommitted changes in your working tree. Please, commit them\n"
		      "first and then run 'git rebase --continue' again.");
		return 1;
	}
	return rebase_child_commit(run, &cc, err);
}

/* No commit is going on that the staged changes could belong to. */
static void explain_staged(const struct rebase_run *run)
{
	const char *key = run->c->state.sign_key;

	error("you have staged changes in your working tree\n"
	      "If these changes are meant to be squashed into the previous commit, run:\n\n"
	      "  git commit --amend %s%s\n\nIf they are meant to go into a new commit, run:\n\n"
	      "  git commit %s%s\n\nIn both cases, once you're done, continue with:\n\n"
	      "  git rebase --continue\n", key ? "-S" : "", key ? key : "", key ? "-S" : "", key ? key : "");
}

static int commit_resolved(struct rebase_run *run, struct err *err)
{
	struct rebase_child_commit cc = { .command = "continue", .edit = true, .allow_empty = true,
					  .own_author = repo_state_exists(run->r, STATE_REBASE_MERGE_AUTHOR_SCRIPT) };
	char *path = repo_state_path(run->r, STATE_REBASE_MERGE_MESSAGE);
	int rc;

	if (!repo_state_exists(run->r, STATE_REBASE_MERGE_MESSAGE)) {
		explain_staged(run);
		free(path);
		return 1;
	}
	cc.file = path;
	rc = rebase_child_commit(run, &cc, err);
	free(path);
	return rc;
}

static int commit_staged(struct rebase_run *run, struct err *err)
{
	struct object_id amend;
	bool differs = false, amends = is_amending(run, &amend);
	int rc = view_index(run, &differs, err);

	if (rc)
		return rc;
	if (amends && run->now.fixups.len && oid_eq(&amend, &run->now.head))
		return differs ? commit_chain(run, true, err) : skip_in_chain(run, err);
	if (!differs && !has_merge_head(run))
		return 0;
	return amends ? commit_amended(run, &amend, err) : commit_resolved(run, err);
}

/* The commit at which the rebase stopped; a null id if it stopped at none. */
static struct object_id read_stopped(struct rebase_run *run)
{
	struct object_id oid;

	return repo_state_oid(run->r, STATE_REBASE_MERGE_STOPPED_SHA, &oid) ? oid : run->r->algo->null_oid;
}

/* The commit at which the rebase stopped has become HEAD. */
static void note_stopped(struct rebase_run *run, const struct object_id *stopped)
{
	if (oid_is_null(stopped))
		return;
	run->now.at = 0;
	run->is_advanced = true;
	rebase_run_note_rewritten(run, stopped);
}

/* `stopped` was read before: a child for the commit ends the files of the stop. */
static int go_on(struct rebase_run *run, const struct object_id *stopped, struct err *err)
{
	note_stopped(run, stopped);
	progress_copy(&run->published, &run->now);
	return rebase_run_list(run, err);
}

/* 1: an edit of the list has dropped commits, and `now` still lacks some; that has been printed. */
static int check_dropped(struct rebase_cmd *c, const struct todo_list *now, struct err *err)
{
	struct strvec errors = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct todo_list before;
	int rc = 0;

	if (c->missing == REBASE_MISSING_IGNORE || !repo_state_exists(c->r, STATE_REBASE_MERGE_DROPPED))
		return 0;
	todo_init(&before);
	rc = repo_state_read(c->r, STATE_REBASE_MERGE_TODO_BACKUP, &text, err);
	if (!rc)
		rc = rebase_parse_list(c, &text, &before, &errors);
	if (!rc && rebase_check_missing(c, &before, now))
		rc = 1;
	todo_release(&before);
	strvec_clear(&errors);
	strbuf_release(&text);
	return rc;
}

/* Not after an interruption that left files or HEAD in between. */
static int refuse_interrupted(struct rebase_cmd *c, struct err *err)
{
	int rc = result_update_refuse_unfinished(c->r, err);

	return rc ? rc : refuse_not_detached(c, err);
}

static int read_list_to_go_on(struct rebase_cmd *c, struct err *err)
{
	int rc = refuse_interrupted(c, err);

	return rc ? rc : rebase_read_list(c, err);
}

static int continue_rebase(struct rebase_cmd *c, struct err *err)
{
	struct object_id stopped;
	struct rebase_run run;
	int rc = read_list_to_go_on(c, err);

	if (!rc)
		rc = check_dropped(c, &c->list, err);
	if (rc)
		return rc;
	rc = open_run(&run, c, err);
	stopped = read_stopped(&run);
	if (!rc)
		rc = commit_staged(&run, err);
	if (!rc)
		rc = go_on(&run, &stopped, err);
	rebase_run_release(&run);
	return rc;
}

/* ---- --skip ---- */

static int run_own(const char *const *args, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	push_own_command(&cp.args, args[0]);
	strvec_pushv(&cp.args, args + 1);
	return run_command(&cp, err);
}

/* Files and index become those of `to`; index entries with conflicts, too. */
static int reset_files(const char *to, struct err *err)
{
	const char *args[] = { "read-tree", "--reset", "-u", to, NULL };
	int rc = run_own(args, err);

	return rc > 0 ? err_set(err, ERR_GENERIC, "could not discard worktree changes") : rc;
}

static int skip(struct rebase_cmd *c, struct err *err)
{
	struct rebase_run run;
	struct object_id amend, stopped;
	int rc = read_list_to_go_on(c, err);

	if (!rc)
		rc = reset_files("HEAD", err);
	if (rc)
		return rc;
	rc = open_run(&run, c, err);
	stopped = read_stopped(&run);
	/* A stop of `edit` is behind its commit, which stays. */
	if (!rc && !run.now.fixups.len && is_amending(&run, &amend) && oid_eq(&amend, &run.now.head))
		note_stopped(&run, &stopped);
	if (!rc)
		rc = skip_in_chain(&run, err);
	progress_copy(&run.published, &run.now);
	if (!rc)
		rc = rebase_run_list(&run, err);
	rebase_run_release(&run);
	return rc;
}

/* ---- --continue and --skip of --apply ---- */

static int check_index_of_apply(struct rebase_cmd *c, struct err *err)
{
	struct rebase_run run;
	bool differs;
	int rc;

	rebase_run_init(&run, c);
	rc = rebase_run_read_head(&run, err);
	if (!rc)
		rc = view_index(&run, &differs, err);
	rebase_run_release(&run);
	return rc;
}

static int go_on_applying(struct rebase_cmd *c, struct err *err)
{
	int rc = refuse_interrupted(c, err);

	if (!rc)
		rc = c->o.mode == REBASE_SKIP ? reset_files("HEAD", err) : check_index_of_apply(c, err);
	if (!rc)
		rc = commit_pool_new(&c->pool, c->r, err);
	return rc ? rc : rebase_apply_go_on(c, err);
}

/* ---- going back ---- */

/* The branch may have moved: by hand, or by a rebase that was interrupted at its end. */
static int queue_branch_back(struct rebase_cmd *c, struct ref_transaction *t, const char *msg, struct err *err)
{
	struct object_id now;

	if (!ref_resolve(c->r->refs, c->state.head_name, &now, NULL, NULL, NULL) && oid_eq(&now, &c->state.orig_head))
		return 0;
	return ref_transaction_update(t, c->state.head_name, &c->state.orig_head, NULL, REF_NO_DEREF, msg, err);
}

static int queue_return(struct rebase_cmd *c, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t;
	char *msg = xstrfmt("%s (abort): returning to %s", c->action,
			    rebase_state_has_branch(&c->state) ? c->state.head_name : oid_hex(&c->state.orig_head));
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc && rebase_state_has_branch(&c->state))
		rc = queue_branch_back(c, t, msg, err);
	if (!rc && rebase_state_has_branch(&c->state))
		rc = ref_transaction_update_symref(t, "HEAD", c->state.head_name, NULL,
						   REF_NO_DEREF | REF_LOG_AFTER_OTHERS, msg, err);
	else if (!rc)
		rc = ref_transaction_update(t, "HEAD", &c->state.orig_head, NULL, REF_NO_DEREF, msg, err);
	if (!rc)
		rc = ref_transaction_update(t, REFNAME_REBASE_HEAD, &c->r->algo->null_oid, NULL, REF_NO_DEREF, NULL, err);
	free(msg);
	return rc;
}

static int delete_labels(struct rebase_run *run, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(op);
	int rc = t ? 0 : repo_operation_begin_refs(op, 0, &t, err);

	for (size_t i = 0; !rc && i < run->labels.nr; i++)
		rc = ref_transaction_update(t, run->labels.items[i].name, &run->r->algo->null_oid, NULL, REF_NO_DEREF, NULL,
					    err);
	return rc;
}

/* HEAD, index and files as they were before. */
static int abort_rebase(struct rebase_cmd *c, struct err *err)
{
	struct rebase_run run;
	struct repo_operation *op;
	int rc = result_update_undo(c->r, err);

	rebase_run_init(&run, c);
	if (!rc)
		rc = rebase_run_read_refs(&run, err);
	/* Files first: as long as the state is there, --abort can be run again. */
	if (!rc)
		rc = reset_files(oid_hex(&c->state.orig_head), err);
	op = rebase_take_operation(c);
	if (!rc)
		rc = queue_return(c, op, err);
	if (!rc)
		rc = delete_labels(&run, op, err);
	if (!rc)
		rc = repo_operation_end_state(op, STATE_ENDS_BY_BOTH, err);
	if (!rc)
		rc = rebase_end_state(c, op, REBASE_STASH_APPLY, err);
	rc = repo_operation_end(op, rc, err);
	rebase_run_release(&run);
	return rc;
}

static int quit(struct rebase_cmd *c, struct err *err)
{
	struct rebase_run run;
	struct repo_operation *op = rebase_take_operation(c);
	int rc;

	rebase_run_init(&run, c);
	rc = rebase_run_read_refs(&run, err);
	if (!rc)
		rc = delete_labels(&run, op, err);
	if (!rc)
		rc = rebase_end_state(c, op, REBASE_STASH_STORE, err);
	rc = repo_operation_end(op, rc, err);
	rebase_run_release(&run);
	return rc;
}

/* ---- the list, the patch ---- */

/* `before`: the list that --continue and later edits are compared with; NULL: as it is. */
static int write_list(struct rebase_cmd *c, const struct strbuf *text, const struct strbuf *before, struct err *err)
{
	struct repo_operation *op = rebase_take_operation(c);
	int rc = repo_operation_write_state(op, STATE_REBASE_MERGE_TODO, text->buf, text->len, err);

	if (!rc && before)
		rc = repo_operation_write_state(op, STATE_REBASE_MERGE_TODO_BACKUP, before->buf, before->len, err);
	if (!rc && before)
		rc = repo_operation_write_state(op, STATE_REBASE_MERGE_DROPPED, "", 0, err);
	return repo_operation_end(op, rc, err);
}

static int parse_edited(struct rebase_cmd *c, const struct strbuf *old, struct strbuf *text, struct err *err)
{
	const struct strbuf *before = NULL;
	struct strvec errors = STRVEC_INIT;
	struct strbuf stripped = STRBUF_INIT;
	struct todo_list list;
	int rc = 0, end;

	todo_init(&list);
	strbuf_addbuf(&stripped, text);
	message_cleanup(&stripped, CLEANUP_STRIP, c->comment_char);
	if (rebase_parse_list(c, &stripped, &list, &errors)) {
		rebase_report_errors(&errors);
		rebase_print_how_to_fix();
		rc = 1;
	} else if (repo_state_exists(c->r, STATE_REBASE_MERGE_DROPPED)) {
		rc = check_dropped(c, &list, err);
	} else if (rebase_check_missing(c, &c->list, &list)) {
		before = old;
		rc = 1;
	}
	if (!rc) {
		strbuf_reset(text);
		rebase_format_list(c, &list, TODO_NAMES_FULL, text);
	}
	todo_release(&list);
	strvec_clear(&errors);
	strbuf_release(&stripped);
	if (rc < 0)
		return rc;
	end = write_list(c, text, before, err);
	return end ? end : rc;
}

static void put_list_back(struct rebase_cmd *c, const struct strbuf *text)
{
	char *path = repo_state_path(c->r, STATE_REBASE_MERGE_TODO);
	struct err err = ERR_INIT;

	if (edit_text_write(path, text, &err) < 0)
		report_error(&err);
	free(path);
}

/* The list without comments, and the explanation behind it. */
static int edit_todo(struct rebase_cmd *c, struct err *err)
{
	struct rebase_help help = { .comment_char = c->comment_char, .lines_must_stay = c->missing == REBASE_MISSING_ERROR };
	struct strbuf text = STRBUF_INIT, old = STRBUF_INIT;
	struct strvec errors = STRVEC_INIT;
	int rc = repo_state_read(c->r, STATE_REBASE_MERGE_TODO, &old, err);

	if (!rc && rebase_parse_list(c, &old, &c->list, &errors))
		rebase_report_errors(&errors);
	if (!rc && errors.nr) {
		strbuf_addbuf(&text, &old);
		message_cleanup(&text, CLEANUP_STRIP, c->comment_char);
	}
	if (!rc && !errors.nr)
		rebase_format_list(c, &c->list, TODO_NAMES_SHORT, &text);
	rebase_list_help(&text, &help);
	if (!rc)
		rc = rebase_edit_text(c, &text, err);
	if (!rc)
		rc = parse_edited(c, &old, &text, err);
	else if (rc == ERR_ABORTED)
		put_list_back(c, &old);
	strbuf_release(&text);
	strbuf_release(&old);
	strvec_clear(&errors);
	return rc;
}

static int show_patch(const struct rebase_cmd *c, struct err *err)
{
	const char *args[] = { "show", REFNAME_REBASE_HEAD, "--", NULL };
	const char *of_am[] = { "am", "--show-current-patch", NULL };

	return run_own(c->state.applies ? of_am : args, err);
}

/* P7: a kill while the first state files got their names. HEAD, index and files are still the old ones. */
static int forget_incomplete(struct rebase_cmd *c, struct err *err)
{
	struct repo_operation *op;
	int rc;

	err_release(err);
	rc = result_update_undo(c->r, err);
	op = rebase_take_operation(c);
	if (!rc)
		rc = rebase_end_state(c, op, REBASE_STASH_APPLY, err);
	return repo_operation_end(op, rc, err);
}

static bool gives_up(const struct rebase_cmd *c)
{
	return c->o.mode == REBASE_ABORT || c->o.mode == REBASE_QUIT;
}

int rebase_resume(struct rebase_cmd *c, struct err *err)
{
	int rc = require_progress(c, err);

	if (c->o.mode == REBASE_EDIT_TODO && c->state.applies) {
		err_release(err);
		return err_set(err, ERR_INVALID, "The --edit-todo action can only be used during interactive rebase.");
	}
	if (rc == ERR_NOT_FOUND && gives_up(c))
		return forget_incomplete(c, err);
	if (rc)
		return rc;
	switch (c->o.mode) {
	case REBASE_CONTINUE:
		return c->state.applies ? go_on_applying(c, err) : continue_rebase(c, err);
	case REBASE_SKIP:
		return c->state.applies ? go_on_applying(c, err) : skip(c, err);
	case REBASE_ABORT:
		return abort_rebase(c, err);
	case REBASE_QUIT:
		return quit(c, err);
	case REBASE_EDIT_TODO:
		return edit_todo(c, err);
	default:
		return show_patch(c, err);
	}
}
