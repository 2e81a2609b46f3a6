/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sparse indexes: gitformat-index(5), "Sparse directory entries". An entry "dir/" with the mode
 * and id of a tree stands for all files below, which are not checked out. They take its place when
 * the index is read; what we write is a whole index.
 */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "object/dotfile.h"
#include "util/alloc.h"

/* More entries than any index has; trees that hold each other many times could ask for any number. */
#define ENTRIES_MAX ((size_t)32 << 20)

struct expansion {
	struct index_state *ix;
	struct index_entry **out;
	size_t nr, alloc;
};

static int put_entry(struct expansion *x, struct index_entry *e, struct err *err)
{
	if (x->nr == ENTRIES_MAX)
		return err_set(err, ERR_TOO_BIG, "too many files in sparse directories of the index");
	ALLOC_GROW(x->out, x->nr + 1, x->alloc);
	x->out[x->nr++] = e;
	return 0;
}

static int add_file_of_tree(void *data, const char *path, size_t len, const struct tree_entry *t, struct err *err)
{
	struct expansion *x = data;
	struct index_entry *e;

	if (!path_component_is_safe(t->name, t->name_len, t->mode, 0))
		return err_set(err, ERR_CORRUPT, "invalid path '%s'", path);
	if (MODE_IS_TREE(t->mode))
		return TREE_WALK_DESCEND;
	e = index_entry_new(x->ix, t->mode, &t->oid, path, len, 0);
	e->flags = CE_SKIP_WORKTREE;
	return put_entry(x, e, err);
}

/* In a split index, a name from the shared file may have come together with the mode of a tree. */
static int expand_dir(struct expansion *x, const struct index_entry *e, const struct object_source *src,
		      const char *path, struct err *err)
{
	if (e->stage || e->name_len < 2 || e->name[e->name_len - 1] != '/' || !(e->flags & CE_SKIP_WORKTREE))
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': entry '%s' with invalid mode %o", path, e->name,
			       e->mode);
	return tree_walk(src, &e->oid, e->name, add_file_of_tree, x, err);
}

int index_expand_sparse_dirs(struct index_state *ix, const struct object_source *src, const char *path, struct err *err)
{
	struct expansion x = { .ix = ix };
	int rc = 0;

	for (size_t i = 0; i < ix->nr && !rc; i++) {
		struct index_entry *e = ix->entries[i];

		rc = MODE_IS_TREE(e->mode) ? expand_dir(&x, e, src, path, err) : put_entry(&x, e, err);
	}
	if (rc < 0) {
		free(x.out);
		return rc;
	}
	free(ix->entries);
	ix->entries = x.out;
	ix->nr = x.nr;
	ix->alloc = x.alloc;
	ix->sparse_dirs = false;
	/* It counts a sparse directory as one entry. */
	cache_tree_free(&ix->cache_tree);
	return index_check_order(ix, path, err);
}
