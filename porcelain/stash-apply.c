/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "merge/options.h"
#include "odb/odb.h"
#include "porcelain/stash-apply.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"
#include "worktree/write-files.h"

/* ---- the merges ---- */

static int merge_in_memory(struct stash_apply *a, const struct object_id *theirs, bool renames, struct merge_result *out,
			   struct err *err)
{
	struct merge_trees m = { .odb = a->r->odb, .tree = { &a->stash->base_tree, &a->from, theirs } };
	struct content_merge attributes = { .r = a->r, .attrs = converter_attrs(a->update.conv), .ix = &a->update.ix };
	static const char *const labels[] = { [MERGE_BASE] = "Stash base", [MERGE_OURS] = "Updated upstream",
					      [MERGE_THEIRS] = "Stashed changes" };
	int rc = merge_options_config(&m, a->r->config, err);

	for (int i = 0; i < MERGE_STAGES; i++)
		m.label[i] = a->label[i] ? a->label[i] : labels[i];
	m.abbrev = a->r->settings.abbrev;
	content_merge_use(&attributes, &m.rules);
	m.renames.disabled |= !renames;
	if (!rc)
		rc = merge_trees(&m, out, err);
	content_merge_release(&attributes);
	return rc;
}

/* The index that --index brings back: the staged changes alone, merged into the index. */
static int merge_index(struct stash_apply *a, struct err *err)
{
	const struct stash *s = a->stash;
	struct merge_result result;
	int rc;

	if (!a->index || oid_eq(&s->index_tree, &s->base_tree) || oid_eq(&s->index_tree, &a->from))
		return 0;
	rc = merge_in_memory(a, &s->index_tree, false, &result, err);
	if (rc)
		return rc;
	a->staged = result.tree;
	a->has_staged = result.clean;
	if (!result.clean)
		rc = err_set(err, ERR_CONFLICT, "conflicts in index. Try without --index.");
	merge_result_release(&result);
	return rc;
}

static int merge_files(struct stash_apply *a, struct err *err)
{
	int rc = merge_in_memory(a, &a->stash->tree, true, &a->merge, err);

	a->has_merge = !rc;
	a->nothing_to_merge = oid_eq(&a->stash->tree, &a->stash->base_tree);
	if (!rc)
		a->to = a->merge.tree;
	return rc;
}

/* ---- untracked files ---- */

/* The length of the first part of the path that is there, and no directory; 0: none. */
static size_t obstacle(const struct index_entry *e)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	size_t found = 0;

	for (size_t len = 1; !found && len <= e->name_len; len++) {
		if (e->name[len] && e->name[len] != '/')
			continue;
		strbuf_reset(&path);
		strbuf_add(&path, e->name, len);
		if (lstat(path.buf, &st))
			break;
		if (!S_ISDIR(st.st_mode) || len == e->name_len)
			found = len;
	}
	strbuf_release(&path);
	return found;
}

/* A tracked file in the place of a directory may go away with the merge. */
static bool is_in_the_way(const struct stash_apply *a, const struct index_state *files, const struct index_entry *e)
{
	size_t len = obstacle(e);

	if (index_find(files, e->name, e->name_len))
		return true;
	return len && (!index_find(&a->update.ix, e->name, len) || index_find(files, e->name, len));
}

static int copy_entry_into(struct stash_apply *a, struct index_state *to, const struct index_entry *e, struct err *err)
{
	return index_add(to, index_entry_new(to, e->mode, &e->oid, e->name, e->name_len, 0), INDEX_ADD_REPLACE,
			 a->r->settings.protect, err);
}

/* They are written together with the files of the merge; the index forgets them again: forget_untracked. */
static int add_untracked_files(struct stash_apply *a, struct err *err)
{
	struct index_state files, all;
	int rc;

	if (!a->stash->has_untracked)
		return 0;
	index_init(&files, a->r->algo);
	rc = unpack_trees_list(a->r, &a->stash->untracked_tree, &all, err);
	if (!rc)
		rc = unpack_trees_list(a->r, &a->to, &files, err);
	for (size_t i = 0; !rc && i < all.nr; i++) {
		const struct index_entry *e = all.entries[i];

		if (is_in_the_way(a, &files, e)) {
			string_list_append(&a->in_the_way, e->name);
			continue;
		}
		rc = copy_entry_into(a, &a->untracked, e, err);
		if (!rc)
			rc = copy_entry_into(a, &files, e, err);
	}
	if (!rc && a->untracked.nr)
		rc = cache_tree_update(&files, a->r, 0, &a->to, err);
	index_release(&files);
	index_release(&all);
	return rc;
}

/* The patterns of a sparse checkout are for tracked files. */
static void write_all_untracked(struct stash_apply *a)
{
	struct unpack_trees *plan = &a->update.plan;

	for (size_t i = 0; i < a->untracked.nr; i++) {
		struct index_entry *e = index_find(&plan->result, a->untracked.entries[i]->name, a->untracked.entries[i]->name_len);

		if (!e || !(e->flags & CE_SKIP_WORKTREE))
			continue;
		e->flags &= ~CE_SKIP_WORKTREE;
		string_list_append(&plan->checked_out, e->name);
	}
	string_list_sort(&plan->checked_out);
	string_list_remove_duplicates(&plan->checked_out, NULL);
}

static void forget_untracked(struct stash_apply *a)
{
	for (size_t i = 0; i < a->untracked.nr; i++) {
		const struct index_entry *e = a->untracked.entries[i];

		(void)index_remove(&a->update.ix, e->name, e->name_len);
		cache_tree_invalidate(&a->update.ix, e->name);
	}
}

/* ---- the index afterwards ---- */

