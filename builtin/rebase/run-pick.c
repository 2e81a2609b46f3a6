/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): a commit is picked, in memory, and what its command wants is done with it. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/git-options.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/run-command.h"

/* ---- where it goes ---- */

static int note_step(struct rebase_run *run, const struct todo_item *item, const struct strbuf *message)
{
	char *subject = xstrndup(message->buf, strcspn(message->buf, "\n"));

	rebase_run_add_step(run, &run->now.head, todo_command_name(item->command), subject);
	free(subject);
	return 0;
}

/* A new commit behind HEAD. */
static int add_commit(struct rebase_run *run, const struct todo_item *item, struct commit *c, const struct object_id *tree,
		      struct err *err)
{
	const bool is_root = oid_eq(&run->now.head, &run->c->state.squash_onto);
	struct strbuf author = STRBUF_INIT, message = STRBUF_INIT;
	const struct object_id parent = run->now.head;
	struct rebase_new n = { .tree = tree, .parents = &parent, .nr_parents = !is_root, .message = &message,
				.picked = c };
	int rc = run->reverts ? repo_ident(run->r, &author, IDENT_AUTHOR | IDENT_STRICT, err) :
				rebase_run_author(run, c, &author, err);

	if (!rc)
		rc = rebase_run_message(run, c, &message, err);
	n.author = author.buf;
	if (!rc)
		rc = rebase_run_commit(run, &n, err);
	if (!rc)
		rc = note_step(run, item, &message);
	strbuf_release(&author);
	strbuf_release(&message);
	return rc;
}

/* The commit before takes the change: its author and its parents stay. */
static int amend_commit(struct rebase_run *run, const struct todo_item *item, const struct object_id *tree,
			const struct strbuf *text, struct err *err)
{
	struct commit *head = commit_lookup(run->c->pool, &run->now.head);
	const struct object_id before = run->now.head;
	struct oid_array parents = OID_ARRAY_INIT;
	struct strbuf author = STRBUF_INIT, message = STRBUF_INIT;
	struct rebase_new n = { .tree = tree, .message = &message, .amends = true };
	int rc = commit_parse_node(run->c->pool, head, err);

	for (uint32_t i = 0; !rc && i < head->nr_parents; i++)
		oid_array_append(&parents, &head->parents[i]->oid);
	if (!rc)
		rc = rebase_run_author(run, head, &author, err);
	n.parents = parents.oid;
	n.nr_parents = parents.nr;
	n.author = author.buf;
	strbuf_addbuf(&message, text);
	if (!rc)
		rc = rebase_run_commit(run, &n, err);
	if (!rc && !oid_eq(&before, &run->now.head))
		rc = note_step(run, item, &message);
	oid_array_clear(&parents);
	strbuf_release(&author);
	strbuf_release(&message);
	return rc;
}

/* ---- empty commits ---- */

static int report_dropped(struct rebase_run *run, struct commit *c, struct err *err)
{
	struct pick p = rebase_run_pick_of(run, c);
	struct strbuf subject = STRBUF_INIT;
	int rc = pick_subject(&p, &subject, err);

	if (run->now.at >= run->dropped_to)
		fprintf(stderr, "dropping %s %s -- patch contents already upstream\n", oid_hex(&c->oid), subject.buf);
	strbuf_release(&subject);
	return rc;
}

/* ---- fixups ---- */

/*
 * git commit --amend, with all messages: the user edits those of the last one of a chain. It refuses a commit that becomes
 * empty.
 */
static int amend_by_child(struct rebase_run *run, const struct todo_item *item, struct commit *c,
			  const struct pick_result *result, bool edits, bool allow_empty, struct err *err)
{
	struct rebase_child_commit cc = { .command = todo_command_name(item->command), .amend = true, .edit = edits,
					  .allow_empty = allow_empty, .cleanup = "strip" };
	struct rebase_stop stop = { .tree = result->merge.tree, .has_merge_msg = true };
	char *path = repo_state_path(run->r, STATE_REBASE_MERGE_MESSAGE_SQUASH);
	int rc;

	strbuf_addbuf(&stop.merge_msg, &run->now.squash_text);
	rc = rebase_publish(run, &stop, false, err);
	cc.file = path;
	if (!rc)
		rc = rebase_child_commit(run, &cc, err);
	if (rc > 0) { /* --continue asks again */
		int end;

		stop.amend = run->now.head;
		stop.has_message = true;
		strbuf_addbuf(&stop.message, &run->now.squash_text);
		end = rebase_stop_at_commit(run, &stop, c, err);
		if (!end)
			end = rebase_publish(run, &stop, true, err);
		rc = end ? end : 1;
		rebase_print_not_applied(run, item);
	}
	free(path);
	rebase_stop_release(&stop);
	return rc;
}

