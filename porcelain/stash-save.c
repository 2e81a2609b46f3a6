/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "merge/options.h"
#include "odb/odb.h"
#include "porcelain/head.h"
#include "porcelain/stash-save.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"

/* ---- what has changed ---- */

static bool is_selected(const struct stash_save *s, const char *path, bool is_dir, char *seen)
{
	return !s->ps || pathspec_match(s->ps, path, strlen(path), is_dir, seen);
}

static void forget_change(struct worktree_changes *ch, size_t i)
{
	free(ch->items[i].path);
	memmove(ch->items + i, ch->items + i + 1, (--ch->nr - i) * sizeof(*ch->items));
}

/* The commits of submodules stay as they are in the index. */
static void leave_submodules(struct stash_save *s)
{
	for (size_t i = s->changes.nr; i-- > 0;) {
		const struct index_entry *e = index_find(&s->ix, s->changes.items[i].path, strlen(s->changes.items[i].path));

		if (e && MODE_IS_GITLINK(e->mode))
			forget_change(&s->changes, i);
	}
}

/* A file that HEAD has, and the index does not, belongs to the changes. */
static void add_file_of_head(struct stash_save *s, const char *path)
{
	struct worktree_changed_path *item;
	struct stat st;

	if (worktree_leading_symlink(path, strlen(path)) || lstat(path, &st) || S_ISDIR(st.st_mode))
		return;
	ALLOC_GROW(s->changes.items, s->changes.nr + 1, s->changes.alloc);
	item = &s->changes.items[s->changes.nr++];
	*item = (struct worktree_changed_path){ .path = xstrdup(path), .st = st };
	string_list_append(&s->head_files, path);
}

/* A new file that is missing is no change of HEAD: the stash keeps it as it is in the index. */
static void leave_missing_new_files(struct stash_save *s)
{
	for (size_t i = s->changes.nr; i-- > 0;) {
		const char *path = s->changes.items[i].path;

		if (!s->changes.items[i].gone || !string_list_lookup(&s->new_files, path))
			continue;
		string_list_append(&s->missing_files, path);
		forget_change(&s->changes, i);
	}
}

static int note_staged(void *data, const char *path, unsigned old_mode, const struct object_id *old_oid UNUSED,
		       const struct index_entry *e, struct err *err UNUSED)
{
	struct stash_save *s = data;

	if (!is_selected(s, path, false, NULL) || MODE_IS_GITLINK(e ? e->mode : old_mode))
		return 0;
	s->has_staged = true;
	if (!e)
		add_file_of_head(s, path);
	else if (!old_mode)
		string_list_append(&s->new_files, path);
	return 0;
}

static int note_untracked(void *data, const char *path, size_t len UNUSED, bool is_dir, enum dirwalk_kind kind)
{
	struct stash_save *s = data;

	if (!is_dir && kind == DIRWALK_UNTRACKED && !string_list_lookup(&s->head_files, path))
		string_list_append(&s->untracked_paths, path);
	return 0;
}

static int find_untracked(struct stash_save *s, struct err *err)
{
	struct ignore *ig = NULL;
	int rc = 0;

	if (!s->untracked && !s->ignored)
		return 0;
	if (s->ignored)
		ig = ignore_new_empty(s->r, NULL);
	else
		rc = ignore_new(&ig, s->r, &s->update.ix, err);
	if (!rc)
		rc = worktree_walk_untracked(s->r, &s->update.ix, ig, s->ps, UNTRACKED_ALL, 0, note_untracked, s, err);
	ignore_free(ig);
	return rc;
}

static void note_seen(struct stash_save *s)
{
	if (!s->ps)
		return;
	s->seen = xcalloc(s->ps->nr + 1, 1);
	for (size_t i = 0; i < s->ix.nr; i++)
		(void)is_selected(s, s->ix.entries[i]->name, MODE_IS_GITLINK(s->ix.entries[i]->mode), s->seen);
}

