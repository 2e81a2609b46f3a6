/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of one file is in another: both are cut into lines (of 64 bytes at
 * most), and the bytes of lines that both have are counted, wherever they are.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "util/alloc.h"

#define LONGEST_CHUNK 64

/* All chunks of the same content: their hash and their bytes in total. */
struct chunk {
	uint32_t hash;
	uint32_t bytes;
};

struct diff_chunks {
	size_t nr;
	struct chunk *list; /* by hash, each once */
};

void diff_chunks_free(struct diff_chunks *c)
{
	if (!c)
		return;
	free(c->list);
	free(c);
}

static int by_hash(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Chunks of the same hash become one. */
static void sort_and_merge(struct diff_chunks *c)
{
	size_t kept = 0;

	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_hash);
	for (size_t i = 0; i < c->nr; i++) {
		if (kept && c->list[kept - 1].hash == c->list[i].hash)
			c->list[kept - 1].bytes += c->list[i].bytes;
		else
			c->list[kept++] = c->list[i];
	}
	c->nr = kept;
}

/*
 * The hash decides, by its collisions, over a percent or two in large files; so it is
 * the one that Git's similarity rests on: a register of 64 bits, rotated by 7 for each
 * byte, which is added to its lower half; in the end both halves are mixed down to
 * a number below HASHES.
 */
#define HASHES 107927u

static uint64_t add_byte(uint64_t reg, unsigned char byte)
{
	reg = reg << 7 | reg >> 57;
	return (reg & ~UINT64_C(0xffffffff)) | (uint32_t)(reg + byte);
}

static uint32_t mix_down(uint64_t reg)
{
	return ((uint32_t)reg + (uint32_t)(reg >> 32) * 97) % HASHES;
}

/*
 * In text, CR LF counts as LF. A last line without its newline is left out, as Git
 * 2.39 does: percentages of renames agree.
 */
static struct diff_chunks *cut(const char *text, size_t len, bool is_text)
{
	struct diff_chunks *c = xcalloc(1, sizeof(*c));
	size_t alloc = 0;
	uint64_t reg = 0;
	uint32_t bytes = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (is_text && ch == '\r' && i + 1 < len && text[i + 1] == '\n')
			continue;
		reg = add_byte(reg, ch);
		if (++bytes < LONGEST_CHUNK && ch != '\n')
			continue;
		ALLOC_GROW(c->list, c->nr + 1, alloc);
		c->list[c->nr++] = (struct chunk){ mix_down(reg), bytes };
		reg = bytes = 0;
	}
	sort_and_merge(c);
	return c;
}

static int cut_file(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret;

	if (f->chunks)
		return 0;
	ret = diff_file_binary(f, o, err);
	if (!ret)
		ret = diff_file_load(f, o, err);
	if (ret < 0)
		return ret;
	f->chunks = cut(f->content.data, f->content.size, !f->is_binary);
	return 0;
}

int diff_count_copied(struct diff_file *from, struct diff_file *to,
		      const struct diff_options *o, uint64_t *copied,
		      uint64_t *added, struct err *err)
{
	int ret = cut_file(from, o, err);
	const struct chunk *a, *a_end, *b, *b_end;

	if (!ret)
		ret = cut_file(to, o, err);
	if (ret < 0)
		return ret;
	a = from->chunks->list;
	a_end = a + from->chunks->nr;
	b = to->chunks->list;
	b_end = b + to->chunks->nr;
	*copied = *added = 0;
	for (; b < b_end; b++) {
		uint32_t had = 0;

		while (a < a_end && a->hash < b->hash)
			a++;
		if (a < a_end && a->hash == b->hash)
			had = a->bytes;
		*copied += had < b->bytes ? had : b->bytes;
		*added += had < b->bytes ? b->bytes - had : 0;
	}
	return 0;
}
