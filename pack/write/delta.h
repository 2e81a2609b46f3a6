/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making deltas (gitformat-pack(5), "Deltified representation"); pack/delta.c applies them.
 *
 * A base is indexed once and compared with several targets. The index maps the hash of each block
 * of the base to its position. A target is read from left to right. If a block of it is in the
 * index, the match is extended both ways; bytes outside all matches are inserted literally.
 */
#ifndef PACK_WRITE_DELTA_H
#define PACK_WRITE_DELTA_H

#include "compat/posix.h"

struct delta_index;

/* The base stays the caller's and must live as long. NULL: it is too small or too large. */
struct delta_index *delta_index_new(const void *base, size_t len);
void delta_index_free(struct delta_index *ix); /* NULL is fine */
/* What the index of a base of that size takes, the base itself not counted. */
size_t delta_index_bytes(size_t len);

/*
 * The delta from the base to a target, into out[0..max). Returns its length; 0: it would be longer. The
 * same input gives the same delta.
 */
MUST_USE size_t delta_encode(const struct delta_index *ix, const void *target, size_t len,
			     unsigned char *out, size_t max);

#endif
