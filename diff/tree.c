/* SPDX-License-Identifier: GPL-2.0-only */
/* Two trees side by side. What has the same object name is not looked into. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define MAX_DEPTH 2048 /* of directories: the walk is recursive */

struct tree_diff {
	struct diff_queue *q;
	const struct diff_options *o;
	struct strbuf path;
	unsigned depth;
	struct err *err;
};

/* One of the two trees at the present depth; an absent one has no entries. */
struct cursor {
	const struct object_id *tree;
	struct object_buf buf;
	struct tree_iter iter;
	struct tree_entry entry;
	bool end;
};

static int compare_directories(struct tree_diff *td, const struct object_id *old,
			       const struct object_id *new);

static int cursor_next(struct cursor *c, struct err *err)
{
	int ret = tree_iter_next(&c->iter, &c->entry, err);

	c->end = ret == 0;
	if (ret < 0)
		err_prefix(err, "tree %s", oid_hex(c->tree));
	return ret < 0 ? ret : 0;
}

static int cursor_open(struct cursor *c, const struct object_id *tree, struct odb *odb,
		       struct err *err)
{
	int ret;

	c->tree = tree;
	c->buf = (struct object_buf)OBJECT_BUF_INIT;
	c->end = true;
	if (!tree)
		return 0;
	ret = odb_read_type(odb, tree, OBJ_TREE, &c->buf, err);
	if (ret < 0)
		return ret;
	tree_iter_init(&c->iter, c->buf.data, c->buf.size, odb_algo(odb));
	ret = cursor_next(c, err);
	if (ret < 0)
		object_buf_release(&c->buf);
	return ret;
}

static bool is_done(const struct tree_diff *td)
{
	return td->o->quick && td->q->has_changes;
}

static bool is_wanted(const struct tree_diff *td, bool is_dir)
{
	const struct diff_options *o = td->o;
	const char *path = td->path.buf;
	size_t len = td->path.len;

	if (o->relative) {
		size_t n = strlen(o->relative);

		/* a directory on the way down, or something below */
		if (is_dir && len < n && !strncmp(o->relative, path, len) &&
		    o->relative[len] == '/')
			;
		else if (strncmp(path, o->relative, n))
			return false;
	}
	if (!o->pathspec || !o->pathspec->nr)
		return true;
	if (!is_dir)
		return pathspec_match(o->pathspec, path, len, false, NULL);
	return pathspec_match_dir(o->pathspec, path, len) != PATHSPEC_NO_MATCH;
}

static void report(struct tree_diff *td, const struct tree_entry *old,
		   const struct tree_entry *new)
{
	bool same = old && new && old->mode == new->mode && oid_eq(&old->oid, &new->oid);
	bool had_changes = td->q->has_changes;

	diff_queue_add(td->q, td->path.buf, old ? old->mode : 0, old ? &old->oid : NULL,
		       td->path.buf, new ? new->mode : 0, new ? &new->oid : NULL);
	if (same) /* a source of copies */
		td->q->has_changes = had_changes;
}

/* An entry that differs: old or new may be NULL, both are of the same kind else. */
static int visit(struct tree_diff *td, const struct tree_entry *old,
		 const struct tree_entry *new)
{
	const struct tree_entry *e = old ? old : new;
	size_t before = td->path.len;
	bool is_dir = MODE_IS_TREE(e->mode);
	int ret = 0;

	strbuf_add(&td->path, e->name, e->name_len);
	if (!is_wanted(td, is_dir))
		goto out;
	if (!is_dir || !td->o->recursive ||
	    (td->o->show_trees && !(old && new && oid_eq(&old->oid, &new->oid))))
		report(td, old, new);
	if (is_dir && td->o->recursive && !is_done(td)) {
		strbuf_addch(&td->path, '/');
		ret = compare_directories(td, old ? &old->oid : NULL, new ? &new->oid : NULL);
	}
out:
	strbuf_setlen(&td->path, before);
	return ret;
}

/* The next entry of one side or of both; moves on. */
static int step(struct tree_diff *td, struct cursor *old, struct cursor *new)
{
	struct tree_entry *a = &old->entry, *b = &new->entry;
	int cmp, ret;

	if (old->end || new->end)
		cmp = old->end ? 1 : -1;
	else
		cmp = tree_entry_cmp(a->name, a->name_len, a->mode, b->name, b->name_len,
				     b->mode);
	if (!cmp) {
		if (a->mode == b->mode && oid_eq(&a->oid, &b->oid) &&
		    !td->o->find_copies_harder)
			ret = 0;
		else
			ret = visit(td, a, b);
	} else {
		ret = cmp < 0 ? visit(td, a, NULL) : visit(td, NULL, b);
	}
	if (!ret && cmp <= 0)
		ret = cursor_next(old, td->err);
	if (!ret && cmp >= 0)
		ret = cursor_next(new, td->err);
	return ret;
}

static int compare_directories(struct tree_diff *td, const struct object_id *old,
			       const struct object_id *new)
{
	struct cursor a, b;
	int ret;

	if (td->depth == MAX_DEPTH)
		return err_set(td->err, ERR_TOO_BIG, "directories too deep at '%s'",
			       td->path.buf);
	ret = cursor_open(&a, old, td->o->odb, td->err);
	if (ret < 0)
		return ret;
	ret = cursor_open(&b, new, td->o->odb, td->err);
	if (ret < 0)
		goto out;
	td->depth++;
	while (!ret && !(a.end && b.end) && !is_done(td))
		ret = step(td, &a, &b);
	td->depth--;
	object_buf_release(&b.buf);
out:
	object_buf_release(&a.buf);
	return ret;
}

int diff_trees(struct diff_queue *q, const struct diff_options *o,
	       const struct object_id *old_tree, const struct object_id *new_tree,
	       struct err *err)
{
	struct tree_diff td = { .q = q, .o = o, .path = STRBUF_INIT, .err = err };
	size_t before = q->nr;
	int ret;

	if (old_tree && new_tree && oid_eq(old_tree, new_tree))
		return 0;
	ret = compare_directories(&td, old_tree, new_tree);
	strbuf_release(&td.path);
	while (ret < 0 && q->nr > before)
		diff_pair_free(q->pairs[--q->nr]);
	return ret;
}
