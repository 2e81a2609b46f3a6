/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the operation, and what becomes visible of the patches in memory. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "index/cache-tree.h"
#include "refs/root-refs.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "worktree/rerere.h"

/* ---- the operation ---- */

static void drop_am_steps(struct am_cmd *c)
{
	for (size_t i = 0; i < c->nr_steps; i++)
		free((char *)c->steps[i].reflog);
	c->nr_steps = 0;
	c->detaches = false;
}

static void end_am_update(struct am_cmd *c)
{
	if (c->update_begun)
		result_update_release(&c->update);
	c->update = (struct result_update){ 0 };
	c->update_begun = false;
	index_release(&c->series.ix);
	index_init(&c->series.ix, c->r->algo);
	strset_clear(&c->series.changed);
}

void am_release_run(struct am_cmd *c)
{
	if (c->op) {
		repo_operation_abort(c->op);
		repo_operation_free(c->op);
		c->op = NULL;
	}
	end_am_update(c);
	index_release(&c->series.ix);
	drop_am_steps(c);
	free(c->steps);
	strbuf_release(&c->committer);
}

static int read_head_tree(struct am_cmd *c, struct err *err)
{
	int rc = ref_resolve(c->r->refs, "HEAD", &c->head, NULL, NULL, NULL);

	c->head_tree = c->r->algo->empty_tree;
	if (rc == ERR_NOT_FOUND || rc == ERR_CORRUPT) {
		c->head = c->r->algo->null_oid;
		rc = 0;
	} else if (!rc) {
		rc = object_peel(odb_source(c->r->odb), &c->head, OBJ_TREE, &c->head_tree, NULL, err);
	} else {
		rc = err_set(err, rc, "could not read HEAD");
	}
	c->base_head = c->head;
	return rc;
}

int am_begin(struct am_cmd *c, struct err *err)
{
	int rc;

	if (!c->op)
		c->op = repo_operation_begin(c->r);
	end_am_update(c);
	rc = result_update_begin(&c->update, c->op, err);
	c->update_begun = true;
	if (!rc)
		rc = index_read_repo(&c->series.ix, c->r, err);
	if (!rc)
		rc = repo_operation_open_objects(c->op, err);
	if (!rc)
		rc = read_head_tree(c, err);
	c->series.op = c->op;
	if (!rc && !index_has_unmerged(&c->series.ix))
		rc = cache_tree_update(&c->series.ix, c->r, WRITE_TREE_MISSING_OK, &c->base_tree, err);
	else
		c->base_tree = c->head_tree;
	c->tree = c->base_tree;
	return rc;
}

/* ---- publication ---- */

static int plan_change(struct am_cmd *c, const struct object_id *to, const struct index_state *stages, struct err *err)
{
	unpack_trees_release(&c->update.plan); /* of an earlier plan that was not run */
	c->update.plan = (struct unpack_trees){ 0 };
	index_init(&c->update.plan.result, c->r->algo);
	c->update.of_checkout = c->rebase && !c->nr_steps && !c->begun;
	c->update.from = &c->base_tree;
	c->update.to = to;
	c->update.stages = stages;
	return result_update_plan(&c->update, err);
}

int am_check_tree(struct am_cmd *c, const struct object_id *tree, struct err *err)
{
	return plan_change(c, tree, NULL, err);
}

static int queue_orig_head_of_am(struct am_cmd *c, struct ref_transaction *t, struct err *err)
{
	const struct object_id *orig = c->rebase ? &c->rebase->orig_head : &c->base_head;
	struct object_id old;

	if (!oid_is_null(orig))
		return ref_transaction_update(t, REFNAME_ORIG_HEAD, orig, NULL, 0, "am", err);
	if (ref_resolve(c->r->refs, REFNAME_ORIG_HEAD, &old, NULL, NULL, NULL))
		return 0;
	return ref_transaction_update(t, REFNAME_ORIG_HEAD, &c->r->algo->null_oid, NULL, 0, NULL, err);
}

/* A1: rebase-apply/ and ORIG_HEAD first, then the files by which it is in progress. */
int am_publish_beginning(struct am_cmd *c, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = am_write_beginning(c, err);

	if (!rc)
		rc = repo_operation_begin_refs(c->op, 0, &t, err);
	if (!rc)
		rc = queue_orig_head_of_am(c, t, err);
	if (!rc)
		rc = repo_operation_publish(c->op, err);
	if (!rc)
		rc = am_write_counts(c, err);
	if (!rc)
		rc = repo_operation_publish(c->op, err);
	c->begun = !rc;
	return rc;
}

static int queue_am_head(struct am_cmd *c, struct ref_transaction **t, struct err *err)
{
	struct head_move m = { .to = &c->head, .from = &c->base_head, .committer = c->committer.buf, .steps = c->steps };

	if (!c->nr_steps || c->detaches)
		return 0;
	m.nr_steps = c->nr_steps - 1;
	m.reflog = c->steps[m.nr_steps].reflog;
	return commit_advance_head(c->op, &m, t, err);
}

