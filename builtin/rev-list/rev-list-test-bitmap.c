/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-list --test-bitmap: does the bitmap of a commit have the objects that a walk finds? All output is on stderr. */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "odb/odb.h"
#include "pack/bitmap.h"
#include "pack/ewah.h"

struct bitmap_test {
	struct rev_list *l;
	struct bitmap_index *bitmaps;
	struct bitset expected, found;
	struct progress *progress;
	uint64_t nr;
};

static int add_found(void *data, const struct walked_object *o, struct err *err)
{
	struct bitmap_test *t = data;
	uint32_t bit;
	int rc = bitmap_index_find(t->bitmaps, o->oid, &bit, err);

	if (rc < 0)
		return rc;
	if (!rc || !bitset_has(bitmap_index_type(t->bitmaps, o->type), bit))
		return err_set(err, ERR_CORRUPT, "object '%s' not found in type bitmaps", oid_hex(o->oid));
	bitset_add(&t->found, bit);
	progress_update(t->progress, ++t->nr);
	return 0;
}

static void print_summary(const struct bitmap_index *b)
{
	struct bitmap_summary s;

	bitmap_index_summary(b, &s);
	fprintf(stderr, "Bitmap v%d test (%" PRIu32 " entries%s, %" PRIu32 " total)\n", s.version, s.nr_commits,
		s.has_table ? "" : " loaded", s.nr_commits);
}

static void print_bitmap(const struct bitmap_test *t, const struct object_id *commit)
{
	struct bitmap_summary s;

	bitmap_index_summary(t->bitmaps, &s);
	fprintf(stderr, "Found bitmap for '%s'. %zu bits / %08" PRIx32 " checksum\n", oid_hex(commit),
		bitset_words(bitmap_index_nr(t->bitmaps)) * 64, ewah_checksum(&t->expected));
	fprintf(stderr, "Located via %s '%s'.\n", s.is_midx ? "MIDX" : "pack", oid_hex(&s.checksum));
}

static int load_bitmap(struct bitmap_test *t, const struct object_id *commit, struct err *err)
{
	int rc;

	print_summary(t->bitmaps);
	rc = bitmap_index_or_commit(t->bitmaps, commit, &t->expected, err);
	if (!rc)
		return err_set(err, ERR_NOT_FOUND, "commit '%s' doesn't have an indexed bitmap", oid_hex(commit));
	if (rc > 0)
		print_bitmap(t, commit);
	return rc < 0 ? rc : 0;
}

static int walk_and_compare(struct bitmap_test *t, struct err *err)
{
	struct object_walk_options options = { .object = add_found, .data = t };
	struct rev_walk *w = t->l->walk;
	int rc;

	w->objects = true;
	rc = rev_walk_begin(w, err);
	if (rc < 0)
		return rc;
	t->progress = progress_start("Verifying bitmap entries", bitset_count(&t->expected));
	rc = object_walk(w, &options, err);
	progress_stop(&t->progress);
	if (rc < 0)
		return rc;
	bitset_xor(&t->found, &t->expected);
	if (bitset_count(&t->found))
		return err_set(err, ERR_CORRUPT, "mismatch in bitmap results");
	fprintf(stderr, "OK!\n");
	return 0;
}

int rev_list_test_bitmap(struct rev_list *l, struct err *err)
{
	struct bitmap_test t = { .l = l };
	int rc = 0;

	if (odb_open_bitmap(l->walk->repo->odb, &t.bitmaps, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "failed to load bitmap indexes");
	if (l->walk->nr_starts != 1)
		rc = err_set(err, ERR_INVALID, "you must specify exactly one commit to test");
	if (!rc)
		rc = load_bitmap(&t, &l->walk->starts[0].oid, err);
	if (!rc)
		rc = walk_and_compare(&t, err);
	bitset_release(&t.expected);
	bitset_release(&t.found);
	bitmap_index_free(t.bitmaps);
	return rc;
}
