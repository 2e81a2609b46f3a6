/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees hand their islands on to their entries, level by level: when the trees of one depth have their turn, all
 * above them have had theirs, so each is read once (or again, if it gets further islands at a deeper place). A
 * tree that gets more islands is queued, and nothing shrinks: that comes to an end.
 */
#include "compat/posix.h"
#include "packing/delta-islands-internal.h"
#include "object/tree-new.h"
#include "util/alloc.h"

bool delta_islands_mark(struct delta_islands *d, const unsigned char *raw, shared_set set)
{
	uint32_t *f = oid_flags_at(&d->marks, raw), flags = *f & ~SHARED_SET_MAX;
	shared_set before = *f & SHARED_SET_MAX, after = shared_sets_union(d->sets, before, set);

	*f = flags | after;
	return after != before;
}

/*
 * From commit to commit most entries of a tree stay the same. The entries of the last tree of the same
 * path have its islands, so they need no look if these are no fewer than those of the tree at hand. Whether it is of the same
 * path does not matter but for speed.
 */
#define HOMES 4096
#define HOME_BYTES_MAX ((size_t)16 * 1024 * 1024)

static void append(struct island_level *l, const struct object_id *oid, uint32_t path_hash)
{
	ALLOC_GROW(l->v, l->nr + 1, l->alloc);
	l->v[l->nr++] = (struct island_tree){ *oid, path_hash };
}

void island_trees_queue(struct island_trees *t, const struct object_id *oid)
{
	uint32_t *f = oid_flags_at(&t->d->marks, oid->hash);

	if (*f & ISLAND_QUEUED)
		return;
	*f |= ISLAND_QUEUED;
	append(&t->now, oid, 0);
}

/* ---- the last trees ---- */

static void forget_homes(struct island_trees *t)
{
	for (size_t i = 0; t->homes && i < HOMES; i++)
		object_buf_release(&t->homes[i].buf);
	t->home_bytes = 0;
}

/* Keeps the content of a tree for its next version. Takes over `buf`. */
static void keep_tree(struct island_trees *t, struct island_home *home, struct object_buf *buf, shared_set set)
{
	if (buf->size > HOME_BYTES_MAX) {
		object_buf_release(buf);
		return;
	}
	if (t->home_bytes > HOME_BYTES_MAX - buf->size)
		forget_homes(t);
	t->home_bytes += buf->size - home->buf.size;
	object_buf_release(&home->buf);
	*home = (struct island_home){ *buf, set };
}

/* ---- one tree ---- */

static uint32_t hash_below(uint32_t h, const struct raw_tree_entry *e)
{
	h = (h ^ '/') * 0x01000193u;
	for (size_t i = 0; i < e->name_len; i++)
		h = (h ^ (unsigned char)e->name[i]) * 0x01000193u;
	return h;
}

static void mark_entry(struct island_trees *t, const struct raw_tree_entry *e, shared_set set, uint32_t path_hash)
{
	unsigned mode = canonical_mode(e->raw_mode);
	struct object_id oid;
	uint32_t *f;

	if (MODE_IS_GITLINK(mode) || !delta_islands_mark(t->d, e->oid, set) || !MODE_IS_TREE(mode))
		return;
	f = oid_flags_at(&t->d->marks, e->oid);
	if (*f & ISLAND_QUEUED)
		return;
	*f |= ISLAND_QUEUED;
	oid_from_raw(&oid, e->oid, t->algo);
	append(&t->next, &oid, hash_below(path_hash, e));
}

static int mark_entries(struct island_trees *t, const struct island_tree *at, const struct object_buf *buf,
			const struct object_buf *seen, shared_set set, struct err *err)
{
	struct tree_new_iter it;
	struct raw_tree_entry e;
	int rc;

	tree_new_iter_init(&it, buf->data, buf->size, seen ? seen->data : NULL, seen ? seen->size : 0, t->algo);
	while ((rc = tree_new_iter_next(&it, &e, err)) > 0)
		mark_entry(t, &e, set, at->path_hash);
	if (rc < 0)
		err_prefix(err, "tree %s", oid_hex(&at->oid));
	return rc;
}

static int visit(struct island_trees *t, const struct island_tree *at, struct err *err)
{
	struct island_home *home = &t->homes[at->path_hash % HOMES];
	uint32_t *f = oid_flags_at(&t->d->marks, at->oid.hash);
	struct object_buf buf = OBJECT_BUF_INIT;
	shared_set set = *f & SHARED_SET_MAX;
	struct err why = ERR_INIT;
	int rc;

	*f &= ~ISLAND_QUEUED;
	rc = odb_read_type(t->odb, &at->oid, OBJ_TREE, &buf, &why);
	if (!rc) {
		bool is_near = home->buf.data && shared_sets_includes(t->d->sets, home->set, set);

		rc = mark_entries(t, at, &buf, is_near ? &home->buf : NULL, set, &why);
		if (!rc)
			keep_tree(t, home, &buf, set);
		else
			object_buf_release(&buf);
	}
	/* A caller that needs the tree reports it; it may be left out, or promised. */
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* ---- all of them ---- */

/* Trees of commits have come the youngest first. The oldest are in most islands: so most are near the one before. */
static void reverse(struct island_level *l)
{
	for (size_t i = 0, k = l->nr; i + 1 < k; i++) {
		struct island_tree swapped = l->v[i];

		l->v[i] = l->v[--k];
		l->v[k] = swapped;
	}
}

int island_trees_pass_on(struct island_trees *t, struct err *err)
{
	int rc = 0;

	CALLOC_ARRAY(t->homes, HOMES);
	reverse(&t->now);
	while (t->now.nr && !rc) {
		struct island_level done = t->now;

		for (size_t i = 0; i < t->now.nr && !rc; i++)
			rc = visit(t, &t->now.v[i], err);
		t->now = t->next;
		done.nr = 0;
		t->next = done;
	}
	return rc;
}

void island_trees_release(struct island_trees *t)
{
	forget_homes(t);
	FREE_AND_NULL(t->homes);
	FREE_AND_NULL(t->now.v);
	FREE_AND_NULL(t->next.v);
}
