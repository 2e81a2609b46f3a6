/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --cherry-pick, --cherry-mark: commits of one side of A...B that bring the same change as one of the
 * other side. Merges have no change of their own.
 */
#include "compat/posix.h"
#include "history/revision-internal.h"
#include "util/alloc.h"

void rev_walk_set_patch_ids(struct rev_walk *w, rev_patch_id_fn fn, void *data)
{
	w->patch_id = fn;
	w->patch_id_data = data;
}

/* 1: *out, 0: it has none. */
static int patch_of(struct rev_walk *w, struct commit *c, struct object_id *out, struct err *err)
{
	const struct object_id *from = NULL;
	int rc = 0;

	if (c->nr_parents > 1)
		return 0;
	if (c->nr_parents) {
		rc = commit_parse_node(w->pool, c->parents[0], err);
		from = &c->parents[0]->tree;
	}
	if (!rc)
		rc = w->patch_id(w->patch_id_data, from, &c->tree, out, err);
	return rc < 0 ? rc : 1;
}

static void count_sides(const struct commit_list *l, size_t sides[2])
{
	for (size_t i = 0; i < l->nr; i++)
		if (!(l->items[i]->flags & REV_BOUNDARY))
			sides[!(l->items[i]->flags & REV_LEFT)]++;
}

/* From the id of a change to the commits of the smaller side that bring it. */
struct changes {
	struct oidmap by_id; /* to struct commit_list */
};

static void free_list(void *p)
{
	commit_list_clear(p);
	free(p);
}

static int note_change(struct rev_walk *w, struct changes *t, struct commit *c, struct err *err)
{
	struct commit_list *l;
	struct object_id id;
	int rc = patch_of(w, c, &id, err);

	if (rc <= 0)
		return rc;
	l = oidmap_get(&t->by_id, &id);
	if (!l) {
		CALLOC_ARRAY(l, 1);
		oidmap_put(&t->by_id, &id, l);
	}
	commit_list_add(l, c);
	return 0;
}

static int look_up_change(struct rev_walk *w, struct changes *t, struct commit *c,
			  uint32_t flag, struct err *err)
{
	struct commit_list *l;
	struct object_id id;
	int rc = patch_of(w, c, &id, err);

	if (rc <= 0)
		return rc;
	l = oidmap_get(&t->by_id, &id);
	if (!l)
		return 0;
	c->flags |= flag;
	for (size_t i = 0; i < l->nr; i++)
		l->items[i]->flags |= flag;
	return 0;
}

int rev_find_same_patches(struct rev_walk *w, struct err *err)
{
	uint32_t flag = w->cherry_mark ? REV_PATCH_SAME : REV_SHOWN;
	const struct commit_list *l = &w->state->list;
	struct changes t = { OIDMAP_INIT };
	size_t sides[2] = { 0, 0 };
	bool left_first;
	int rc = 0;

	count_sides(l, sides);
	if (!sides[0] || !sides[1])
		return 0;
	if (!w->patch_id)
		return err_set(err, ERR_UNSUPPORTED, "changes cannot be compared here");
	left_first = sides[0] < sides[1];
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (!(l->items[i]->flags & REV_LEFT) != left_first)
			rc = note_change(w, &t, l->items[i], err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (!(l->items[i]->flags & REV_LEFT) == left_first)
			rc = look_up_change(w, &t, l->items[i], flag, err);
	oidmap_clear(&t.by_id, free_list);
	return rc;
}
