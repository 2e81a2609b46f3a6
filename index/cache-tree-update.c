/* SPDX-License-Identifier: GPL-2.0-only */
/* Making trees from the index, and the cache from trees. */
#include "compat/posix.h"
#include "index/cache-tree-internal.h"
#include "util/alloc.h"

/* ---- trees from the index ---- */

struct updater {
	struct index_state *ix;
	struct repository *r;
	unsigned flags;
	struct err *err;
};

/* One directory: entries [begin, end) of the index, all below its path. */
struct span {
	size_t begin, end;
	size_t base_len; /* "a/b/": bytes to skip in their names */
};

#define MAX_LISTED 10

/* "path: unmerged (oid)" for the first few. */
static int check_merged(const struct index_state *ix, struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (!e->stage || e->flags & CE_REMOVE)
			continue;
		if (nr++ == MAX_LISTED) {
			strbuf_addstr(&list, "\n...");
			break;
		}
		strbuf_addf(&list, "%s%s: unmerged (%s)", nr > 1 ? "\n" : "", e->name,
			    oid_hex(&e->oid));
	}
	if (nr)
		err_set(err, ERR_CONFLICT, "%s", list.buf);
	strbuf_release(&list);
	return nr ? ERR_CONFLICT : 0;
}

/* Is the node valid for the span, and its tree stored? */
static bool is_current(const struct updater *u, const struct cache_tree *ct,
		       const struct span *s)
{
	if (ct->entry_count <= 0 || (size_t)ct->entry_count != s->end - s->begin)
		return false;
	if (u->flags & (WRITE_TREE_MISSING_OK | WRITE_TREE_DRY_RUN))
		return true;
	/* The root keeps the trees below it from being pruned. */
	return odb_can_rest_on(u->r->odb, &ct->oid) && (s->base_len || odb_freshen(u->r->odb, &ct->oid));
}

/* What sparse checkout leaves out of the work tree may be left out by a partial clone, too. */
static bool must_be_here(const struct updater *u, const struct index_entry *e)
{
	return !MODE_IS_GITLINK(e->mode) && !(e->flags & CE_SKIP_WORKTREE && odb_can_fetch(u->r->odb));
}

/* One is missing: all that are, of the whole index, are asked for together. */
static int fetch_blobs(const struct updater *u)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	int rc;

	if (!odb_fetches_on_read(u->r->odb))
		return 0;
	for (size_t i = 0; i < u->ix->nr; i++)
		if (must_be_here(u, u->ix->entries[i]))
			oid_array_append(&wanted, &u->ix->entries[i]->oid);
	rc = odb_prefetch(u->r->odb, &wanted, u->err);
	oid_array_clear(&wanted);
	return rc;
}

static int check_blob(const struct updater *u, const struct index_entry *e)
{
	int rc;

	if (oid_is_null(&e->oid))
		return err_set(u->err, ERR_NOT_FOUND, "invalid object %06o %s for '%s'", e->mode,
			       oid_hex(&e->oid), e->name);
	if (!must_be_here(u, e) || u->flags & WRITE_TREE_MISSING_OK)
		return 0;
	if (odb_has(u->r->odb, &e->oid))
		return 0;
	rc = fetch_blobs(u);
	if (rc || odb_has(u->r->odb, &e->oid))
		return rc;
	return err_set(u->err, ERR_NOT_FOUND, "invalid object %06o %s for '%s'", e->mode,
		       oid_hex(&e->oid), e->name);
}

static int store_tree(const struct updater *u, const struct strbuf *tree, struct object_id *oid)
{
	if (u->flags & WRITE_TREE_DRY_RUN)
		return hash_object_buf(u->r->algo, "tree", tree->buf, tree->len, oid, u->err);
	return odb_write(u->r->odb, OBJ_TREE, tree->buf, tree->len, oid, u->err);
}

static int update_span(struct updater *u, struct cache_tree *ct, const struct span *s,
		       bool *has_ita);

