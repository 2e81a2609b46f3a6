/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): the story. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "cli/clean-worktree.h"
#include "history/history.h"
#include "index/index.h"
#include "repo/hook.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "worktree/merge-result.h"
#include "worktree/worktree.h"

/* ---- before anything happens ---- */

static int refuse_in_progress(struct rebase_cmd *c, struct err *err)
{
	const char *dir = repo_state_exists(c->r, STATE_REBASE_MERGE) ? repo_state_name(STATE_REBASE_MERGE) :
			  repo_state_exists(c->r, STATE_REBASE_APPLY) ? repo_state_name(STATE_REBASE_APPLY) : NULL;
	char *path;
	int rc = result_update_refuse_unfinished(c->r, err);

	if (rc || !dir)
		return rc;
	path = repo_path(c->r, "%s", dir);
	rc = err_set(err, ERR_CONFLICT, "It seems that there is already a %s directory, and\n"
					"I wonder if you are in the middle of another rebase.  If that is the\n"
					"case, please try\n\tgit rebase (--continue | --abort | --skip)\n"
					"If that is not the case, please\n\trm -fr \"%s\"\n"
					"and run me again.  I am stopping in case you still have something\n"
					"valuable there.\n", dir, path);
	free(path);
	return rc;
}

/* 1: it refused; that has been printed. */
static int run_pre_rebase(struct rebase_cmd *c, int argc, const char **argv, struct err *err)
{
	const char *upstream = c->o.root ? "--root" : c->upstream_name, *branch = argc > 1 - c->o.root ? argv[argc - 1] : NULL;
	const char *args[] = { upstream, branch, NULL };
	int rc = c->o.verify ? repo_run_hook(c->r, "pre-rebase", NULL, args, NULL, err) : 0;

	if (!rc)
		return 0;
	err_release(err);
	error("The pre-rebase hook refused to rebase.");
	return 1;
}

/* ---- before the first commit ---- */

/* The one merge base of onto and the branch; null: there is none. */
static int base_of(struct rebase_cmd *c, struct object_id *out, struct err *err)
{
	struct commit *onto = commit_lookup(c->pool, &c->state.onto), *head = commit_lookup(c->pool, &c->state.orig_head);
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(c->pool, onto, &head, 1, &bases, err);

	*out = c->r->algo->null_oid;
	if (!rc && bases.nr == 1)
		*out = bases.items[0]->oid;
	commit_list_clear(&bases);
	return rc;
}

static int print_changes(struct rebase_cmd *c, const struct object_id *base, struct err *err)
{
	if (!c->o.stat)
		return 0;
	if (c->o.verbose && oid_is_null(base))
		printf("Changes to %s:\n", oid_hex(&c->state.onto));
	if (c->o.verbose && !oid_is_null(base))
		printf("Changes from %s to %s:\n", oid_hex(base), oid_hex(&c->state.onto));
	return rebase_print_diffstat(c, base, &c->state.onto, true, err);
}

/* ---- up to date ---- */

static void print_up_to_date(const struct rebase_cmd *c)
{
	if (c->state.quiet)
		return;
	if (strcmp(c->branch_name, "HEAD"))
		printf("Current branch %s is up to date%s.\n", c->branch_name, c->o.force ? ", rebase forced" : "");
	else
		printf("HEAD is up to date%s.\n", c->o.force ? ", rebase forced" : "");
	fflush(stdout);
}

static int queue_switch(struct rebase_cmd *c, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t;
	char *msg = xstrfmt("%s: checkout %s", c->action, c->branch_name);
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc && rebase_state_has_branch(&c->state))
		rc = ref_transaction_update_symref(t, "HEAD", c->state.head_name, NULL, REF_NO_DEREF, msg, err);
	else if (!rc)
		rc = ref_transaction_update(t, "HEAD", &c->state.orig_head, NULL, REF_NO_DEREF, msg, err);
	free(msg);
	return rc;
}

