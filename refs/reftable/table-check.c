/* SPDX-License-Identifier: GPL-2.0-only */
/* One walk through the refs of a table beside its index, level by level. */
#include "compat/posix.h"
#include "refs/reftable/table-internal.h"

/* More than any table needs: each level has at least two blocks below a block of it. */
#define LEVELS_MAX 32

struct level_check {
	struct block block, index; /* of a level, and of the one above it */
	struct block_cursor cursor, in_index;
	struct strbuf last; /* key */
	void (*seen)(void *data, const struct reftable_record *rec); /* each ref */
	void *data;
};

/* The level that begins with the block at `at`; `end`: where the next one begins. */
struct level_span {
	uint64_t at, end;
};

/* The restart points are whole keys of the block, in order. The keys follow *last, which becomes the last of them. */
static bool block_is_sound(struct level_check *l)
{
	struct block_cursor *c = &l->cursor;
	const struct block *b = &l->block;
	size_t nr = 0;
	bool first = true;
	int rc;

	block_cursor_start(c, b);
	do {
		if (nr < b->nr_restarts && c->at < b->end && block_restart(b, nr) == c->at) {
			if (b->p[c->at])
				return false;
			nr++;
		}
		rc = block_cursor_next(c, NULL);
		if (rc > 0 && first && reftable_key_cmp(&c->rec.key, l->last.buf, l->last.len) <= 0)
			return false;
		first = false;
		if (rc > 0 && b->type == BLOCK_REF)
			l->seen(l->data, &c->rec);
	} while (rc > 0);
	strbuf_reset(&l->last);
	strbuf_addbuf(&l->last, &c->rec.key);
	return !rc && nr == b->nr_restarts;
}

static bool open_index_block(struct level_check *l, const struct reftable *t, uint64_t at)
{
	if (at >= t->refs.end || block_read(&l->index, &t->src, at, NULL) < 0 || l->index.type != BLOCK_INDEX)
		return false;
	block_cursor_start(&l->in_index, &l->index);
	return true;
}

/* The next record of the index has the block and its last key. */
static bool index_has_block(struct level_check *l, const struct reftable *t)
{
	const struct reftable_record *rec = &l->in_index.rec;
	int rc = block_cursor_next(&l->in_index, NULL);

	if (!rc && open_index_block(l, t, l->index.next))
		rc = block_cursor_next(&l->in_index, NULL);
	return rc > 0 && (l->block.at ? rec->position == l->block.at : rec->position <= t->src.header_len) &&
	       !reftable_key_cmp(&rec->key, l->last.buf, l->last.len);
}

/* above: the level of the index that leads here; NULL: there is none. */
static bool level_is_sound(struct level_check *l, const struct reftable *t, struct level_span s, enum block_type type,
			   const struct level_span *above)
{
	uint64_t at = s.at;

	strbuf_reset(&l->last);
	if (above && !open_index_block(l, t, above->at))
		return false;
	while (at < s.end) {
		if (block_read(&l->block, &t->src, at, NULL) < 0 || l->block.type != type || !block_is_sound(l) ||
		    (above && !index_has_block(l, t)))
			return false;
		at = l->block.next;
	}
	return !above || (at == s.end && l->index.next >= above->end && !block_cursor_next(&l->in_index, NULL));
}

/* From the root down, by the first record of each level. Returns the number of levels; 0: this is no usual index. */
static size_t find_levels(struct level_check *l, const struct reftable *t, struct level_span *spans)
{
	uint64_t at = t->refs.index, end = t->refs.end;
	size_t nr = 0;

	while (nr < LEVELS_MAX && open_index_block(l, t, at) && block_cursor_next(&l->in_index, NULL) > 0) {
		spans[nr++] = (struct level_span){ at, end };
		end = at;
		at = l->in_index.rec.position;
		if (at <= t->src.header_len)
			return nr;
		if (at >= end)
			return 0;
	}
	return 0;
}

static bool levels_are_sound(struct level_check *l, const struct reftable *t)
{
	struct level_span spans[LEVELS_MAX];
	size_t nr;

	if (!t->refs.index)
		return level_is_sound(l, t, (struct level_span){ 0, t->refs.end }, BLOCK_REF, NULL);
	nr = find_levels(l, t, spans);
	if (!nr)
		return false;
	/* The root is one block; anything may follow it. */
	if (block_read(&l->block, &t->src, spans[0].at, NULL) < 0)
		return false;
	spans[0].end = l->block.next;
	if (!level_is_sound(l, t, (struct level_span){ 0, spans[nr - 1].at }, BLOCK_REF, &spans[nr - 1]))
		return false;
	for (size_t i = nr; i-- > 0;)
		if (!level_is_sound(l, t, spans[i], BLOCK_INDEX, i ? &spans[i - 1] : NULL))
			return false;
	return true;
}

bool reftable_refs_are_sound(const struct reftable *t, void (*seen)(void *data, const struct reftable_record *rec), void *data)
{
	struct level_check l = { BLOCK_INIT, BLOCK_INIT, BLOCK_CURSOR_INIT, BLOCK_CURSOR_INIT, STRBUF_INIT, seen, data };
	bool sound = !t->refs.present || levels_are_sound(&l, t);

	block_release(&l.block);
	block_release(&l.index);
	block_cursor_release(&l.cursor);
	block_cursor_release(&l.in_index);
	strbuf_release(&l.last);
	return sound;
}