/* The entries of the subdirectory that entry `at` is in: [at, result). */
static size_t end_of_dir(const struct index_state *ix, size_t at, size_t end, size_t dir_len)
{
	const char *dir = ix->entries[at]->name;
	size_t lo = at + 1, hi = end;

	while (lo < hi) { /* names that share "dir/" are neighbours */
		size_t mid = lo + (hi - lo) / 2;
		const struct index_entry *e = ix->entries[mid];

		if (e->name_len > dir_len && !memcmp(e->name, dir, dir_len))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A subdirectory: its tree is added to this one unless it is empty. */
static int add_subdir(struct updater *u, struct cache_tree *ct, const struct span *s, size_t at,
		      size_t name_len, struct strbuf *tree, size_t *next, bool *has_ita)
{
	const char *path = u->ix->entries[at]->name;
	size_t dir_len = s->base_len + name_len + 1;
	struct span sub = { at, end_of_dir(u->ix, at, s->end, dir_len), dir_len };
	struct cache_tree *child = cache_tree_make_child(ct, path + s->base_len, name_len);
	bool sub_ita = false;
	int ret;

	if (index_pos(u->ix, path, dir_len - 1, 0) >= 0)
		return err_set(u->err, ERR_CONFLICT, "You have both %.*s and %s",
			       (int)(dir_len - 1), path, path);
	ret = update_span(u, child, &sub, &sub_ita);
	if (ret)
		return ret;
	child->used = true;
	*has_ita |= sub_ita;
	*next = sub.end;
	/* only intent-to-add entries: no tree for it */
	if (!oid_eq(&child->oid, &u->r->algo->empty_tree))
		tree_append(tree, MODE_TREE, path + s->base_len, name_len, &child->oid);
	return 0;
}

static int add_entry(struct updater *u, struct cache_tree *ct, const struct span *s, size_t at,
		     struct strbuf *tree, size_t *next, bool *has_ita)
{
	const struct index_entry *e = u->ix->entries[at];
	const char *name = e->name + s->base_len;
	const char *slash = strchr(name, '/');

	*next = at + 1;
	if (slash)
		return add_subdir(u, ct, s, at, (size_t)(slash - name), tree, next, has_ita);
	if (e->flags & CE_INTENT_TO_ADD) {
		*has_ita = true;
		return 0;
	}
	tree_append(tree, e->mode, name, e->name_len - s->base_len, &e->oid);
	return check_blob(u, e);
}

/* Sets ct->oid to its tree; ct becomes valid unless entries were left out. */
static int update_span(struct updater *u, struct cache_tree *ct, const struct span *s,
		       bool *has_ita)
{
	struct strbuf tree = STRBUF_INIT;
	struct object_id oid;
	int ret = 0;

	if (is_current(u, ct, s))
		return 0;
	if (s->base_len > 2 * CACHE_TREE_MAX_DEPTH)
		return err_set(u->err, ERR_TOO_BIG, "path '%s' is too long for a tree",
			       u->ix->entries[s->begin]->name);
	ct->entry_count = -1;
	for (size_t i = 0; i < ct->nr; i++)
		ct->sub[i]->used = false;
	for (size_t i = s->begin, next; i < s->end && !ret; i = next)
		ret = add_entry(u, ct, s, i, &tree, &next, has_ita);
	if (!ret)
		ret = store_tree(u, &tree, &oid);
	strbuf_release(&tree);
	if (ret)
		return ret;
	cache_tree_drop_unused(ct);
	ct->oid = oid;
	ct->entry_count = *has_ita ? -1 : (ssize_t)(s->end - s->begin);
	return 0;
}

int cache_tree_update(struct index_state *ix, struct repository *r, unsigned flags,
		      struct object_id *root, struct err *err)
{
	struct updater u = { ix, r, flags, err };
	struct span all = { 0, 0, 0 };
	bool had_count, has_ita = false;
	int ret;

	index_remove_marked(ix);
	ret = check_merged(ix, err);
	if (ret)
		return ret;
	if (!ix->cache_tree)
		ix->cache_tree = cache_tree_new("", 0);
	all.end = ix->nr;
	had_count = ix->cache_tree->entry_count > 0;
	ret = update_span(&u, ix->cache_tree, &all, &has_ita);
	if (ret)
		return ret;
	if (!had_count) /* write it: the next commit is cheaper then */
		ix->changed = true;
	if (root)
		*root = ix->cache_tree->oid;
	return 0;
}

/* ---- the cache from a tree ---- */

/* Returns the number of entries below, or < 0. */
static ssize_t prime_node(struct cache_tree *ct, struct repository *r,
			  const struct object_id *tree, unsigned depth, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tree_iter it;
	struct tree_entry te;
	ssize_t count = 0;
	int ret;

	if (depth > object_max_tree_depth(odb_source(r->odb)))
		return err_set(err, ERR_CORRUPT, "exceeded maximum allowed tree depth at tree %s",
			       oid_hex(tree));
	ret = odb_read_type(r->odb, tree, OBJ_TREE, &buf, err);
	if (ret)
		return ret;
	tree_iter_init(&it, buf.data, buf.size, r->algo);
	while ((ret = tree_iter_next(&it, &te, err)) > 0) {
		ssize_t below = 1;

		if (MODE_IS_TREE(te.mode))
			below = prime_node(cache_tree_make_child(ct, te.name, te.name_len), r,
					   &te.oid, depth + 1, err);
		if (below < 0) {
			ret = (int)below;
			break;
		}
		count += below;
	}
	object_buf_release(&buf);
	ct->oid = *tree;
	ct->entry_count = ret < 0 ? -1 : count;
	return ret < 0 ? ret : count;
}

int cache_tree_prime(struct index_state *ix, struct repository *r,
		     const struct object_id *tree, struct err *err)
{
	struct cache_tree *root = cache_tree_new("", 0);
	ssize_t count = prime_node(root, r, tree, 0, err);

	cache_tree_free(&ix->cache_tree);
	if (count < 0 || (size_t)count != ix->nr) {
		cache_tree_free(&root);
		return count < 0 ? (int)count : 0;
	}
	ix->cache_tree = root;
	return 0;
}
