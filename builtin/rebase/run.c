/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): carrying out the list. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "porcelain/auto-maintenance.h"
#include "repo/hook.h"
#include "repo/ident.h"
#include "util/alloc.h"

/* ---- commands ---- */

static void print_progress(struct rebase_run *run)
{
	const struct rebase_state *s = &run->c->state;

	run->now.done_nr++;
	if (s->quiet)
		return;
	fprintf(stderr, "Rebasing (%zu/%zu)%s", run->now.done_nr, run->total, s->verbose ? "\n" : "\r");
}

/* > 0: stopped. */
static int run_command_at(struct rebase_run *run, struct todo_item *item, struct err *err)
{
	switch (item->command) {
	case TODO_PICK:
	case TODO_REWORD:
	case TODO_EDIT:
	case TODO_FIXUP:
	case TODO_SQUASH:
	case TODO_REVERT:
		return rebase_run_pick(run, item, err);
	case TODO_EXEC:
		return rebase_run_exec(run, item, err);
	case TODO_BREAK:
		return rebase_stop_break(run, err);
	case TODO_LABEL:
		rebase_run_label(run, item);
		return 0;
	case TODO_RESET:
		return rebase_run_reset(run, item, err);
	case TODO_MERGE:
		return rebase_run_merge(run, item, err);
	case TODO_UPDATE_REF:
		return rebase_run_update_ref(run, item, err);
	default:
		return 0;
	}
}

/* --continue begins with this command again. */
static int stop_uncommitted(struct rebase_run *run, const struct rebase_progress *before, struct err *err)
{
	report_error(err);
	err_release(err);
	if (run->sign_failed)
		error("failed to write commit object");
	progress_copy(&run->now, before);
	return rebase_stop_rescheduled(run, &run->c->list.items[run->now.at], err);
}

/* Signing may fail, a hook may refuse, and with it the command. */
static int run_carefully(struct rebase_run *run, struct todo_item *item, struct err *err)
{
	struct rebase_progress before;
	int rc;

	if (!run->c->state.sign_key && !run->one_by_one)
		return run_command_at(run, item, err);
	progress_init(&before);
	progress_copy(&before, &run->now);
	rc = run_command_at(run, item, err);
	if (rc < 0 && (run->sign_failed || run->hook_refused))
		rc = stop_uncommitted(run, &before, err);
	progress_release(&before);
	return rc;
}

static int step_once(struct rebase_run *run, struct err *err)
{
	struct todo_item *item = &run->c->list.items[run->now.at];
	int rc;

	if (item->command == TODO_COMMENT) {
		rebase_run_advance(run);
		return 0;
	}
	print_progress(run);
	run->is_advanced = false;
	run->has_run_command = true;
	run->reverts = item->command == TODO_REVERT;
	rc = rebase_run_begin_op(run, err);
	if (!rc)
		rc = run_carefully(run, item, err);
	if (!rc && !run->is_advanced)
		rebase_run_advance(run);
	if (!rc && run->one_by_one && run->op) {
		rc = rebase_publish(run, NULL, false, err);
		if (rc == ERR_CONFLICT) {
			report_error(err);
			rebase_take_back(run);
			run->now.done_nr++;
			item = &run->c->list.items[run->now.at];
			if (item->command == TODO_MERGE)
				error("could not even attempt to merge '%.*s'", (int)strcspn(item->arg, " \t"), item->arg);
			return rebase_stop_rescheduled(run, item, err);
		}
	}
	return rc;
}

static void print_done(const struct rebase_run *run)
{
	const struct rebase_state *s = &run->c->state;

	if (!s->quiet && !s->verbose)
		clear_terminal_line();
	if (!s->quiet)
		fprintf(stderr, "Successfully rebased and updated %s.\n", s->head_name);
}

static void print_updated_refs(const struct rebase_run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->updates.nr; i++) {
		if (oid_is_null(&run->updates.items[i].after))
			continue;
		if (!any)
			fputs("Updated the following refs with --update-refs:\n", stderr);
		any = true;
		fprintf(stderr, "\t%s\n", run->updates.items[i].name);
	}
}

static int end_list(struct rebase_run *run, struct err *err)
{
	int rc = 0;

	if (run->now.pending.len)
		rebase_run_flush_pending(run);
	rc = rebase_publish_end(run, err);
	if (rc)
		return rc;
	rebase_run_post_rewrite(run);
	if (run->c->state.verbose)
		rc = rebase_print_diffstat(run->c, &run->c->state.orig_head, &run->now.head, false, err);
	auto_maintenance(run->r, run->c->state.quiet);
	print_done(run);
	print_updated_refs(run);
	return rc;
}

/* ---- the start ---- */

