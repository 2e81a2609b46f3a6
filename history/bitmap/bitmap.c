/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See bitmap.h. A bitmap of the haves is made first, then one of the wants, which stops at what the
 * haves reach. A bit that is set stands for all that its object reaches: that was set with it (by a
 * stored bitmap), or will be before the walk is over.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap.h"
#include "history/bitmap/bitmap-internal.h"
#include "history/grafts.h"
#include "history/history.h"
#include "pack/bitmap.h"
#include "util/alloc.h"
#include "util/trace2.h"

#define TAG_DEPTH_MAX 4096

struct bitmap_walk {
	struct repository *repo;
	struct bitmap_index *index;
	struct bit_space space;
	struct commit_pool *pool;
	struct bitset result, named; /* named: the wants themselves */
	struct bitset done;	     /* what the haves reach */
	size_t merges_used;
};

/* One side, while it is being walked. */
struct side {
	struct bitmap_walk *w;
	struct bitmap_making making; /* its `done` is that of the haves; NULL: this is their side */
	struct {
		size_t bit;
		struct object_id oid;
	} *commits; /* where it starts */
	size_t nr, alloc;
	struct oid_array trees;
};

/* ---- where a side starts ---- */

static int type_of(struct bitmap_walk *w, const struct object_id *oid, enum object_type *type,
		   struct err *err)
{
	uint64_t size;
	uint32_t bit;
	int rc = bitmap_index_find(w->index, oid, &bit, err);

	for (int t = OBJ_COMMIT; rc > 0 && t <= OBJ_TAG; t++)
		if (bitset_has(bitmap_index_type(w->index, t), bit)) {
			*type = t;
			return 0;
		}
	return rc < 0 ? rc : odb_type(w->repo->odb, oid, type, &size, err);
}

static int add_start(struct side *s, struct object_id oid, struct err *err)
{
	struct bitmap_walk *w = s->w;
	enum object_type type = OBJ_NONE, named;
	size_t bit;
	int rc;

	for (int depth = 0; depth < TAG_DEPTH_MAX; depth++) {
		if ((rc = type_of(w, &oid, &type, err)) < 0 ||
		    (rc = bit_space_get(&w->space, &oid, type, NULL, &bit, err)) < 0)
			return rc;
		if (s->making.done && !depth)
			bitset_add(&w->named, bit);
		if (type == OBJ_TREE)
			oid_array_append(&s->trees, &oid);
		if (type == OBJ_COMMIT) {
			ALLOC_GROW(s->commits, s->nr + 1, s->alloc);
			s->commits[s->nr].bit = bit;
			s->commits[s->nr++].oid = oid;
		}
		if (type == OBJ_BLOB || type == OBJ_TAG)
			bitset_add(s->making.to, bit);
		if (type != OBJ_TAG)
			return 0;
		rc = object_tag_target(odb_source(w->repo->odb), &oid, &oid, &named, err);
		if (rc < 0)
			return rc;
	}
	return err_set(err, ERR_TOO_BIG, "too many tags of tags at %s", oid_hex(&oid));
}

