/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See bitmap-build.h. The bitmaps of the chosen commits are made from the oldest to the youngest,
 * so that each rests on those before it.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap-build.h"
#include "history/bitmap/bitmap-internal.h"
#include "history/grafts.h"
#include "history/history.h"
#include "util/alloc.h"

struct build {
	struct repository *repo;
	struct bitmap_target *target;
	const struct bitmap_build_options *options;
	struct commit_pool *pool;
	struct bit_space space;
	struct bitmap_writer *writer;
	struct bitset types[4];
	struct commit_list tips, chosen;
	enum bitmap_choice *choices;
	size_t nr_choices; /* commits found later have none */
};

/* ---- where queries will start ---- */

static int by_date(const void *a, const void *b)
{
	return commit_date_cmp(*(struct commit *const *)a, *(struct commit *const *)b, NULL);
}

/* Add the commits, the youngest first, that these lead to and that have a bit of their own. */
static int add_tips(struct build *b, const struct oid_array *from, struct oidset *seen,
		    struct err *err)
{
	size_t first = b->tips.nr;

	for (size_t i = 0; i < from->nr; i++) {
		struct object_id oid;
		struct commit *c;
		uint32_t bit;
		int rc;

		if (object_peel(odb_source(b->repo->odb), &from->oid[i], OBJ_COMMIT, &oid, NULL, NULL) < 0)
			continue;
		rc = bitmap_target_find(b->target, &oid, &bit, err);
		if (rc < 0)
			return rc;
		if (!rc || bit < bitmap_target_first(b->target) || !oidset_insert(seen, &oid))
			continue;
		c = commit_lookup(b->pool, &oid);
		rc = commit_parse_node(b->pool, c, err);
		if (rc < 0)
			return rc;
		commit_list_add(&b->tips, c);
	}
	if (b->tips.nr > first)
		qsort(b->tips.items + first, b->tips.nr - first, sizeof(*b->tips.items), by_date);
	return 0;
}

static int find_tips(struct build *b, struct err *err)
{
	const struct bitmap_build_options *o = b->options;
	struct oid_array refs = OID_ARRAY_INIT, preferred = OID_ARRAY_INIT;
	struct oidset seen = OIDSET_INIT;
	int rc = o->tips ? 0 : bitmap_collect_tips(b->repo, &refs, &preferred, err);

	if (!rc)
		rc = add_tips(b, &preferred, &seen, err);
	if (!rc && o->preferred)
		rc = add_tips(b, o->preferred, &seen, err);
	if (!rc)
		rc = add_tips(b, o->tips ? o->tips : &refs, &seen, err);
	oid_array_clear(&refs);
	oid_array_clear(&preferred);
	oidset_clear(&seen);
	return rc;
}

/* ---- what they reach ---- */

static int use_made(void *data, const struct object_id *commit, size_t bit, struct bitset *to,
		    struct err *err)
{
	struct build *b = data;

	if (bit < bitmap_target_first(b->target))
		return bitmap_target_or_lower(b->target, commit, to, err);
	return bitmap_writer_or(b->writer, commit, to);
}

static int make_one(struct build *b, struct commit *c, struct bitset *to, struct err *err)
{
	struct bitmap_making m = { .space = &b->space, .pool = b->pool, .to = to,
				   .stored = use_made, .data = b };
	int rc = bitmap_add_commits(&m, &c, 1, err);

	if (!rc)
		bitmap_writer_add(b->writer, &c->oid, to, b->choices[c->index] == BITMAP_KEPT);
	return rc;
}

static int is_own(void *data, const struct object_id *commit, struct err *err)
{
	struct build *b = data;
	uint32_t bit;
	int rc = bitmap_target_find(b->target, commit, &bit, err);

	return rc > 0 ? bit >= bitmap_target_first(b->target) : rc;
}

static int make_bitmaps(struct build *b, struct err *err)
{
	const struct bitmap_build_options *o = b->options;
	struct bitset reach = BITSET_INIT;
	int rc = 0;

	bitset_reserve(&reach, bitmap_target_nr(b->target));
	for (size_t i = 0; i < b->chosen.nr && !rc; i++) {
		if (is_own(b, &b->chosen.items[i]->oid, NULL) <= 0)
			continue;
		bitset_clear(&reach);
		rc = make_one(b, b->chosen.items[i], &reach, err);
		if (o->progress)
			o->progress(o->progress_data, i + 1, b->chosen.nr);
	}
	bitset_release(&reach);
	return rc;
}

/* ---- what several commits reach together ---- */

static bool has_bitmap(void *data, const struct commit *c)
{
	const struct build *b = data;

	return c->index < b->nr_choices && b->choices[c->index] == BITMAP_KEPT;
}

static int make_merge(struct build *b, const struct commit_list *l, struct err *err)
{
	struct bitset commits = BITSET_INIT, reach = BITSET_INIT;
	struct bitmap_making m = { .space = &b->space, .pool = b->pool, .to = &reach,
				   .stored = use_made, .data = b };
	uint32_t bit;
	int rc = 0;

	for (size_t i = 0; i < l->nr && rc >= 0; i++) {
		rc = bitmap_target_find(b->target, &l->items[i]->oid, &bit, err);
		if (rc > 0)
			bitset_add(&commits, bit);
	}
	if (rc >= 0)
		rc = bitmap_add_commits(&m, l->items, l->nr, err);
	if (!rc)
		bitmap_writer_add_merge(b->writer, &commits, &reach);
	bitset_release(&commits);
	bitset_release(&reach);
	return rc;
}

