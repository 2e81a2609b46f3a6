/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue of differences between two trees. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree-compare.h"

struct tree_diff {
	struct diff_queue *q;
	const struct diff_options *o;
};

static int open_tree(void *data, const struct object_id *oid, struct compared_tree *out,
		     struct err *err)
{
	const struct tree_diff *td = data;

	return odb_read_type(td->o->odb, oid, OBJ_TREE, &out->buf, err);
}

static void close_tree(void *data UNUSED, struct compared_tree *t)
{
	object_buf_release(&t->buf);
}

/* Does the path begin with options.relative, or is it a directory above such paths? */
static bool matches_relative(const char *relative, const struct strbuf *path, bool is_dir)
{
	size_t len = strlen(relative);

	if (is_dir && path->len < len && !strncmp(relative, path->buf, path->len) &&
	    relative[path->len] == '/')
		return true;
	return !strncmp(path->buf, relative, len);
}

static bool is_ignored_submodule(const struct diff_options *o, const char *path,
				 const struct tree_entry *old, const struct tree_entry *new)
{
	if ((old && !MODE_IS_GITLINK(old->mode)) || (new && !MODE_IS_GITLINK(new->mode)))
		return false;
	return o->ignores_submodule && o->ignores_submodule(o->ignores_submodule_data, path);
}

/* A submodule is no tree to be read, but "sub/" means it. */
static bool selects_gitlink(const struct diff_options *o, const struct strbuf *path)
{
	if (o->relative && !matches_relative(o->relative, path, false))
		return false;
	return !o->pathspec || !o->pathspec->nr || pathspec_match(o->pathspec, path->buf, path->len, true, NULL);
}

bool diff_selects(const struct diff_options *o, const struct strbuf *path, bool is_dir)
{
	if (o->relative && !matches_relative(o->relative, path, is_dir))
		return false;
	if (!o->pathspec || !o->pathspec->nr)
		return true;
	if (!is_dir)
		return pathspec_match(o->pathspec, path->buf, path->len, false, NULL);
	return pathspec_match_dir(o->pathspec, path->buf, path->len) != PATHSPEC_NO_MATCH;
}

/* ---- max_depth ---- */

static int count_slashes(const struct strbuf *dir, size_t from)
{
	int nr = 0;

	for (size_t i = from; i < dir->len; i++)
		nr += dir->buf[i] == '/';
	return nr;
}

static bool is_at_or_below(const struct strbuf *dir, const struct pathspec_item *it)
{
	return dir->len >= it->len && (dir->len == it->len || dir->buf[it->len] == '/') && !memcmp(dir->buf, it->match, it->len);
}

static bool is_above(const struct strbuf *dir, const struct pathspec_item *it)
{
	return dir->len < it->len && it->match[dir->len] == '/' && !memcmp(it->match, dir->buf, dir->len);
}

/*
 * Without paths the depth is as if each name at the top had been given. The last of several paths that has to do with the
 * directory decides. As in Git, nothing has to do with one that is matched otherwise: the top, with a slash at the end, by icase.
 */
static bool descends(const struct diff_options *o, const struct strbuf *dir)
{
	size_t nr = o->pathspec ? o->pathspec->nr : 0;

	if (o->max_depth < 0)
		return true;
	for (size_t i = nr; i-- > 0;) {
		const struct pathspec_item *it = &o->pathspec->items[i];

		if (it->exclude)
			continue;
		if (is_at_or_below(dir, it))
			return count_slashes(dir, it->len) < o->max_depth;
		if (is_above(dir, it))
			return true;
	}
	return !nr && count_slashes(dir, 0) < o->max_depth;
}

static bool has_wildcard(const struct pathspec *ps)
{
	for (size_t i = 0; ps && i < ps->nr; i++)
		if (ps->items[i].nowildcard_len < ps->items[i].len)
			return true;
	return false;
}

static void queue_pair(struct tree_diff *td, const char *path, const struct tree_entry *old,
		       const struct tree_entry *new)
{
	bool same = old && new && old->mode == new->mode && oid_eq(&old->oid, &new->oid);
	bool had_changes = td->q->has_changes;

	diff_queue_add(td->q, path, old ? old->mode : 0, old ? &old->oid : NULL,
		       path, new ? new->mode : 0, new ? &new->oid : NULL);
	if (same) /* a source of copies */
		td->q->has_changes = had_changes;
}

static int differ(void *data, const struct strbuf *path, const struct tree_entry *old,
		  const struct tree_entry *new, struct err *err UNUSED)
{
	struct tree_diff *td = data;
	const struct diff_options *o = td->o;
	unsigned mode = (old ? old : new)->mode;
	bool is_dir = MODE_IS_TREE(mode), deeper = is_dir && o->recursive && descends(o, path);

	if (!(MODE_IS_GITLINK(mode) ? selects_gitlink(o, path) : diff_selects(o, path, is_dir)) || is_ignored_submodule(o, path->buf, old, new))
		return TREE_COMPARE_NEXT;
	if (!is_dir || !deeper ||
	    (o->show_trees && !(old && new && oid_eq(&old->oid, &new->oid))))
		queue_pair(td, path->buf, old, new);
	if (o->quick && td->q->has_changes)
		return TREE_COMPARE_STOP;
	return deeper ? TREE_COMPARE_DESCEND : TREE_COMPARE_NEXT;
}

int diff_trees(struct diff_queue *q, const struct diff_options *o,
	       const struct object_id *old_tree, const struct object_id *new_tree,
	       struct err *err)
{
	struct tree_diff td = { q, o };
	const struct tree_comparer c = {
		.algo = odb_algo(o->odb), .open = open_tree, .close = close_tree,
		.differ = differ, .data = &td, .report_equal = o->find_copies_harder,
		.max_depth = object_max_tree_depth(odb_source(o->odb)),
	};
	size_t before = q->nr;
	int ret;

	if (o->max_depth >= 0 && has_wildcard(o->pathspec))
		return err_set(err, ERR_INVALID, "max-depth cannot be used with wildcard pathspecs");
	if (o->quick && q->has_changes)
		return 0;
	ret = tree_compare(&c, old_tree, new_tree, err);
	while (ret < 0 && q->nr > before)
		diff_pair_free(q->pairs[--q->nr]);
	return ret < 0 ? ret : 0;
}