static int find_changes(struct stash_save *s, struct err *err)
{
	int rc = worktree_find_changes(s->r, &s->update.ix, s->ps, s->update.conv, 0, NULL, &s->changes, err);

	leave_submodules(s);
	if (rc >= 0)
		rc = index_diff_tree(&s->ix, odb_source(s->r->odb), &s->head_tree, note_staged, s, err);
	leave_missing_new_files(s);
	if (!rc)
		rc = find_untracked(s, err);
	s->has_changes = s->has_staged || s->changes.nr || s->untracked_paths.nr;
	return rc;
}

static int read_head_of(struct stash_save *s, struct err *err)
{
	bool unborn;
	int rc = head_read(s->r, &s->head, &s->branch, &unborn, err);

	if (!rc && unborn)
		rc = err_set(err, ERR_NOT_FOUND, "You do not have the initial commit yet");
	return rc ? rc : object_peel(odb_source(s->r->odb), &s->head, OBJ_TREE, &s->head_tree, NULL, err);
}

int stash_save_begin(struct stash_save *s, struct repo_operation *op, struct err *err)
{
	int rc;

	s->op = op;
	s->r = repo_operation_repository(op);
	index_init(&s->ix, s->r->algo);
	index_init(&s->untracked_files, s->r->algo);
	if (s->ps && !s->ps->nr)
		s->ps = NULL;
	rc = result_update_refuse_unfinished(s->r, err);
	if (!rc)
		rc = read_head_of(s, err);
	if (!rc)
		rc = result_update_begin(&s->update, op, err);
	if (!rc)
		rc = index_read_repo(&s->ix, s->r, err);
	if (!rc && index_has_unmerged(&s->ix))
		rc = err_set(err, ERR_CONFLICT, "could not write index");
	if (rc)
		return rc;
	if (s->ps) {
		s->ps->match_attr = attrs_match_spec;
		s->ps->match_attr_data = converter_attrs(s->update.conv);
	}
	note_seen(s);
	return find_changes(s, err);
}

/* ---- the stash ---- */

static int refuse_intents(const struct stash_save *s, struct err *err)
{
	for (size_t i = 0; i < s->ix.nr; i++)
		if (s->ix.entries[i]->flags & CE_INTENT_TO_ADD)
			return err_set(err, ERR_CONFLICT, "Entry '%s' not uptodate. Cannot merge.", s->ix.entries[i]->name);
	return 0;
}

static int add_changes(struct stash_save *s, struct err *err)
{
	struct worktree_add_options o = { .intent_to_add = false };
	struct worktree_adder *a = worktree_adder_new(s->r, &s->update.ix, s->update.conv, &o);
	int rc = worktree_adder_apply(a, &s->changes, false, err);

	if (!rc)
		rc = worktree_adder_finish(a, err);
	worktree_adder_free(a);
	return rc;
}

static int add_untracked(struct stash_save *s, struct err *err)
{
	struct worktree_add_options o = { .intent_to_add = false };
	struct worktree_adder *a = worktree_adder_new(s->r, &s->untracked_files, s->update.conv, &o);
	struct stat st;
	int rc = 0;

	for (size_t i = 0; !rc && i < s->untracked_paths.nr; i++) {
		const char *path = s->untracked_paths.items[i].string;

		if (lstat(path, &st))
			rc = err_set_errno(err, "cannot read '%s'", path);
		else
			rc = worktree_adder_add(a, path, &st, err);
	}
	if (!rc)
		rc = worktree_adder_finish(a, err);
	worktree_adder_free(a);
	return rc;
}

