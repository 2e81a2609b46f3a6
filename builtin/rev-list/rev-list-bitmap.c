/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-list --use-bitmap-index: counts, sums and lists from reachability bitmaps. */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "history/bitmap/bitmap.h"
#include "pack/pack.h"

/* Everything that is reachable, and nothing about order, paths or what a commit says? */
static bool is_plain_walk(const struct rev_walk *w)
{
	bool chosen = w->max_count >= 0 || w->skip > 0 || w->min_parents > 0 ||
		w->max_parents >= 0 || w->since || w->until || w->since_filter ||
		w->has_pathspec || rev_grep_is_used(w) || w->no_walk || w->reflogs || w->unpacked ||
		w->first_parent || w->exclude_first_parent || w->ancestry_path ||
		w->left_only || w->right_only || w->cherry_pick || w->maximal_only ||
		w->simplify_by_decoration || w->missing_ok;
	bool marked = w->left_right || w->cherry_mark || w->boundary || w->print_parents ||
		w->want_children || w->order != REV_ORDER_DEFAULT || w->reverse;

	for (size_t i = 0; i < w->nr_starts; i++)
		marked |= (w->starts[i].flags & REV_LEFT) != 0;
	return !chosen && !marked;
}

static bool is_plain_output(const struct rev_list *l)
{
	if (l->bisect || l->print_omitted || l->edges || l->missing != MISSING_ERROR || l->nul ||
	    l->filter.nr)
		return false;
	if (l->count || l->disk_usage)
		return true;
	return l->walk->objects && !l->log.format_given && !l->header && !l->timestamp;
}

struct listing {
	struct rev_list *l;
	struct pack *pack; /* of the last object */
	uint32_t hint;	   /* where the next one may be in it */
};

/* Objects come pack by pack, in the order of their offsets. */
static int add_bytes(struct listing *s, struct pack *pack, uint64_t offset)
{
	uint64_t bytes;
	int rc;

	if (s->pack != pack)
		s->hint = 0;
	s->pack = pack;
	rc = pack_entry_bytes(pack, offset, &s->hint, &bytes, NULL);
	if (!rc)
		s->l->disk_bytes += bytes;
	return rc;
}

static int on_found(void *data, const struct object_id *oid, enum object_type type,
		    uint32_t name_hash UNUSED, struct pack *pack, uint64_t offset)
{
	struct listing *s = data;
	struct rev_list *l = s->l;

	if (type != OBJ_COMMIT && !l->walk->objects)
		return 0;
	if (l->disk_usage && pack) {
		progress_update(l->progress, ++l->progress_count);
		return add_bytes(s, pack, offset);
	}
	if (l->disk_usage)
		return rev_list_note_object(l, oid, NULL);
	if (!l->quiet)
		printf("%s\n", oid_hex(oid));
	return ferror(stdout);
}

static int show(struct rev_list *l, struct bitmap_walk *bw, struct err *err)
{
	struct listing s = { .l = l };
	int rc;

	if (l->count)
		l->nr_right = bitmap_walk_count(bw, l->walk->objects ? OBJ_ANY : OBJ_COMMIT);
	rc = l->count && !l->disk_usage ? 0 : bitmap_walk_foreach(bw, on_found, &s, err);
	if (rc < 0)
		return err_set(err, rc, "cannot list the objects of a bitmap");
	rev_list_print_sums(l);
	return 0;
}

int rev_list_by_bitmap(struct rev_list *l, struct err *err)
{
	const struct rev_walk *w = l->walk;
	struct oid_array wants = OID_ARRAY_INIT, haves = OID_ARRAY_INIT;
	struct bitmap_walk *bw = NULL;
	struct err why = ERR_INIT;
	int rc = ERR_NOT_FOUND;

	for (size_t i = 0; i < w->nr_starts; i++)
		oid_array_append(w->starts[i].flags & REV_UNINTERESTING ? &haves : &wants,
				 &w->starts[i].oid);
	if (is_plain_walk(w) && is_plain_output(l) && wants.nr)
		rc = bitmap_walk_new(&bw, w->repo, &wants, &haves, 0, &why);
	if (!rc)
		rc = show(l, bw, &why);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	bitmap_walk_free(bw);
	oid_array_clear(&wants);
	oid_array_clear(&haves);
	return rc == ERR_NOT_FOUND ? 0 : rc < 0 ? rc : 1;
}
