/* SPDX-License-Identifier: GPL-2.0-only */
/* What the menu does to the index: files are added to it as they are, or its entries become those of HEAD again. */
#include "compat/posix.h"
#include "cli/choose/menu.h"
#include "index/cache-tree.h"
#include "object/tree.h"
#include "worktree/worktree.h"

/* An operation of its own, or the caller's. */
struct menu_change {
	struct menu *m;
	struct repo_operation *op;
	struct index_state own, *ix;
	struct converter *conv;
};

static int begin_change(struct menu_change *ch, struct menu *m, struct err *err)
{
	int rc = 0;

	*ch = (struct menu_change){ .m = m, .op = m->q->op };
	index_init(&ch->own, m->repo->algo);
	ch->ix = m->q->into ? m->q->into : &ch->own;
	if (!m->q->into) {
		ch->op = repo_operation_begin(m->repo);
		rc = repo_operation_lock_index(ch->op, err);
		if (!rc)
			rc = index_read_repo(ch->ix, m->repo, err);
	}
	if (!rc)
		rc = converter_new(&ch->conv, m->repo, ch->ix, ATTR_CHECKIN, err);
	return rc ? rc : repo_operation_open_objects(ch->op, err);
}

static int end_change(struct menu_change *ch, int rc, struct err *err)
{
	if (!rc)
		ch->ix->changed = true;
	if (!rc && !ch->m->q->into)
		repo_operation_set_index(ch->op, ch->ix);
	if (!ch->m->q->into)
		rc = repo_operation_end(ch->op, rc, err);
	converter_free(ch->conv);
	index_release(&ch->own);
	return rc;
}

/* ---- update, add untracked ---- */

static int stage_file(struct menu_change *ch, struct worktree_adder *adder, const char *path, struct err *err)
{
	struct stat st;

	if (!lstat(path, &st))
		return worktree_adder_add(adder, path, &st, err);
	if (errno != ENOENT && errno != ENOTDIR)
		return err_set_errno(err, "could not stage '%s'", path);
	index_remove(ch->ix, path, strlen(path));
	cache_tree_invalidate(ch->ix, path);
	return 0;
}

int menu_stage_files(struct menu *m, const struct changed_files *files, struct err *err)
{
	const struct worktree_add_options o = { .intent_to_add = false };
	struct worktree_adder *adder = NULL;
	struct menu_change ch;
	int rc = begin_change(&ch, m, err);

	if (!rc)
		adder = worktree_adder_new(m->repo, ch.ix, ch.conv, &o);
	for (size_t i = 0; !rc && i < files->nr; i++)
		rc = stage_file(&ch, adder, files->items[i].path, err);
	if (!rc)
		rc = worktree_adder_finish(adder, err);
	worktree_adder_free(adder);
	return end_change(&ch, rc, err);
}

/* ---- revert ---- */

static int unstage_entry(void *data, const char *path, unsigned old_mode, const struct object_id *old_oid,
			 const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	struct changed_files *changes = data;
	struct changed_file *f;

	for (size_t i = 0; i < changes->nr; i++) {
		f = &changes->items[i];
		if (strcmp(f->path, path) != 0)
			continue;
		f->head_mode = old_mode;
		if (old_mode)
			f->head_oid = *old_oid;
		f->in_head_differs = true;
	}
	return 0;
}

static int unstage_file(struct menu_change *ch, const struct changed_file *f, struct err *err)
{
	struct index_entry *e = index_find(ch->ix, f->path, strlen(f->path));
	bool intended = e && e->flags & CE_INTENT_TO_ADD;

	if (!f->in_head_differs && !intended)
		return 0;
	if (!f->head_mode) {
		index_remove(ch->ix, f->path, strlen(f->path));
		cache_tree_invalidate(ch->ix, f->path);
		printf("note: %s is untracked now.\n", f->path);
		return 0;
	}
	e = index_entry_new(ch->ix, f->head_mode, &f->head_oid, f->path, strlen(f->path), 0);
	return index_add(ch->ix, e, INDEX_ADD_REPLACE, ch->m->repo->settings.protect, err);
}

int menu_unstage_files(struct menu *m, const struct changed_files *files, struct err *err)
{
	struct menu_change ch;
	struct changed_files found = *files;
	int rc = begin_change(&ch, m, err);

	if (!rc)
		rc = index_diff_tree(ch.ix, odb_source(m->repo->odb), &m->head_tree, unstage_entry, &found, err);
	for (size_t i = 0; !rc && i < files->nr; i++)
		rc = unstage_file(&ch, &found.items[i], err);
	return end_change(&ch, rc, err);
}
