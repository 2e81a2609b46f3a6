/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): HEAD, index, files and state files become what has been done in memory. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "worktree/rerere.h"

/* ---- state files ---- */

static int write_text(struct rebase_run *run, enum repo_state_file f, const struct strbuf *text, struct err *err)
{
	return repo_operation_write_state(run->op, f, text->buf, text->len, err);
}

/* Written if it has a text, else removed. */
static int write_or_remove(struct rebase_run *run, enum repo_state_file f, const struct strbuf *text, struct err *err)
{
	return text->len ? write_text(run, f, text, err) : repo_operation_remove_state(run->op, f, err);
}

static int write_number(struct rebase_run *run, enum repo_state_file f, size_t n, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%zu\n", n);
	rc = write_text(run, f, &text, err);
	strbuf_release(&text);
	return rc;
}

static int write_oid(struct rebase_run *run, enum repo_state_file f, const struct object_id *oid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (oid_is_null(oid))
		return repo_operation_remove_state(run->op, f, err);
	strbuf_addf(&text, "%s\n", oid_hex(oid));
	rc = write_text(run, f, &text, err);
	strbuf_release(&text);
	return rc;
}

static void add_list_from(struct rebase_run *run, size_t at, struct strbuf *out)
{
	for (size_t i = at; i < run->c->list.nr; i++) {
		const struct todo_item *item = &run->c->list.items[i];

		if (item->command == TODO_COMMENT)
			strbuf_add(out, run->c->list.text.buf + item->offset, item->len);
		else
			todo_format_item(item, run->r, TODO_NAMES_FULL, false, out);
	}
}

/* A list that the user has to mend stays as it is. */
static int write_todo(struct rebase_run *run, size_t at, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (run->c->list_is_broken)
		strbuf_addbuf(&text, &run->c->raw_list);
	else
		add_list_from(run, at, &text);
	rc = write_text(run, STATE_REBASE_MERGE_TODO, &text, err);
	strbuf_release(&text);
	return rc;
}

static int write_update_refs(struct rebase_run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < run->updates.nr; i++) {
		const struct rebase_ref *u = &run->updates.items[i];

		strbuf_addf(&text, "%s\n%s\n", u->name, oid_hex(&u->before));
		strbuf_addf(&text, "%s\n", oid_hex(&u->after));
	}
	rc = write_or_remove(run, STATE_REBASE_MERGE_UPDATE_REFS, &text, err);
	strbuf_release(&text);
	return rc;
}

static int write_labels_to_delete(struct rebase_run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < run->labels.nr; i++)
		strbuf_addf(&text, "%s\n", run->labels.items[i].name);
	if (text.len)
		rc = write_text(run, STATE_REBASE_MERGE_REFS_TO_DELETE, &text, err);
	strbuf_release(&text);
	return rc;
}

/* How far the list has come. */
static int write_progress(struct rebase_run *run, struct err *err)
{
	const struct rebase_progress *p = &run->now;
	int rc = write_todo(run, p->at, err);

	if (!rc)
		rc = write_or_remove(run, STATE_REBASE_MERGE_DONE, &p->done, err);
	if (!rc && p->done_nr)
		rc = write_number(run, STATE_REBASE_MERGE_MSGNUM, p->done_nr, err);
	if (!rc && p->done_nr)
		rc = write_number(run, STATE_REBASE_MERGE_END, run->total, err);
	if (!rc)
		rc = write_or_remove(run, STATE_REBASE_MERGE_REWRITTEN_LIST, &p->rewritten, err);
	if (!rc)
		rc = write_or_remove(run, STATE_REBASE_MERGE_REWRITTEN_PENDING, &p->pending, err);
	if (!rc)
		rc = write_or_remove(run, STATE_REBASE_MERGE_CURRENT_FIXUPS, &p->fixups, err);
	if (!rc)
		rc = write_or_remove(run, STATE_REBASE_MERGE_MESSAGE_SQUASH, &p->squash_text, err);
	if (!rc)
		rc = p->has_fixup_text ? write_text(run, STATE_REBASE_MERGE_MESSAGE_FIXUP, &p->fixup_text, err) :
					 repo_operation_remove_state(run->op, STATE_REBASE_MERGE_MESSAGE_FIXUP, err);
	if (!rc)
		rc = write_update_refs(run, err);
	if (!rc && run->c->has_missing)
		rc = repo_operation_write_state(run->op, STATE_REBASE_MERGE_DROPPED, "", 0, err);
	return rc ? rc : write_labels_to_delete(run, err);
}