/* git rebase <upstream> <branch>: that branch is checked out, though nothing else is to be done. */
static int switch_only(struct rebase_cmd *c, struct err *err)
{
	struct repo_operation *op = rebase_take_operation(c);
	struct object_id from, to;
	struct result_update u = { .from = &from, .to = &to };
	int rc = object_peel(odb_source(c->r->odb), &c->head, OBJ_TREE, &from, NULL, err);

	if (!rc)
		rc = object_peel(odb_source(c->r->odb), &c->state.orig_head, OBJ_TREE, &to, NULL, err);
	if (!rc)
		rc = result_update_begin(&u, op, err);
	if (!rc)
		rc = result_update_plan(&u, err);
	if (!rc)
		rc = result_update_run(&u, err);
	if (!rc)
		rc = queue_switch(c, op, err);
	rc = repo_operation_end(op, rc, err);
	result_update_release(&u);
	if (!rc)
		rebase_post_checkout(c, &c->head, &c->state.orig_head);
	return rc;
}

/* ---- the command ---- */

static int start_clean(struct rebase_cmd *c, int argc, const char **argv, struct err *err)
{
	int rc = require_clean_worktree(c->r, &c->head, "rebase", err), up_to_date;
	struct object_id base;

	if (rc)
		return rc;
	up_to_date = rebase_is_up_to_date(c, err);
	if (up_to_date < 0)
		return up_to_date;
	if (up_to_date && !c->o.force && c->switches)
		rc = switch_only(c, err);
	if (up_to_date)
		print_up_to_date(c);
	if (rc || (up_to_date && !c->o.force))
		return rc;
	rc = run_pre_rebase(c, argc, argv, err);
	if (!rc)
		rc = base_of(c, &base, err);
	if (!rc)
		rc = print_changes(c, &base, err);
	if (!rc && c->state.applies)
		return rebase_apply_start(c, &base, err);
	if (!rc)
		rc = rebase_make_list(c, err);
	return rc ? rc : rebase_start(c, err);
}

/* Whatever happens before the rebase has begun: the local changes come back. */
static int start(struct rebase_cmd *c, int argc, const char **argv, struct err *err)
{
	struct err own = ERR_INIT;
	int rc = refuse_in_progress(c, err), end;

	if (!rc)
		rc = rebase_find_commits(c, argc, argv, err);
	if (!rc)
		rc = rebase_stash_changes(c, err);
	if (rc)
		return rc;
	rc = start_clean(c, argc, argv, err);
	end = rebase_unstash_changes(c, &own);
	if (end && rc >= 0) {
		err_move(err, &own);
		rc = end;
	} else if (end) {
		report_error(&own);
	}
	err_release(&own);
	return rc;
}

static void set_action(struct rebase_cmd *c)
{
	const char *env = getenv("GIT_REFLOG_ACTION");

	c->action = xstrdup(env && *env ? env : "rebase");
}

static void rebase_cmd_release(struct rebase_cmd *c)
{
	rebase_state_release(&c->state);
	commit_pool_free(c->pool);
	todo_release(&c->list);
	strbuf_release(&c->backup);
	strbuf_release(&c->raw_list);
	strvec_clear(&c->o.strategy_options);
	strvec_clear(&c->o.exec);
	strvec_clear(&c->o.trailers);
	strvec_clear(&c->o.apply_options);
	free(c->upstream_name);
	free(c->onto_name);
	free(c->head_ref);
	free(c->action);
}

static int refuse_am(const struct rebase_cmd *c, struct err *err)
{
	if (!repo_state_exists(c->r, STATE_REBASE_APPLY_APPLYING))
		return 0;
	return err_set(err, ERR_CONFLICT, "It looks like 'git am' is in progress. Cannot rebase.");
}

int cmd_rebase(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rebase_cmd c = { .r = ctx->repo, .ctx = ctx, .backup = STRBUF_INIT, .raw_list = STRBUF_INIT };
	struct err err = ERR_INIT;
	int rc;

	rebase_state_init(&c.state);
	todo_init(&c.list);
	strvec_init(&c.o.strategy_options);
	strvec_init(&c.o.exec);
	strvec_init(&c.o.trailers);
	strvec_init(&c.o.apply_options);
	if (c.r)
		c.state.squash_onto = c.r->algo->null_oid;
	argc = rebase_parse_options(&c, argc, argv);
	set_action(&c);
	rc = refuse_am(&c, &err);
	if (!rc)
		rc = c.o.mode == REBASE_START ? start(&c, argc, argv, &err) : rebase_resume(&c, &err);
	rc = rebase_seal_waiting(&c, rc, &err);
	if (rc == ERR_ABORTED && err.msg)
		rc = report_error(&err);
	else if (rc < 0)
		rc = report_fatal(&err);
	err_release(&err);
	rebase_cmd_release(&c);
	return rc ? rc : finish_stdout();
}
