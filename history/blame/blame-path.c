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

bool blame_has_filters(struct blame *b, const char *path)
{
	return filters_for(b, path);
}

bool blame_is_certainly_same(struct blame *b, const char *path, const struct commit *c, const struct commit *other)
{
	const struct changed_paths *filters;
	const struct commit *child;

	child = c->nr_parents && c->parents[0] == other ? c : other->nr_parents && other->parents[0] == c ? other : NULL;
	if (!child || child->graph_pos == GRAPH_POS_NONE)
		return false;
	filters = filters_for(b, path);
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

static struct blame_trail *new_trail(size_t nr)
{
	struct blame_trail *t = xcalloc(1, sizeof(*t) + nr * sizeof(t->dirs[0]));

	t->nr = nr;
	return t;
}

void blame_keep_trail(struct blame *b, struct blame_place *place)
{
	if (!place->new_trail)
		return;
	place->new_trail->next = b->trails;
	b->trails = place->new_trail;
	place->new_trail = NULL;
}

/* The ids from `level` on are those of `near`: the file is the same. */
static void take_rest(struct blame_trail *t, size_t level, const struct blame_place *near)
{
	for (; level < t->nr; level++)
		t->dirs[level] = near->trail->dirs[level];
}

int blame_look_up(struct odb *odb, const char *path, const struct object_id *tree, const struct blame_place *near,
		  struct blame_place *out, struct err *err)
{
	struct blame_trail *t = NULL;
	struct object_id at = *tree;
	const char *p = path;

	*out = *near;
	out->new_trail = NULL;
	for (size_t level = 0;; level++) {
		const char *slash = strchrnul(p, '/');
		char *name = xmemdupz(p, (size_t)(slash - p));
		unsigned mode;
		int rc = tree_lookup_path(odb_source(odb), &at, name, &mode, &at, err);

		free(name);
		if (rc < 0)
			return rc;
		if (!*slash) {
			out->oid = at;
			out->mode = mode;
			return 0;
		}
		if (!MODE_IS_TREE(mode))
			return err_set(err, ERR_NOT_FOUND, "'%s' is no directory", path);
		if (!level && near->trail && oid_eq(&at, &near->trail->dirs[0]))
			return 0; /* `out` is as `near` */
		if (!t)
			out->trail = out->new_trail = t = new_trail(count_directories(path));
		t->dirs[level] = at;
		if (near->trail && oid_eq(&at, &near->trail->dirs[level])) {
			take_rest(t, level, near);
			return 0;
		}
		p = slash + 1;
	}
}

struct blame_place blame_place_of(const struct blame_file *f)
{
	return (struct blame_place){ .oid = f->oid, .mode = f->mode, .trail = f->trail };
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