static int write_stop_texts(struct rebase_run *run, const struct rebase_stop *s, struct err *err)
{
	int rc = write_or_remove(run, STATE_REBASE_MERGE_AUTHOR_SCRIPT, &s->author_script, err);

	if (!rc)
		rc = s->has_message ? write_text(run, STATE_REBASE_MERGE_MESSAGE, &s->message, err) :
				      repo_operation_remove_state(run->op, STATE_REBASE_MERGE_MESSAGE, err);
	if (!rc && s->has_merge_msg)
		rc = write_text(run, STATE_MERGE_MSG, &s->merge_msg, err);
	if (!rc && s->keep_squash_msg)
		rc = write_text(run, STATE_SQUASH_MSG, &s->merge_msg, err);
	if (!rc && !oid_is_null(&s->stopped))
		rc = write_text(run, STATE_REBASE_MERGE_PATCH, &s->patch, err);
	if (!rc && !oid_is_null(&s->merge_head))
		rc = write_oid(run, STATE_MERGE_HEAD, &s->merge_head, err);
	if (!rc && !oid_is_null(&s->merge_head))
		rc = repo_operation_write_state(run->op, STATE_MERGE_MODE, "no-ff", 5, err);
	if (!rc)
		rc = write_oid(run, STATE_CHERRY_PICK_HEAD, &s->pick_head, err);
	if (!rc)
		rc = write_oid(run, STATE_REVERT_HEAD, &s->revert_head, err);
	if (!rc && s->has_auto_merge)
		rc = write_oid(run, STATE_AUTO_MERGE, &s->tree, err);
	return rc;
}

static int write_stop(struct rebase_run *run, const struct rebase_stop *s, struct err *err)
{
	int rc;

	if (!s) {
		rc = repo_operation_remove_state(run->op, STATE_REBASE_MERGE_STOPPED_SHA, err);
		if (!rc)
			rc = repo_operation_remove_state(run->op, STATE_REBASE_MERGE_AMEND, err);
		if (!rc)
			rc = repo_operation_remove_state(run->op, STATE_REBASE_MERGE_MESSAGE, err);
		if (!rc)
			rc = repo_operation_remove_state(run->op, STATE_REBASE_MERGE_PATCH, err);
		return rc ? rc : repo_operation_end_state(run->op, STATE_ENDS_BY_COMMIT, err);
	}
	rc = write_oid(run, STATE_REBASE_MERGE_STOPPED_SHA, &s->stopped, err);
	if (!rc)
		rc = write_oid(run, STATE_REBASE_MERGE_AMEND, &s->amend, err);
	return rc ? rc : write_stop_texts(run, s, err);
}

/*
 * P7: what --abort needs has its name before a file changes or HEAD moves. Until HEAD is detached, the rebase has not begun,
 * and the list is the whole one.
 */
static int publish_beginning(struct rebase_run *run, struct err *err)
{
	int rc = repo_operation_remove_state(run->op, STATE_CHERRY_PICK_HEAD, err);

	if (!rc)
		rc = rebase_state_write(&run->c->state, run->op, err);
	if (!rc)
		rc = write_text(run, STATE_REBASE_MERGE_TODO_BACKUP, &run->c->backup, err);
	if (!rc)
		rc = write_todo(run, 0, err);
	return rc ? rc : repo_operation_publish(run->op, err);
}

/* ---- refs ---- */

/* HEAD's log gets all steps but the last one, which is the update. */
static void add_log_steps(const struct rebase_run *run, struct ref_transaction *t, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		ref_transaction_add_log_step(t, &run->steps[i].oid, run->steps[i].msg);
}

static int queue_detached_head(struct rebase_run *run, struct ref_transaction *t, struct err *err)
{
	int rc;

	if (!run->nr_steps)
		return 0;
	rc = ref_transaction_update(t, "HEAD", &run->now.head, &run->base_head, REF_NO_DEREF,
				    run->steps[run->nr_steps - 1].msg, err);
	if (!rc)
		add_log_steps(run, t, run->nr_steps - 1);
	return rc;
}

static int queue_labels(struct rebase_run *run, struct ref_transaction *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < run->labels.nr; i++) {
		struct rebase_ref *l = &run->labels.items[i];
		char *msg = xstrfmt("rebase (label) '%s'", l->name + strlen("refs/rewritten/"));

		if (!l->queued)
			rc = ref_transaction_update(t, l->name, &l->after, NULL, 0, msg, err);
		l->queued = true;
		free(msg);
	}
	return rc;
}