static int add_starts(struct side *s, const struct oid_array *starts, bool may_be_missing,
		      struct err *err)
{
	for (size_t i = 0; i < starts->nr; i++) {
		int rc;

		if (may_be_missing && !odb_has_quick(s->w->repo->odb, &starts->oid[i]))
			continue;
		rc = add_start(s, starts->oid[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- commits ---- */

static int use_stored(void *data, const struct object_id *oid, size_t bit, struct bitset *to,
		      struct err *err)
{
	struct bitmap_walk *w = data;

	return bit < w->space.nr_fixed ? bitmap_index_or_commit(w->index, oid, to, err) : 0;
}

static int by_bit(const void *a, const void *b)
{
	const size_t *x = a, *y = b; /* the first member */

	return *x < *y ? -1 : *x > *y;
}

/* The bitmaps of commits that the walk will come to, if all of a pseudo-merge's are among them. */
static int use_merges(struct side *s, const struct bitset *commits, struct err *err)
{
	int rc = bitmap_index_or_merges(s->w->index, commits, s->making.to, err);

	s->w->merges_used += rc > 0 ? (size_t)rc : 0;
	return rc < 0 ? rc : 0;
}

/*
 * Packs have their youngest commits first: the bitmap of the first one makes those of most others
 * superfluous.
 */
static int use_bitmaps_of_starts(struct side *s, struct err *err)
{
	struct bitset all = BITSET_INIT;
	int rc = 0;

	if (s->nr)
		qsort(s->commits, s->nr, sizeof(*s->commits), by_bit);
	for (size_t i = 0; i < s->nr && s->commits[i].bit < s->w->space.nr_fixed; i++)
		bitset_add(&all, s->commits[i].bit);
	if (s->nr > 1)
		rc = use_merges(s, &all, err);
	for (size_t i = 0; i < s->nr && rc >= 0; i++)
		if (!bitmap_reaches(&s->making, s->commits[i].bit))
			rc = use_stored(s->w, &s->commits[i].oid, s->commits[i].bit, s->making.to, err);
	bitset_release(&all);
	return rc < 0 ? rc : 0;
}

/*
 * Commits that are in no pack with bitmaps are walked anyway. Where that comes to commits that have a bit, these
 * and the starts can be those of a pseudo-merge, whose refs have moved on.
 */
static int look_beyond(struct side *s, struct commit *c, struct bitset *met, struct commit_list *todo,
		       struct oidset *seen, struct err *err)
{
	size_t bit;
	int rc;

	if (!oidset_insert(seen, &c->oid))
		return 0;
	rc = bit_space_get(&s->w->space, &c->oid, OBJ_COMMIT, NULL, &bit, err);
	if (!rc && bit < s->w->space.nr_fixed)
		bitset_add(met, bit);
	else if (!rc && !bitmap_reaches(&s->making, bit))
		commit_list_add(todo, c);
	return rc;
}

static int use_merges_below(struct side *s, const struct commit_list *starts, struct err *err)
{
	struct commit_list todo = COMMIT_LIST_INIT;
	struct oidset seen = OIDSET_INIT;
	struct bitset met = BITSET_INIT;
	int rc = 0;

	for (size_t i = 0; i < starts->nr && !rc; i++)
		rc = look_beyond(s, starts->items[i], &met, &todo, &seen, err);
	for (size_t i = 0; i < todo.nr && !rc; i++) {
		struct commit *c = todo.items[i];

		rc = commit_parse_node(s->w->pool, c, err);
		for (uint32_t k = 0; k < c->nr_parents && !rc; k++)
			rc = look_beyond(s, c->parents[k], &met, &todo, &seen, err);
	}
	if (!rc && todo.nr)
		rc = use_merges(s, &met, err);
	commit_list_clear(&todo);
	oidset_clear(&seen);
	bitset_release(&met);
	return rc;
}

static int walk_commits(struct side *s, struct err *err)
{
	struct commit_list starts = COMMIT_LIST_INIT;
	int rc = use_bitmaps_of_starts(s, err);

	for (size_t i = 0; i < s->nr && !rc; i++)
		if (!bitmap_reaches(&s->making, s->commits[i].bit))
			commit_list_add(&starts, commit_lookup(s->w->pool, &s->commits[i].oid));
	if (!rc)
		rc = use_merges_below(s, &starts, err);
	if (!rc)
		rc = bitmap_add_commits(&s->making, starts.items, starts.nr, err);
	commit_list_clear(&starts);
	return rc;
}

/* ---- one side ---- */

static int walk_side(struct bitmap_walk *w, const struct oid_array *starts, const struct bitset *done,
		     struct bitset *to, struct err *err)
{
	struct side s = {
		.w = w,
		.making = { .space = &w->space, .pool = w->pool, .to = to, .done = done,
			    .stored = use_stored, .data = w },
		.trees = OID_ARRAY_INIT,
	};
	int rc;

	bitset_reserve(to, w->space.nr_fixed);
	rc = add_starts(&s, starts, !done, err);
	if (!rc)
		rc = walk_commits(&s, err);
	for (size_t i = 0; i < s.trees.nr && !rc; i++)
		rc = bitmap_add_tree(&w->space, &s.trees.oid[i], to, done, err);
	free(s.commits);
	oid_array_clear(&s.trees);
	return rc;
}

/* ---- the walk ---- */

static int bitmap_find_bit(void *index, const struct object_id *oid, uint32_t *bit, struct err *err)
{
	return bitmap_index_find(index, oid, bit, err);
}

/* Bitmaps know the history as the objects have it. */
static int bitmap_check_history(struct repository *r, struct err *err)
{
	struct grafts g = { OIDMAP_INIT };
	int rc = grafts_read(&g, r, err);

	if (!rc && (g.by_oid.nr || repo_has_replacements(r)))
		rc = err_set(err, ERR_NOT_FOUND, "bitmaps do not know of grafts and replaced objects");
	grafts_clear(&g);
	return rc;
}

/* Whatever has a bitmap is complete: if the wants are in it, so is all that they reach. */
static int check_packed(struct bitmap_walk *w, const struct oid_array *wants, struct err *err)
{
	uint32_t bit;
	int rc = 1;

	for (size_t i = 0; i < wants->nr && rc > 0; i++)
		rc = bitmap_index_find(w->index, &wants->oid[i], &bit, err);
	return rc ? (rc < 0 ? rc : 0) : err_set(err, ERR_NOT_FOUND, "a want is not in their packs");
}

static int walk(struct bitmap_walk *w, const struct oid_array *wants, const struct oid_array *haves,
		struct err *err)
{
	int rc = walk_side(w, haves, NULL, &w->done, err);

	if (!rc)
		rc = walk_side(w, wants, &w->done, &w->result, err);
	bitset_and_not(&w->result, &w->done);
	if (w->merges_used)
		trace2_data_intmax("bitmap", "pseudo_merges_satisfied", (intmax_t)w->merges_used);
	return rc;
}

int bitmap_walk_new(struct bitmap_walk **out, struct repository *r, const struct oid_array *wants,
		    const struct oid_array *haves, unsigned flags, struct err *err)
{
	struct err why = ERR_INIT;
	struct bitmap_walk *w;
	int rc;

	CALLOC_ARRAY(w, 1);
	w->repo = r;
	rc = bitmap_check_history(r, &why);
	if (!rc)
		rc = odb_open_bitmap(r->odb, &w->index, &why);
	if (!rc && (flags & BITMAP_WALK_PACKED))
		rc = check_packed(w, wants, &why);
	if (!rc)
		rc = commit_pool_new(&w->pool, r, &why);
	if (!rc) {
		w->space = (struct bit_space){ .repo = r, .algo = r->algo, .find = bitmap_find_bit,
					       .data = w->index,
					       .nr_fixed = bitmap_index_nr(w->index) };
		rc = walk(w, wants, haves, &why);
	}
	if (!rc) {
		*out = w;
		return 0;
	}
	bitmap_walk_free(w);
	/* A walk without bitmaps will find and report the damaged objects. */
	if (rc == ERR_CORRUPT)
		repo_warn(r, "%s", err_message(&why));
	err_set(err, ERR_NOT_FOUND, "bitmaps cannot be used: %s", err_message(&why));
	err_release(&why);
	return ERR_NOT_FOUND;
}

void bitmap_walk_free(struct bitmap_walk *w)
{
	if (!w)
		return;
	bitset_release(&w->result);
	bitset_release(&w->named);
	bitset_release(&w->done);
	bitmap_forget_trees(&w->space);
	bit_space_release(&w->space);
	commit_pool_free(w->pool);
	bitmap_index_free(w->index);
	free(w);
}

/* ---- the result ---- */

uint64_t bitmap_walk_count(const struct bitmap_walk *w, enum object_type type)
{
	uint64_t n;

	if (type == OBJ_ANY)
		return bitset_count(&w->result);
	n = bitset_count_and(&w->result, bitmap_index_type(w->index, type));
	for (size_t i = 0; i < w->space.nr_extra; i++)
		n += w->space.extra[i].type == type && bitset_has(&w->result, w->space.nr_fixed + i);
	return n;
}

static bool is_in(struct bitmap_walk *w, const struct bitset *set, const struct object_id *oid)
{
	uint32_t bit;
	size_t extra;
	int rc = bitmap_index_find(w->index, oid, &bit, NULL);

	if (rc > 0)
		return bitset_has(set, bit);
	extra = (uintptr_t)oidmap_get(&w->space.by_oid, oid);
	return !rc && extra && bitset_has(set, w->space.nr_fixed + extra - 1);
}

bool bitmap_walk_has(struct bitmap_walk *w, const struct object_id *oid)
{
	return is_in(w, &w->result, oid);
}

bool bitmap_walk_excludes(struct bitmap_walk *w, const struct object_id *oid)
{
	return is_in(w, &w->done, oid);
}

void bitmap_walk_drop(struct bitmap_walk *w, enum object_type type)
{
	struct bitset kept = BITSET_INIT;

	bitset_copy(&kept, &w->result);
	bitset_and(&kept, &w->named);
	bitset_and_not(&w->result, bitmap_index_type(w->index, type));
	for (size_t i = 0; i < w->space.nr_extra; i++)
		if (w->space.extra[i].type == type)
			bitset_remove(&w->result, w->space.nr_fixed + i);
	bitset_or(&w->result, &kept);
	bitset_release(&kept);
}

static int show_fixed(struct bitmap_walk *w, size_t bit, bitmap_walk_fn fn, void *data,
		      struct err *err)
{
	static const enum object_type often_first[] = { OBJ_BLOB, OBJ_TREE, OBJ_COMMIT, OBJ_TAG };
	struct bitmap_object o;
	int rc = bitmap_index_object(w->index, (uint32_t)bit, &o, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(often_first); i++)
		if (bitset_has(bitmap_index_type(w->index, often_first[i]), bit))
			return fn(data, &o.oid, often_first[i], o.name_hash, o.pack, o.offset);
	return err_set(err, ERR_CORRUPT, "the bitmap of '%s' has no type for object %s",
		       pack_path(o.pack), oid_hex(&o.oid));
}

/* From that bit on. */
static int show_from(struct bitmap_walk *w, size_t bit, bitmap_walk_fn fn, void *data, struct err *err)
{
	int rc = 0;

	for (; !rc && bitset_next(&w->result, &bit); bit++) {
		const struct bit_extra *e;

		if (bit < w->space.nr_fixed) {
			rc = show_fixed(w, bit, fn, data, err);
			continue;
		}
		e = &w->space.extra[bit - w->space.nr_fixed];
		rc = fn(data, &e->oid, e->type, e->name_hash, NULL, 0);
	}
	return rc;
}

int bitmap_walk_foreach(struct bitmap_walk *w, bitmap_walk_fn fn, void *data, struct err *err)
{
	return show_from(w, 0, fn, data, err);
}

int bitmap_walk_foreach_run(struct bitmap_walk *w, bitmap_walk_run_fn run, bitmap_walk_fn fn,
			    void *data, struct err *err)
{
	struct pack *p = bitmap_index_single_pack(w->index);
	size_t bit = 0, nr = p ? w->space.nr_fixed : 0;
	int rc = 0;

	while (!rc && bitset_next(&w->result, &bit) && bit < nr) {
		size_t end = bitset_next_unset(&w->result, bit);

		if (end > nr)
			end = nr;
		rc = run(data, p, (uint32_t)bit, (uint32_t)(end - bit));
		bit = end;
	}
	return rc ? rc : show_from(w, nr, fn, data, err);
}

struct pack *bitmap_walk_whole_pack(const struct bitmap_walk *w)
{
	struct pack *p = bitmap_index_single_pack(w->index);

	return p && bitset_is_full(&w->result, w->space.nr_fixed) ? p : NULL;
}
