/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout and switch: to another branch or commit. Files first; then index, HEAD and logs as one operation. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "builtin/checkout/checkout.h"
#include "porcelain/autostash.h"
#include "index/cache-tree.h"
#include "porcelain/head.h"
#include "repo/state.h"
#include "cli/clean-worktree.h"
#include "util/alloc.h"
#include "worktree/merge-result.h"

static const char *checkout_switch_short_name(const char *ref)
{
	skip_prefix(ref, "refs/heads/", &ref);
	return ref;
}

/* ---- index and files ---- */

static int find_trees(const struct checkout *co, struct object_id trees[2], struct err *err)
{
	trees[0] = co->r->algo->empty_tree;
	trees[1] = co->tree;
	return co->unborn ? 0 : object_peel(odb_source(co->r->odb), &co->old_commit, OBJ_TREE, &trees[0], NULL, err);
}

static int merge_trees(struct checkout *co, const struct object_id trees[2], struct unpack_trees *m, struct err *err)
{
	if (co->force)
		return unpack_trees_run(m, co->r, &co->ix, co->conv, &co->tree, 1, err);
	return unpack_trees_run(m, co->r, &co->ix, co->conv, trees, 2, err);
}

struct switched_trees {
	struct checkout *co;
	const struct object_id *trees;
};

/* P7: a kill or a power cut while files change is undone by merge --abort. Local changes that --force drops are not. */
static int mark_switched_files(void *data, struct err *err)
{
	const struct switched_trees *s = data;

	return result_update_mark(s->co->op, &s->trees[0], &s->trees[1], err);
}

static int write_switched_files(struct checkout *co, const struct object_id trees[2], struct unpack_trees *m, struct err *err)
{
	struct switched_trees s = { co, trees };
	int rc;

	m->before_files = co->force ? NULL : mark_switched_files;
	m->before_files_data = &s;
	rc = checkout_write_files(co, m, err);
	return rc || !m->result_is_last_tree ? rc : cache_tree_prime(&co->ix, co->r, &co->tree, err);
}

/* > 0: told already, the exit code. */
static int update_worktree(struct checkout *co, struct err *err)
{
	struct unpack_trees m = { .kind = co->force ? UNPACK_TREES_ONE : UNPACK_TREES_TWO,
				.reset = co->force, .update = true, .for_switch = !co->force,
				.keep_ignored = !co->overwrite_ignore };
	struct object_id trees[2];
	int rc = checkout_read_index(co, err);

	if (rc)
		return rc;
	if (!co->force && index_has_unmerged(&co->ix)) {
		(void)print_unmerged(&co->ix);
		error("you need to resolve your current index first");
		return 1;
	}
	rc = find_trees(co, trees, err);
	if (!rc)
		rc = merge_trees(co, trees, &m, err);
	if (rc == ERR_CONFLICT && co->merge && m.local_changes) {
		err_release(err);
		rc = checkout_carry(co, err);
	} else if (!rc) {
		rc = write_switched_files(co, trees, &m, err);
	}
	if (rc == ERR_CONFLICT) {
		report_error(err);
		rc = co->force ? 128 : 1;
	}
	if (!rc) {
		repo_operation_set_index(co->op, &co->ix);
		repo_operation_set_index_effects(co->op, INDEX_CHANGED_WORKTREE);
	}
	unpack_trees_release(&m);
	return rc;
}

/* ---- HEAD ---- */

static const char *created_name(const struct checkout *co)
{
	return co->new_branch ? co->new_branch : co->reset_branch;
}

static char *log_message(const struct checkout *co)
{
	const char *action = getenv("GIT_REFLOG_ACTION");
	const char *from = co->old_branch ? checkout_switch_short_name(co->old_branch) : co->unborn ? "(invalid)" : oid_hex(&co->old_commit);
	char *from_copy = xstrdup(from), *msg;

	if (action)
		msg = xstrdup(action);
	else if (created_name(co) && !co->has_commit)
		msg = xstrdup("checkout -b");
	else
		msg = xstrfmt("checkout: moving from %s to %s", from_copy,
			      co->branch ? checkout_switch_short_name(co->branch) : co->name ? co->name : "HEAD");
	free(from_copy);
	return msg;
}

static enum branch_track track_of(const struct checkout *co)
{
	return co->track == BRANCH_TRACK_UNSET ? co->r->settings.branch_track : co->track;
}

static const char *start_name(const struct checkout *co)
{
	return co->name ? co->name : "HEAD";
}

/* What the new branch cannot follow is found out before any file changes. */
static int check_start(struct checkout *co, struct strbuf *text, struct err *err)
{
	struct branch_start start = { .ref = NULL };
	int rc;

	if (!created_name(co) || !co->has_commit)
		return 0;
	rc = branch_find_start(co->r, start_name(co), track_of(co), &start, text, err);
	free(start.ref);
	if (!rc)
		strbuf_reset(text);
	return rc;
}