/* A fixup leaves nothing of the commit, and nothing allows that. */
static int becomes_empty(struct rebase_run *run, const struct pick_result *result, bool *out, struct err *err)
{
	struct commit *head = commit_lookup(run->c->pool, &run->now.head);
	const bool allowed = result->becomes_empty && (result->was_empty || run->c->state.empty == REBASE_EMPTY_KEEP);
	int rc = commit_parse_node(run->c->pool, head, err);

	if (!rc && head->nr_parents == 1)
		rc = commit_parse_node(run->c->pool, head->parents[0], err);
	*out = !rc && head->nr_parents == 1 && !allowed && oid_eq(&head->parents[0]->tree, &result->merge.tree);
	return rc;
}

static bool is_dropped(const struct rebase_run *run, const struct pick_result *result)
{
	return result->becomes_empty && !result->was_empty && run->c->state.empty == REBASE_EMPTY_DROP;
}

static int squash_commit(struct rebase_run *run, struct todo_item *item, struct commit *c,
			 const struct pick_result *result, struct err *err)
{
	const bool is_last = rebase_run_is_last_fixup(run), edits = is_last && rebase_fixup_needs_editor(run);
	bool is_empty = false;
	int rc = becomes_empty(run, result, &is_empty, err);

	if (rc)
		return rc;
	if (is_dropped(run, result)) {
		if (is_last)
			rebase_fixup_end(run);
		return report_dropped(run, c, err);
	}
	if (is_empty) {
		rebase_run_advance_early(run);
		return amend_by_child(run, item, c, result, edits, false, err);
	}
	if (!is_last)
		return amend_commit(run, item, &result->merge.tree, &run->now.squash_text, err);
	if (!edits) {
		rc = amend_commit(run, item, &result->merge.tree, &run->now.fixup_text, err);
		if (!rc)
			rebase_fixup_end(run);
		return rc;
	}
	rebase_run_advance_early(run);
	rc = amend_by_child(run, item, c, result, true, true, err);
	if (!rc)
		rebase_fixup_end(run);
	return rc;
}

/* ---- the commands ---- */

static bool can_fast_forward(const struct rebase_run *run, const struct todo_item *item, const struct commit *c)
{
	if (!run->fast_forwards || run->reverts || todo_is_fixup(item->command))
		return false;
	if (c->nr_parents == 1)
		return oid_eq(&c->parents[0]->oid, &run->now.head);
	return !c->nr_parents && oid_eq(&run->now.head, &run->c->state.squash_onto);
}

/* The user edits the message: git commit --amend. */
static int reword(struct rebase_run *run, const struct todo_item *item, struct commit *c, struct err *err)
{
	struct rebase_child_commit cc = { .command = "reword", .amend = true, .edit = true, .verify = true,
					  .allow_empty = true };
	int rc = rebase_publish(run, NULL, false, err);

	if (!rc)
		rc = rebase_child_commit(run, &cc, err);
	if (rc <= 0)
		return rc;
	return rebase_stop_edit(run, item, c, true, err);
}

static int after_pick(struct rebase_run *run, const struct todo_item *item, struct commit *c, struct err *err)
{
	int rc = 0;

	if (item->command == TODO_EDIT) {
		rebase_run_advance_early(run);
		return rebase_stop_edit(run, item, c, false, err);
	}
	if (item->command == TODO_REWORD) {
		rebase_run_advance_early(run);
		rc = reword(run, item, c, err);
	}
	if (!rc)
		rebase_run_note_rewritten(run, &c->oid);
	return rc;
}

