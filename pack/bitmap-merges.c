/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-merges: what many commits reach together, for queries that name all of them.
 * gitpacking(7). The section of a .bitmap file:
 *
 *   pairs of bitmaps: the commits; what they reach
 *   tables to find the pairs of a commit, which are not used here: all pairs are tried
 *   8 bytes each: where in the file the pairs are
 *   4 bytes number of pairs; 4 bytes number of their commits; 8 bytes: where the tables begin, from
 *   the start of the section; 8 bytes length of the section, these included
 */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define FOOTER_BYTES 24

bool bitmap_merges_len(const unsigned char *end, size_t before, size_t *len)
{
	uint64_t bytes;

	if (before < FOOTER_BYTES)
		return false;
	bytes = get_be64(end - 8);
	if (bytes < FOOTER_BYTES || bytes > before ||
	    get_be32(end - FOOTER_BYTES) > (bytes - FOOTER_BYTES) / 8)
		return false;
	*len = (size_t)bytes;
	return true;
}

static int parse_bitmap(const struct bitmap_layer *l, size_t at, struct ewah *out, size_t *used,
			struct err *err)
{
	size_t end = (size_t)(l->merges - l->map.p) + l->merges_len;
	int rc = ewah_parse(out, l->map.p + at, end - at, (size_t)l->first + l->nr, used, err);

	if (rc < 0)
		err_prefix(err, "bitmap '%s'", l->path);
	return rc;
}

/* What it reaches is parsed only if all its commits are there. */
static int parse_commits(const struct bitmap_layer *l, uint64_t offset, struct pseudo_merge *out,
			 struct err *err)
{
	size_t section = (size_t)(l->merges - l->map.p), used;
	int rc;

	if (offset < section || offset > section + l->merges_len)
		return bitmap_is_bad(l, "a pseudo-merge lies outside of its section", err);
	rc = parse_bitmap(l, (size_t)offset, &out->commits, &used, err);
	out->reach = (size_t)offset + (rc < 0 ? 0 : used);
	return rc;
}

static int parse_all(struct bitmap_layer *l, struct err *err)
{
	const unsigned char *end = l->merges + l->merges_len, *offsets;
	uint32_t nr = get_be32(end - FOOTER_BYTES);
	struct pseudo_merge *v;
	int rc = 0;

	offsets = end - FOOTER_BYTES - (size_t)nr * 8;
	CALLOC_ARRAY(v, (size_t)nr + 1);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = parse_commits(l, get_be64(offsets + (size_t)i * 8), &v[i], err);
	if (rc < 0) {
		free(v);
		return rc;
	}
	l->merge = v;
	l->nr_merges = nr;
	return 0;
}

/* What the commits of one reach, if all of them are in `have`. 1: done, 0: they are not. */
static int apply_merge(const struct bitmap_layer *l, struct pseudo_merge *m, struct bitset *have,
		       struct bitset *to, struct err *err)
{
	struct ewah reach;
	size_t used;
	int rc;

	if (m->applied || !ewah_is_subset(&m->commits, have))
		return 0;
	rc = parse_bitmap(l, m->reach, &reach, &used, err);
	if (rc < 0)
		return rc;
	ewah_or_into(to, &reach);
	ewah_or_into(have, &reach);
	m->applied = true;
	return 1;
}

int bitmap_layer_or_merges(struct bitmap_layer *l, const struct bitset *commits, struct bitset *to,
			   struct err *err)
{
	struct bitset have = BITSET_INIT;
	int rc = 0, used = 0;

	if (!l->merges)
		return 0;
	if (!l->merge)
		rc = parse_all(l, err);
	for (uint32_t i = 0; !rc && i < l->nr_merges; i++)
		l->merge[i].applied = false;
	bitset_or(&have, commits);
	bitset_or(&have, to);
	/* One may reach the commits of another. */
	for (bool again = !rc; again;) {
		again = false;
		for (uint32_t i = 0; i < l->nr_merges && rc >= 0; i++) {
			rc = apply_merge(l, &l->merge[i], &have, to, err);
			again |= rc > 0;
			used += rc > 0;
		}
		again &= rc >= 0;
	}
	bitset_release(&have);
	return rc < 0 ? rc : used;
}
