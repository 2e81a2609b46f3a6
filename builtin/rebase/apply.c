/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): --apply. git-am(1) applies the commits as patches (builtin/am/am-rebase.h); the refs, and the end, are here. */
#include "compat/posix.h"
#include "builtin/am/am-rebase.h"
#include "builtin/rebase/rebase-run.h"
#include "porcelain/auto-maintenance.h"
#include "util/alloc.h"

/* ---- the end ---- */

/* What the engine has made, as a run of the list that has come to its end. */
static void take_steps(struct rebase_run *run, const struct am_rebase *a)
{
	run->op = a->op;
	run->begun = a->begun;
	run->base_head = a->base_head;
	run->now.head = a->head;
	strbuf_addbuf(&run->now.rewritten, a->rewritten);
	for (size_t i = 0; i < a->nr_steps; i++) {
		ALLOC_GROW(run->steps, run->nr_steps + 1, run->alloc_steps);
		run->steps[run->nr_steps++] = (struct rebase_step){ a->steps[i].to, xstrdup(a->steps[i].reflog) };
	}
}

static int end_rebase(struct rebase_run *run, int rc, struct err *err)
{
	run->has_run_command = true; /* REBASE_HEAD may be there */
	if (!rc)
		rc = notes_rewrite_open(&run->notes, run->r, "rebase", err);
	rc = rebase_publish_staged(run, rc, err);
	if (rc)
		return rc;
	rebase_run_post_rewrite(run);
	auto_maintenance(run->r, run->c->state.quiet);
	return 0;
}

/* Nothing has changed, and local changes may come back: they are sealed together with what put them aside. */
static void keep_operation(struct rebase_run *run, struct repo_operation *op, struct err *err)
{
	(void)!rebase_leave_operation(run->c, op, ERR_CONFLICT, err);
}

/* rc: of the engine. As in Git, each stop and each failure of it has the same exit code. */
static int end_engine(struct rebase_run *run, struct am_rebase *a, int rc, struct err *err)
{
	if (!rc) {
		take_steps(run, a);
		return end_rebase(run, 0, err);
	}
	if (a->op && rc == ERR_ABORTED)
		keep_operation(run, a->op, err);
	else if (a->op)
		rc = repo_operation_end(a->op, rc < 0 ? rc : ERR_ABORTED, err);
	return rc > 0 ? 1 : rc;
}

/* ---- the start ---- */

struct started {
	struct rebase_cmd *c;
	struct object_id from;
};

static void run_post_checkout(void *data)
{
	const struct started *s = data;

	rebase_post_checkout(s->c, &s->from, &s->c->state.onto);
}

static void list_commits(const struct todo_list *list, struct oid_array *out)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->items[i].command == TODO_PICK)
			oid_array_append(out, &list->items[i].oid);
}

static int apply_commits(struct rebase_run *run, const struct oid_array *commits, struct err *err)
{
	struct rebase_cmd *c = run->c;
	struct started started = { c, run->base_head };
	char *log = xstrfmt("%s (start): checkout %s", c->action, c->onto_name), *action = xstrfmt("%s (pick)", c->action);
	struct am_rebase a = { .ctx = c->ctx, .op = rebase_take_operation(c), .state = &c->state, .action = action };
	const struct am_rebase_start start = { .commits = commits, .apply_options = &c->o.apply_options, .start_log = log,
					       .post_checkout = run_post_checkout, .data = &started };
	int rc = am_rebase_start(&a, &start, err);

	rc = end_engine(run, &a, rc, err);
	am_rebase_release(&a);
	free(log);
	free(action);
	return rc;
}

static void say_fast_forwarded(const struct rebase_cmd *c)
{
	const char *branch = c->state.head_name;

	(void)skip_prefix(branch, "refs/heads/", &branch);
	printf("Fast-forwarded %s to %s.\n", branch, c->onto_name);
	fflush(stdout);
}

/* No commit is left: HEAD's log has the start and the end. */
static int move_to_onto(struct rebase_run *run, bool fast_forwards, struct err *err)
{
	struct object_id from = run->base_head;
	int rc = rebase_run_detach(run, err);

	if (!rc)
		rc = rebase_run_stage_files(run, err);
	if (rc == ERR_CONFLICT) {
		report_error(err);
		err_release(err);
		keep_operation(run, run->op, err);
		result_update_release(&run->last);
		run->op = NULL;
		return err_set(err, ERR_ABORTED, "Could not detach HEAD");
	}
	if (!rc && fast_forwards)
		say_fast_forwarded(run->c);
	rc = end_rebase(run, rc, err);
	if (!rc)
		rebase_post_checkout(run->c, &from, &run->now.head);
	return rc;
}

int rebase_apply_start(struct rebase_cmd *c, const struct object_id *base, struct err *err)
{
	struct oid_array commits = OID_ARRAY_INIT;
	const bool fast_forwards = oid_eq(base, &c->state.orig_head);
	struct rebase_run run;
	int rc = fast_forwards ? 0 : rebase_make_picks(c, err);

	rebase_run_init(&run, c);
	list_commits(&c->list, &commits);
	if (!rc)
		rc = rebase_run_read_head(&run, err);
	if (!rc && !c->state.quiet) {
		puts("First, rewinding head to replay your work on top of it...");
		fflush(stdout);
	}
	if (!rc)
		rc = commits.nr ? apply_commits(&run, &commits, err) : move_to_onto(&run, fast_forwards, err);
	oid_array_clear(&commits);
	rebase_run_release(&run);
	return rc;
}

/* ---- --continue, --skip ---- */

int rebase_apply_go_on(struct rebase_cmd *c, struct err *err)
{
	const bool skip = c->o.mode == REBASE_SKIP;
	char *action = xstrfmt("%s (pick)", c->action);
	struct am_rebase a = { .ctx = c->ctx, .state = &c->state, .action = action };
	struct rebase_run run;
	int rc = am_rebase_go_on(&a, skip, err);

	rebase_run_init(&run, c);
	rc = end_engine(&run, &a, rc, err);
	rebase_run_release(&run);
	am_rebase_release(&a);
	free(action);
	return rc;
}