static int stop_at_conflict(struct rebase_run *run, struct todo_item *item, struct commit *c,
			    const struct pick_result *result, struct err *err)
{
	struct rebase_stop stop = { .tree = result->merge.tree, .has_message = true };
	int rc = 0;

	if (todo_is_fixup(item->command)) {
		strbuf_addbuf(&stop.message, &run->now.squash_text);
		stop.amend = run->now.head;
		stop.keep_squash_msg = rebase_fixup_needs_editor(run);
	} else {
		rc = rebase_run_message(run, c, &stop.message, err);
	}
	if (run->reverts)
		stop.revert_head = c->oid;
	rebase_run_advance_early(run);
	if (!rc)
		rc = rebase_stop_conflict(run, item, c, &result->merge, &stop, err);
	rebase_stop_release(&stop);
	return rc;
}

static int stop_at_empty(struct rebase_run *run, struct todo_item *item, struct commit *c, struct err *err);

static int pick_commit(struct rebase_run *run, struct todo_item *item, struct commit *c, struct err *err)
{
	struct pick p = rebase_run_pick_of(run, c);
	struct pick_result result = { 0 };
	int rc = pick_choose_parent(&p, 0, err);

	if (!rc && todo_is_fixup(item->command))
		rc = rebase_fixup_add(run, item, c, err);
	if (!rc)
		rc = content_merge_follow(&run->attributes, &run->now.tree, err);
	if (!rc)
		rc = pick_run(&p, &result, err);
	if (rc)
		return rc;
	if (!result.merge.clean)
		rc = stop_at_conflict(run, item, c, &result, err);
	else if (todo_is_fixup(item->command))
		rc = squash_commit(run, item, c, &result, err);
	else if (is_dropped(run, &result))
		rc = report_dropped(run, c, err);
	else if (result.becomes_empty && !result.was_empty && run->c->state.empty == REBASE_EMPTY_STOP)
		rc = stop_at_empty(run, item, c, err);
	else
		rc = add_commit(run, item, c, &result.merge.tree, err);
	pick_result_release(&result);
	return rc;
}

static int show_status(struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc;

	push_own_command(&cp.args, "status");
	fflush(stdout);
	rc = run_command(&cp, err);
	return rc < 0 ? rc : 0;
}

/* "The previous cherry-pick is now empty": git commit says so, and fails. */
static int stop_at_empty(struct rebase_run *run, struct todo_item *item, struct commit *c, struct err *err)
{
	struct rebase_stop stop = { .tree = run->now.tree, .has_message = true, .has_merge_msg = true,
				    .pick_head = run->reverts ? run->r->algo->null_oid : c->oid };
	struct strbuf id = STRBUF_INIT;
	int rc = rebase_run_message(run, c, &stop.message, err);

	strbuf_addbuf(&stop.merge_msg, &stop.message);
	rebase_run_advance_early(run);
	if (!rc)
		rc = rebase_stop_at_commit(run, &stop, c, err);
	if (!rc)
		rc = rebase_publish(run, &stop, true, err);
	odb_abbrev(run->r->odb, &c->oid, run->r->settings.abbrev, &id);
	if (!rc && !run->reverts)
		fputs("The previous cherry-pick is now empty, possibly due to conflict resolution.\n"
		      "If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n"
		      "Otherwise, please use 'git rebase --skip'\n", stderr);
	if (!rc)
		rc = show_status(err);
	if (!rc) {
		fprintf(stderr, "Could not apply %s... %s\n", id.buf, item->arg);
		rc = 1;
	}
	strbuf_release(&id);
	rebase_stop_release(&stop);
	return rc;
}

int rebase_run_pick(struct rebase_run *run, struct todo_item *item, struct err *err)
{
	struct commit *c = commit_lookup(run->c->pool, &item->oid);
	int rc = commit_parse_node(run->c->pool, c, err);

	if (rc)
		return rc;
	if (todo_is_fixup(item->command) && oid_eq(&run->now.head, &run->c->state.squash_onto))
		return err_set(err, ERR_INVALID, "cannot fixup root commit");
	if (can_fast_forward(run, item, c))
		rebase_run_fast_forward(run, c);
	else
		rc = pick_commit(run, item, c, err);
	return rc ? rc : after_pick(run, item, c, err);
}
