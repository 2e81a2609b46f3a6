/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trees of a branch in memory. A directory is loaded when a path in it is used. `dirty` marks entries whose object is
 * out of date: a directory is only dirty if all above it are.
 */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

/* ---- memory ---- */

void import_tree_free(struct import_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++) {
		import_tree_free(t->v[i]->tree);
		free(t->v[i]);
	}
	strbuf_release(&t->old);
	free(t->v);
	free(t);
}

static struct import_tree *tree_new(void)
{
	struct import_tree *t = xcalloc(1, sizeof(*t));

	strbuf_init(&t->old, 0);
	return t;
}

static struct import_entry *entry_new(const char *name, size_t len)
{
	struct import_entry *e = xcalloc(1, sizeof(*e) + len + 1);

	memcpy(e->name, name, len);
	e->name_len = len;
	return e;
}

struct import_entry *import_root_new(const struct hash_algo *algo)
{
	struct import_entry *root = entry_new("", 0);

	root->mode = MODE_TREE;
	root->oid = algo->null_oid;
	return root;
}

void import_root_free(struct import_entry *root)
{
	if (root)
		import_tree_free(root->tree);
	free(root);
}

/* oid: null for an empty tree. */
void import_root_set(struct import_entry *root, const struct object_id *oid)
{
	import_tree_free(root->tree);
	root->tree = NULL;
	root->oid = *oid;
	root->dirty = false;
	root->mode = MODE_TREE;
}

static struct import_tree *tree_copy(const struct import_tree *t)
{
	struct import_tree *c = t ? tree_new() : NULL;

	if (!t)
		return NULL;
	c->old_oid = t->old_oid;
	strbuf_addbuf(&c->old, &t->old);
	for (size_t i = 0; i < t->nr; i++) {
		struct import_entry *e = entry_new(t->v[i]->name, t->v[i]->name_len);

		e->mode = t->v[i]->mode;
		e->dirty = t->v[i]->dirty;
		e->oid = t->v[i]->oid;
		e->tree = tree_copy(t->v[i]->tree);
		ALLOC_GROW(c->v, c->nr + 1, c->alloc);
		c->v[c->nr++] = e;
	}
	return c;
}

/* ---- one directory ---- */

static int cmp_name(const struct import_entry *e, const char *name, size_t len)
{
	int cmp = memcmp(e->name, name, e->name_len < len ? e->name_len : len);

	return cmp ? cmp : e->name_len < len ? -1 : e->name_len > len;
}

