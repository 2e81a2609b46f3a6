/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is there a difference between two trees within a pathspec? Both are walked side by
 * side; what is equal, and directories that no path can be in, are passed over. Trees
 * come again and again from commit to commit, so a few megabytes of them are kept.
 */
#include "compat/posix.h"
#include "history/revision-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define CACHE_MAX_BYTES (8u * 1024 * 1024)

struct cached_tree {
	struct object_buf buf;
	unsigned users;
};

struct tree_cache {
	struct oidmap trees; /* to struct cached_tree */
	size_t bytes;
};

static void free_cached(void *data)
{
	struct cached_tree *t = data;

	object_buf_release(&t->buf);
	free(t);
}

void tree_cache_free(struct tree_cache *t)
{
	if (!t)
		return;
	oidmap_clear(&t->trees, free_cached);
	free(t);
}

/* All that nobody looks at; a generation at a time is good enough. */
static void shrink(struct tree_cache *cache)
{
	struct oidmap kept = OIDMAP_INIT;
	const struct object_id *oid;
	void *value;
	size_t i;

	cache->bytes = 0;
	for (i = 0; oidmap_next(&cache->trees, &i, &oid, &value);) {
		struct cached_tree *t = value;

		if (t->users) {
			oidmap_put(&kept, oid, t);
			cache->bytes += t->buf.size;
		} else {
			free_cached(t);
		}
	}
	oidmap_clear(&cache->trees, NULL);
	cache->trees = kept;
}

/* NULL oid: the empty tree, *out NULL. */
static int use_tree(struct rev_walk *w, const struct object_id *oid, struct cached_tree **out,
		    struct err *err)
{
	struct tree_cache *cache = w->state->trees;
	struct cached_tree *t;
	int rc;

	*out = NULL;
	if (!oid || oid_eq(oid, &w->repo->algo->empty_tree))
		return 0;
	if (!cache)
		cache = w->state->trees = xcalloc(1, sizeof(*cache));
	t = oidmap_get(&cache->trees, oid);
	if (!t) {
		CALLOC_ARRAY(t, 1);
		rc = odb_read_type(w->repo->odb, oid, OBJ_TREE, &t->buf, err);
		if (rc < 0) {
			free(t);
			return rc;
		}
		if (cache->bytes > CACHE_MAX_BYTES)
			shrink(cache);
		cache->bytes += t->buf.size;
		oidmap_put(&cache->trees, oid, t);
	}
	t->users++;
	*out = t;
	return 0;
}

struct side {
	struct cached_tree *tree;
	struct tree_iter it;
	struct tree_entry entry;
	bool valid;
};

static int advance(struct side *s, struct err *err)
{
	int rc = s->tree ? tree_iter_next(&s->it, &s->entry, err) : 0;

	s->valid = rc > 0;
	return rc < 0 ? rc : 0;
}

static int open_side(struct rev_walk *w, struct side *s, const struct object_id *oid,
		     struct err *err)
{
	int rc = use_tree(w, oid, &s->tree, err);

	if (rc < 0)
		return rc;
	if (s->tree)
		tree_iter_init(&s->it, s->tree->buf.data, s->tree->buf.size, w->repo->algo);
	return advance(s, err);
}

static int compare_trees(struct rev_walk *w, const struct object_id *a,
			 const struct object_id *b, struct strbuf *base, struct err *err);

/* An entry that one side has and the other has not, or not the same. */
static int entry_matters(struct rev_walk *w, const struct tree_entry *a,
			 const struct tree_entry *b, struct strbuf *base, struct err *err)
{
	const struct tree_entry *any = a ? a : b;
	size_t len = base->len;
	bool a_tree = a && MODE_IS_TREE(a->mode), b_tree = b && MODE_IS_TREE(b->mode);
	int rc = 0;

	strbuf_add(base, any->name, any->name_len);
	/* A file beside a directory of the same name, or alone. */
	if ((a && !a_tree) || (b && !b_tree))
		rc = pathspec_match(&w->pathspec, base->buf, base->len, false, NULL);
	if (!rc && (a_tree || b_tree)) {
		enum pathspec_match m = pathspec_match_dir(&w->pathspec, base->buf, base->len);

		if (m != PATHSPEC_NO_MATCH) {
			strbuf_addch(base, '/');
			rc = compare_trees(w, a_tree ? &a->oid : NULL, b_tree ? &b->oid : NULL,
					   base, err);
		}
	}
	strbuf_setlen(base, len);
	return rc;
}

/* A directory and a file of its name may stand apart: two differences, then. */
static int name_order(const struct side *a, const struct side *b)
{
	if (!a->valid || !b->valid)
		return a->valid ? -1 : 1;
	return tree_entry_cmp(a->entry.name, a->entry.name_len, a->entry.mode,
			      b->entry.name, b->entry.name_len, b->entry.mode);
}

static int compare_sides(struct rev_walk *w, struct side *a, struct side *b,
			 struct strbuf *base, struct err *err)
{
	int cmp, rc = 0;

	while (!rc && (a->valid || b->valid)) {
		cmp = name_order(a, b);
		if (cmp || a->entry.mode != b->entry.mode || !oid_eq(&a->entry.oid, &b->entry.oid))
			rc = entry_matters(w, cmp <= 0 ? &a->entry : NULL,
					   cmp >= 0 ? &b->entry : NULL, base, err);
		if (!rc && cmp <= 0)
			rc = advance(a, err);
		if (!rc && cmp >= 0)
			rc = advance(b, err);
	}
	return rc;
}

static int compare_trees(struct rev_walk *w, const struct object_id *oid_a,
			 const struct object_id *oid_b, struct strbuf *base, struct err *err)
{
	struct side a = { .tree = NULL }, b = { .tree = NULL };
	int rc;

	if (oid_a && oid_b && oid_eq(oid_a, oid_b))
		return 0;
	if (base->len > 64 * 1024)
		return err_set(err, ERR_CORRUPT, "tree too deep at '%.80s…'", base->buf);
	rc = open_side(w, &a, oid_a, err);
	if (!rc)
		rc = open_side(w, &b, oid_b, err);
	if (!rc)
		rc = compare_sides(w, &a, &b, base, err);
	if (a.tree)
		a.tree->users--;
	if (b.tree)
		b.tree->users--;
	return rc;
}

int rev_trees_differ(struct rev_walk *w, const struct object_id *a, const struct object_id *b,
		     struct err *err)
{
	struct strbuf base = STRBUF_INIT;
	int rc = compare_trees(w, a, b, &base, err);

	strbuf_release(&base);
	return rc;
}
