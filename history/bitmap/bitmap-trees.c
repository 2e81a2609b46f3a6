/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tree adds to a bitmap. Commits are walked one after the other, so that most of a tree stands
 * in the tree that was at its path before: if that one is in the bitmap already, with all that it
 * leads to, so are the entries that both have, and their bits need no search.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define LAST_TREES_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct last_tree {
	struct object_buf buf;
	size_t bit;
};

struct level {
	struct object_buf buf;
	struct tree_iter iter;
	size_t path_len, bit;
	/* the next entry of the tree that was here before; false: there is none */
	struct tree_iter old_iter;
	struct tree_entry old;
	bool has_old;
};

struct filling {
	struct bit_space *space;
	struct bitset *to;
	const struct bitset *done;
	struct level *levels;
	size_t depth, alloc, max_depth;
	struct strbuf path;
};

static bool is_reached(const struct filling *f, size_t bit)
{
	return bitset_has(f->to, bit) || (f->done && bitset_has(f->done, bit));
}

/* 1: it is new, and its bit is set now. */
static int add_object(struct filling *f, const struct object_id *oid, enum object_type type,
		      size_t *bit, struct err *err)
{
	int rc = bit_space_get(f->space, oid, type, f->path.buf, bit, err);

	if (rc < 0)
		return rc;
	if (is_reached(f, *bit))
		return 0;
	bitset_add(f->to, *bit);
	return 1;
}

/* ---- the tree that was there before ---- */

static void next_old(struct level *l)
{
	l->has_old = tree_iter_next(&l->old_iter, &l->old, NULL) > 0;
}

/*
 * It counts if it was reached before this one was: so of two that rest on each other, one has all of
 * its entries looked at.
 */
static void begin_old(struct filling *f, struct level *l)
{
	const struct last_tree *t = strmap_get(&f->space->last_trees, f->path.buf);

	l->has_old = t && t->bit != l->bit && is_reached(f, t->bit);
	if (!l->has_old)
		return;
	tree_iter_init(&l->old_iter, t->buf.data, t->buf.size, f->space->algo);
	next_old(l);
}

static bool was_there(struct level *l, const struct tree_entry *e)
{
	while (l->has_old) {
		int cmp = tree_entry_cmp(l->old.name, l->old.name_len, l->old.mode,
					 e->name, e->name_len, e->mode);

		if (cmp >= 0)
			return !cmp && l->old.mode == e->mode && oid_eq(&l->old.oid, &e->oid);
		next_old(l);
	}
	return false;
}

static void free_last_tree(void *p)
{
	struct last_tree *t = p;

	if (t)
		object_buf_release(&t->buf);
	free(t);
}

void bitmap_forget_trees(struct bit_space *s)
{
	strmap_clear(&s->last_trees, free_last_tree);
	s->last_trees_bytes = 0;
}

/* The tree of a level that is left is the last one at its path. */
static void remember(struct filling *f, struct level *l)
{
	struct last_tree *t, *old;

	CALLOC_ARRAY(t, 1);
	t->buf = l->buf;
	t->bit = l->bit;
	f->space->last_trees_bytes += t->buf.size + f->path.len + sizeof(*t);
	old = strmap_put(&f->space->last_trees, f->path.buf, t);
	if (old)
		f->space->last_trees_bytes -= old->buf.size + f->path.len + sizeof(*old);
	free_last_tree(old);
}

/* ---- walking ---- */

static int enter_tree(struct filling *f, const struct object_id *oid, struct err *err)
{
	struct level *l;
	size_t bit;
	int rc = add_object(f, oid, OBJ_TREE, &bit, err);

	if (rc <= 0)
		return rc;
	if (f->depth > f->max_depth)
		return err_set(err, ERR_TOO_BIG, "tree %s is too deep", oid_hex(oid));
	ALLOC_GROW(f->levels, f->depth + 1, f->alloc);
	l = &f->levels[f->depth];
	*l = (struct level){ .buf = OBJECT_BUF_INIT, .bit = bit };
	rc = repo_step(f->space->repo, err);
	if (!rc)
		rc = odb_read_type(f->space->repo->odb, oid, OBJ_TREE, &l->buf, err);
	if (rc < 0)
		return rc;
	tree_iter_init(&l->iter, l->buf.data, l->buf.size, f->space->algo);
	if (f->path.len)
		strbuf_addch(&f->path, '/');
	l->path_len = f->path.len;
	begin_old(f, l);
	f->depth++;
	return 0;
}

static int add_entry(struct filling *f, struct level *l, const struct tree_entry *e, struct err *err)
{
	size_t bit;
	int rc;

	if (MODE_IS_GITLINK(e->mode) || was_there(l, e))
		return 0;
	strbuf_add(&f->path, e->name, e->name_len);
	if (MODE_IS_TREE(e->mode))
		return enter_tree(f, &e->oid, err);
	rc = add_object(f, &e->oid, OBJ_BLOB, &bit, err);
	return rc < 0 ? rc : 0;
}

static int go_on(struct filling *f, struct err *err)
{
	struct level *l = &f->levels[f->depth - 1];
	struct tree_entry e;
	int rc;

	strbuf_setlen(&f->path, l->path_len);
	rc = tree_iter_next(&l->iter, &e, err);
	if (rc > 0)
		return add_entry(f, l, &e, err);
	if (!rc)
		remember(f, l);
	else
		object_buf_release(&l->buf);
	f->depth--;
	return rc;
}

int bitmap_add_tree(struct bit_space *s, const struct object_id *tree, struct bitset *to,
		    const struct bitset *done, struct err *err)
{
	struct filling f = { .space = s, .to = to, .done = done, .path = STRBUF_INIT };
	int rc;

	if (s->last_trees_bytes > LAST_TREES_BYTES_MAX)
		bitmap_forget_trees(s);
	f.max_depth = object_max_tree_depth(odb_source(s->repo->odb));
	rc = enter_tree(&f, tree, err);
	while (!rc && f.depth)
		rc = go_on(&f, err);
	while (f.depth)
		object_buf_release(&f.levels[--f.depth].buf);
	free(f.levels);
	strbuf_release(&f.path);
	return rc;
}