static int begin_refs(struct rebase_run *run, struct ref_transaction **t, struct err *err)
{
	int rc = repo_operation_begin_refs(run->op, 0, t, err);

	if (!rc && !run->begun)
		rc = ref_transaction_update(*t, REFNAME_ORIG_HEAD, &run->c->state.orig_head, NULL, 0, NULL, err);
	return rc;
}

/* The commit at which the rebase stopped; a command that has run since then ends that. */
static int queue_rebase_head(struct rebase_run *run, const struct rebase_stop *stop, struct ref_transaction *t,
			     struct err *err)
{
	struct object_id oid;

	if (stop && !oid_is_null(&stop->stopped))
		return ref_transaction_update(t, REFNAME_REBASE_HEAD, &stop->stopped, NULL, REF_NO_DEREF, "rebase", err);
	if (!run->has_run_command || ref_resolve(run->r->refs, REFNAME_REBASE_HEAD, &oid, NULL, NULL, NULL))
		return 0;
	return ref_transaction_update(t, REFNAME_REBASE_HEAD, &run->r->algo->null_oid, NULL, REF_NO_DEREF, NULL, err);
}

static int queue_refs(struct rebase_run *run, const struct rebase_stop *stop, struct err *err)
{
	struct ref_transaction *t;
	int rc = begin_refs(run, &t, err);

	if (!rc)
		rc = queue_detached_head(run, t, err);
	if (!rc)
		rc = queue_labels(run, t, err);
	return rc ? rc : queue_rebase_head(run, stop, t, err);
}

/* ---- all ---- */

static int update_files(struct rebase_run *run, struct result_update *u, const struct object_id *to,
			const struct index_state *stages, bool begins, struct err *err)
{
	int rc;

	u->of_checkout = !run->begun; /* HEAD leaves its branch */
	u->from = &run->base_tree;
	u->to = to;
	u->stages = stages;
	rc = result_update_begin(u, run->op, err);
	if (!rc)
		rc = result_update_plan(u, err);
	if (!rc && begins)
		rc = publish_beginning(run, err);
	if (!rc)
		rc = result_update_run(u, err);
	return rc;
}

static void note_published(struct rebase_run *run)
{
	run->base_head = run->now.head;
	run->base_tree = run->now.tree;
	run->begun = true;
	for (size_t i = 0; i < run->nr_steps; i++)
		free(run->steps[i].msg);
	run->nr_steps = 0;
	for (size_t i = 0; i < run->updates.nr; i++)
		run->updates.items[i].queued = !oid_is_null(&run->updates.items[i].after);
	progress_copy(&run->published, &run->now);
}

static int use_recorded_resolutions(struct rebase_run *run, struct result_update *u, struct strvec *messages,
				    struct err *err)
{
	struct rerere rr = { .op = run->op, .ix = &u->ix, .autoupdate = run->c->state.rerere_autoupdate,
			     .lenient = true };

	return rerere_update(&rr, messages, err);
}

int rebase_publish(struct rebase_run *run, const struct rebase_stop *stop, bool sealed, struct err *err)
{
	const struct object_id to = stop && !oid_is_null(&stop->tree) ? stop->tree : run->now.tree;
	struct result_update u = { 0 };
	int rc = rebase_run_begin_op(run, err);

	if (!rc)
		rc = update_files(run, &u, &to, stop ? stop->stages : NULL, !run->begun, err);
	if (!rc && stop && stop->stages)
		rc = use_recorded_resolutions(run, &u, stop->rerere_messages, err);
	if (!rc)
		rc = queue_refs(run, stop, err);
	if (!rc)
		rc = write_progress(run, err);
	if (!rc)
		rc = write_stop(run, stop, err);
	rc = sealed ? rebase_end_operation(run->c, run->op, rc, err) : rebase_leave_operation(run->c, run->op, rc, err);
	run->op = NULL;
	result_update_release(&u);
	if (!rc) {
		note_published(run);
		rebase_run_after_commit(run);
	}
	return rc;
}

/* ---- the end ---- */

static int queue_branch(struct rebase_run *run, struct ref_transaction *t, struct err *err)
{
	const struct rebase_state *s = &run->c->state;
	const char *action = run->c->action;
	char *branch_msg, *head_msg;
	int rc;

	if (!rebase_state_has_branch(s))
		return queue_detached_head(run, t, err);
	branch_msg = xstrfmt("%s (finish): %s onto %s", action, s->head_name, oid_hex(&s->onto));
	head_msg = xstrfmt("%s (finish): returning to %s", action, s->head_name);
	rc = ref_transaction_update(t, s->head_name, &run->now.head, &s->orig_head, REF_NO_DEREF, branch_msg, err);
	if (!rc)
		rc = ref_transaction_update_symref(t, "HEAD", s->head_name, NULL, REF_NO_DEREF | REF_LOG_AFTER_OTHERS,
						   head_msg, err);
	if (!rc)
		add_log_steps(run, t, run->nr_steps);
	free(branch_msg);
	free(head_msg);
	return rc;
}

