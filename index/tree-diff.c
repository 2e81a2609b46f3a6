/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree against the index. Both are sorted by full path, where a directory counts as its
 * name with a '/': one pass over both finds all differences.
 */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "util/strbuf.h"

struct tree_diff {
	const struct index_state *ix;
	const struct object_source *src;
	tree_index_diff_fn fn;
	void *data;
	size_t pos;	    /* next entry of the index */
	struct strbuf path; /* of the present tree entry */
	unsigned depth;
};

static const struct index_entry *current(const struct tree_diff *d)
{
	return d->pos < d->ix->nr ? d->ix->entries[d->pos] : NULL;
}

static void skip_stages(struct tree_diff *d)
{
	const struct index_entry *first = current(d);

	do
		d->pos++;
	while (current(d) && current(d)->name_len == first->name_len &&
	       !memcmp(current(d)->name, first->name, first->name_len));
}

/* One path that is in the index alone. */
static int report_added(struct tree_diff *d, struct err *err)
{
	const struct index_entry *e = current(d);
	int rc = 0;

	if (!(e->flags & CE_INTENT_TO_ADD))
		rc = d->fn(d->data, e->name, 0, NULL, e, err);
	skip_stages(d);
	return rc;
}

static int compare_names(const struct index_entry *e, const struct strbuf *path)
{
	size_t n = e->name_len < path->len ? e->name_len : path->len;
	int cmp = memcmp(e->name, path->buf, n);

	if (cmp)
		return cmp;
	return e->name_len < path->len ? -1 : e->name_len > path->len;
}

/* Reports entries of the index before the tree's entry at d->path (a directory ends in '/'). */
static int report_added_before(struct tree_diff *d, struct err *err)
{
	int rc = 0;

	while (rc >= 0 && current(d) && compare_names(current(d), &d->path) < 0)
		rc = report_added(d, err);
	return rc;
}

static int diff_file(struct tree_diff *d, const struct tree_entry *te, struct err *err)
{
	const struct index_entry *e = current(d);
	int rc;

	if (!e || compare_names(e, &d->path))
		return d->fn(d->data, d->path.buf, te->mode, &te->oid, NULL, err);
	if (e->flags & CE_INTENT_TO_ADD)
		rc = d->fn(d->data, d->path.buf, te->mode, &te->oid, NULL, err);
	else if (e->stage || e->mode != te->mode || !oid_eq(&e->oid, &te->oid))
		rc = d->fn(d->data, d->path.buf, te->mode, &te->oid, e, err);
	else
		rc = 0;
	skip_stages(d);
	return rc;
}

static bool skip_same_dir(struct tree_diff *d, const struct object_id *tree)
{
	struct object_id cached;
	size_t count, len = d->path.len ? d->path.len - 1 : 0;

	if (!cache_tree_lookup(d->ix, d->path.buf, len, &cached, &count) ||
	    !oid_eq(&cached, tree))
		return false;
	d->pos += count;
	return true;
}

static int diff_dir(struct tree_diff *d, const struct object_id *tree, struct err *err);

static int diff_entry(struct tree_diff *d, const struct tree_entry *te, struct err *err)
{
	size_t base = d->path.len;
	int rc;

	strbuf_add(&d->path, te->name, te->name_len);
	if (MODE_IS_TREE(te->mode))
		strbuf_addch(&d->path, '/');
	rc = report_added_before(d, err);
	if (rc >= 0 && !MODE_IS_TREE(te->mode))
		rc = diff_file(d, te, err);
	else if (rc >= 0 && !skip_same_dir(d, &te->oid))
		rc = diff_dir(d, &te->oid, err);
	strbuf_setlen(&d->path, base);
	return rc;
}

static int diff_dir(struct tree_diff *d, const struct object_id *tree, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tree_iter it;
	struct tree_entry te;
	int rc, more;

	if (d->depth++ > object_max_tree_depth(d->src))
		return err_set(err, ERR_TOO_BIG, "exceeded maximum allowed tree depth");
	rc = d->src->read(d->src->data, tree, &buf, err);
	if (rc >= 0 && buf.type != OBJ_TREE)
		rc = err_set(err, ERR_CORRUPT, "object %s is not a tree", oid_hex(tree));
	if (rc >= 0) {
		tree_iter_init(&it, buf.data, buf.size, d->src->algo);
		while ((more = tree_iter_next(&it, &te, err)) > 0 && rc >= 0)
			rc = diff_entry(d, &te, err);
		if (more < 0)
			rc = more;
	}
	object_buf_release(&buf);
	d->depth--;
	return rc;
}

int index_diff_tree(const struct index_state *ix, const struct object_source *src,
		    const struct object_id *tree, tree_index_diff_fn fn, void *data,
		    struct err *err)
{
	struct tree_diff d = { .ix = ix, .src = src, .fn = fn, .data = data,
			       .path = STRBUF_INIT };
	int rc = 0;

	if (tree && !skip_same_dir(&d, tree))
		rc = diff_dir(&d, tree, err);
	while (rc >= 0 && current(&d))
		rc = report_added(&d, err);
	strbuf_release(&d.path);
	return rc < 0 ? rc : 0;
}
