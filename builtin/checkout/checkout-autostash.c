/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checkout and switch with --merge: local changes that are in the way are carried over. The user's
 * work lives in files, which are not flushed; so it is first saved as a stash, under a ref, and
 * only then is any file changed. Up to there everything can still be refused.
 */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "index/cache-tree.h"
#include "porcelain/stash.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"
#include "worktree/local-merge.h"

#define AUTOSTASH "CHECKOUT_AUTOSTASH_HEAD"

struct carry {
	struct checkout *co;
	struct index_state files;      /* the index, with all changes of files */
	struct index_state base, ours; /* the commit that is left, the one to go to */
	struct object_id base_tree, files_tree;
	struct local_merge merge;
	struct unpack_trees update; /* from `files` to what the merge has made of them */
};

static int check_possible(const struct checkout *co, struct err *err)
{
	if (co->unborn)
		return err_set(err, ERR_UNSUPPORTED, "cannot merge local changes before the first commit");
	if (ref_exists(co->r->refs, AUTOSTASH))
		return err_set(err, ERR_EXISTS, "there are local changes of an earlier switch, which was interrupted");
	for (size_t i = 0; i < co->ix.nr; i++)
		if (co->ix.entries[i]->flags & CE_INTENT_TO_ADD)
			return err_set(err, ERR_UNSUPPORTED, "cannot merge local changes: '%s' is only intended to be added",
				       co->ix.entries[i]->name);
	return 0;
}

static const char *new_name(const struct checkout *co)
{
	return co->name ? co->name : "(empty)";
}

/* ---- the three states ---- */

static int read_files(struct carry *c, struct err *err)
{
	struct checkout *co = c->co;
	struct converter *conv = NULL;
	int rc = index_read_repo(&c->files, co->r, err);

	if (!rc)
		rc = converter_new(&conv, co->r, &c->files, ATTR_CHECKIN, err);
	if (!rc)
		rc = stash_add_changes(co->r, &c->files, conv, err);
	converter_free(conv);
	return rc;
}

static int read_states(struct carry *c, struct err *err)
{
	struct checkout *co = c->co;
	int rc = object_peel(odb_source(co->r->odb), &co->old_commit, OBJ_TREE, &c->base_tree, NULL, err);

	if (!rc)
		rc = unpack_trees_list(co->r, &c->base_tree, &c->base, err);
	if (!rc)
		rc = unpack_trees_list(co->r, &co->tree, &c->ours, err);
	return rc ? rc : read_files(c, err);
}

/* ---- before anything is changed ---- */

static char *stash_message(const struct checkout *co)
{
	return xstrfmt("autostash while switching to '%s'", new_name(co));
}

static int make_stash(struct carry *c, struct object_id *stash, struct err *err)
{
	struct checkout *co = c->co;
	char *message = stash_message(co);
	struct stash_source s = { .head = &co->old_commit, .branch = co->old_branch, .index = &co->ix,
				  .files = &c->files, .message = message };
	int rc = stash_create(co->r, &s, stash, err);

	free(message);
	return rc ? rc : cache_tree_update(&c->files, co->r, 0, &c->files_tree, err);
}

static int find_style(const struct checkout *co, enum merge3_style *style, struct err *err)
{
	if (co->conflict) {
		(void)merge3_parse_style(style, co->conflict); /* checked with the other options */
		return 0;
	}
	return merge_config_style(style, co->r->config, err);
}

