/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry-pick(1) and git-revert(1): one commit after the other. */
#include "compat/posix.h"
#include "builtin/pick/pick-cmd.h"
#include "cli/git-options.h"
#include "cli/rename-limit.h"
#include "cli/utf8-warning.h"
#include "index/cache-tree.h"
#include "merge/options.h"
#include "object/ident.h"
#include "porcelain/commit-summary.h"
#include "porcelain/head.h"
#include "porcelain/merge-message.h"
#include "repo/hook.h"
#include "repo/ident.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "worktree/rerere.h"

/* One step: the pick, its result, and the text of the commit. */
struct step {
	struct pick pick;
	struct pick_result result;
	bool has_result;
	struct strbuf message, subject;
};

/* ---- HEAD ---- */

int pick_read_head(struct pick_cmd *c, struct err *err)
{
	bool unborn = false;
	int rc;

	free(c->branch);
	c->branch = NULL;
	rc = head_read(c->r, &c->head, &c->branch, &unborn, err);
	c->tree = c->r->algo->empty_tree;
	if (!rc && !unborn)
		rc = object_peel(odb_source(c->r->odb), &c->head, OBJ_TREE, &c->tree, NULL, err);
	c->start = c->next_head = c->head;
	c->next_tree = c->tree;
	return rc;
}

/* ---- the operation ---- */

static void drop_steps(struct pick_cmd *c)
{
	for (size_t i = 0; i < c->nr_steps; i++)
		free(c->steps[i].reflog);
	c->nr_steps = 0;
}

static void end_update(struct pick_cmd *c)
{
	if (c->update_begun)
		result_update_release(&c->update);
	c->update = (struct result_update){ 0 };
	c->update_begun = false;
}

/* They are those of an index. */
static void forget_attributes(struct pick_cmd *c)
{
	attrs_free(c->attributes.attrs);
	c->attributes.attrs = NULL;
	content_merge_release(&c->attributes);
}

void pick_release_steps(struct pick_cmd *c)
{
	if (c->op) {
		repo_operation_abort(c->op);
		repo_operation_free(c->op);
		c->op = NULL;
	}
	forget_attributes(c);
	end_update(c);
	drop_steps(c);
	free(c->steps);
	free(c->marks);
	strbuf_release(&c->committer);
	strbuf_release(&c->last_message);
}

static int note_staged(void *data, const char *path UNUSED, unsigned mode UNUSED, const struct object_id *oid UNUSED,
		       const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	*(bool *)data = true;
	return 0;
}

/* -n writes the index as a tree first, and that fails. */
static void report_unmerged(const struct pick_cmd *c)
{
	const struct index_state *ix = &c->update.ix;

	for (size_t i = 0; i < ix->nr; i++)
		if (ix->entries[i]->stage)
			fprintf(stderr, "%s: unmerged (%s)\n", ix->entries[i]->name, oid_hex(&ix->entries[i]->oid));
	error("your index file is unmerged.");
}

/* The index must be that of HEAD; with -n it may begin as any without conflicts, and picks go on top of it. */
static int check_index(struct pick_cmd *c, struct err *err)
{
	bool dirty = false;
	int rc;

	if (index_has_unmerged(&c->update.ix)) {
		if (c->o.no_commit && !c->resumed)
			report_unmerged(c);
		else if (fail_unmerged(c->r, c->revert ? "Reverting" : "Cherry-picking", err))
			err_release(err);
		return ERR_CONFLICT;
	}
	if (c->o.no_commit && !c->resumed) {
		rc = cache_tree_update(&c->update.ix, c->r, 0, &c->tree, err);
		c->next_tree = c->tree;
		return rc;
	}
	rc = index_diff_tree(&c->update.ix, odb_source(c->r->odb), &c->tree, note_staged, &dirty, err);
	if (!rc && dirty) {
		error("your local changes would be overwritten by %s.", c->name);
		if (advice_enabled(c->r, "commitBeforeMerge"))
			advise("commit your changes or stash them to proceed.");
		return ERR_CONFLICT;
	}
	return rc;
}

