/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Searches new deltas. Objects that are not copied as deltas are sorted so that similar ones are
 * neighbours: by type, by the hash of the name, the larger (mostly the younger) first. The list is
 * cut into pieces, between names if possible; threads take one piece after the other. The cuts do
 * not depend on the number of threads, so neither does the pack.
 */
#include "compat/posix.h"
#include <pthread.h>
#include "compat/os.h"
#include "compat/sort.h"
#include "odb/odb.h"
#include "pack/write/window-internal.h"
#include "util/alloc.h"
#include "util/workers.h"

/* Smaller objects are not worth a delta. */
#define TARGET_MIN 50
/* Pieces of the list: few enough that windows begin rarely, many enough for threads. */
#define PIECES 64
#define PIECE_MIN 256
#define PROGRESS_EVERY 64

struct search {
	struct search_shared shared;
	uint32_t *list;
	uint32_t nr, nr_targets;
	uint32_t *cuts; /* where pieces begin, and nr */
	uint32_t nr_pieces;
	atomic_uint next_piece;
	pthread_mutex_t lock; /* for rc and err */
	int rc;
	struct err err;
};

/* ---- the list ---- */

static bool is_searched(const struct pack_objects *po, const struct pack_item *it)
{
	uint64_t limit = po->o.big_file_threshold;

	if (it->base || it->size < TARGET_MIN || (it->flags & ITEM_NO_DELTA))
		return false;
	return !limit || it->size <= limit;
}

/* A preferred base that cannot be read is none. Its type may not be known yet. */
static int size_of(struct pack_objects *po, uint32_t i, struct err *err)
{
	struct pack_item *it = &po->items[i];
	uint64_t size;

	if (!(it->flags & ITEM_PREFERRED_BASE))
		return pack_item_size(po, i, &size, err);
	if (!po->o.thin || pack_item_size(po, i, &size, NULL) < 0)
		it->flags |= ITEM_NO_DELTA;
	return 0;
}

static int make_list(struct search *s, struct err *err)
{
	struct pack_objects *po = s->shared.po;

	ALLOC_ARRAY(s->list, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < po->nr; i++) {
		struct pack_item *it = &po->items[i];
		int rc;

		if (it->base)
			continue;
		rc = size_of(po, i, err);
		if (rc < 0)
			return rc;
		if (!is_searched(po, it))
			continue;
		s->list[s->nr++] = i;
		s->nr_targets += !(it->flags & ITEM_PREFERRED_BASE);
	}
	return 0;
}

/* An object in more islands can be the base of more objects: it comes first. */
static int by_islands(const struct pack_objects *po, uint32_t i, uint32_t k)
{
	shared_set x = pack_item_mark(po, i), y = pack_item_mark(po, k);
	uint32_t n, m;

	if (x == y)
		return 0;
	n = shared_sets_count(po->island_sets, x);
	m = shared_sets_count(po->island_sets, y);
	return n > m || (n == m && x < y) ? -1 : 1;
}

static int by_likeness(const void *a, const void *b, void *data)
{
	const struct pack_objects *po = data;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pack_item *x = &po->items[i], *y = &po->items[k];
	uint8_t x_preferred = x->flags & ITEM_PREFERRED_BASE;
	int islands;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->name_hash != y->name_hash)
		return x->name_hash > y->name_hash ? -1 : 1;
	if (x_preferred != (y->flags & ITEM_PREFERRED_BASE))
		return x_preferred ? -1 : 1;
	islands = by_islands(po, i, k);
	if (islands)
		return islands;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return i < k ? -1 : 1;
}

/* ---- pieces ---- */

/* Is there another name, or type, from list[i] on? */
static bool is_border(const struct search *s, uint32_t i)
{
	const struct pack_item *a = &s->shared.po->items[s->list[i - 1]];
	const struct pack_item *b = &s->shared.po->items[s->list[i]];

	return a->type != b->type || a->name_hash != b->name_hash;
}

static void cut_list(struct search *s)
{
	uint32_t want = s->nr / PIECES > PIECE_MIN ? s->nr / PIECES : PIECE_MIN;

	ALLOC_ARRAY(s->cuts, (size_t)s->nr / want + 2);
	s->cuts[0] = 0;
	s->nr_pieces = 1;
	for (uint32_t at = want; at < s->nr; at += want) {
		uint32_t i = at;

		/* The next border, unless that is far: then one name gets several pieces. */
		while (i < s->nr && i < at + want && !is_border(s, i))
			i++;
		if (i == at + want)
			i = at;
		if (i >= s->nr)
			break;
		s->cuts[s->nr_pieces++] = i;
		at = i;
	}
	s->cuts[s->nr_pieces] = s->nr;
}