/* Merges the changes, with the attributes of the new commit. */
static int merge_changes(struct carry *c, struct err *err)
{
	struct checkout *co = c->co;
	struct strbuf base = STRBUF_INIT;
	struct converter *conv = NULL;
	const char *branch = co->old_branch;
	int rc = find_style(co, &c->merge.style, err);

	if (branch && skip_prefix(branch, "refs/heads/", &branch))
		strbuf_addstr(&base, branch);
	else
		odb_abbrev(co->r->odb, &co->old_commit, co->r->settings.abbrev, &base);
	c->merge.base = &c->base;
	c->merge.ours = &c->ours;
	c->merge.theirs = &c->files;
	c->merge.label[MERGE_BASE] = base.buf;
	c->merge.label[MERGE_OURS] = new_name(co);
	c->merge.label[MERGE_THEIRS] = "local";
	if (!rc)
		rc = converter_new(&conv, co->r, &c->ours, ATTR_CHECKOUT, err);
	if (!rc)
		rc = local_merge_run(&c->merge, co->r, converter_attrs(conv), err);
	converter_free(conv);
	strbuf_release(&base);
	return rc;
}

static int plan(struct carry *c, const struct object_id *to, struct unpack_trees *m, struct err *err)
{
	struct checkout *co = c->co;
	const struct object_id trees[] = { c->files_tree, *to };
	struct converter *conv = NULL;
	int rc = converter_new(&conv, co->r, &c->files, ATTR_CHECKIN, err);

	*m = (struct unpack_trees){ .kind = UNPACK_TREES_TWO, .update = true, .for_switch = true,
				  .keep_ignored = !co->overwrite_ignore };
	if (!rc)
		rc = unpack_trees_run(m, co->r, &c->files, conv, trees, 2, err);
	converter_free(conv);
	return rc;
}

/*
 * What untracked files are in the way of: the files of the old commit that are not tracked any
 * more (they have been taken out of the index), then those of the result.
 */
static int plan_update(struct carry *c, struct err *err)
{
	struct unpack_trees back;
	struct object_id merged;
	int rc = plan(c, &c->base_tree, &back, err);

	unpack_trees_release(&back);
	if (!rc)
		rc = cache_tree_update(&c->merge.files, c->co->r, WRITE_TREE_MISSING_OK, &merged, err);
	return rc ? rc : plan(c, &merged, &c->update, err);
}

/* D4 for files: what replaces the user's work comes after what has it. */
static int save(struct checkout *co, const struct object_id *stash, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(co->op, 0, &t, err);

	if (!rc)
		rc = ref_transaction_update(t, AUTOSTASH, stash, &co->r->algo->null_oid, 0, NULL, err);
	if (!rc)
		rc = repo_operation_commit(co->op, err);
	if (!rc)
		co->autostash = *stash;
	return rc;
}

/* ---- the change ---- */

/* The entry `what`, whose file is that of `file` (NULL: unknown), a file against a directory included. */
static int add_copy(struct carry *c, struct index_state *out, const struct index_entry *what,
		    const struct index_entry *file, struct err *err)
{
	struct index_entry *e = index_entry_new(out, what->mode, &what->oid, what->name, what->name_len, what->stage);

	if (file) {
		e->stat = file->stat;
		e->flags = file->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE | CE_UPTODATE);
	}
	return index_add(out, e, INDEX_ADD_REPLACE, c->co->r->settings.protect, err);
}

/* Nothing is staged but new files: what the new commit has is in the index as it has it. */
static int build_clean(struct carry *c, struct index_state *out, struct err *err)
{
	const struct index_state *files = &c->co->ix;
	bool more = false;
	int rc = 0;

	for (size_t i = 0; i < c->ours.nr && !rc; i++) {
		const struct index_entry *e = c->ours.entries[i], *f = index_find(files, e->name, e->name_len);
		bool same = f && f->mode == e->mode && oid_eq(&f->oid, &e->oid);

		rc = add_copy(c, out, e, same ? f : NULL, err);
	}
	for (size_t i = 0; i < files->nr && !rc; i++) {
		const struct index_entry *f = files->entries[i];

		if (index_find(&c->ours, f->name, f->name_len))
			continue;
		rc = add_copy(c, out, f, f, err);
		more = true;
	}
	return rc || more ? rc : cache_tree_prime(out, c->co->r, &c->co->tree, err);
}