static int use_strategy(struct pick_cmd *c, struct err *err)
{
	int rc = merge_options_strategy_of_pick(&c->settings, c->o.strategy, err);

	c->keeps_ours = rc > 0;
	return rc < 0 ? rc : 0;
}

static int prepare_merge(struct pick_cmd *c, struct err *err)
{
	int rc = merge_options_config(&c->settings, c->r->config, err);

	if (!rc)
		rc = use_strategy(c, err);
	merge_options_of_pick(&c->settings, &c->o.strategy_options);
	c->settings.odb = c->r->odb;
	c->settings.abbrev = c->r->settings.abbrev;
	c->attributes.r = c->r;
	c->attributes.ix = &c->update.ix;
	content_merge_use(&c->attributes, &c->settings.rules);
	return rc;
}

/* Begin an operation, or go on with the one that has published something. */
static int begin(struct pick_cmd *c, struct err *err)
{
	int rc;

	if (!c->op)
		c->op = repo_operation_begin(c->r);
	rc = result_update_begin(&c->update, c->op, err);
	c->update_begun = true;
	if (!rc)
		rc = repo_operation_open_objects(c->op, err);
	if (!rc)
		rc = check_index(c, err);
	forget_attributes(c);
	c->attributes.tree = c->tree;
	return rc ? rc : attrs_new(&c->attributes.attrs, c->r, &c->update.ix, ATTR_CHECKIN, err);
}

/* ---- one commit in memory ---- */

static void step_release(struct step *s)
{
	if (s->has_result)
		pick_result_release(&s->result);
	strbuf_release(&s->message);
	strbuf_release(&s->subject);
}

static int compose_message(struct pick_cmd *c, struct step *s, struct err *err)
{
	struct strbuf signoff = STRBUF_INIT;
	struct pick_message_options o = {
		.record_origin = c->o.record_origin, .reference = c->o.reference, .mainline = c->o.mainline,
		.comment_char = c->comment_char,
	};
	int rc;

	if (c->o.signoff && ident_add_signoff(&signoff, c->committer.buf))
		o.signoff = signoff.buf;
	rc = pick_message(&s->pick, &o, &s->message, err);
	if (!rc)
		rc = pick_subject(&s->pick, &s->subject, err);
	strbuf_release(&signoff);
	return rc;
}

static int prepare_step(struct pick_cmd *c, const struct todo_item *item, struct step *s, struct err *err)
{
	int rc;

	s->pick = (struct pick){ .r = c->r, .pool = c->pool, .commit = commit_lookup(c->pool, &item->oid),
				 .revert = c->revert, .onto = &c->next_tree, .settings = &c->settings,
				 .keeps_onto = c->keeps_ours };
	rc = commit_parse_node(c->pool, s->pick.commit, err);
	if (!rc)
		rc = pick_choose_parent(&s->pick, c->o.mainline, err);
	return rc ? rc : compose_message(c, s, err);
}

static int author_of(struct pick_cmd *c, struct step *s, struct strbuf *out, struct err *err)
{
	return c->revert ? repo_ident(c->r, out, IDENT_AUTHOR | IDENT_STRICT, err) : pick_author(&s->pick, out, err);
}

static int write_commit(struct pick_cmd *c, struct step *s, struct object_id *out, struct err *err)
{
	bool unborn = oid_is_null(&c->next_head);
	struct strbuf author = STRBUF_INIT;
	struct new_commit n = { .sign_key = c->o.sign_key, .warn_not_utf8 = warn_commit_not_utf8 };
	int rc = author_of(c, s, &author, err);

	n.draft = (struct commit_draft){
		.tree = s->result.merge.tree, .parents = &c->next_head, .nr_parents = !unborn, .author = author.buf,
		.committer = c->committer.buf, .message = s->message.buf, .message_len = s->message.len,
		.encoding = commit_encoding(c->r),
	};
	if (!rc)
		rc = commit_create(c->op, &n, out, err);
	if (!rc) {
		const struct commit_summary sum = {
			.branch = c->branch, .hides_root = true, .commit = out, .parents = &c->next_head, .nr_parents = !unborn,
			.author = author.buf, .committer = c->committer.buf, .author_date = true,
			.message = s->message.buf, .message_len = s->message.len,
		};

		rc = commit_summary(c->r, &sum, &c->out, err);
	}
	strbuf_release(&author);
	return rc;
}

