/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): the stops. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/rename-limit.h"
#include "diff/diff.h"
#include "porcelain/merge-message.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"

void rebase_stop_release(struct rebase_stop *stop)
{
	strbuf_release(&stop->message);
	strbuf_release(&stop->merge_msg);
	strbuf_release(&stop->author_script);
	strbuf_release(&stop->patch);
}

/* ---- the patch ---- */

/* The change of the commit, as git diff-tree -p shows it. Merges have none. */
static int format_patch(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_attrs *attrs = NULL;
	struct diff_options o;
	int rc = 0;

	if (c->nr_parents != 1)
		return 0;
	diff_options_init(&o, run->r->odb);
	rc = commit_parse_node(run->c->pool, c->parents[0], err);
	if (!rc)
		rc = diff_options_config(&o, run->r->config, err);
	if (!rc)
		rc = diff_attrs_new(&attrs, run->r, NULL, err);
	if (!rc)
		diff_attrs_use(attrs, &o);
	o.formats = DIFF_FORMAT_PATCH;
	o.color = false;
	if (!rc)
		rc = diff_trees(&q, &o, &c->parents[0]->tree, &c->tree, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, out, err);
	diff_queue_clear(&q);
	diff_options_release(&o);
	diff_attrs_free(attrs);
	return rc;
}

int rebase_stop_at_commit(struct rebase_run *run, struct rebase_stop *stop, struct commit *c, struct err *err)
{
	struct strbuf author = STRBUF_INIT;
	struct pick p = rebase_run_pick_of(run, c);
	int rc = pick_author(&p, &author, err); /* --continue sets the date */

	stop->stopped = c->oid;
	if (!rc)
		author_script_format(&stop->author_script, author.buf, author.len);
	strbuf_release(&author);
	return rc ? rc : format_patch(run, c, &stop->patch, err);
}

/* ---- edit, break ---- */

static void explain_edit(struct rebase_run *run, const struct todo_item *item)
{
	struct strbuf id = STRBUF_INIT;
	const char *key = run->c->state.sign_key;

	odb_abbrev(run->r->odb, &item->oid, run->r->settings.abbrev, &id);
	if (!run->c->state.verbose)
		clear_terminal_line();
	fprintf(stderr, "Stopped at %s...  %s\n", id.buf, item->arg);
	fprintf(stderr, "You can amend the commit now, with\n\n  git commit --amend %s%s\n\n"
		"Once you are satisfied with your changes, run\n\n  git rebase --continue\n",
		key ? "-S" : "", key ? key : "");
	strbuf_release(&id);
}

void rebase_print_not_applied(struct rebase_run *run, const struct todo_item *item)
{
	struct strbuf id = STRBUF_INIT;

	odb_abbrev(run->r->odb, &item->oid, run->r->settings.abbrev, &id);
	fprintf(stderr, "Could not apply %s... %s\n", id.buf, item->arg);
	strbuf_release(&id);
}

int rebase_stop_edit(struct rebase_run *run, const struct todo_item *item, struct commit *c, bool failed, struct err *err)
{
	struct rebase_stop stop = { .amend = run->now.head, .has_message = true };
	int rc = rebase_run_message(run, c, &stop.message, err);

	if (!rc)
		rc = rebase_stop_at_commit(run, &stop, c, err);
	if (!rc)
		rc = rebase_publish(run, &stop, true, err);
	if (!rc && failed)
		rebase_print_not_applied(run, item);
	else if (!rc)
		explain_edit(run, item);
	rebase_stop_release(&stop);
	return rc ? rc : failed ? 1 : REBASE_STOPPED_WELL;
}

int rebase_stop_break(struct rebase_run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct commit *head = commit_lookup(run->c->pool, &run->now.head);
	struct pick p = { .r = run->r, .pool = run->c->pool, .commit = head };
	int rc = commit_parse_node(run->c->pool, head, err);

	rebase_run_advance_early(run);
	if (!rc)
		rc = pick_describe(&p, &text, err);
	if (!rc)
		rc = rebase_publish(run, NULL, true, err);
	if (!rc && !run->c->state.verbose)
		clear_terminal_line();
	if (!rc)
		fprintf(stderr, "Stopped at %s\n", text.buf);
	strbuf_release(&text);
	return rc ? rc : REBASE_STOPPED_WELL;
}

/* ---- conflicts ---- */

static void print_result(const struct merge_result *result)
{
	for (size_t i = 0; i < result->nr_messages; i++)
		printf("%s\n", result->messages[i].text);
	fflush(stdout);
	warn_of_merge_limit(result->needed_rename_limit);
}

static void explain_conflict(struct rebase_run *run, const char *id, const char *subject)
{
	error("could not %s %s... %s", run->reverts ? "revert" : "apply", id, subject);
	advise_if_enabled(run->r, "mergeConflict",
			  "Resolve all conflicts manually, mark them as resolved with\n"
			  "\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
			  "You can instead skip this commit: run \"git rebase --skip\".\n"
			  "To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".");
}

int rebase_stop_conflict(struct rebase_run *run, const struct todo_item *item, struct commit *c,
			 const struct merge_result *result, struct rebase_stop *stop, struct err *err)
{
	struct pick p = { .r = run->r, .pool = run->c->pool, .commit = c };
	const bool is_new_merge = item->command == TODO_MERGE && oid_is_null(&item->oid);
	struct strbuf subject = STRBUF_INIT, id = STRBUF_INIT;
	struct strvec told;
	int rc;

	strvec_init(&told);
	stop->rerere_messages = &told;
	stop->stages = &result->stages;
	stop->has_merge_msg = stop->has_auto_merge = true;
	if (!todo_is_fixup(item->command) && item->command != TODO_MERGE)
		merge_message_add_conflicts(&stop->message, &result->stages, false, run->c->comment_char);
	strbuf_addbuf(&stop->merge_msg, &stop->message);
	rc = rebase_stop_at_commit(run, stop, c, err);
	if (!rc)
		rc = pick_subject(&p, &subject, err);
	odb_abbrev(run->r->odb, &c->oid, run->r->settings.abbrev, &id);
	if (!rc)
		rc = rebase_publish(run, stop, true, err);
	if (!rc) {
		print_result(result);
		if (!is_new_merge)
			explain_conflict(run, id.buf, subject.buf);
		for (size_t i = 0; i < told.nr; i++)
			fprintf(stderr, "%s\n", told.v[i]);
		if (is_new_merge)
			fprintf(stderr, "Could not merge %s\n", item->arg);
		else
			fprintf(stderr, "Could not apply %s... %s\n", id.buf, item->arg);
	}
	strvec_clear(&told);
	strbuf_release(&subject);
	strbuf_release(&id);
	return rc ? rc : 1;
}

/* ---- a command that could not be carried out ---- */

int rebase_stop_rescheduled(struct rebase_run *run, const struct todo_item *item, struct err *err)
{
	rebase_run_note_done(run, item);
	return rebase_stop_put_back(run, item, err);
}

int rebase_stop_put_back(struct rebase_run *run, const struct todo_item *item, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = rebase_publish(run, NULL, true, err);

	fflush(stdout);
	todo_format_item(item, run->r, TODO_NAMES_FULL, false, &line);
	if (!rc)
		advise("Could not execute the todo command\n\n    %s\n"
		       "It has been rescheduled; To edit the command before continuing, please\n"
		       "edit the todo list first:\n\n    git rebase --edit-todo\n    git rebase --continue\n", line.buf);
	strbuf_release(&line);
	return rc ? rc : 1;
}
