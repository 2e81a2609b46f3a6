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
	struct tree_iter iter;	     /* behind the entry, if there is one */
	struct raw_tree_entry entry; /* if `loaded` */
	bool loaded, end;
};

static int compare_directories(struct walk *w, const struct object_id *old,
			       const struct object_id *new);

static int side_load(const struct walk *w, struct side *s)
{
	int ret;

	if (s->loaded || s->end)
		return 0;
	ret = tree_iter_next_raw(&s->iter, &s->entry, w->err);
	s->end = ret == 0;
	s->loaded = ret > 0;
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
	s->end = false;
	tree_iter_init(&s->iter, s->tree.buf.data, s->tree.buf.size, w->c->algo);
	return 0;
}

/* ---- what both have, byte by byte ---- */

static size_t common_prefix(const unsigned char *a, const unsigned char *b, size_t max)
{
	size_t n = 0;

	while (n + 64 <= max && !memcmp(a + n, b + n, 64))
		n += 64;
	while (n < max && a[n] == b[n])
		n++;
	return n;
}

/*
 * From one commit to the next most entries stay. Behind the last difference nothing has to be parsed; before the next one, one side
 * has.
 */
static void skip_equal(struct side *a, struct side *b)
{
	const unsigned char *start = a->iter.pos;
	const size_t left_a = (size_t)(a->iter.end - start), left_b = (size_t)(b->iter.end - b->iter.pos);
	const size_t equal = common_prefix(start, b->iter.pos, left_a < left_b ? left_a : left_b);
	struct tree_iter before = a->iter;
	struct raw_tree_entry e;

	if (equal == left_a && equal == left_b) {
		a->end = b->end = true;
		return;
	}
	while ((size_t)(a->iter.pos - start) <= equal) {
		before = a->iter;
		if (tree_iter_next_raw(&a->iter, &e, NULL) <= 0)
			break;
	}
	a->iter = before;
	b->iter.pos += before.pos - start;
}

/* ---- entries ---- */

static struct tree_entry whole_entry(const struct walk *w, const struct raw_tree_entry *e)
{
	struct tree_entry out = {
		.mode = canonical_mode(e->raw_mode), .raw_mode = e->raw_mode, .name = e->name, .name_len = e->name_len,
	};

	oid_from_raw(&out.oid, e->oid, w->c->algo);
	return out;
}

static int report_entries(struct walk *w, const struct tree_entry *old, const struct tree_entry *new)
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

static int report(struct walk *w, const struct raw_tree_entry *old, const struct raw_tree_entry *new)
{
	struct tree_entry a, b;

	if (old)
		a = whole_entry(w, old);
	if (new)
		b = whole_entry(w, new);
	return report_entries(w, old ? &a : NULL, new ? &b : NULL);
}

static bool is_equal(const struct walk *w, const struct raw_tree_entry *a, const struct raw_tree_entry *b)
{
	return !memcmp(a->oid, b->oid, w->c->algo->raw_len) &&
	       (a->raw_mode == b->raw_mode || canonical_mode(a->raw_mode) == canonical_mode(b->raw_mode));
}

/* The next entry of one side or of both. */
static int step(struct walk *w, struct side *old, struct side *new)
{
	const struct raw_tree_entry *a = &old->entry, *b = &new->entry;
	int cmp, ret = 0;

	if (old->end || new->end)
		cmp = old->end ? 1 : -1;
	else
		cmp = tree_entry_cmp(a->name, a->name_len, a->raw_mode, b->name, b->name_len, b->raw_mode);
	if (cmp || w->c->report_equal || !is_equal(w, a, b))
		ret = report(w, cmp <= 0 ? a : NULL, cmp >= 0 ? b : NULL);
	old->loaded &= cmp > 0;
	new->loaded &= cmp < 0;
	return ret;
}

static int load_both(const struct walk *w, struct side *a, struct side *b)
{
	int ret;

	if (!w->c->report_equal && !a->loaded && !b->loaded && !a->end && !b->end)
		skip_equal(a, b);
	ret = side_load(w, a);
	return ret ? ret : side_load(w, b);
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
	while (!ret && !(ret = load_both(w, &a, &b)) && !(a.end && b.end))
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
