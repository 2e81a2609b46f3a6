/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cherry-pick, --cherry-mark: commits of one side of A...B that bring the same change as one of the
 * other side. Merges have no change of their own. Changes are first compared by the paths that they
 * touch, and only where these are the same by contents.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

struct change {
	struct commit *commit;
	struct object_id id; /* if known */
	bool known;
	struct change *next; /* the same paths */
};

struct changes {
	struct rev_walk *w;
	struct oidmap by_paths; /* to struct change, of the smaller side */
	uint32_t flag;		/* for commits with a counterpart */
};

void rev_walk_set_patch_ids(struct rev_walk *w, rev_patch_id_fn fn)
{
	w->patch_id = fn;
}

static int name_change(struct rev_walk *w, struct commit *c, bool paths_only,
		       struct object_id *out, struct err *err)
{
	const struct object_id *from = NULL;
	int rc = 0;

	if (c->nr_parents) {
		rc = commit_parse_node(w->pool, c->parents[0], err);
		from = &c->parents[0]->tree;
	}
	if (rc < 0)
		return rc;
	return w->patch_id(w->repo->odb, w->has_pathspec ? &w->pathspec : NULL, from, &c->tree,
			   paths_only, out, err);
}

static int note_change(struct changes *t, struct commit *c, struct err *err)
{
	struct object_id paths;
	struct change *change;
	int rc = name_change(t->w, c, true, &paths, err);

	if (rc < 0)
		return rc;
	CALLOC_ARRAY(change, 1);
	change->commit = c;
	change->next = oidmap_put(&t->by_paths, &paths, change);
	return 0;
}

static int match_change(struct changes *t, struct commit *c, struct err *err)
{
	struct object_id paths, id;
	struct change *change;
	int rc = name_change(t->w, c, true, &paths, err);

	change = rc < 0 ? NULL : oidmap_get(&t->by_paths, &paths);
	if (!change)
		return rc;
	rc = name_change(t->w, c, false, &id, err);
	for (; !rc && change; change = change->next) {
		if (!change->known)
			rc = name_change(t->w, change->commit, false, &change->id, err);
		change->known = !rc;
		if (rc < 0 || !oid_eq(&id, &change->id))
			continue;
		c->flags |= t->flag;
		change->commit->flags |= t->flag;
	}
	return rc;
}

static void free_changes(void *p)
{
	struct change *change = p;

	while (change) {
		struct change *next = change->next;

		free(change);
		change = next;
	}
}

static bool is_left(const struct commit *c)
{
	return c->flags & REV_LEFT;
}

int rev_find_same_patches(struct rev_walk *w, struct err *err)
{
	struct changes t = { w, OIDMAP_INIT, w->cherry_mark ? REV_PATCH_SAME : REV_SHOWN };
	const struct commit_list *l = &w->state->list;
	size_t left = 0;
	bool left_first;
	int rc = 0;

	for (size_t i = 0; i < l->nr; i++)
		left += is_left(l->items[i]);
	if (!left || left == l->nr)
		return 0;
	if (!w->patch_id)
		return err_set(err, ERR_UNSUPPORTED, "changes cannot be compared here");
	left_first = left < l->nr - left;
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (is_left(l->items[i]) == left_first && l->items[i]->nr_parents < 2)
			rc = note_change(&t, l->items[i], err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (is_left(l->items[i]) != left_first && l->items[i]->nr_parents < 2)
			rc = match_change(&t, l->items[i], err);
	oidmap_clear(&t.by_paths, free_changes);
	return rc;
}
