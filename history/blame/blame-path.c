/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same path in another commit. Changed-path filters (gitformat-commit-graph(5)) save the trees, if the graph has them;
 * else trees are read from the top until a directory is the same.
 */
#include "compat/posix.h"
#include "history/blame/blame-internal.h"
#include "history/changed-paths.h"
#include "object/tree.h"
#include "util/alloc.h"

/* The directories on the way to a file, without the top. Files have it in common. */
struct blame_trail {
	struct blame_trail *next; /* of all of them */
	size_t nr;
	struct object_id dirs[];
};

/* The filters, for one path. */
struct blame_filter {
	char *path;
	struct pathspec spec;
	struct changed_paths *paths; /* NULL: they do not help */
};

/* ---- filters ---- */

static void release_filter(struct blame_filter *filter)
{
	changed_paths_free(filter->paths);
	pathspec_release(&filter->spec);
	free(filter->path);
}

static const struct changed_paths *filters_for(struct blame *b, const char *path)
{
	const char *const names[] = { path, NULL };
	struct commit_graph *graph = commit_pool_graph(b->pool);
	struct err ignored = ERR_INIT;

	if (!graph)
		return NULL;
	if (b->filter && !strcmp(b->filter->path, path))
		return b->filter->paths;
	if (b->filter)
		release_filter(b->filter);
	else
		b->filter = xmalloc(sizeof(*b->filter));
	*b->filter = (struct blame_filter){ .path = xstrdup(path) };
	if (!pathspec_parse(&b->filter->spec, NULL, NULL, names, PATHSPEC_LITERAL, &ignored))
		b->filter->paths = changed_paths_new(graph, &b->filter->spec);
	err_release(&ignored);
	return b->filter->paths;
}

/* Filters compare with the first parent. In a run with --reverse, `other` is the child. */
static bool is_certainly_same(struct blame *b, const struct blame_file *f, const struct commit *other)
{
	const struct commit *c = f->commit, *child;
	const struct changed_paths *filters;

	child = c->nr_parents && c->parents[0] == other ? c : other->nr_parents && other->parents[0] == c ? other : NULL;
	if (!child || child->graph_pos == GRAPH_POS_NONE)
		return false;
	filters = filters_for(b, f->path);
	return filters && !changed_paths_perhaps(filters, child->graph_pos);
}

/* ---- trees ---- */

static size_t count_directories(const char *path)
{
	size_t nr = 0;

	for (; *path; path++)
		nr += *path == '/';
	return nr;
}

static struct blame_trail *new_trail(struct blame *b, size_t nr)
{
	struct blame_trail *t = xcalloc(1, sizeof(*t) + nr * sizeof(t->dirs[0]));

	t->nr = nr;
	t->next = b->trails;
	b->trails = t;
	return t;
}

/* The ids from `level` on are those of f: the file is the same. */
static void take_rest(struct blame_trail *t, size_t level, const struct blame_file *f)
{
	for (; level < t->nr; level++)
		t->dirs[level] = f->trail->dirs[level];
}

/* *out, which is as f: its oid, mode and trail in that tree. ERR_NOT_FOUND. */
static int look_up(struct blame *b, const struct blame_file *f, const struct object_id *tree, struct blame_file *out,
		   struct err *err)
{
	struct blame_trail *t = NULL;
	struct object_id at = *tree;
	const char *p = f->path;

	for (size_t level = 0;; level++) {
		const char *slash = strchrnul(p, '/');
		char *name = xmemdupz(p, (size_t)(slash - p));
		unsigned mode;
		int rc = tree_lookup_path(odb_source(b->diff->odb), &at, name, &mode, &at, err);

		free(name);
		if (rc < 0)
			return rc;
		if (!*slash) {
			out->oid = at;
			out->mode = mode;
			return 0;
		}
		if (!MODE_IS_TREE(mode))
			return err_set(err, ERR_NOT_FOUND, "'%s' is no directory", f->path);
		if (!level && f->trail && oid_eq(&at, &f->trail->dirs[0]))
			return 0; /* `out` is as f */
		if (!t)
			out->trail = t = new_trail(b, count_directories(f->path));
		t->dirs[level] = at;
		if (f->trail && oid_eq(&at, &f->trail->dirs[level])) {
			take_rest(t, level, f);
			return 0;
		}
		p = slash + 1;
	}
}

/* ---- the path ---- */

int blame_find_path(struct blame *b, struct blame_file *f, struct commit *other, struct blame_file **out, struct err *err)
{
	struct blame_file *old, in_other = { .oid = f->oid, .mode = f->mode, .trail = f->trail };
	int rc;

	for (old = *blame_files_of(b, other); old; old = old->next)
		if (!strcmp(old->path, f->path)) {
			*out = old;
			return 0;
		}
	rc = is_certainly_same(b, f, other) ? 0 : look_up(b, f, &other->tree, &in_other, err);
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		return 0;
	}
	if (rc < 0)
		return rc;
	if ((in_other.mode & S_IFMT) != (f->mode & S_IFMT))
		return 0;
	*out = blame_file_of(b, other, f->path);
	(*out)->oid = in_other.oid;
	(*out)->mode = in_other.mode;
	(*out)->trail = in_other.trail;
	return 0;
}

void blame_release_paths(struct blame *b)
{
	while (b->trails) {
		struct blame_trail *t = b->trails;

		b->trails = t->next;
		free(t);
	}
	if (b->filter)
		release_filter(b->filter);
	FREE_AND_NULL(b->filter);
}
