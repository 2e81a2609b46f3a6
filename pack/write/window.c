/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The search for the delta of one object: the last objects before it in the sorted list, which
 * are of the same type, mostly of the same name, and a little larger, are tried as its base. The
 * base of the best delta stays longer than the others: it is likely to be the best of the next
 * one, too. Bases always come earlier in the list than their deltas, so nothing leads in a circle.
 *
 * Memory: objects that are held and their indexes, up to window_memory; the oldest go first. An
 * object is read when it is first compared.
 */
#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/write/delta.h"
#include "pack/write/window-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"

struct candidate {
	uint32_t item;
	uint64_t size;
	void *data; /* NULL: not read yet */
	struct delta_index *index;
	size_t bytes; /* what it holds */
};

struct delta_window {
	struct search_shared *shared;
	struct pack_objects *po;
	struct candidate **v; /* the most recently used first */
	unsigned nr, max;
	size_t bytes;
	unsigned char *scratch[2]; /* the best delta so far, and the one that is tried */
	size_t scratch_size[2];
};

struct delta_window *delta_window_new(struct search_shared *shared)
{
	struct delta_window *w;

	CALLOC_ARRAY(w, 1);
	w->shared = shared;
	w->po = shared->po;
	/* Never more than there are to try. */
	w->max = w->po->o.window < w->po->nr ? w->po->o.window : w->po->nr;
	CALLOC_ARRAY(w->v, (size_t)w->max + 1);
	return w;
}

/* ---- the memory of candidates ---- */

static void count_bytes(struct delta_window *w, struct candidate *c, size_t bytes)
{
	c->bytes += bytes;
	w->bytes += bytes;
}

static void candidate_free(struct delta_window *w, struct candidate *c)
{
	w->bytes -= c->bytes;
	delta_index_free(c->index);
	free(c->data);
	free(c);
}

void delta_window_clear(struct delta_window *w)
{
	while (w->nr)
		candidate_free(w, w->v[--w->nr]);
}

void delta_window_free(struct delta_window *w)
{
	if (!w)
		return;
	delta_window_clear(w);
	free(w->scratch[0]);
	free(w->scratch[1]);
	free(w->v);
	free(w);
}

/*
 * From a pack only what has the name that it should have: damage of an entry's header is not seen when
 * it is inflated, and deltas upon the wrong content would spread it.
 */
static int read_checked(const struct pack_objects *po, const struct pack_item *it,
			const struct object_id *oid, struct object_buf *buf, struct err *err)
{
	if (!it->source)
		return odb_read(po->o.odb, oid, buf, err);
	return pack_read_corrupt_base(po, oid, po->sources[it->source - 1].pack, it->in_offset, buf, err);
}

static int read_candidate(struct delta_window *w, struct candidate *c, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	int rc;

	if (c->data)
		return 0;
	pack_item_oid(w->po, c->item, &oid);
	rc = read_checked(w->po, &w->po->items[c->item], &oid, &buf, err);
	if (rc < 0)
		return rc;
	if (buf.size != c->size) {
		object_buf_release(&buf);
		return err_set(err, ERR_CORRUPT, "object %s has changed its size", oid_hex(&oid));
	}
	c->data = buf.data;
	count_bytes(w, c, buf.size);
	return 0;
}

static void index_candidate(struct delta_window *w, struct candidate *c)
{
	if (c->index)
		return;
	c->index = delta_index_new(c->data, (size_t)c->size);
	if (c->index)
		count_bytes(w, c, delta_index_bytes((size_t)c->size));
}

/* Down to the limit, but for the `keep` most recently used. */
static void shrink(struct delta_window *w, unsigned keep)
{
	size_t limit = w->po->o.window_memory;

	while (limit && w->bytes > limit && w->nr > keep)
		candidate_free(w, w->v[--w->nr]);
}

static void move_to_front(struct delta_window *w, unsigned i)
{
	struct candidate *c = w->v[i];

	memmove(w->v + 1, w->v, i * sizeof(*w->v));
	w->v[0] = c;
}

static void push_front(struct delta_window *w, struct candidate *c)
{
	if (w->nr == w->max)
		candidate_free(w, w->v[--w->nr]);
	w->v[w->nr++] = c;
	move_to_front(w, w->nr - 1);
}

/* ---- trying ---- */

struct best {
	unsigned at;   /* in the window */
	size_t len;    /* of the delta, in scratch[0]; 0: none yet */
	unsigned base_depth;
};

static unsigned char *scratch(struct delta_window *w, unsigned i, size_t size)
{
	if (w->scratch_size[i] < size) {
		free(w->scratch[i]);
		w->scratch[i] = xmalloc(size);
		w->scratch_size[i] = size;
	}
	return w->scratch[i];
}

static void swap_scratch(struct delta_window *w)
{
	unsigned char *p = w->scratch[0];
	size_t size = w->scratch_size[0];

	w->scratch[0] = w->scratch[1];
	w->scratch_size[0] = w->scratch_size[1];
	w->scratch[1] = p;
	w->scratch_size[1] = size;
}

/*
 * The longest delta that is still of use. A chain that is nearly full is worth less: what a link saves must
 * be the more, the fewer links are left.
 */