static int write_stash(struct stash_save *s, struct err *err)
{
	struct object_id untracked;
	struct stash_source src = { .head = &s->head, .branch = s->branch, .index = &s->ix,
				    .files = s->chosen ? s->chosen : s->staged ? &s->ix : &s->update.ix, .message = s->message };
	int rc = s->chosen ? 0 : add_changes(s, err);

	if (!rc && (s->untracked || s->ignored)) { /* also without any such file, as in Git */
		rc = add_untracked(s, err);
		if (!rc)
			rc = stash_create_untracked(s->r, &src, &s->untracked_files, &untracked, err);
		src.untracked = &untracked;
	}
	if (!rc)
		rc = stash_create(s->r, &src, &s->stash, err);
	return rc ? rc : stash_add_message(s->r, &src, &s->log, err);
}

/* ---- the target of index and files ---- */

static int copy_entry(struct stash_save *s, struct index_state *to, const struct index_entry *e, struct err *err)
{
	struct index_entry *copy = index_entry_new(to, e->mode, &e->oid, e->name, e->name_len, 0);

	copy->stat = e->stat;
	copy->flags = e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE | CE_UPTODATE);
	return index_add(to, copy, INDEX_ADD_REPLACE, s->r->settings.protect, err);
}

/* Untracked files go away like files that were tracked. */
static int add_untracked_to_files(struct stash_save *s, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->untracked_files.nr; i++)
		rc = copy_entry(s, &s->update.ix, s->untracked_files.entries[i], err);
	return rc;
}

/* The paths that the pathspec leaves alone stay as they are in the files. */
static int build_target(struct stash_save *s, const struct index_state *back, struct err *err)
{
	const struct index_state *files = &s->update.ix;
	struct index_state target;
	int rc = 0;

	index_init(&target, s->r->algo);
	for (size_t i = 0; !rc && i < files->nr; i++) {
		const struct index_entry *e = files->entries[i];

		if (!is_selected(s, e->name, MODE_IS_GITLINK(e->mode), NULL))
			rc = copy_entry(s, &target, e, err);
	}
	for (size_t i = 0; !rc && i < back->nr; i++) {
		const struct index_entry *e = back->entries[i];

		if (is_selected(s, e->name, MODE_IS_GITLINK(e->mode), NULL))
			rc = copy_entry(s, &target, e, err);
	}
	if (!rc)
		rc = cache_tree_update(&target, s->r, 0, &s->to, err);
	index_release(&target);
	return rc;
}

static int find_target_of_paths(struct stash_save *s, struct err *err)
{
	struct index_state head;
	int rc;

	if (s->keep_index)
		return build_target(s, &s->ix, err);
	rc = unpack_trees_list(s->r, &s->head_tree, &head, err);
	if (!rc)
		rc = build_target(s, &head, err);
	index_release(&head);
	return rc;
}

/* Staged changes are taken out of the files: a merge of them and HEAD, whose base is the index. */
static int take_staged_out(struct stash_save *s, const struct object_id *index, struct err *err)
{
	struct merge_trees m = { .odb = s->r->odb, .tree = { index, &s->from, &s->head_tree },
				 .label = { "index", "files", "HEAD" } };
	struct content_merge attributes = { .r = s->r, .attrs = converter_attrs(s->update.conv), .ix = &s->update.ix };
	struct merge_result result;
	int rc = merge_options_config(&m, s->r->config, err);

	content_merge_use(&attributes, &m.rules);
	m.renames.disabled = true;
	if (!rc)
		rc = merge_trees(&m, &result, err);
	content_merge_release(&attributes);
	if (rc)
		return rc;
	s->to = result.tree;
	s->cannot_clear = !result.clean;
	merge_result_release(&result);
	return 0;
}

static int find_target(struct stash_save *s, struct err *err)
{
	struct object_id index;
	int rc = cache_tree_update(&s->ix, s->r, 0, &index, err);

	if (!rc)
		rc = cache_tree_update(&s->update.ix, s->r, 0, &s->from, err);
	if (rc)
		return rc;
	if (s->staged)
		return take_staged_out(s, &index, err);
	if (s->ps)
		return find_target_of_paths(s, err);
	s->to = s->keep_index ? index : s->head_tree;
	return 0;
}

