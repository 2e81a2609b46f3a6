/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/tree-compare.h"

struct walk {
	const struct tree_comparer *c;
	struct strbuf path;
	unsigned depth;
	struct err *err;
};

/* One of the two trees at the present depth; an absent one has no entries. */
struct side {
	const struct object_id *oid;
	struct compared_tree tree;
	struct tree_iter iter;
	struct tree_entry entry;
	bool end;
};

static int compare_directories(struct walk *w, const struct object_id *old,
			       const struct object_id *new);

static int side_next(const struct walk *w, struct side *s)
{
	int ret = tree_iter_next(&s->iter, &s->entry, w->err);

	s->end = ret == 0;
	if (ret < 0)
		err_prefix(w->err, "tree %s", oid_hex(s->oid));
	return ret < 0 ? ret : 0;
}

static void side_close(const struct walk *w, struct side *s)
{
	if (s->oid)
		w->c->close(w->c->data, &s->tree);
}

static int side_open(const struct walk *w, struct side *s, const struct object_id *oid)
{
	int ret;

	*s = (struct side){ .tree = { .buf = OBJECT_BUF_INIT }, .end = true };
	if (!oid)
		return 0;
	ret = w->c->open(w->c->data, oid, &s->tree, w->err);
	if (ret < 0)
		return ret;
	s->oid = oid;
	tree_iter_init(&s->iter, s->tree.buf.data, s->tree.buf.size, w->c->algo);
	ret = side_next(w, s);
	if (ret < 0)
		side_close(w, s);
	return ret;
}

static int report(struct walk *w, const struct tree_entry *old, const struct tree_entry *new)
{
	const struct tree_entry *e = old ? old : new;
	size_t before = w->path.len;
	int ret;

	strbuf_add(&w->path, e->name, e->name_len);
	ret = w->c->differ(w->c->data, &w->path, old, new, w->err);
	if (ret == TREE_COMPARE_DESCEND) {
		strbuf_addch(&w->path, '/');
		ret = compare_directories(w, old ? &old->oid : NULL, new ? &new->oid : NULL);
	}
	strbuf_setlen(&w->path, before);
	return ret;
}

static bool is_equal(const struct tree_entry *a, const struct tree_entry *b)
{
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid);
}

/* The next entry of one side or of both. */
static int step(struct walk *w, struct side *old, struct side *new)
{
	const struct tree_entry *a = &old->entry, *b = &new->entry;
	int cmp, ret = 0;

	if (old->end || new->end)
		cmp = old->end ? 1 : -1;
	else
		cmp = tree_entry_cmp(a->name, a->name_len, a->mode, b->name, b->name_len, b->mode);
	if (cmp || w->c->report_equal || !is_equal(a, b))
		ret = report(w, cmp <= 0 ? a : NULL, cmp >= 0 ? b : NULL);
	if (!ret && cmp <= 0)
		ret = side_next(w, old);
	if (!ret && cmp >= 0)
		ret = side_next(w, new);
	return ret;
}

static int compare_directories(struct walk *w, const struct object_id *old,
			       const struct object_id *new)
{
	struct side a, b;
	int ret;

	if (w->depth > w->c->max_depth)
		return err_set(w->err, ERR_TOO_BIG, "exceeded maximum allowed tree depth at '%.80s…'",
			       w->path.buf);
	ret = side_open(w, &a, old);
	if (ret < 0)
		return ret;
	ret = side_open(w, &b, new);
	if (ret < 0)
		goto out;
	w->depth++;
	while (!ret && !(a.end && b.end))
		ret = step(w, &a, &b);
	w->depth--;
	side_close(w, &b);
out:
	side_close(w, &a);
	return ret;
}

int tree_compare(const struct tree_comparer *c, const struct object_id *old,
		 const struct object_id *new, struct err *err)
{
	struct walk w = { .c = c, .path = STRBUF_INIT, .err = err };
	int ret = 0;

	if (!old || !new || !oid_eq(old, new))
		ret = compare_directories(&w, old, new);
	strbuf_release(&w.path);
	return ret == TREE_COMPARE_STOP ? 1 : ret;
}
