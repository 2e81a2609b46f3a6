/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tree adds to a bitmap. */
#include "compat/posix.h"
#include "history/bitmap-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

struct level {
	struct object_buf buf;
	struct tree_iter iter;
	size_t path_len;
};

struct filling {
	struct bit_space *space;
	struct bitset *to;
	const struct bitset *done;
	struct level *levels;
	size_t depth, alloc, max_depth;
	struct strbuf path;
};

/* 1: it is new, and its bit is set now. */
static int add_object(struct filling *f, const struct object_id *oid, enum object_type type,
		      struct err *err)
{
	size_t bit;
	int rc = bit_space_get(f->space, oid, type, f->path.buf, &bit, err);

	if (rc < 0)
		return rc;
	if (bitset_has(f->to, bit) || (f->done && bitset_has(f->done, bit)))
		return 0;
	bitset_add(f->to, bit);
	return 1;
}

static int enter_tree(struct filling *f, const struct object_id *oid, struct err *err)
{
	struct level *l;
	int rc = add_object(f, oid, OBJ_TREE, err);

	if (rc <= 0)
		return rc;
	if (f->depth > f->max_depth)
		return err_set(err, ERR_TOO_BIG, "tree %s is too deep", oid_hex(oid));
	ALLOC_GROW(f->levels, f->depth + 1, f->alloc);
	l = &f->levels[f->depth];
	l->buf = (struct object_buf)OBJECT_BUF_INIT;
	rc = odb_read_type(f->space->odb, oid, OBJ_TREE, &l->buf, err);
	if (rc < 0)
		return rc;
	tree_iter_init(&l->iter, l->buf.data, l->buf.size, f->space->algo);
	if (f->path.len)
		strbuf_addch(&f->path, '/');
	l->path_len = f->path.len;
	f->depth++;
	return 0;
}

static int add_entry(struct filling *f, const struct tree_entry *e, struct err *err)
{
	int rc;

	if (MODE_IS_GITLINK(e->mode))
		return 0;
	strbuf_add(&f->path, e->name, e->name_len);
	if (MODE_IS_TREE(e->mode))
		return enter_tree(f, &e->oid, err);
	rc = add_object(f, &e->oid, OBJ_BLOB, err);
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
		return add_entry(f, &e, err);
	object_buf_release(&l->buf);
	f->depth--;
	return rc;
}

int bitmap_add_tree(struct bit_space *s, const struct object_id *tree, struct bitset *to,
		    const struct bitset *done, struct err *err)
{
	struct filling f = { .space = s, .to = to, .done = done, .path = STRBUF_INIT };
	int rc;

	f.max_depth = object_max_tree_depth(odb_source(s->odb));
	rc = enter_tree(&f, tree, err);
	while (!rc && f.depth)
		rc = go_on(&f, err);
	while (f.depth)
		object_buf_release(&f.levels[--f.depth].buf);
	free(f.levels);
	strbuf_release(&f.path);
	return rc;
}
