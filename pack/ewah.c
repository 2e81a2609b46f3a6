/* SPDX-License-Identifier: GPL-2.0-only */
/* See ewah.h. */
#include "compat/posix.h"
#include "pack/ewah.h"
#include "util/bytes.h"
#include <libdeflate.h>

#define RUN_MAX (((uint64_t)1 << 32) - 1)
#define LITERALS_MAX (((uint64_t)1 << 31) - 1)
#define HEADER_BYTES 8
#define FOOTER_BYTES 4

/* ---- reading ---- */

/* A marker: `run` words of all ones or all zeros, then literal words. */
struct stretch {
	bool ones;
	uint64_t run;
	uint64_t nr_literals;
	const unsigned char *literals;
};

/* *at: the word where the marker is, then that after its literals. */
static bool next_stretch(const struct ewah *e, uint64_t *at, struct stretch *out)
{
	uint64_t marker;

	if (*at >= e->nr_words)
		return false;
	marker = get_be64(e->words + *at * 8);
	out->ones = marker & 1;
	out->run = marker >> 1 & RUN_MAX;
	out->nr_literals = marker >> 33;
	out->literals = e->words + (*at + 1) * 8;
	*at += 1 + out->nr_literals;
	return true;
}

static bool ends_in_range(const struct ewah *e, size_t max_bits)
{
	uint64_t at = 0, words = 0, last = 0, max = bitset_words(max_bits);
	struct stretch s;

	while (next_stretch(e, &at, &s)) {
		if (at > e->nr_words)
			return false;
		words += s.run + s.nr_literals;
		if (words > max)
			return false;
		if (s.nr_literals)
			last = get_be64(s.literals + (s.nr_literals - 1) * 8);
		else if (s.run)
			last = s.ones ? UINT64_MAX : 0;
	}
	return words < max || !(max_bits % 64) || !(last >> (max_bits % 64));
}

int ewah_parse(struct ewah *out, const unsigned char *p, size_t len, size_t max_bits,
	       size_t *used, struct err *err)
{
	struct ewah e;

	if (len < HEADER_BYTES + FOOTER_BYTES)
		return err_set(err, ERR_CORRUPT, "a compressed bitmap is cut off");
	e.nr_words = get_be32(p + 4);
	e.words = p + HEADER_BYTES;
	if (e.nr_words > (len - HEADER_BYTES - FOOTER_BYTES) / 8)
		return err_set(err, ERR_CORRUPT, "a compressed bitmap is cut off");
	if (!ends_in_range(&e, max_bits))
		return err_set(err, ERR_CORRUPT, "a compressed bitmap is malformed");
	*out = e;
	*used = HEADER_BYTES + (size_t)e.nr_words * 8 + FOOTER_BYTES;
	return 0;
}

/* The number of words until the last that is not zero. */
static size_t words_used(const struct ewah *e)
{
	uint64_t at = 0, words = 0, used = 0;
	struct stretch s;

	while (next_stretch(e, &at, &s)) {
		words += s.run;
		if (s.ones && s.run)
			used = words;
		words += s.nr_literals;
		if (s.nr_literals)
			used = words;
	}
	return (size_t)used;
}

void ewah_or_into(struct bitset *to, const struct ewah *e)
{
	uint64_t at = 0;
	size_t word = 0;
	struct stretch s;

	bitset_reserve(to, words_used(e) * 64);
	while (next_stretch(e, &at, &s)) {
		if (s.ones && s.run)
			memset(to->words + word, 0xff, (size_t)s.run * 8);
		word += (size_t)s.run;
		for (size_t i = 0; i < s.nr_literals; i++)
			to->words[word++] |= get_be64(s.literals + i * 8);
	}
}

void ewah_xor_into(struct bitset *to, const struct ewah *e)
{
	uint64_t at = 0;
	size_t word = 0;
	struct stretch s;

	bitset_reserve(to, words_used(e) * 64);
	while (next_stretch(e, &at, &s)) {
		for (size_t i = 0; s.ones && i < s.run; i++)
			to->words[word + i] = ~to->words[word + i];
		word += (size_t)s.run;
		for (size_t i = 0; i < s.nr_literals; i++)
			to->words[word++] ^= get_be64(s.literals + i * 8);
	}
}

static uint64_t word_of(const struct bitset *b, size_t i)
{
	return i < b->nr ? b->words[i] : 0;
}

bool ewah_is_subset(const struct ewah *e, const struct bitset *of)
{
	uint64_t at = 0;
	size_t word = 0;
	struct stretch s;

	while (next_stretch(e, &at, &s)) {
		for (size_t i = 0; s.ones && i < s.run; i++)
			if (~word_of(of, word + i))
				return false;
		word += (size_t)s.run;
		for (size_t i = 0; i < s.nr_literals; i++, word++)
			if (get_be64(s.literals + i * 8) & ~word_of(of, word))
				return false;
	}
	return true;
}

/* ---- writing ---- */

static void add_be32(struct strbuf *out, uint32_t v)
{
	unsigned char bytes[4];

	put_be32(bytes, v);
	strbuf_add(out, bytes, sizeof(bytes));
}

static void add_be64(struct strbuf *out, uint64_t v)
{
	unsigned char bytes[8];

	put_be64(bytes, v);
	strbuf_add(out, bytes, sizeof(bytes));
}

static bool is_run_word(uint64_t v)
{
	return !v || !~v;
}

/* One marker and its literals from word `i` on; returns the word after them. */
static size_t write_stretch(struct strbuf *out, const struct bitset *b, size_t i, size_t end)
{
	bool ones = !~b->words[i];
	size_t from = i, literals;

	while (i < end && is_run_word(b->words[i]) && !~b->words[i] == ones && i - from < RUN_MAX)
		i++;
	literals = i;
	while (literals < end && !is_run_word(b->words[literals]) && literals - i < LITERALS_MAX)
		literals++;
	add_be64(out, (uint64_t)(i > from && ones) | (uint64_t)(i - from) << 1 |
		 (uint64_t)(literals - i) << 33);
	for (; i < literals; i++)
		add_be64(out, b->words[i]);
	return i;
}

void ewah_write(struct strbuf *out, const struct bitset *b)
{
	size_t end = b->nr, at = out->len, first, marker;

	while (end && !b->words[end - 1])
		end--;
	add_be32(out, end * 64 < UINT32_MAX ? (uint32_t)(end * 64) : UINT32_MAX);
	add_be32(out, 0);
	first = marker = out->len;
	if (!end)
		add_be64(out, 0); /* one marker is always there */
	for (size_t i = 0; i < end;) {
		marker = out->len;
		i = write_stretch(out, b, i, end);
	}
	put_be32(out->buf + at + 4, (uint32_t)((out->len - first) / 8));
	add_be32(out, (uint32_t)((marker - first) / 8));
}

uint32_t ewah_checksum(const struct bitset *b)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t sum;

	ewah_write(&text, b);
	sum = libdeflate_crc32(0, text.buf, text.len);
	strbuf_release(&text);
	return sum;
}