/* Only the stash has them: with --keep-index they are written. */
static void remove_missing_from_files(struct stash_save *s)
{
	for (size_t i = 0; i < s->missing_files.nr; i++)
		(void)index_remove(&s->update.ix, s->missing_files.items[i].string, strlen(s->missing_files.items[i].string));
	if (s->missing_files.nr)
		cache_tree_free(&s->update.ix.cache_tree);
}

static int plan_clear(struct stash_save *s, struct err *err)
{
	int rc = add_untracked_to_files(s, err);

	remove_missing_from_files(s);
	if (!rc)
		rc = find_target(s, err);
	if (rc || s->cannot_clear)
		return rc;
	s->update.from = &s->from;
	s->update.to = &s->to;
	s->update.head_stays = s->update.goes_on = true;
	return result_update_plan(&s->update, err);
}

int stash_save_create(struct stash_save *s, struct err *err)
{
	int rc = s->chosen ? 0 : refuse_intents(s, err);

	if (!rc)
		rc = repo_operation_open_objects(s->op, err);
	if (!rc)
		rc = write_stash(s, err);
	return rc || s->chosen ? rc : plan_clear(s, err);
}

/* ---- the change ---- */

/* --staged: the index goes back to HEAD, files keep all other changes. */
static int reset_index_to_head(struct stash_save *s, struct err *err)
{
	struct index_state *ix = &s->update.ix, head;
	int rc = unpack_trees_list(s->r, &s->head_tree, &head, err);

	for (size_t i = 0; !rc && i < head.nr; i++) {
		const struct index_entry *f = index_find(ix, head.entries[i]->name, head.entries[i]->name_len);

		if (f && f->mode == head.entries[i]->mode && oid_eq(&f->oid, &head.entries[i]->oid)) {
			head.entries[i]->stat = f->stat;
			head.entries[i]->flags |= f->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE | CE_UPTODATE);
		}
	}
	if (!rc) {
		head.version = ix->version;
		head.changed = true;
		index_release(ix);
		*ix = head;
		return 0;
	}
	index_release(&head);
	return rc;
}

/* As `reset --hard` does. */
static int queue_reset(struct stash_save *s, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(s->op, 0, &t, err);

	if (!rc)
		rc = ref_transaction_update(t, REFNAME_ORIG_HEAD, &s->head, NULL, 0, "reset: updating ORIG_HEAD", err);
	if (!rc)
		rc = ref_transaction_update(t, "HEAD", &s->head, &s->head, 0, "reset: moving to HEAD", err);
	return rc ? rc : repo_operation_end_state(s->op, STATE_ENDS_BY_SWITCH, err);
}

/* The index goes back to HEAD, unless it stays. */
static int clear_chosen(struct stash_save *s, struct err *err)
{
	int rc = s->keep_index ? 0 : reset_index_to_head(s, err);

	if (!rc && !s->keep_index)
		repo_operation_set_index(s->op, &s->update.ix);
	return rc;
}

int stash_save_clear(struct stash_save *s, struct err *err)
{
	int rc;

	if (s->chosen)
		return clear_chosen(s, err);
	rc = result_update_run(&s->update, err);

	if (!rc && s->staged)
		rc = reset_index_to_head(s, err);
	return rc || !s->as_reset || s->ps || s->staged ? rc : queue_reset(s, err);
}

void stash_save_release(struct stash_save *s)
{
	result_update_release(&s->update);
	index_release(&s->ix);
	index_release(&s->untracked_files);
	worktree_changes_release(&s->changes);
	string_list_clear(&s->untracked_paths, NULL);
	string_list_clear(&s->head_files, NULL);
	string_list_clear(&s->new_files, NULL);
	string_list_clear(&s->missing_files, NULL);
	strbuf_release(&s->log);
	free(s->branch);
	free(s->seen);
}
