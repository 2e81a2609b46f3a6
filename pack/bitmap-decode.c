/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bitmap of a commit from its file, where most are stored as the XOR with another one, and that
 * again: the chain is followed down to one that stands for itself or has been kept, and then built
 * up. On the way every few links are kept, so that neighbours do not start from the bottom again.
 */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "util/alloc.h"

#define KEEP_EVERY 16
#define KEEP_BYTES_MAX ((size_t)128 * 1024 * 1024)

static int parse_entry(const struct bitmap_layer *l, const struct bitmap_row *r, struct ewah *out,
		       struct err *err)
{
	size_t used;

	if (r->offset > l->map.len || l->map.len - r->offset < BITMAP_ENTRY_BYTES)
		return bitmap_is_bad(l, "an entry lies outside of it", err);
	if (ewah_parse(out, l->map.p + r->offset + BITMAP_ENTRY_BYTES,
		       l->map.len - (size_t)r->offset - BITMAP_ENTRY_BYTES,
		       (size_t)l->first + l->nr, &used, err) < 0) {
		err_prefix(err, "bitmap '%s'", l->path);
		return ERR_CORRUPT;
	}
	return 0;
}

/* The chain from a row down; *base: the row below it that is kept, or BITMAP_NO_ROW. */
static int follow(const struct bitmap_layer *l, uint32_t row, uint32_t **chain, size_t *nr,
		  uint32_t *base, struct err *err)
{
	size_t alloc = 0;

	while (row != BITMAP_NO_ROW) {
		if (row >= l->nr_rows)
			return bitmap_is_bad(l, "an entry refers to one that is not there", err);
		if (l->kept[row].nr)
			break;
		if (*nr == l->nr_rows)
			return bitmap_is_bad(l, "entries refer to each other in a circle", err);
		ALLOC_GROW(*chain, *nr + 1, alloc);
		(*chain)[(*nr)++] = row;
		row = bitmap_layer_row(l, row).xor_row;
	}
	*base = row;
	return 0;
}

static void keep(struct bitmap_layer *l, uint32_t row, const struct bitset *b, size_t *kept_bytes)
{
	size_t bytes = b->nr * sizeof(*b->words);

	if (bytes > KEEP_BYTES_MAX - *kept_bytes)
		return;
	bitset_copy(&l->kept[row], b);
	*kept_bytes += bytes;
}

int bitmap_layer_or_row(struct bitmap_layer *l, uint32_t row, struct bitset *to, size_t *kept_bytes,
			struct err *err)
{
	struct bitset b = BITSET_INIT;
	uint32_t *chain = NULL, base = BITMAP_NO_ROW;
	size_t nr = 0;
	struct ewah e;
	int rc = follow(l, row, &chain, &nr, &base, err);

	bitset_reserve(&b, (size_t)l->first + l->nr);
	if (!rc && base != BITMAP_NO_ROW)
		bitset_or(&b, &l->kept[base]);
	for (size_t i = nr; !rc && i--;) {
		struct bitmap_row r = bitmap_layer_row(l, chain[i]);

		rc = parse_entry(l, &r, &e, err);
		if (!rc)
			ewah_xor_into(&b, &e);
		if (!rc && i && !(i % KEEP_EVERY))
			keep(l, chain[i], &b, kept_bytes);
	}
	if (!rc)
		bitset_or(to, &b);
	bitset_release(&b);
	free(chain);
	return rc;
}
