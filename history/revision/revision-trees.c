/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do two trees differ within a pathspec? The same trees are compared again and again from
 * commit to commit, so a few megabytes of them are cached.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "object/tree-compare.h"
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

/* Drops all trees that are not in use at the moment. */
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

/* *out: NULL for the empty tree, which need not be stored anywhere. */
static int use_tree(struct rev_walk *w, const struct object_id *oid, struct cached_tree **out,
		    struct err *err)
{
	struct tree_cache *cache = w->state->trees;
	struct cached_tree *t;
	int rc;

	*out = NULL;
	if (oid_eq(oid, &w->repo->algo->empty_tree))
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

/* ---- comparing ---- */

struct comparison {
	struct rev_walk *w;
	const struct pathspec *ps;
};

static int open_tree(void *data, const struct object_id *oid, struct compared_tree *out,
		     struct err *err)
{
	const struct comparison *comparison = data;
	struct cached_tree *t;
	int rc = use_tree(comparison->w, oid, &t, err);

	if (!rc && t) {
		out->buf = t->buf;
		out->owner = t;
	}
	return rc;
}

static void close_tree(void *data UNUSED, struct compared_tree *t)
{
	struct cached_tree *cached = t->owner;

	if (cached)
		cached->users--;
}

/* Stops at the first difference within the pathspec. */
static int differ(void *data, const struct strbuf *path, const struct tree_entry *old,
		  const struct tree_entry *new, struct err *err UNUSED)
{
	const struct comparison *comparison = data;
	unsigned mode = (old ? old : new)->mode;

	if (!MODE_IS_TREE(mode)) /* "sub/" means a submodule, too */
		return pathspec_match(comparison->ps, path->buf, path->len, MODE_IS_GITLINK(mode), NULL) ?
			TREE_COMPARE_STOP : TREE_COMPARE_NEXT;
	return pathspec_match_dir(comparison->ps, path->buf, path->len) == PATHSPEC_NO_MATCH ?
		TREE_COMPARE_NEXT : TREE_COMPARE_DESCEND;
}

int rev_trees_differ(struct rev_walk *w, const struct pathspec *ps, const struct object_id *a,
		     const struct object_id *b, struct err *err)
{
	struct comparison comparison = { w, ps };
	const struct tree_comparer c = {
		.algo = w->repo->algo, .open = open_tree, .close = close_tree,
		.differ = differ, .data = &comparison,
		.max_depth = object_max_tree_depth(odb_source(w->repo->odb)),
	};

	return tree_compare(&c, a, b, err);
}