static void add_step(struct pick_cmd *c, const struct object_id *commit, const struct object_id *tree, char *reflog)
{
	ALLOC_GROW(c->steps, c->nr_steps + 1, c->alloc_steps);
	ALLOC_GROW(c->marks, c->nr_steps + 1, c->alloc_marks);
	c->marks[c->nr_steps] = (struct pick_mark){ .tree = *tree, .at = c->todo.at, .out_len = c->out_len_before,
						    .dropped_len = c->dropped_len_before };
	c->steps[c->nr_steps++] = (struct head_step){ *commit, reflog };
	c->next_head = *commit;
	c->next_tree = *tree;
}

static void add_messages(struct pick_cmd *c, const struct merge_result *m)
{
	for (size_t i = 0; i < m->nr_messages; i++)
		strbuf_addf(&c->out, "%s\n", m->messages[i].text);
}

/* ---- index, files and HEAD follow ---- */

static int queue_head(struct pick_cmd *c, struct err *err)
{
	struct head_move m = { .to = &c->next_head, .from = &c->head, .committer = c->committer.buf, .steps = c->steps };

	if (!c->nr_steps)
		return 0;
	m.nr_steps = c->nr_steps - 1;
	m.reflog = c->steps[m.nr_steps].reflog;
	return commit_advance_head(c->op, &m, NULL, err);
}

/* From the tree of the index to `to`. ERR_CONFLICT: local changes are in the way, nothing has happened. */
static int plan(struct pick_cmd *c, const struct object_id *to, const struct index_state *stages, struct err *err)
{
	unpack_trees_release(&c->update.plan); /* of an earlier plan that was not run */
	c->update.plan = (struct unpack_trees){ 0 };
	index_init(&c->update.plan.result, c->r->algo);
	c->update.from = &c->tree;
	c->update.to = to;
	c->update.stages = stages;
	return result_update_plan(&c->update, err);
}

static void print_out(struct pick_cmd *c)
{
	fwrite(c->out.buf, 1, c->out.len, stdout);
	fflush(stdout);
	strbuf_reset(&c->out);
	fputs(c->dropped.buf, stderr);
	strbuf_reset(&c->dropped);
}

static int keep_steps(struct pick_cmd *c, struct err *err)
{
	int rc = plan(c, &c->next_tree, NULL, err);

	if (!rc)
		rc = result_update_run(&c->update, err);
	return rc ? rc : queue_head(c, err);
}

/* Publish the picks that are in memory, unsealed, and go on with index and files as they are then. */
static int publish_steps(struct pick_cmd *c, struct err *err)
{
	int rc = keep_steps(c, err);

	if (!rc && c->several && c->todo.at) {
		c->todo.at--; /* the one that is done: --continue begins behind it */
		rc = pick_write_sequence(c, err);
		c->todo.at++;
	}
	if (!rc)
		rc = repo_operation_publish(c->op, err);
	if (rc)
		return rc;
	end_update(c);
	c->head = c->next_head;
	c->tree = c->next_tree;
	drop_steps(c);
	return begin(c, err);
}

/* ---- stops ---- */

static void advise_conflict(const struct pick_cmd *c)
{
	if (c->o.no_commit)
		advise_if_enabled(c->r, "mergeConflict", "after resolving the conflicts, mark the corrected paths\n"
				  "with 'git add <paths>' or 'git rm <paths>'");
	else
		advise_if_enabled(c->r, "mergeConflict", "After resolving the conflicts, mark them with\n"
				  "\"git add/rm <pathspec>\", then run\n\"git %s --continue\".\n"
				  "You can instead skip this commit with \"git %s --skip\".\n"
				  "To abort and get back to the state before \"git %s\",\nrun \"git %s --abort\".",
				  c->name, c->name, c->name, c->name);
}