static bool does_nothing(const struct todo_item *item)
{
	return item->command == TODO_NOOP || item->command == TODO_DROP || item->command == TODO_COMMENT;
}

/* > 0: the commit has HEAD as its only parent, and HEAD has moved to it. */
static int take_fast_forward(struct rebase_run *run, const struct todo_item *item, struct err *err)
{
	struct commit *c = commit_lookup(run->c->pool, &item->oid);
	int rc = commit_parse_node(run->c->pool, c, err);

	if (rc || c->nr_parents != 1 || !oid_eq(&c->parents[0]->oid, &run->now.head))
		return rc;
	run->now.head = c->oid;
	run->now.tree = c->tree;
	return 1;
}

/* Picks that would be fast-forwards are done before the rebase begins, and so are commands that do nothing. */
static int skip_leading(struct rebase_run *run, struct err *err)
{
	struct todo_list *l = &run->c->list;

	while (run->fast_forwards && run->now.at < l->nr) {
		const struct todo_item *item = &l->items[run->now.at];
		int rc = does_nothing(item) ? 1 : item->command == TODO_PICK ? take_fast_forward(run, item, err) : 0;

		if (rc <= 0)
			return rc;
		run->now.done_nr += item->command != TODO_COMMENT;
		rebase_run_advance(run);
	}
	return 0;
}

int rebase_run_detach(struct rebase_run *run, struct err *err)
{
	struct commit *onto = commit_lookup(run->c->pool, &run->c->state.onto);
	int rc = commit_parse_node(run->c->pool, onto, err);
	char *what;

	if (rc)
		return rc;
	run->now.head = onto->oid;
	run->now.tree = onto->tree;
	rc = run->c->list_is_broken ? 0 : skip_leading(run, err);
	what = xstrfmt("checkout %s", run->c->onto_name);
	if (!rc)
		rebase_run_add_step(run, &run->now.head, "start", what);
	free(what);
	return rc;
}

/* A hook looks at the files of the new base. */
static int show_base(struct rebase_run *run, struct err *err)
{
	struct object_id from = run->base_head;
	int rc;

	if (!run->one_by_one && !repo_has_hook(run->r, "post-checkout"))
		return 0;
	rc = rebase_publish(run, NULL, false, err);
	if (rc == ERR_CONFLICT) {
		report_error(err);
		return err_set(err, ERR_ABORTED, "could not detach HEAD");
	}
	if (!rc)
		rebase_post_checkout(run->c, &from, &run->base_head);
	return rc;
}

/* Something in the working tree is in the way of one of the commits: find out which. */
static int retry_one_by_one(struct rebase_run *run, struct err *err)
{
	int rc = 0;

	err_release(err);
	run->one_by_one = true;
	run->dropped_to = run->now.at;
	rebase_take_back(run);
	if (!run->begun)
		rc = rebase_run_detach(run, err);
	return rc || run->begun ? rc : show_base(run, err);
}

int rebase_run_list(struct rebase_run *run, struct err *err)
{
	int rc = repo_ident(run->r, &run->committer, IDENT_COMMITTER | IDENT_STRICT, err);

	if (!rc)
		rc = notes_rewrite_open(&run->notes, run->r, "rebase", err);
	if (!rc)
		rc = rebase_run_prepare_merge(run, err);
	for (;;) {
		while (!rc && run->now.at < run->c->list.nr)
			rc = step_once(run, err);
		if (!rc)
			rc = end_list(run, err);
		if (rc != ERR_CONFLICT || run->one_by_one)
			break;
		rc = retry_one_by_one(run, err);
	}
	if (run->op)
		rc = repo_operation_end(run->op, rc < 0 ? rc : ERR_ABORTED, err);
	run->op = NULL;
	return rc == REBASE_STOPPED_WELL ? 0 : rc;
}

/* ---- the whole ---- */

/* The new base is checked out, and the user mends the list. */
static int stop_for_broken_list(struct rebase_run *run, struct err *err)
{
	int rc = rebase_publish(run, NULL, true, err);

	return rc ? rc : 1;
}

int rebase_start(struct rebase_cmd *c, struct err *err)
{
	struct rebase_run run;
	int rc;

	rebase_run_init(&run, c);
	rc = rebase_run_read_head(&run, err);
	run.total = todo_count_left(&c->list);
	progress_copy(&run.published, &run.now);
	rebase_run_plan_refs(&run);
	if (!rc)
		rc = rebase_run_detach(&run, err);
	if (!rc && c->list_is_broken)
		rc = stop_for_broken_list(&run, err);
	if (!rc)
		rc = show_base(&run, err);
	if (!rc)
		rc = rebase_run_list(&run, err);
	rebase_run_release(&run);
	return rc;
}