static int queue_updates(struct rebase_run *run, struct ref_transaction *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < run->updates.nr; i++) {
		const struct rebase_ref *u = &run->updates.items[i];

		if (!oid_is_null(&u->after) && !oid_eq(&u->after, &u->before))
			rc = ref_transaction_update(t, u->name, &u->after, &u->before, 0, "rewritten during rebase", err);
	}
	for (size_t i = 0; !rc && i < run->labels.nr; i++)
		if (run->labels.items[i].queued)
			rc = ref_transaction_update(t, run->labels.items[i].name, &run->r->algo->null_oid, NULL,
						    REF_NO_DEREF, NULL, err);
	return rc;
}

/* "OLD NEW" lines. */
static struct notes_pair *rewritten_pairs(const struct rebase_run *run, size_t *nr)
{
	struct notes_pair *pairs = NULL, pair;
	size_t alloc = 0;
	const char *rest;

	for (const char *p = run->now.rewritten.buf; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (oid_parse_hex(&pair.from, p, run->r->algo, &rest) < 0 || *rest != ' ' ||
		    oid_parse_hex(&pair.to, rest + 1, run->r->algo, NULL) < 0)
			continue;
		ALLOC_GROW(pairs, *nr + 1, alloc);
		pairs[(*nr)++] = pair;
	}
	return pairs;
}

/* Notes follow their commits. */
static int copy_notes(struct rebase_run *run, struct ref_transaction *t, struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	struct notes_copy copy = { .by = "git rebase" };
	struct notes_pair *pairs;
	int rc;

	if (!run->notes)
		return 0;
	copy.pairs = pairs = rewritten_pairs(run, &copy.nr);
	rc = repo_ident(run->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);
	if (!rc)
		rc = repo_ident(run->r, &committer, IDENT_COMMITTER | IDENT_STRICT, err);
	copy.author = author.buf;
	copy.committer = committer.buf;
	if (!rc)
		rc = notes_rewrite_copy(run->notes, &copy, run->op, t, err);
	strbuf_release(&author);
	strbuf_release(&committer);
	free(pairs);
	return rc;
}

static int remove_state_files(struct rebase_run *run, struct err *err)
{
	int rc = repo_operation_end_state(run->op, STATE_ENDS_BY_COMMIT, err);

	return rc ? rc : rebase_end_state(run->c, run->op, REBASE_STASH_APPLY, err);
}

int rebase_run_stage_files(struct rebase_run *run, struct err *err)
{
	int rc = rebase_run_begin_op(run, err);

	/* A rebase that never stopped needs no state of its own: WORKTREE_UPDATE brings files back. */
	return rc ? rc : update_files(run, &run->last, &run->now.tree, NULL, false, err);
}

int rebase_publish_staged(struct rebase_run *run, int rc, struct err *err)
{
	struct ref_transaction *t = NULL;

	if (!rc)
		rc = begin_refs(run, &t, err);
	if (!rc)
		rc = queue_branch(run, t, err);
	if (!rc)
		rc = queue_updates(run, t, err);
	if (!rc)
		rc = queue_rebase_head(run, NULL, t, err);
	if (!rc)
		rc = copy_notes(run, t, err);
	if (!rc)
		rc = remove_state_files(run, err);
	rc = rebase_end_operation(run->c, run->op, rc, err);
	run->op = NULL;
	result_update_release(&run->last);
	run->last = (struct result_update){ 0 };
	if (!rc)
		rebase_run_after_commit(run);
	return rc;
}

int rebase_publish_end(struct rebase_run *run, struct err *err)
{
	return rebase_publish_staged(run, rebase_run_stage_files(run, err), err);
}

void rebase_take_back(struct rebase_run *run)
{
	progress_copy(&run->now, &run->published);
	run->has_new_commit = false;
	strbuf_reset(&run->amended);
	for (size_t i = 0; i < run->nr_steps; i++)
		free(run->steps[i].msg);
	run->nr_steps = 0;
	for (size_t i = run->labels.nr; i > 0 && !run->labels.items[i - 1].queued; i--)
		free(run->labels.items[--run->labels.nr].name);
	for (size_t i = 0; i < run->updates.nr; i++)
		if (!run->updates.items[i].queued)
			run->updates.items[i].after = run->r->algo->null_oid;
}