/* ---- threads ---- */

static void fail(struct search *s, int rc, struct err *err)
{
	pthread_mutex_lock(&s->lock);
	if (!s->rc) {
		s->rc = rc;
		err_move(&s->err, err);
	}
	pthread_mutex_unlock(&s->lock);
	err_release(err);
	atomic_store(&s->shared.stop, true);
}

static int report_search_progress(struct search *s, struct err *err)
{
	const struct pack_objects_options *o = &s->shared.po->o;

	if (!o->progress)
		return 0;
	return o->progress(o->data, PACK_PHASE_DELTAS, atomic_load(&s->shared.done), s->nr_targets,
			   err);
}

static int search_piece(struct search *s, struct delta_window *w, uint32_t piece, bool is_main,
			struct err *err)
{
	struct pack_objects *po = s->shared.po;
	int rc = 0;

	delta_window_clear(w);
	for (uint32_t i = s->cuts[piece]; i < s->cuts[piece + 1] && !rc; i++) {
		if (atomic_load_explicit(&s->shared.stop, memory_order_relaxed))
			return 0;
		if (i > s->cuts[piece] &&
		    po->items[s->list[i]].type != po->items[s->list[i - 1]].type)
			delta_window_clear(w);
		rc = delta_window_try(w, s->list[i], err);
		if (!(po->items[s->list[i]].flags & ITEM_PREFERRED_BASE))
			atomic_fetch_add(&s->shared.done, 1);
		if (!rc && is_main && i % PROGRESS_EVERY == 0)
			rc = report_search_progress(s, err);
	}
	return rc;
}

static void search_pieces(struct search *s, bool is_main)
{
	struct delta_window *w = delta_window_new(&s->shared);
	struct err err = ERR_INIT;

	for (;;) {
		uint32_t piece = atomic_fetch_add(&s->next_piece, 1);
		int rc;

		if (piece >= s->nr_pieces || atomic_load(&s->shared.stop))
			break;
		rc = search_piece(s, w, piece, is_main, &err);
		if (rc < 0)
			fail(s, rc, &err);
	}
	delta_window_free(w);
}

static void *search_thread(void *arg)
{
	search_pieces(arg, false);
	return NULL;
}

static void run_threads(struct search *s)
{
	int want = s->shared.po->o.threads, nr = 0;
	pthread_t *threads;

	if (want <= 0)
		want = os_cpu_count();
	if ((uint32_t)want > s->nr_pieces)
		want = (int)s->nr_pieces;
	ALLOC_ARRAY(threads, (size_t)want);
	while (nr + 1 < want && start_thread(&threads[nr], search_thread, s))
		nr++;
	search_pieces(s, true);
	while (nr)
		pthread_join(threads[--nr], NULL);
	free(threads);
}

static int search_all(struct pack_objects *po, bool across_islands, struct err *err)
{
	struct search s = { .shared = { .po = po, .across_islands = across_islands }, .err = ERR_INIT };
	int rc = make_list(&s, err);

	if (!rc && s.nr > 1 && s.nr_targets) {
		qsort_r(s.list, s.nr, sizeof(*s.list), by_likeness, po);
		cut_list(&s);
		pthread_mutex_init(&s.lock, NULL);
		run_threads(&s);
		pthread_mutex_destroy(&s.lock);
		rc = s.rc;
		err_move(err, &s.err);
		if (!rc)
			rc = report_search_progress(&s, err);
	}
	err_release(&s.err);
	free(s.list);
	free(s.cuts);
	return rc;
}

/* Sort by whole paths; a second call takes that back. */
static void swap_hashes(struct pack_objects *po)
{
	for (uint32_t i = 0; i < po->nr; i++) {
		uint32_t h = po->items[i].name_hash;

		po->items[i].name_hash = po->path_hashes[i];
		po->path_hashes[i] = h;
	}
}

/*
 * First searches deltas among objects of the same path (by_path) or the same islands. Then it
 * searches bases among all objects for the rest, whose own deltas move with them.
 */
int pack_list_search(struct pack_objects *po, struct err *err)
{
	int rc;

	if (!po->path_hashes && !po->island_set_of)
		return search_all(po, false, err);
	if (po->path_hashes)
		swap_hashes(po);
	rc = search_all(po, false, err);
	if (po->path_hashes)
		swap_hashes(po);
	if (rc < 0)
		return rc;
	pack_list_find_heights(po);
	return search_all(po, po->island_set_of != NULL, err);
}