/* The branch that -b or -B names. *text: what tracking tells. */
static int queue_new_branch(struct checkout *co, struct ref_transaction *t,
			    struct strbuf *text, struct err *err)
{
	struct branch_start start = { .ref = NULL };
	struct object_id old;
	enum branch_track track = track_of(co);
	bool reset = !ref_resolve(co->r->refs, co->branch, &old, NULL, NULL, NULL);
	char *msg = xstrfmt("branch: %s %s", reset ? "Reset to" : "Created from", start_name(co));
	int rc = branch_find_start(co->r, start_name(co), track, &start, text, err);

	if (!rc)
		rc = ref_transaction_update(t, co->branch, &co->commit,
					    reset ? &old : &co->r->algo->null_oid,
					    co->reflog ? REF_FORCE_REFLOG : 0, msg, err);
	if (!rc && start.ref && track != BRANCH_TRACK_NEVER)
		rc = branch_stage_tracking(co->r, co->op, checkout_switch_short_name(co->branch),
					   start.ref,
					   track, text, err);
	free(start.ref);
	free(msg);
	return rc;
}

static int queue_head(struct checkout *co, struct ref_transaction *t, struct err *err)
{
	char *msg = log_message(co);
	int rc;

	if (!co->branch)
		rc = ref_transaction_update(t, "HEAD", &co->commit, NULL, REF_NO_DEREF, msg, err);
	else
		rc = ref_transaction_update_symref(t, "HEAD", co->branch, NULL,
						   REF_NO_DEREF | REF_LOG_AFTER_OTHERS,
						   co->orphan ? NULL : msg, err);
	free(msg);
	return rc;
}

static int stage_refs(struct checkout *co, struct strbuf *text, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(co->op);
	int rc = t ? 0 : repo_operation_begin_refs(co->op, 0, &t, err);

	if (!rc && created_name(co) && co->has_commit)
		rc = queue_new_branch(co, t, text, err);
	if (!rc && !checkout_head_stays(co))
		rc = queue_head(co, t, err);
	if (!rc && co->carried)
		rc = checkout_carry_refs(co, t, err);
	if (!rc)
		rc = repo_operation_end_state(co->op, STATE_ENDS_BY_SWITCH, err);
	if (!rc)
		rc = autostash_store(co->op, STATE_MERGE_AUTOSTASH, &co->ended_autostash, err);
	return rc;
}

/* ---- the story ---- */

/* As in Git: switch without a start, and checkout with nothing but -b and a name, look at neither index nor files. */
static bool files_stay(const struct checkout *co)
{
	if (!co->has_tree)
		return true;
	return co->command == SWITCH ? !co->arg && !co->orphan : co->only_new_branch;
}

static int change(struct checkout *co, struct strbuf *text, struct err *err)
{
	int rc = co->force ? 0 : result_update_refuse_unfinished(co->r, err);

	if (!rc)
		rc = check_start(co, text, err);
	if (!rc && !files_stay(co))
		rc = update_worktree(co, err);
	if (!rc && !co->force && !co->quiet && !files_stay(co) && co->has_commit && !co->carried)
		rc = checkout_show_changes(co, err);
	fflush(stdout);
	return rc ? rc : stage_refs(co, text, err);
}

int checkout_move(struct checkout *co)
{
	bool picking = repo_state_exists(co->r, STATE_CHERRY_PICK_HEAD);
	bool reverting = repo_state_exists(co->r, STATE_REVERT_HEAD);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT, own = ERR_INIT;
	bool existed = co->reset_branch && ref_exists(co->r->refs, co->branch);
	int rc;

	if (!co->op)
		co->op = repo_operation_begin(co->r);
	rc = change(co, &text, &err);
	rc = repo_operation_end(co->op, rc, &err);
	if (rc < 0) {
		rc = report_advised(&err, &text);
		checkout_carry_advise(co);
	} else if (!rc) {
		checkout_carry_tell(co);
		if (!co->quiet) {
			fputs(text.buf, stdout);
			fflush(stdout);
			checkout_tell(co, existed);
			if (co->carried && co->has_commit && checkout_show_changes(co, &own) < 0)
				report_error(&own);
			if (picking)
				warning("cancelling a cherry picking in progress");
			if (reverting)
				warning("cancelling a revert in progress");
		}
		if (co->ended_autostash)
			fputs(autostash_text(co->ended_autostash), stderr);
		rc = checkout_run_hook(co, &co->old_commit, co->has_commit ? &co->commit :
				       &co->r->algo->null_oid, true);
	}
	strbuf_release(&text);
	return rc ? rc : finish_stdout();
}