/* The place of a name, or where it belongs. */
static size_t find_place(const struct import_tree *t, const char *name, size_t len, bool *found)
{
	size_t lo = 0, hi = t->nr;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = cmp_name(t->v[mid], name, len);

		if (!cmp) {
			*found = true;
			return mid;
		}
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct import_entry *find_entry(const struct import_tree *t, const char *name, size_t len)
{
	bool found;
	size_t i = find_place(t, name, len, &found);

	return found ? t->v[i] : NULL;
}

static struct import_entry *need_entry(struct import_tree *t, const char *name, size_t len)
{
	bool found;
	size_t i = find_place(t, name, len, &found);

	if (found)
		return t->v[i];
	ALLOC_GROW(t->v, t->nr + 1, t->alloc);
	memmove(t->v + i + 1, t->v + i, (t->nr - i) * sizeof(*t->v));
	t->nr++;
	return t->v[i] = entry_new(name, len);
}

static void drop_entry(struct import_tree *t, struct import_entry *e)
{
	bool found;
	size_t i = find_place(t, e->name, e->name_len, &found);

	import_tree_free(e->tree);
	free(e);
	memmove(t->v + i, t->v + i + 1, (--t->nr - i) * sizeof(*t->v));
}

int import_tree_load(struct fast_import *fi, struct import_entry *e, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct import_tree *t;
	struct tree_iter it;
	struct tree_entry x;
	int rc = 0;

	if (e->tree)
		return 0;
	if (!oid_is_null(&e->oid) && !oid_eq(&e->oid, &fi->repo->algo->empty_tree))
		rc = odb_read_type(fi->repo->odb, &e->oid, OBJ_TREE, &buf, err);
	if (rc < 0) {
		err_prefix(err, "can't load tree %s", oid_hex(&e->oid));
		return rc;
	}
	t = tree_new();
	t->old_oid = e->oid;
	strbuf_add(&t->old, buf.data ? buf.data : "", buf.size);
	tree_iter_init(&it, t->old.buf, t->old.len, fi->repo->algo);
	while ((rc = tree_iter_next(&it, &x, err)) > 0) {
		struct import_entry *n = need_entry(t, x.name, x.name_len);

		n->mode = x.raw_mode;
		n->oid = x.oid;
	}
	object_buf_release(&buf);
	if (rc < 0)
		import_tree_free(t);
	else
		e->tree = t;
	return rc;
}

/* ---- paths ---- */

static size_t component(const char *path, struct err *err)
{
	size_t len = strcspn(path, "/");

	if (!len)
		err_set(err, ERR_INVALID, "empty path component found in input");
	return len;
}

static void fill_entry(struct import_entry *e, struct import_leaf *leaf)
{
	import_tree_free(e->tree);
	e->mode = leaf->mode;
	e->oid = leaf->oid;
	e->tree = leaf->tree;
	e->dirty = leaf->tree != NULL; /* it may have changes of its own */
	leaf->tree = NULL;
}

int import_tree_set(struct fast_import *fi, struct import_entry *root, const char *path, struct import_leaf *leaf,
		    struct err *err)
{
	size_t len;
	struct import_entry *e;
	int rc;

	if (!*path) {
		if (!MODE_IS_TREE(leaf->mode))
			return err_set(err, ERR_INVALID, "root cannot be a non-directory");
		fill_entry(root, leaf);
		root->dirty = root->tree != NULL;
		return 0;
	}
	len = component(path, err);
	rc = len ? import_tree_load(fi, root, err) : ERR_INVALID;
	if (rc < 0)
		return rc;
	root->dirty = true;
	e = need_entry(root->tree, path, len);
	if (!path[len]) {
		if (!leaf->tree && leaf->mode == e->mode && !e->dirty && oid_eq(&leaf->oid, &e->oid))
			return 0;
		fill_entry(e, leaf);
		return 0;
	}
	if (!MODE_IS_TREE(e->mode)) { /* new, or a file that becomes a directory */
		struct import_leaf dir = { MODE_TREE, fi->repo->algo->null_oid, NULL };

		fill_entry(e, &dir);
	}
	e->dirty = true;
	return import_tree_set(fi, e, path + len + 1, leaf, err);
}

int import_tree_get(struct fast_import *fi, struct import_entry *root, const char *path, struct import_leaf *out,
		    struct err *err)
{
	struct import_entry *e = root;

	while (*path) {
		size_t len = component(path, err);
		int rc = !len ? ERR_INVALID : MODE_IS_TREE(e->mode) ? import_tree_load(fi, e, err) : 0;

		if (rc < 0)
			return rc;
		e = MODE_IS_TREE(e->mode) ? find_entry(e->tree, path, len) : NULL;
		if (!e)
			return 0;
		path += len + (path[len] == '/');
	}
	*out = (struct import_leaf){ e->mode, e->oid, tree_copy(e->tree) };
	return 1;
}

int import_tree_remove(struct fast_import *fi, struct import_entry *root, const char *path, struct import_leaf *out,
		       struct err *err)
{
	size_t len;
	struct import_entry *e;
	int rc;

	if (!*path) {
		struct import_leaf none = { MODE_TREE, fi->repo->algo->null_oid, NULL };

		if (out) {
			*out = (struct import_leaf){ root->mode, root->oid, root->tree };
			root->tree = NULL;
		}
		fill_entry(root, &none);
		return 1;
	}
	len = component(path, err);
	rc = len ? import_tree_load(fi, root, err) : ERR_INVALID;
	e = rc < 0 ? NULL : find_entry(root->tree, path, len);
	if (!e || (path[len] && !MODE_IS_TREE(e->mode)))
		return rc;
	if (!path[len]) {
		if (out) {
			*out = (struct import_leaf){ e->mode, e->oid, e->tree };
			e->tree = NULL;
		}
		drop_entry(root->tree, e);
		root->dirty = true;
		return 1;
	}
	rc = import_tree_remove(fi, e, path + len + 1, out, err);
	if (rc <= 0)
		return rc;
	e->dirty = root->dirty = true;
	if (!e->tree || !e->tree->nr) /* an empty directory goes as well */
		drop_entry(root->tree, e);
	return 1;
}

/* ---- writing ---- */

static int cmp_tree_order(const void *a, const void *b)
{
	const struct import_entry *x = *(struct import_entry *const *)a, *y = *(struct import_entry *const *)b;

	return tree_entry_cmp(x->name, x->name_len, x->mode, y->name, y->name_len, y->mode);
}

static void tree_text(const struct import_tree *t, struct strbuf *out)
{
	struct import_entry **v = xmalloc((t->nr + 1) * sizeof(*v));
	bool sorted = true;

	memcpy(v, t->v, t->nr * sizeof(*v));
	for (size_t i = 1; i < t->nr && sorted; i++)
		sorted = cmp_tree_order(&v[i - 1], &v[i]) < 0;
	if (!sorted)
		qsort(v, t->nr, sizeof(*v), cmp_tree_order);
	for (size_t i = 0; i < t->nr; i++)
		tree_append(out, v[i]->mode, v[i]->name, v[i]->name_len, &v[i]->oid);
	free(v);
}

int import_tree_store(struct fast_import *fi, struct import_entry *root, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct import_tree *t = root->tree;
	struct import_base base;
	int rc = 0;

	if (!root->dirty && !oid_is_null(&root->oid))
		return 0;
	if (!t) {
		rc = import_store(fi, OBJ_TREE, &text, NULL, &root->oid, err);
		root->dirty = false;
		return rc;
	}
	for (size_t i = 0; i < t->nr && !rc; i++)
		if (MODE_IS_TREE(t->v[i]->mode) && t->v[i]->dirty)
			rc = import_tree_store(fi, t->v[i], err);
	if (rc < 0)
		return rc;
	tree_text(t, &text);
	base = (struct import_base){ &t->old_oid, t->old.buf, t->old.len };
	rc = import_store(fi, OBJ_TREE, &text, t->old.len ? &base : NULL, &root->oid, err);
	if (!rc) {
		strbuf_swap(&t->old, &text);
		t->old_oid = root->oid;
		root->dirty = false;
	}
	strbuf_release(&text);
	return rc;
}