static int end_stop(struct pick_cmd *c, int rc, struct err *err)
{
	rc = repo_operation_end(c->op, rc, err);
	c->op = NULL;
	end_update(c);
	print_out(c);
	return rc;
}

/* The picks in memory do not fit together: keep those before the first one that is refused. *err says why. */
static int cut_steps(struct pick_cmd *c, struct err *err)
{
	struct err why = ERR_INIT;
	size_t fit = 0;
	int rc = 0;

	while (fit < c->nr_steps && !(rc = plan(c, &c->marks[fit].tree, NULL, &why)))
		fit++;
	if (rc == ERR_CONFLICT) {
		err_release(err);
		err_move(err, &why);
	}
	err_release(&why);
	if (rc != ERR_CONFLICT)
		return rc ? rc : ERR_CONFLICT;
	c->todo.at = c->marks[fit].at;
	strbuf_setlen(&c->out, c->marks[fit].out_len);
	strbuf_setlen(&c->dropped, c->marks[fit].dropped_len);
	while (c->nr_steps > fit)
		free(c->steps[--c->nr_steps].reflog);
	c->next_head = fit ? c->steps[fit - 1].to : c->head;
	c->next_tree = fit ? c->marks[fit - 1].tree : c->tree;
	return 0;
}

/* -n: MERGE_MSG is that of the last pick; git-revert names its commit too. */
static int keep_last_message(struct pick_cmd *c, struct err *err)
{
	int rc = repo_operation_write_state(c->op, STATE_MERGE_MSG, c->last_message.buf, c->last_message.len, err);

	return rc || !c->revert ? rc : pick_write_head(c, &c->last_commit, err);
}

/* Local changes are in the way: the picks before this one stay. */
static int stop_refused(struct pick_cmd *c, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = c->nr_steps ? cut_steps(c, err) : 0;

	if (!rc && (c->nr_steps || c->last_message.len))
		rc = keep_steps(c, &why);
	if (!rc && c->last_message.len)
		rc = keep_last_message(c, &why);
	if (!rc && c->several) {
		rc = pick_write_sequence(c, &why);
		rc = end_stop(c, rc, &why);
	}
	print_out(c);
	if (err->msg)
		report_error(err);
	if (rc)
		err_move(err, &why);
	err_release(&why);
	return rc ? rc : ERR_CONFLICT;
}

/* Only now is something published: the picks in memory go first. */
static int publish_before(struct pick_cmd *c, struct err *err)
{
	int rc = c->nr_steps ? publish_steps(c, err) : 0;

	return rc == ERR_CONFLICT ? stop_refused(c, err) : rc;
}

static int stop_conflict(struct pick_cmd *c, struct step *s, struct err *err)
{
	struct rerere rr = { .op = c->op, .ix = &c->update.ix, .autoupdate = c->o.rerere_autoupdate,
			     .lenient = true };
	struct strbuf id = STRBUF_INIT;
	struct strvec told;
	int rc = plan(c, &s->result.merge.tree, &s->result.merge.stages, err);

	if (rc == ERR_CONFLICT)
		return stop_refused(c, err);
	strvec_init(&told);
	add_messages(c, &s->result.merge);
	strbuf_complete_line(&s->message);
	merge_message_add_conflicts(&s->message, &s->result.merge.stages, c->cleanup == CLEANUP_SCISSORS, c->comment_char);
	if (!rc)
		rc = pick_write_stop(c, &s->pick.commit->oid, c->revert || !c->o.no_commit, &s->message, &s->result.merge.tree,
				     err);
	if (!rc && c->several)
		rc = pick_write_sequence(c, err);
	if (!rc)
		rc = result_update_run(&c->update, err);
	if (!rc)
		rc = rerere_update(&rr, &told, err);
	rc = end_stop(c, rc, err);
	if (!rc) {
		warn_of_merge_limit(s->result.merge.needed_rename_limit);
		odb_abbrev(c->r->odb, &s->pick.commit->oid, c->r->settings.abbrev, &id);
		error("could not %s %s... %s", c->revert ? "revert" : "apply", id.buf, s->subject.buf);
		advise_conflict(c);
		for (size_t i = 0; i < told.nr; i++)
			fprintf(stderr, "%s\n", told.v[i]);
	}
	strbuf_release(&id);
	strvec_clear(&told);
	return rc ? rc : 1;
}