static int make_merges(struct build *b, struct err *err)
{
	const struct merge_choosing m = { .repo = b->repo, .pool = b->pool, .is_own = is_own,
					  .has_bitmap = has_bitmap, .data = b };
	struct merge_rules rules = { 0 };
	struct merge_lists lists = { 0 };
	int rc = merge_rules_read(&rules, b->repo, err);

	if (!rc)
		rc = bitmap_choose_merges(&lists, &m, &rules, err);
	for (size_t i = 0; i < lists.nr && !rc; i++)
		rc = make_merge(b, &lists.v[i], err);
	merge_lists_release(&lists);
	merge_rules_release(&rules);
	return rc;
}

/* Objects that no chosen commit reaches have a type, too; and those of lower layers none here. */
static int complete_types(struct build *b, struct err *err)
{
	uint32_t first = bitmap_target_first(b->target), nr = bitmap_target_nr(b->target);
	struct bitset known = BITSET_INIT;
	int rc = 0;

	for (int t = 0; t < 4; t++)
		bitset_or(&known, &b->types[t]);
	for (uint32_t bit = 0; bit < first; bit++)
		for (int t = 0; t < 4; t++)
			bitset_remove(&b->types[t], bit);
	for (uint32_t bit = first; bit < nr && !rc; bit++) {
		enum object_type type;
		struct object_id oid;
		uint64_t size;

		if (bitset_has(&known, bit))
			continue;
		bitmap_target_object(b->target, bit, &oid);
		rc = odb_type(b->repo->odb, &oid, &type, &size, err);
		if (!rc)
			bitset_add(&b->types[type - OBJ_COMMIT], bit);
	}
	bitset_release(&known);
	return rc;
}

/* ---- the whole ---- */

static int bitmap_build_find_bit(void *target, const struct object_id *oid, uint32_t *bit,
				 struct err *err)
{
	return bitmap_target_find(target, oid, bit, err);
}

static int bitmap_build_check_history(struct repository *r, struct err *err)
{
	struct grafts g = { OIDMAP_INIT };
	int rc = grafts_read(&g, r, err);

	if (!rc && g.by_oid.nr)
		rc = err_set(err, ERR_NOT_FOUND,
			     "bitmaps cannot be written for a shallow or grafted repository");
	if (!rc && repo_has_replacements(r))
		rc = err_set(err, ERR_NOT_FOUND,
			     "bitmaps cannot be written while objects are replaced (refs/replace/)");
	grafts_clear(&g);
	return rc;
}

static int run(struct build *b, struct fsync_batch *batch, struct err *err)
{
	const struct bitmap_build_options *o = b->options;
	uint32_t nr = bitmap_target_nr(b->target);
	struct bitmap_write_options w = { .types = b->types, .lookup_table = o->lookup_table,
					  .shared_perm = b->repo->settings.shared_perm };
	int rc;

	b->writer = bitmap_writer_new(b->target);
	b->space = (struct bit_space){ .repo = b->repo, .algo = b->repo->algo, .find = bitmap_build_find_bit,
				       .data = b->target, .nr_fixed = nr, .closed = true,
				       .types = b->types };
	if (o->hash_cache)
		CALLOC_ARRAY(b->space.name_hashes, (size_t)nr + 1);
	w.name_hashes = b->space.name_hashes;
	if ((rc = commit_pool_new(&b->pool, b->repo, err)) < 0)
		return rc;
	/* Bitmaps stay, and are believed: a commit-graph that is wrong must not get into them. */
	commit_pool_ignore_graph(b->pool);
	if ((rc = find_tips(b, err)) < 0 ||
	    (rc = bitmap_choose(b->pool, &b->tips, &b->chosen, &b->choices, err)) < 0)
		return rc;
	b->nr_choices = commit_pool_nr(b->pool);
	if ((rc = make_bitmaps(b, err)) < 0 ||
	    (rc = make_merges(b, err)) < 0 ||
	    (rc = complete_types(b, err)) < 0)
		return rc;
	return bitmap_writer_stage(b->writer, &w, batch, err);
}

int bitmap_build(struct repository *r, struct bitmap_target *t, const struct bitmap_build_options *o,
		 struct fsync_batch *batch, struct err *err)
{
	struct build b = { .repo = r, .target = t, .options = o };
	int rc = bitmap_build_check_history(r, err);

	if (!rc)
		rc = run(&b, batch, err);
	free(b.choices);
	free(b.space.name_hashes);
	bitmap_forget_trees(&b.space);
	bit_space_release(&b.space);
	bitmap_writer_free(b.writer);
	commit_list_clear(&b.tips);
	commit_list_clear(&b.chosen);
	commit_pool_free(b.pool);
	for (int i = 0; i < 4; i++)
		bitset_release(&b.types[i]);
	return rc;
}
