/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "operation/operation.h"
#include "porcelain/linked-add.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "worktree/linked/linked.h"
#include "worktree/unpack-trees.h"

struct new_worktree {
	struct repository *r;
	const struct linked_add_options *o;
	struct repository *wt;
	struct repo_operation *op;
	struct index_state ix;
	bool has_index;
	struct branch_start start; /* of a new branch */
};

/* ---- HEAD, its branch, index and files ---- */

static int add_branch(struct new_worktree *n, struct ref_transaction *t, struct strbuf *text, struct err *err)
{
	const struct linked_add_options *o = n->o;
	struct object_id old;
	bool reset = !ref_resolve(n->wt->refs, o->branch, &old, NULL, NULL, NULL);
	char *msg = xstrfmt("branch: %s %s", reset ? "Reset to" : "Created from", o->start);
	int rc = ref_transaction_update(t, o->branch, &o->commit, reset ? &old : &n->wt->algo->null_oid, 0, msg, err);

	if (!rc && n->start.ref && o->track != BRANCH_TRACK_NEVER)
		rc = branch_stage_tracking(n->wt, n->op, o->branch + strlen("refs/heads/"), n->start.ref, o->track, text, err);
	free(msg);
	return rc;
}

/* The log of HEAD has the lines that Git's commands have: one for HEAD, one for the reset that fills the worktree. */
static int add_head(struct new_worktree *n, struct ref_transaction *t, struct err *err)
{
	const struct linked_add_options *o = n->o;
	const bool unborn = oid_is_null(&o->commit), filled = !o->no_checkout && !unborn;
	int rc;

	if (!o->branch) {
		rc = ref_transaction_update(t, "HEAD", &o->commit, NULL, REF_NO_DEREF, "", err);
	} else {
		rc = ref_transaction_update_symref(t, "HEAD", o->branch, NULL, REF_NO_DEREF, unborn ? NULL :
						   filled ? "reset: moving to HEAD" : "", err);
		if (!rc && filled)
			ref_transaction_add_log_step(t, &o->commit, "");
	}
	if (!rc && filled)
		rc = ref_transaction_update(t, REFNAME_ORIG_HEAD, &o->commit, NULL, 0, "reset: updating ORIG_HEAD", err);
	return rc;
}

static int stage_linked_refs(struct new_worktree *n, struct strbuf *text, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(n->op, 0, &t, err);

	if (!rc && n->o->new_branch && !oid_is_null(&n->o->commit))
		rc = add_branch(n, t, text, err);
	return rc ? rc : add_head(n, t, err);
}

static int write_worktree_files(struct new_worktree *n, struct unpack_trees *m, struct err *err)
{
	struct converter *conv = NULL;
	int rc = converter_new(&conv, n->wt, &n->ix, ATTR_CHECKOUT, err);

	m->start_meter = n->o->start_meter;
	if (!rc) {
		converter_set_origin(conv, n->o->branch, &n->o->commit);
		rc = unpack_trees_update_files(m, n->wt, &n->ix, conv, err);
	}
	converter_free(conv);
	return rc;
}

static int fill_from(struct new_worktree *n, const struct object_id *tree, struct err *err)
{
	struct unpack_trees m = { .kind = UNPACK_TREES_ONE, .reset = true, .update = true };
	struct converter *conv = NULL;
	int rc = converter_new(&conv, n->wt, &n->ix, ATTR_CHECKIN, err);

	if (!rc)
		rc = unpack_trees_run(&m, n->wt, &n->ix, conv, tree, 1, err);
	converter_free(conv);
	if (!rc) {
		index_release(&n->ix);
		n->ix = m.result;
		index_init(&m.result, n->wt->algo);
		rc = write_worktree_files(n, &m, err);
	}
	unpack_trees_release(&m);
	return rc ? rc : cache_tree_prime(&n->ix, n->wt, tree, err);
}

static int fill(struct new_worktree *n, struct err *err)
{
	struct object_id tree;
	int rc = repo_operation_lock_index(n->op, err);

	index_init(&n->ix, n->wt->algo);
	n->has_index = true;
	if (!rc && !oid_is_null(&n->o->commit)) {
		rc = object_peel(odb_source(n->wt->odb), &n->o->commit, OBJ_TREE, &tree, NULL, err);
		if (!rc)
			rc = fill_from(n, &tree, err);
	}
	if (!rc) {
		repo_operation_set_index(n->op, &n->ix);
		repo_operation_set_index_effects(n->op, INDEX_CHANGED_WORKTREE);
	}
	return rc;
}

static int change_linked(struct new_worktree *n, struct linked_entry *entry, struct strbuf *text, struct err *err)
{
	const struct linked_place place = { n->o->path, n->o->lock_reason, n->o->relative };
	const bool made = n->o->new_branch && !oid_is_null(&n->o->commit);
	int rc = made ? branch_find_start(n->r, n->o->start, n->o->track, &n->start, text, err) : 0;

	if (!rc)
		rc = linked_entry_make(entry, n->r, &place, err);
	if (rc < 0)
		return rc;
	n->wt = entry->wt;
	n->op = entry->op;
	if (!n->o->no_checkout)
		rc = fill(n, err);
	return rc ? rc : stage_linked_refs(n, text, err);
}

int linked_add(struct repository *r, const struct linked_add_options *o, struct repository **out, struct strbuf *text,
	       struct err *err)
{
	struct new_worktree n = { .r = r, .o = o };
	struct linked_entry entry = { .r = r };
	int rc = change_linked(&n, &entry, text, err);

	rc = linked_entry_end(&entry, rc, err);
	if (n.has_index)
		index_release(&n.ix);
	free(n.start.ref);
	if (!rc)
		*out = entry.wt;
	return rc;
}
