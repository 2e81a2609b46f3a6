/* SPDX-License-Identifier: GPL-2.0-only */
/* Roots in an index. */
#include "compat/posix.h"
#include "history/reach/roots-internal.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "object/tree.h"

struct index_visit {
	struct roots_walk *w;
	const char *worktree;
};

static int visit_entries(struct index_visit *v, const struct index_state *ix)
{
	struct root root = { .kind = ROOT_INDEX, .worktree = v->worktree };
	int rc = 0;

	for (size_t i = 0; !rc && i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (MODE_IS_GITLINK(e->mode))
			continue;
		root.oid = e->oid;
		root.name = e->name;
		root.name_len = e->name_len;
		root.mode = e->mode;
		rc = v->w->fn(v->w->data, &root);
	}
	return rc;
}

static int visit_cached_tree(void *data, const char *path, const struct object_id *oid)
{
	struct index_visit *v = data;
	const struct root root = { .kind = ROOT_CACHED_TREE, .oid = *oid, .name = path, .worktree = v->worktree };

	return v->w->fn(v->w->data, &root);
}

static int visit_resolved(struct index_visit *v, const char *path, const struct resolve_undo_info *info)
{
	struct root root = { .kind = ROOT_RESOLVE_UNDO, .name = path, .worktree = v->worktree };
	int rc = 0;

	for (int stage = 0; !rc && stage < 3; stage++) {
		if (!info->mode[stage] || MODE_IS_GITLINK(info->mode[stage]))
			continue;
		root.oid = info->oid[stage];
		root.mode = info->mode[stage];
		root.stage = stage;
		rc = v->w->fn(v->w->data, &root);
	}
	return rc;
}

int roots_visit_index(struct roots_walk *w, const char *worktree, const char *gitdir, const char *path)
{
	const struct index_places places = { .gitdir = gitdir };
	const struct hash_algo *algo = w->repo->algo;
	struct index_visit v = { w, worktree };
	struct index_state ix;
	int rc;

	index_init(&ix, algo);
	rc = index_read(&ix, path, algo, &places, w->err);
	if (!rc && roots_want(w, ROOTS(ROOT_INDEX)))
		rc = visit_entries(&v, &ix);
	if (!rc && ix.cache_tree && roots_want(w, ROOTS(ROOT_CACHED_TREE)))
		rc = cache_tree_foreach(ix.cache_tree, visit_cached_tree, &v);
	if (ix.resolve_undo && roots_want(w, ROOTS(ROOT_RESOLVE_UNDO)))
		for (size_t i = 0; !rc && i < ix.resolve_undo->paths.nr; i++)
			rc = visit_resolved(&v, ix.resolve_undo->paths.items[i].string,
					    ix.resolve_undo->paths.items[i].util);
	index_release(&ix);
	return rc;
}
