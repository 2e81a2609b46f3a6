/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a delta: copy from the base, insert. */
#include "compat/posix.h"
#include "pack/write/delta-index-internal.h"

#define INSERT_MAX 127
#define COPY_MAX ((size_t)0x10000)
/* Blocks of the base with the same hash that are looked at. */
#define PROBES_MAX 24
/* A match that is good enough to look no further. */
#define GOOD_MATCH ((size_t)4096)
/* The shortest match that is worth an instruction of its own; begins_equal() compares as many. */
#define MATCH_MIN 8

struct encoder {
	const struct delta_index *ix;
	const unsigned char *target;
	size_t len;
	unsigned char *out;
	size_t at, max;	  /* in out */
	size_t literals;  /* bytes before the present position that are in no match yet */
	bool full;	  /* longer than max */
};

/* ---- output ---- */

static void put(struct encoder *e, unsigned char c)
{
	if (e->at == e->max)
		e->full = true;
	else
		e->out[e->at++] = c;
}

static void put_size(struct encoder *e, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put(e, (unsigned char)(v | 0x80));
	put(e, (unsigned char)v);
}

static void put_literals(struct encoder *e, const unsigned char *p, size_t len)
{
	while (len && !e->full) {
		size_t n = len < INSERT_MAX ? len : INSERT_MAX;

		if (e->max - e->at < n + 1) {
			e->full = true;
			return;
		}
		e->out[e->at++] = (unsigned char)n;
		memcpy(e->out + e->at, p, n);
		e->at += n;
		p += n;
		len -= n;
	}
}

/*
 * One instruction, of at most COPY_MAX bytes. Bytes of offset and size that are 0 are left out; of
 * COPY_MAX that are both, which is what it means.
 */
static void put_copy(struct encoder *e, uint32_t offset, size_t size)
{
	unsigned char op[8], bits = 0x80;
	size_t n = 1;

	for (unsigned i = 0; i < 4; i++)
		if (offset >> (8 * i) & 0xff) {
			bits |= (unsigned char)(1u << i);
			op[n++] = (unsigned char)(offset >> (8 * i));
		}
	for (unsigned i = 0; i < 2; i++)
		if (size >> (8 * i) & 0xff) {
			bits |= (unsigned char)(0x10u << i);
			op[n++] = (unsigned char)(size >> (8 * i));
		}
	op[0] = bits;
	if (e->max - e->at < n) {
		e->full = true;
		return;
	}
	memcpy(e->out + e->at, op, n);
	e->at += n;
}

/* ---- matches ---- */

struct match {
	size_t at;   /* in the base */
	size_t len;  /* forward */
	size_t back; /* bytes before, which were taken for literals */
};

/* Equal bytes at the beginning of two strings of at least `max` bytes. */
static size_t common_length(const unsigned char *a, const unsigned char *b, size_t max)
{
	size_t n = 0;

	while (max - n >= 8) {
		uint64_t x, y;

		memcpy(&x, a + n, 8);
		memcpy(&y, b + n, 8);
		if (x != y)
			break;
		n += 8;
	}
	while (n < max && a[n] == b[n])
		n++;
	return n;
}

static size_t common_before(const unsigned char *a, const unsigned char *b, size_t max)
{
	size_t n = 0;

	while (n < max && a[-1 - (ptrdiff_t)n] == b[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

/* Make *best the match at `pos` of the base if that is longer. */
static void try_match(const struct encoder *e, size_t at, size_t pos, struct match *best)
{
	const unsigned char *t = e->target + at, *b = e->ix->base + pos;
	size_t room = e->len - at < e->ix->len - pos ? e->len - at : e->ix->len - pos;
	size_t back_max = pos < e->literals ? pos : e->literals;
	struct match m = { .at = pos };

	m.len = common_length(t, b, room);
	if (m.len < MATCH_MIN)
		return;
	m.back = common_before(t, b, back_max);
	if (m.len + m.back > best->len + best->back)
		*best = m;
}

/* The first eight bytes decide in nearly all cases. */
static inline bool begins_equal(const unsigned char *a, const unsigned char *b)
{
	uint64_t x, y;

	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return x == y;
}

static void find_match(const struct encoder *e, size_t at, struct match *best)
{
	const struct delta_index *ix = e->ix;
	uint32_t h = delta_block_hash(e->target + at, ix->bits);
	uint32_t i = ix->first[h], end = ix->first[h + 1];

	if (end - i > PROBES_MAX)
		end = i + PROBES_MAX;
	for (; i < end && best->len < GOOD_MATCH; i++)
		if (begins_equal(e->target + at, ix->base + ix->pos[i]))
			try_match(e, at, ix->pos[i], best);
}

/* Literals that the match does not cover, then the copy. */
static void put_match(struct encoder *e, size_t at, const struct match *m)
{
	size_t from = m->at - m->back, len = m->len + m->back;

	put_literals(e, e->target + at - e->literals, e->literals - m->back);
	while (len && !e->full) {
		size_t n = len < COPY_MAX ? len : COPY_MAX;

		put_copy(e, (uint32_t)from, n);
		from += n;
		len -= n;
	}
	e->literals = 0;
}

/*
 * After a match the base goes on at the same distance more often than not: where a few bytes have
 * been replaced by as many (a name in a tree), the next match is found there even if it is
 * shorter than a block.
 */
static bool goes_on(const struct encoder *e, size_t at, ptrdiff_t distance)
{
	size_t pos = (size_t)((ptrdiff_t)at + distance);

	return pos < e->ix->len && e->ix->len - pos >= MATCH_MIN &&
	       begins_equal(e->target + at, e->ix->base + pos);
}

size_t delta_encode(const struct delta_index *ix, const void *target, size_t len,
		    unsigned char *out, size_t max)
{
	struct encoder e = { .ix = ix, .target = target, .len = len, .out = out, .max = max };
	ptrdiff_t distance = 0; /* from the target's position to the base's */
	size_t at = 0;

	put_size(&e, ix->len);
	put_size(&e, len);
	while (len - at >= MATCH_MIN && !e.full && e.at + e.literals < max) {
		struct match m = { 0, 0, 0 };

		if (goes_on(&e, at, distance))
			try_match(&e, at, (size_t)((ptrdiff_t)at + distance), &m);
		if (m.len < DELTA_BLOCK && len - at >= DELTA_BLOCK)
			find_match(&e, at, &m);
		if (!m.len) {
			e.literals++;
			at++;
			continue;
		}
		put_match(&e, at, &m);
		distance = (ptrdiff_t)m.at - (ptrdiff_t)at;
		at += m.len;
	}
	e.literals += len - at;
	put_literals(&e, e.target + len - e.literals, e.literals);
	return e.full ? 0 : e.at;
}
