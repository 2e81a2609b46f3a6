/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/subtree.h"
#include "object/tree.h"

#define GUESS_DEPTH 2

/* How much two trees are alike, by their entries. */
#define SCORE_SAME 4	   /* the same object under the same name */
#define SCORE_SAME_NAME 1  /* another version of a file or directory */
#define SCORE_MISSING (-2) /* only one tree has the name */

/* ---- likeness ---- */

struct tree_reader {
	struct odb *odb;
	struct object_buf buf;
	struct tree_iter it;
};

static int reader_open(struct tree_reader *r, struct odb *odb, const struct object_id *tree, struct err *err)
{
	*r = (struct tree_reader){ .odb = odb, .buf = OBJECT_BUF_INIT };
	if (odb_read_type(odb, tree, OBJ_TREE, &r->buf, err) < 0)
		return err->code;
	tree_iter_init(&r->it, r->buf.data, r->buf.size, odb_algo(odb));
	return 0;
}

static void reader_close(struct tree_reader *r)
{
	object_buf_release(&r->buf);
}

static long score_entries(const struct tree_entry *a, const struct tree_entry *b)
{
	if (MODE_IS_TREE(a->mode) != MODE_IS_TREE(b->mode))
		return SCORE_MISSING;
	return oid_eq(&a->oid, &b->oid) ? SCORE_SAME : SCORE_SAME_NAME;
}

/* Both trees are sorted: the names are walked side by side. */
static int score_trees(struct odb *odb, const struct object_id *one, const struct object_id *two, long *score, struct err *err)
{
	struct tree_reader a, b;
	struct tree_entry x, y;
	int rc = reader_open(&a, odb, one, err), more_a = 0, more_b = 0;

	if (rc)
		return rc;
	rc = reader_open(&b, odb, two, err);
	if (!rc) {
		more_a = tree_iter_next(&a.it, &x, err);
		more_b = tree_iter_next(&b.it, &y, err);
	}
	for (*score = 0; !rc && more_a >= 0 && more_b >= 0 && (more_a || more_b);) {
		int cmp = !more_a ? 1 : !more_b ? -1 : tree_entry_cmp(x.name, x.name_len, x.mode, y.name, y.name_len, y.mode);

		*score += cmp ? SCORE_MISSING : score_entries(&x, &y);
		if (cmp <= 0)
			more_a = tree_iter_next(&a.it, &x, err);
		if (cmp >= 0)
			more_b = tree_iter_next(&b.it, &y, err);
	}
	reader_close(&a);
	reader_close(&b);
	return rc ? rc : more_a < 0 ? more_a : more_b < 0 ? more_b : 0;
}

/* ---- the guess ---- */

struct guess {
	struct odb *odb;
	long best;
	struct strbuf path; /* the directory that is most like the other tree */
};

/* Compares each directory of `tree` with `other`. */
static int guess_below(struct guess *g, const struct object_id *tree, const struct object_id *other, struct strbuf *path,
		       unsigned depth, struct err *err)
{
	struct tree_reader r;
	struct tree_entry e;
	int more = 0, rc = reader_open(&r, g->odb, tree, err);
	size_t len = path->len;

	while (!rc && (more = tree_iter_next(&r.it, &e, err)) > 0) {
		long score;

		if (!MODE_IS_TREE(e.mode))
			continue;
		strbuf_addf(path, "%s%s", len ? "/" : "", e.name);
		rc = score_trees(g->odb, &e.oid, other, &score, err);
		if (!rc && score > g->best) {
			g->best = score;
			strbuf_reset(&g->path);
			strbuf_addbuf(&g->path, path);
		}
		if (!rc && depth + 1 < GUESS_DEPTH)
			rc = guess_below(g, &e.oid, other, path, depth + 1, err);
		strbuf_setlen(path, len);
	}
	reader_close(&r);
	return rc ? rc : more < 0 ? more : 0;
}

/* ---- the shift ---- */

/* Writes `tree` with its directory `path` replaced by `sub`. The directory is there. */
static int splice_tree(struct odb *odb, const struct object_id *tree, const char *path, const struct object_id *sub,
		       struct object_id *out, struct err *err)
{
	size_t len = strcspn(path, "/");
	struct strbuf text = STRBUF_INIT;
	struct object_id inner = *sub;
	struct tree_reader r;
	struct tree_entry e;
	int more = 0, rc = reader_open(&r, odb, tree, err);

	while (!rc && (more = tree_iter_next(&r.it, &e, err)) > 0) {
		bool here = e.name_len == len && !memcmp(e.name, path, len) && MODE_IS_TREE(e.mode);

		if (here && path[len])
			rc = splice_tree(odb, &e.oid, path + len + 1, sub, &inner, err);
		tree_append(&text, e.raw_mode, e.name, e.name_len, here ? &inner : &e.oid);
	}
	if (!rc && more < 0)
		rc = more;
	if (!rc)
		rc = odb_write(odb, OBJ_TREE, text.buf, text.len, out, err);
	reader_close(&r);
	strbuf_release(&text);
	return rc;
}

static bool find_directory(struct odb *odb, const struct object_id *tree, const char *path, struct object_id *oid)
{
	unsigned mode;

	return !tree_lookup_path(odb_source(odb), tree, path, &mode, oid, NULL) && MODE_IS_TREE(mode);
}

static int shift_by_path(struct odb *odb, const struct object_id *ours, const struct object_id *tree, const char *path,
			 struct object_id *out, struct err *err)
{
	struct object_id in_ours, in_tree;
	bool add = find_directory(odb, ours, path, &in_ours), strip = find_directory(odb, tree, path, &in_tree);
	long if_added = 0, if_stripped = 0;
	int rc = 0;

	if (add && strip)
		rc = score_trees(odb, &in_ours, tree, &if_added, err);
	if (!rc && add && strip)
		rc = score_trees(odb, ours, &in_tree, &if_stripped, err);
	if (rc)
		return rc;
	if (add && strip)
		add = if_added >= if_stripped;
	if (add)
		return splice_tree(odb, ours, path, tree, out, err);
	*out = strip ? in_tree : *tree;
	return 0;
}

static int shift_by_guess(struct odb *odb, const struct object_id *ours, const struct object_id *tree, struct object_id *out,
			  struct err *err)
{
	struct guess add = { .odb = odb, .path = STRBUF_INIT }, strip = { .odb = odb, .path = STRBUF_INIT };
	struct strbuf path = STRBUF_INIT;
	int rc = score_trees(odb, ours, tree, &add.best, err);

	strip.best = add.best;
	if (!rc)
		rc = guess_below(&add, ours, tree, &path, 0, err);
	if (!rc)
		rc = guess_below(&strip, tree, ours, &path, 0, err);
	if (!rc && add.path.len && add.best >= strip.best)
		rc = splice_tree(odb, ours, add.path.buf, tree, out, err);
	else if (!rc && strip.path.len)
		rc = find_directory(odb, tree, strip.path.buf, out) ? 0 : err_set(err, ERR_NOT_FOUND, "no tree '%s'", strip.path.buf);
	else if (!rc)
		*out = *tree;
	strbuf_release(&path);
	strbuf_release(&add.path);
	strbuf_release(&strip.path);
	return rc;
}

int merge_shift_tree(struct odb *odb, const struct object_id *ours, const struct object_id *tree, const char *path,
		     struct object_id *out, struct err *err)
{
	struct object_id shifted;
	int rc = *path ? shift_by_path(odb, ours, tree, path, &shifted, err) : shift_by_guess(odb, ours, tree, &shifted, err);

	if (!rc)
		*out = shifted;
	return rc;
}