static int show_status(struct pick_cmd *c, struct err *err)
{
	struct strvec args;
	int rc;

	strvec_init(&args);
	push_own_command(&args, "status");
	rc = pick_run_child(c, &args, false, err);
	strvec_clear(&args);
	return rc < 0 ? rc : 1;
}

static int stop_empty(struct pick_cmd *c, struct step *s, struct err *err)
{
	int rc;

	add_messages(c, &s->result.merge);
	rc = pick_write_stop(c, &s->pick.commit->oid, !c->revert, &s->message, &s->result.merge.tree, err);
	if (!rc && c->several)
		rc = pick_write_sequence(c, err);
	rc = end_stop(c, rc, err);
	if (rc)
		return rc;
	rc = show_status(c, err);
	if (!c->revert)
		fputs("The previous cherry-pick is now empty, possibly due to conflict resolution.\n"
		      "If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n"
		      "Otherwise, please use 'git cherry-pick --skip'\n", stderr);
	return rc;
}

/* The commit could not be made: what it would have is staged. *err has the reason, and is printed. */
static int stop_unsigned(struct pick_cmd *c, struct step *s, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = publish_before(c, &why);

	if (rc > 0 || (rc == ERR_CONFLICT && !why.msg))
		return rc;
	if (!rc)
		rc = plan(c, &s->result.merge.tree, NULL, &why);
	if (!rc)
		rc = pick_write_stop(c, &s->pick.commit->oid, true, &s->message, &s->result.merge.tree, &why);
	if (!rc && c->several)
		rc = pick_write_sequence(c, &why);
	if (!rc)
		rc = result_update_run(&c->update, &why);
	rc = end_stop(c, rc, &why);
	report_error(err);
	err_release(err);
	if (rc)
		err_move(err, &why);
	err_release(&why);
	return rc ? rc : err_set(err, ERR_GENERIC, "failed to write commit object");
}

/* ---- children: hooks and the editor ---- */

int pick_run_child(struct pick_cmd *c, const struct strvec *args, bool names_reflog, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	for (size_t i = 0; i < args->nr; i++)
		strvec_push(&cp.args, args->v[i]);
	if (names_reflog && !getenv("GIT_REFLOG_ACTION"))
		strvec_pushf(&cp.env, "GIT_REFLOG_ACTION=%s", c->name);
	fflush(stdout);
	return run_command(&cp, err);
}

static bool wants_editor(const struct pick_cmd *c)
{
	return c->o.edit >= 0 ? c->o.edit : c->revert && isatty(0);
}

static bool needs_child(struct pick_cmd *c)
{
	return !c->o.no_commit && (wants_editor(c) || repo_has_hook(c->r, "prepare-commit-msg") ||
				   repo_has_hook(c->r, "post-commit"));
}

static bool gets_line(const struct pick_cmd *c)
{
	return c->o.signoff || c->o.record_origin;
}

/* The date of now, so that the summary shows it. */
static int add_date(struct pick_cmd *c, struct strvec *args, struct err *err)
{
	struct strbuf author = STRBUF_INIT;
	int rc = repo_ident(c->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);

	if (!rc)
		strvec_pushf(args, "--date=@%s", strrchr(author.buf, '>') + 2);
	strbuf_release(&author);
	return rc;
}