static size_t longest_useful(const struct delta_window *w, const struct candidate *target,
			     const struct best *best, unsigned depth)
{
	uint64_t limit = w->po->o.depth, max;

	if (best->len)
		return (size_t)((uint64_t)(best->len - 1) * (limit - depth) /
				(limit - best->base_depth));
	max = target->size / 2;
	if (max <= w->po->raw_len)
		return 0;
	return (size_t)((max - w->po->raw_len) * (limit - depth) / limit);
}

/* Can the delta be short enough at all, going by the sizes? */
static bool sizes_fit(const struct candidate *base, const struct candidate *target, size_t max)
{
	if (target->size > base->size && target->size - base->size >= max)
		return false;
	return target->size >= base->size / 32;
}

/*
 * The writer of the pack that has both tried this base already, and stored the target whole. This
 * does not hold without reuse_delta, which tries everything anew, nor if the base was a delta
 * itself, perhaps of the target, and may not be one in its islands.
 */
static bool was_tried(const struct delta_window *w, const struct pack_item *base,
		      const struct pack_item *target)
{
	return w->po->o.reuse_delta && target->source && target->source == base->source &&
	       !item_is_delta_copy(target) && !(base->flags & ITEM_PREFERRED_BASE) &&
	       !(w->shared->across_islands && item_is_delta_copy(base));
}

static bool islands_fit(const struct delta_window *w, uint32_t base, uint32_t target)
{
	const struct pack_objects *po = w->po;

	if (!po->island_set_of)
		return true;
	if (po->island_set_of[base] == po->island_set_of[target])
		return !w->shared->across_islands;
	return w->shared->across_islands && pack_islands_allow(po, base, target);
}

static int try_base(struct delta_window *w, struct candidate *target, unsigned i,
		    struct best *best, struct err *err)
{
	struct candidate *base = w->v[i];
	const struct pack_item *b = &w->po->items[base->item];
	const struct pack_item *t = &w->po->items[target->item];
	size_t max, len;
	int rc;

	if (was_tried(w, b, t) || b->depth + 1u + t->height > w->po->o.depth ||
	    !islands_fit(w, base->item, target->item))
		return 0;
	max = longest_useful(w, target, best, b->depth);
	if (!max || !sizes_fit(base, target, max))
		return 0;
	rc = read_candidate(w, target, err);
	if (!rc)
		rc = read_candidate(w, base, err);
	if (rc < 0)
		return rc;
	index_candidate(w, base);
	if (!base->index)
		return 0;
	len = delta_encode(base->index, target->data, (size_t)target->size, scratch(w, 1, max), max);
	if (!len)
		return 0;
	swap_scratch(w);
	*best = (struct best){ i, len, b->depth };
	return 0;
}

/* ---- keeping ---- */

/* Deltas that are held until they are written, deflated. False: it is made again. */
static bool may_hold(struct search_shared *s, size_t bytes)
{
	const struct pack_objects_options *o = &s->po->o;

	if (bytes > o->delta_cache_limit)
		return false;
	if (!o->delta_cache_bytes)
		return true;
	if (atomic_fetch_add(&s->cached_bytes, bytes) + bytes <= o->delta_cache_bytes)
		return true;
	atomic_fetch_sub(&s->cached_bytes, bytes);
	return false;
}

/* Deflated, the object itself may be shorter than what it seemed to save. */
static bool is_worth_it(const struct pack_item *t, size_t deflated)
{
	if (!t->source || (t->flags & ITEM_NO_COPY) || item_is_delta_copy(t))
		return true;
	return deflated + 20 < t->in_end - t->in_offset - t->in_header;
}

static bool take_delta(struct delta_window *w, struct pack_item *t, const struct best *best)
{
	const struct candidate *base = w->v[best->at];
	struct strbuf z = STRBUF_INIT;

	deflate_buf(&z, w->scratch[0], best->len, w->po->o.level);
	if (!is_worth_it(t, z.len)) {
		strbuf_release(&z);
		return false;
	}
	t->base = base->item + 1;
	t->depth = (uint16_t)(w->po->items[base->item].depth + 1);
	t->delta_size = (uint32_t)best->len;
	if (may_hold(w->shared, z.len)) {
		t->delta_deflated = (uint32_t)z.len;
		t->delta = xmemdup(z.buf, z.len);
	}
	strbuf_release(&z);
	return true;
}

static int find_delta(struct delta_window *w, struct candidate *c, struct err *err)
{
	struct pack_item *t = &w->po->items[c->item];
	struct best best = { 0, 0, 0 };
	int rc = 0;

	for (unsigned i = 0; i < w->nr && !rc; i++) {
		rc = try_base(w, c, i, &best, err);
		shrink(w, i + 1);
	}
	if (rc < 0 || !best.len || best.len > UINT32_MAX)
		return rc;
	if (take_delta(w, t, &best))
		move_to_front(w, best.at);
	return 0;
}

int delta_window_try(struct delta_window *w, uint32_t item, struct err *err)
{
	struct pack_item *t = &w->po->items[item];
	struct candidate *c;
	int rc = 0;

	CALLOC_ARRAY(c, 1);
	c->item = item;
	c->size = t->size;
	if (!(t->flags & ITEM_PREFERRED_BASE))
		rc = find_delta(w, c, err);
	if (rc < 0 || t->depth + 1u > w->po->o.depth) {
		candidate_free(w, c);
		return rc;
	}
	push_front(w, c);
	shrink(w, 1);
	return 0;
}