/* The entry of `before`, with the mark of the one in the new index, if there is one. */
static struct index_entry *take_back(struct index_state *ix, const struct index_entry *e, const struct index_entry *now)
{
	struct index_entry *copy = index_entry_new(ix, e->mode, &e->oid, e->name, e->name_len, 0);

	if (now)
		copy->flags |= now->flags & CE_SKIP_WORKTREE;
	return copy;
}

/*
 * Both lists are sorted. Entries that are as in `before` stay, with the stat data of their files; the others become as
 * there. `added` gets the entries that `before` does not have.
 */
static void put_before(struct index_state *ix, const struct index_state *before, struct index_entry **added, size_t *nr_added)
{
	struct index_entry **all;
	size_t nr = 0, i = 0, k = 0;

	ALLOC_ARRAY(all, st_add(before->nr, 1));
	while (i < ix->nr || k < before->nr) {
		struct index_entry *now = i < ix->nr ? ix->entries[i] : NULL;
		const struct index_entry *e = k < before->nr ? before->entries[k] : NULL;
		int cmp = !now ? 1 : !e ? -1 : strcmp(now->name, e->name);

		i += cmp <= 0;
		k += cmp >= 0;
		if (cmp < 0)
			added[(*nr_added)++] = now;
		else if (!cmp && now->mode == e->mode && oid_eq(&now->oid, &e->oid))
			all[nr++] = now;
		else
			all[nr++] = take_back(ix, e, cmp ? NULL : now);
	}
	free(ix->entries);
	ix->entries = all;
	ix->nr = nr;
	ix->alloc = st_add(before->nr, 1);
}

static int unstage_to(struct stash_apply *a, struct index_state *before, struct err *err)
{
	struct index_state *ix = &a->update.ix;
	struct index_entry **added;
	size_t nr_added = 0;
	int rc = 0;

	ALLOC_ARRAY(added, st_add(ix->nr, 1));
	put_before(ix, before, added, &nr_added);
	cache_tree_free(&ix->cache_tree);
	ix->cache_tree = before->cache_tree;
	before->cache_tree = NULL;
	/* New files stay in the index, or they would be untracked. */
	for (size_t i = 0; !rc && !a->has_staged && i < nr_added; i++)
		rc = index_add(ix, added[i], INDEX_ADD_REPLACE, a->r->settings.protect, err);
	free(added);
	ix->changed = true;
	return rc;
}

/* Nothing of it is staged but new files; or what --index has merged. */
static int unstage(struct stash_apply *a, struct err *err)
{
	struct index_state staged;
	int rc;

	if (!a->has_staged)
		return unstage_to(a, &a->before, err);
	rc = unpack_trees_list(a->r, &a->staged, &staged, err);
	if (!rc)
		rc = unstage_to(a, &staged, err);
	index_release(&staged);
	return rc;
}

/* The tree with conflict markers: what `git diff AUTO_MERGE` compares with. */
static int write_auto_merge_of(struct stash_apply *a, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%s\n", oid_hex(&a->merge.tree));
	rc = repo_operation_write_state(a->op, STATE_AUTO_MERGE, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

static int finish_index_of(struct stash_apply *a, struct err *err)
{
	int rc = a->nothing_to_merge ? 0 : write_auto_merge_of(a, err);

	forget_untracked(a);
	a->index_lost = a->index && !a->merge.clean;
	return rc || !a->merge.clean ? rc : unstage(a, err);
}

/* ---- the story ---- */

static int begin_apply(struct stash_apply *a, struct err *err)
{
	int rc = result_update_refuse_unfinished(a->r, err);

	if (!rc)
		rc = result_update_begin(&a->update, a->op, err);
	if (!rc && index_has_unmerged(&a->update.ix))
		rc = err_set(err, ERR_CONFLICT, "could not write index");
	if (!rc)
		rc = repo_operation_open_objects(a->op, err);
	return rc ? rc : cache_tree_update(&a->update.ix, a->r, 0, &a->from, err);
}

static int plan_apply(struct stash_apply *a, struct err *err)
{
	int rc;

	a->update.from = &a->from;
	a->update.to = &a->to;
	a->update.stages = &a->merge.stages;
	a->update.head_stays = true;
	a->update.before = &a->before;
	rc = result_update_plan(&a->update, err);
	if (!rc)
		write_all_untracked(a);
	return rc;
}

int stash_apply_run(struct stash_apply *a, struct repo_operation *op, struct err *err)
{
	int rc;

	a->op = op;
	a->r = repo_operation_repository(op);
	index_init(&a->untracked, a->r->algo);
	index_init(&a->before, a->r->algo);
	rc = begin_apply(a, err);
	if (!rc)
		rc = merge_index(a, err);
	if (!rc)
		rc = merge_files(a, err);
	if (!rc)
		rc = add_untracked_files(a, err);
	if (!rc)
		rc = plan_apply(a, err);
	if (!rc)
		rc = result_update_run(&a->update, err);
	return rc ? rc : finish_index_of(a, err);
}

int stash_apply_keep_files(struct stash_apply *a, struct err *err)
{
	const struct string_list *l = &a->update.plan.checked_out;
	struct stat st;
	int rc = 0;

	if (worktree_files_are_sealed(a->r))
		return 0;
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (!lstat(l->items[i].string, &st) && S_ISREG(st.st_mode))
			rc = repo_operation_add_written_file(a->op, l->items[i].string, err);
	return rc;
}

bool stash_apply_is_clean(const struct stash_apply *a)
{
	return a->has_merge && a->merge.clean && !a->in_the_way.nr;
}

void stash_apply_release(struct stash_apply *a)
{
	result_update_release(&a->update);
	index_release(&a->untracked);
	index_release(&a->before);
	if (a->has_merge)
		merge_result_release(&a->merge);
	string_list_clear(&a->in_the_way, NULL);
}
