/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See shared-sets.h. A set is a tree of blocks. A block has eight words: at the lowest level the bits of 256 numbers, above
 * that the numbers of eight blocks of the level below. A block is never changed, and there is only one of each
 * content, so equal blocks have equal numbers, and most comparisons end where two numbers are equal.
 */
#include "compat/posix.h"
#include "util/shared-sets.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/map.h"

#define WORDS 8
#define LEAF_BITS (WORDS * 32)

struct block {
	uint32_t word[WORDS];
	uint32_t count; /* members */
};

struct shared_sets {
	struct block *blocks; /* [0] is empty, at every level */
	size_t nr, alloc;
	uint32_t *slots;      /* hash table by content; 0: none */
	size_t mask;
	unsigned levels;      /* above that of bits */
	uint64_t leaf_span;   /* numbers that a child of the topmost block spans */
};

struct shared_sets *shared_sets_new(uint32_t nr)
{
	struct shared_sets *s;
	uint64_t span = LEAF_BITS;

	CALLOC_ARRAY(s, 1);
	for (; span < nr; span *= WORDS)
		s->levels++;
	s->leaf_span = span / WORDS;
	s->mask = 63;
	CALLOC_ARRAY(s->slots, s->mask + 1);
	ALLOC_GROW(s->blocks, 1, s->alloc);
	s->blocks[0] = (struct block){ .count = 0 };
	s->nr = 1;
	return s;
}

void shared_sets_free(struct shared_sets *s)
{
	if (!s)
		return;
	free(s->blocks);
	free(s->slots);
	free(s);
}

/* ---- one block of each content ---- */

/* Blocks of different levels may be one: the same words have the same meaning wherever they stand. */
static uint32_t *slot_of(const struct shared_sets *s, const struct block *b)
{
	size_t i = mem_hash(b, sizeof(*b)) & s->mask;

	while (s->slots[i] && memcmp(&s->blocks[s->slots[i]], b, sizeof(*b)) != 0)
		i = (i + 1) & s->mask;
	return &s->slots[i];
}

static void grow_slots(struct shared_sets *s)
{
	s->mask = s->mask * 2 + 1;
	free(s->slots);
	CALLOC_ARRAY(s->slots, s->mask + 1);
	for (size_t i = 1; i < s->nr; i++)
		*slot_of(s, &s->blocks[i]) = (uint32_t)i;
}

static uint32_t intern(struct shared_sets *s, const struct block *b)
{
	uint32_t *slot = slot_of(s, b);

	if (*slot)
		return *slot;
	if (s->nr > SHARED_SET_MAX)
		BUG("too many different sets");
	ALLOC_GROW(s->blocks, s->nr + 1, s->alloc);
	s->blocks[s->nr] = *b;
	*slot = (uint32_t)s->nr++;
	if (s->nr > s->mask / 2)
		grow_slots(s);
	return (uint32_t)s->nr - 1;
}

/* ---- making sets ---- */

static uint32_t add_at(struct shared_sets *s, uint32_t at, unsigned level, uint64_t span, uint32_t member)
{
	struct block b = s->blocks[at];

	if (level) {
		uint32_t *child = &b.word[member / span];
		uint32_t before = s->blocks[*child].count;

		*child = add_at(s, *child, level - 1, span / WORDS, (uint32_t)(member % span));
		b.count += s->blocks[*child].count - before;
	} else if (!(b.word[member / 32] & UINT32_C(1) << member % 32)) {
		b.word[member / 32] |= UINT32_C(1) << member % 32;
		b.count++;
	}
	return intern(s, &b);
}

shared_set shared_sets_add(struct shared_sets *s, shared_set set, uint32_t member)
{
	if (member >= s->leaf_span * WORDS)
		BUG("%u is not within the numbers of the sets", member);
	return add_at(s, set, s->levels, s->leaf_span, member);
}

static uint32_t union_at(struct shared_sets *s, uint32_t x, uint32_t y, unsigned level)
{
	struct block a, b, sum = { .count = 0 };

	if (x == y || !y)
		return x;
	if (!x)
		return y;
	a = s->blocks[x]; /* they may move */
	b = s->blocks[y];
	for (int i = 0; i < WORDS; i++) {
		sum.word[i] = level ? union_at(s, a.word[i], b.word[i], level - 1) : a.word[i] | b.word[i];
		sum.count += level ? s->blocks[sum.word[i]].count :
				     (uint32_t)__builtin_popcount(sum.word[i]);
	}
	/* As many as one of them alone: that one it is. */
	if (sum.count == a.count)
		return x;
	return sum.count == b.count ? y : intern(s, &sum);
}

shared_set shared_sets_union(struct shared_sets *s, shared_set a, shared_set b)
{
	return union_at(s, a, b, s->levels);
}

/* ---- questions ---- */

static bool includes_at(const struct shared_sets *s, uint32_t all, uint32_t some, unsigned level)
{
	const struct block *a = &s->blocks[all], *b = &s->blocks[some];

	if (all == some || !some)
		return true;
	if (a->count <= b->count)
		return false;
	for (int i = 0; i < WORDS; i++)
		if (level ? !includes_at(s, a->word[i], b->word[i], level - 1) : b->word[i] & ~a->word[i])
			return false;
	return true;
}

bool shared_sets_includes(const struct shared_sets *s, shared_set all, shared_set some)
{
	return includes_at(s, all, some, s->levels);
}

bool shared_sets_has(const struct shared_sets *s, shared_set set, uint32_t member)
{
	uint64_t span = s->leaf_span;

	if (member >= span * WORDS)
		return false;
	for (unsigned level = s->levels; level; level--, span /= WORDS) {
		set = s->blocks[set].word[member / span];
		member = (uint32_t)(member % span);
	}
	return s->blocks[set].word[member / 32] >> member % 32 & 1;
}

uint32_t shared_sets_count(const struct shared_sets *s, shared_set set)
{
	return s->blocks[set].count;
}
