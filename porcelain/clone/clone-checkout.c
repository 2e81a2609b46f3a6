/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a clone: the tree of its HEAD, into an empty directory. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "index/cache-tree.h"
#include "object/object.h"
#include "porcelain/clone/clone-internal.h"
#include "worktree/unpack-trees.h"

static int compare_without_case(const void *a, const void *b)
{
	const struct string_list_item *x = a, *y = b;
	int cmp = strcasecmp(x->string, y->string);

	return cmp ? cmp : strcmp(x->string, y->string);
}

static void tell_collided(const struct clone *c, struct string_list *paths)
{
	struct strbuf msg = STRBUF_INIT;

	string_list_sort(paths);
	string_list_remove_duplicates(paths, NULL);
	if (c->r->settings.ignorecase)
		qsort(paths->items, paths->nr, sizeof(*paths->items), compare_without_case);
	strbuf_addstr(&msg, "the following paths have collided (e.g. case-sensitive paths\n"
			    "on a case-insensitive filesystem) and only one from the same\n"
			    "colliding group is in the working tree:\n");
	for (size_t i = 0; i < paths->nr; i++)
		strbuf_addf(&msg, "\n  '%s'", paths->items[i].string);
	c->o->warn(c->o->data, msg.buf);
	strbuf_release(&msg);
}

static int clone_checkout_write_files(struct clone *c, struct unpack_trees *m, struct err *err)
{
	struct string_list collided = STRING_LIST_INIT;
	struct converter *conv = NULL;
	int rc = converter_new(&conv, c->r, &c->ix, ATTR_CHECKOUT, err);

	m->start_meter = c->o->files_progress;
	m->collided = &collided;
	if (!rc)
		converter_set_origin(conv, c->detached ? NULL : c->branch, &c->head);
	if (!rc)
		rc = unpack_trees_update_files(m, c->r, &c->ix, conv, err);
	m->collided = NULL;
	if (collided.nr)
		tell_collided(c, &collided);
	string_list_clear(&collided, NULL);
	converter_free(conv);
	return rc;
}

static int clone_checkout_fill(struct clone *c, const struct object_id *tree, struct err *err)
{
	struct unpack_trees m = { .kind = UNPACK_TREES_ONE, .reset = true, .update = true };
	struct converter *conv = NULL;
	int rc = converter_new(&conv, c->r, &c->ix, ATTR_CHECKIN, err);

	if (!rc)
		rc = unpack_trees_run(&m, c->r, &c->ix, conv, tree, 1, err);
	converter_free(conv);
	if (!rc) {
		index_release(&c->ix);
		c->ix = m.result;
		index_init(&m.result, c->r->algo);
		rc = clone_checkout_write_files(c, &m, err);
	}
	unpack_trees_release(&m);
	return rc ? rc : cache_tree_prime(&c->ix, c->r, tree, err);
}

int clone_checkout(struct clone *c, struct err *err)
{
	struct object_id tree;
	int rc;

	if (chdir(c->r->worktree) < 0)
		return err_set_errno(err, "cannot chdir to '%s'", c->r->worktree);
	rc = object_peel(odb_source(c->r->odb), &c->head, OBJ_TREE, &tree, NULL, err);
	if (!rc)
		rc = repo_operation_lock_index(c->op, err);
	if (rc < 0)
		return rc;
	index_init(&c->ix, c->r->algo);
	c->has_index = true;
	rc = clone_checkout_fill(c, &tree, err);
	if (!rc) {
		repo_operation_set_index(c->op, &c->ix);
		repo_operation_set_index_effects(c->op, INDEX_CHANGED_WORKTREE);
	}
	return rc;
}