static int commit_by_child(struct pick_cmd *c, struct step *s, struct err *err)
{
	char *path = repo_state_path(c->r, STATE_MERGE_MSG);
	struct strvec args;
	int rc = 0;

	strvec_init(&args);
	push_own_command(&args, "commit");
	strvec_pushl(&args, "-n", "-F", path, wants_editor(c) ? "-e" : "--no-edit", NULL);
	if (c->o.sign_key)
		strvec_pushf(&args, "-S%s", c->o.sign_key);
	if (!wants_editor(c)) /* an editor's message is cleaned as any commit's */
		strvec_pushf(&args, "--cleanup=%s", pick_cleanup_name(c->cleanup, gets_line(c)));
	if (c->revert && !wants_editor(c))
		rc = add_date(c, &args, err);
	if (s->result.becomes_empty)
		strvec_push(&args, "--allow-empty");
	if (c->o.allow_empty_message)
		strvec_push(&args, "--allow-empty-message");
	rc = rc ? rc : pick_run_child(c, &args, true, err);
	strvec_clear(&args);
	free(path);
	if (rc > 0 && !wants_editor(c)) /* 1: it was aborted; else it has said why it died */
		rc = err_set(err, ERR_GENERIC, rc == 1 ? "'prepare-commit-msg' hook failed" : "failed to write commit object");
	return rc;
}

/* The pick in index and files, published: `git commit` makes the commit of it. */
static int step_by_child(struct pick_cmd *c, struct step *s, struct err *err)
{
	int rc = plan(c, &s->result.merge.tree, NULL, err);

	if (rc == ERR_CONFLICT)
		return stop_refused(c, err);
	if (!rc)
		rc = pick_write_stop(c, &s->pick.commit->oid, !c->revert, &s->message, &s->result.merge.tree, err);
	if (!rc && c->several)
		rc = pick_write_sequence(c, err);
	if (!rc)
		rc = result_update_run(&c->update, err);
	add_messages(c, &s->result.merge);
	rc = repo_operation_end_unsealed(c->op, rc, err);
	c->op = NULL;
	end_update(c);
	print_out(c);
	if (!rc)
		rc = commit_by_child(c, s, err);
	if (!rc) {
		struct object_id start = c->start;

		rc = pick_read_head(c, err);
		c->start = start;
	}
	return rc ? rc : begin(c, err);
}

/* ---- one step ---- */

static bool drops(const struct pick_cmd *c, const struct pick_result *r)
{
	return r->becomes_empty && !r->was_empty && c->o.empty == PICK_EMPTY_DROP;
}

static bool keeps_empty(const struct pick_cmd *c, const struct pick_result *r)
{
	return c->o.empty == PICK_EMPTY_KEEP || (r->was_empty && c->o.allow_empty);
}

static bool is_fast_forward(const struct pick_cmd *c, const struct step *s)
{
	if (!c->o.ff || c->revert)
		return false;
	return s->pick.parent ? oid_eq(&s->pick.parent->oid, &c->next_head) : oid_is_null(&c->next_head);
}

static int commit_step(struct pick_cmd *c, struct step *s, struct err *err)
{
	struct strbuf log = STRBUF_INIT;
	struct object_id commit;
	int rc;

	if (!s->message.len && !c->o.allow_empty_message) {
		fputs("Aborting commit due to empty commit message.\n", stderr);
		return 1;
	}
	rc = write_commit(c, s, &commit, err);
	if (rc == ERR_GENERIC && c->o.sign_key)
		return stop_unsigned(c, s, err);
	if (!rc) {
		commit_reflog_message(&log, getenv("GIT_REFLOG_ACTION") ? getenv("GIT_REFLOG_ACTION") : c->name, s->message.buf);
		add_step(c, &commit, &s->result.merge.tree, strbuf_detach(&log, NULL));
	}
	strbuf_release(&log);
	return rc;
}