static int change_files(struct am_cmd *c, const struct object_id *to, const struct index_state *stages, struct err *err)
{
	int rc = plan_change(c, to, stages, err);

	c->update.head_stays = !c->nr_steps;
	return rc ? rc : result_update_run(&c->update, err);
}

static int use_resolutions(struct am_cmd *c, struct strvec *told, struct err *err)
{
	struct rerere rr = { .op = c->op, .ix = &c->update.ix, .autoupdate = c->s.rerere_autoupdate, .lenient = true };

	return rerere_update(&rr, told, err);
}

static int write_auto_merge(struct am_cmd *c, const struct object_id *tree, struct err *err)
{
	char *line = xstrfmt("%s\n", oid_hex(tree));
	int rc = repo_operation_write_state(c->op, STATE_AUTO_MERGE, line, strlen(line), err);

	free(line);
	return rc;
}

static int stage_publication(struct am_cmd *c, const struct am_change *change, struct strvec *told, struct err *err)
{
	const struct index_state *stages = change ? change->stages : NULL;
	int rc = c->begun ? 0 : am_publish_beginning(c, err);

	if (!rc && stages)
		rc = write_auto_merge(c, change->tree, err);
	if (!rc)
		rc = change_files(c, change ? change->tree : &c->head_tree, stages, err);
	if (!rc && stages)
		rc = use_resolutions(c, told, err);
	if (!rc)
		rc = queue_am_head(c, NULL, err);
	if (!rc && c->rebasing)
		rc = am_queue_rebase_refs(c, err);
	return rc ? rc : am_write_progress(c, err);
}

static void print_told(struct strvec *told)
{
	for (size_t i = 0; i < told->nr; i++)
		fprintf(stderr, "%s\n", told->v[i]);
	strvec_clear(told);
}

int am_publish(struct am_cmd *c, const struct am_change *change, struct err *err)
{
	struct strvec told = STRVEC_INIT;
	int rc = 0;

	if (change && c->nr_steps) { /* HEAD moves with files that are its own */
		struct object_id tree = *change->tree;

		rc = am_publish(c, NULL, err);
		if (!rc)
			rc = am_begin(c, err);
		c->tree = tree;
	}
	if (!rc)
		rc = stage_publication(c, change, &told, err);
	if (!rc)
		rc = repo_operation_publish(c->op, err);
	if (!rc)
		drop_am_steps(c);
	end_am_update(c);
	print_told(&told);
	return rc;
}

int am_seal(struct am_cmd *c, struct err *err)
{
	int rc = repo_operation_end(c->op, 0, err);

	c->op = NULL;
	return rc;
}

int am_publish_stop(struct am_cmd *c, const struct am_change *change, struct err *err)
{
	int rc = am_publish(c, change, err);

	return rc ? rc : am_seal(c, err);
}

int am_publish_failure(struct am_cmd *c, const struct am_change *change, int code, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = am_publish_stop(c, change, &why);

	if (!rc)
		return code;
	err_release(err);
	err_move(err, &why);
	return rc;
}

/* All patches are in memory: everything changes at once. */
int am_publish_end(struct am_cmd *c, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc;

	if (c->rebasing && !c->rebase)
		return am_publish_stop(c, NULL, err);
	rc = change_files(c, &c->head_tree, NULL, err);
	if (c->rebase)
		return rc;
	if (!rc)
		rc = queue_am_head(c, &t, err);
	if (!rc && !c->begun && !t)
		rc = repo_operation_begin_refs(c->op, 0, &t, err);
	if (!rc && !c->begun)
		rc = queue_orig_head_of_am(c, t, err);
	if (!rc && c->begun)
		rc = am_remove_state(c, err);
	if (!rc)
		rc = repo_operation_end_state(c->op, STATE_ENDS_BY_COMMIT, err);
	rc = repo_operation_end(c->op, rc, err);
	c->op = NULL;
	end_am_update(c);
	drop_am_steps(c);
	return rc;
}

/* ---- advice ---- */

int am_advise(struct am_cmd *c)
{
	const char *git_am = c->o.interactive ? "git am -i" : "git am";
	struct strbuf text = STRBUF_INIT;

	if (c->o.resolvemsg) {
		advise_if_enabled(c->r, "mergeConflict", "%s", c->o.resolvemsg);
		return 128;
	}
	strbuf_addf(&text, "When you have resolved this problem, run \"%s --continue\".\n", git_am);
	strbuf_addf(&text, "If you prefer to skip this patch, run \"%s --skip\" instead.\n", git_am);
	if (advice_enabled(c->r, "amWorkDir") && am_patch_is_empty(c))
		strbuf_addf(&text, "To record the empty patch as an empty commit, run \"%s --allow-empty\".\n", git_am);
	strbuf_addf(&text, "To restore the original branch and stop patching, run \"%s --abort\".", git_am);
	advise_if_enabled(c->r, "mergeConflict", "%s", text.buf);
	strbuf_release(&text);
	return 128;
}