/* Builds the index after conflicts: cleanly merged files are staged. */
static int build_unmerged(struct carry *c, struct index_state *out, struct err *err)
{
	const struct index_state *files = &c->co->ix, *stages = &c->merge.stages;
	int rc = 0;

	for (size_t i = 0; i < files->nr && !rc; i++) {
		const struct index_entry *f = files->entries[i];

		if (!index_find_ours(stages, f->name, f->name_len))
			rc = add_copy(c, out, f, f, err);
	}
	for (size_t i = 0; i < stages->nr && !rc; i++)
		rc = add_copy(c, out, stages->entries[i], NULL, err);
	return rc;
}

static int build_index(struct carry *c, struct err *err)
{
	struct checkout *co = c->co;
	struct index_state out;
	int rc;

	index_init(&out, co->r->algo);
	out.version = co->ix.version;
	rc = co->carried_conflict ? build_unmerged(c, &out, err) : build_clean(c, &out, err);
	out.changed = true;
	index_release(&co->ix);
	co->ix = out;
	return rc;
}

/*
 * A file that neither commit has is all that there is of it once the autostash is gone: it is
 * flushed with the rest (P1; test: t0110, "settled before HEAD moves").
 */
static int flush_merged(struct carry *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->merge.merged.nr && !rc; i++)
		rc = repo_operation_add_written_file(c->co->op, c->merge.merged.items[i].string, err);
	return rc;
}

int checkout_carry(struct checkout *co, struct err *err)
{
	struct carry c = { .co = co };
	struct object_id stash;
	int rc = check_possible(co, err);

	index_init(&c.files, co->r->algo);
	index_init(&c.base, co->r->algo);
	index_init(&c.ours, co->r->algo);
	if (!rc)
		rc = repo_operation_open_objects(co->op, err);
	if (!rc)
		rc = read_states(&c, err);
	if (!rc)
		rc = make_stash(&c, &stash, err);
	if (!rc)
		rc = merge_changes(&c, err);
	if (!rc)
		rc = plan_update(&c, err);
	if (!rc)
		rc = save(co, &stash, err);
	co->carried = !rc;
	co->carried_conflict = c.merge.stages.nr > 0;
	if (!rc)
		rc = checkout_write_files(co, &c.update, err);
	if (!rc)
		rc = flush_merged(&c, err);
	if (!rc)
		rc = build_index(&c, err);
	index_release(&c.files);
	index_release(&c.base);
	index_release(&c.ours);
	local_merge_release(&c.merge);
	unpack_trees_release(&c.update);
	return rc;
}

/* ---- with HEAD ---- */

int checkout_carry_refs(struct checkout *co, struct ref_transaction *t, struct err *err)
{
	char *message = stash_message(co);
	int rc = ref_transaction_update(t, AUTOSTASH, &co->r->algo->null_oid, &co->autostash, REF_NO_DEREF, NULL, err);

	if (!rc && co->carried_conflict)
		rc = stash_queue_entry(t, &co->autostash, message, err);
	free(message);
	return rc;
}

void checkout_carry_tell(const struct checkout *co)
{
	if (co->carried_conflict)
		fputs("Your local changes are stashed, however applying them resulted in conflicts.\n"
		      "Resolve these; the stash, refs/stash, is not needed any more then. Or go on without the\n"
		      "changes, with \"git reset --hard\", and apply the stash when you want them.\n", stderr);
	else if (co->carried)
		fputs("Applied autostash.\n", stderr);
}

void checkout_carry_advise(const struct checkout *co)
{
	if (co->merge && ref_exists(co->r->refs, AUTOSTASH))
		advise("these local changes are in " AUTOSTASH "; to have them back as they were, run\n"
		       "  git reset --hard && git restore --source=" AUTOSTASH " .\n"
		       "and then forget them there:\n"
		       "  git update-ref -d " AUTOSTASH);
}