/* -n: the next pick goes on top of this one. Checked at once: a refusal keeps the picks before it. */
static int apply_step(struct pick_cmd *c, struct step *s, struct err *err)
{
	int rc = plan(c, &s->result.merge.tree, NULL, err);

	if (rc)
		return rc == ERR_CONFLICT ? stop_refused(c, err) : rc;
	add_messages(c, &s->result.merge);
	c->next_tree = s->result.merge.tree;
	c->last_commit = s->pick.commit->oid;
	strbuf_swap(&c->last_message, &s->message);
	return 0;
}

static int finish_step(struct pick_cmd *c, struct step *s, struct err *err)
{
	struct pick_result *r = &s->result;
	int rc = 0;

	if (!r->merge.clean) {
		rc = publish_before(c, err);
		return rc ? rc : stop_conflict(c, s, err);
	}
	if (c->o.no_commit)
		return apply_step(c, s, err);
	if (drops(c, r)) {
		add_messages(c, &r->merge);
		strbuf_addf(&c->dropped, "dropping %s %s -- patch contents already upstream\n", oid_hex(&s->pick.commit->oid),
			    s->subject.buf);
		return 0;
	}
	if (r->becomes_empty && !keeps_empty(c, r)) {
		rc = publish_before(c, err);
		return rc ? rc : stop_empty(c, s, err);
	}
	pick_clean_message(&s->message, c->cleanup, gets_line(c), c->comment_char);
	if (needs_child(c))
		return step_by_child(c, s, err);
	add_messages(c, &r->merge);
	return commit_step(c, s, err);
}

static int run_step(struct pick_cmd *c, const struct todo_item *item, struct err *err)
{
	struct step s = { .message = STRBUF_INIT, .subject = STRBUF_INIT };
	int rc = prepare_step(c, item, &s, err);

	c->out_len_before = c->out.len;
	c->dropped_len_before = c->dropped.len;
	if (!rc && is_fast_forward(c, &s)) {
		add_step(c, &s.pick.commit->oid, &s.pick.commit->tree, xstrfmt("%s: fast-forward", c->name));
	} else if (!rc) {
		rc = content_merge_follow(&c->attributes, &c->next_tree, err);
		if (!rc)
			rc = pick_run(&s.pick, &s.result, err);
		s.has_result = !rc;
		if (!rc)
			rc = finish_step(c, &s, err);
	}
	step_release(&s);
	return rc;
}

/* ---- the end ---- */

/* All picks are in memory: everything changes at once. */
static int end_all(struct pick_cmd *c, struct err *err)
{
	int rc = keep_steps(c, err);

	if (!rc && repo_state_exists(c->r, STATE_SEQUENCER))
		rc = c->several ? repo_operation_remove_state(c->op, STATE_SEQUENCER, err) : pick_write_abort_safety(c, err);
	if (!rc && c->o.no_commit)
		rc = c->last_message.len ? keep_last_message(c, err) : 0;
	else if (!rc)
		rc = repo_operation_end_state(c->op, STATE_ENDS_BY_COMMIT, err);
	return rc == ERR_CONFLICT ? stop_refused(c, err) : end_stop(c, rc, err);
}

int pick_run_steps(struct pick_cmd *c, struct err *err)
{
	int rc = prepare_merge(c, err);

	if (!rc)
		rc = repo_ident(c->r, &c->committer, IDENT_COMMITTER | IDENT_STRICT, err);
	if (!rc)
		rc = begin(c, err);
	if (rc == ERR_CONFLICT && c->several && !index_has_unmerged(&c->update.ix) && !c->resumed)
		return stop_refused(c, err); /* a list that is there stays: its first command is the one that is done */
	for (; !rc && c->todo.at < c->todo.nr; c->todo.at++) {
		const struct todo_item *item = &c->todo.items[c->todo.at];

		if (item->command != TODO_COMMENT)
			rc = run_step(c, item, err);
		if (rc)
			break;
	}
	if (!rc)
		rc = end_all(c, err);
	return rc;
}
