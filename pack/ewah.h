/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bitmaps compressed by runs of equal words, as .bitmap files have them (EWAH: D. Lemire,
 * O. Kaser, K. Aouiche, "Sorting improves word-aligned bitmap indexes", 2010).
 *
 *   4 bytes  number of bits
 *   4 bytes  number of words that follow
 *   8 bytes each: marker words, each followed by its literal words. A marker: bit 0 is the
 *            value of a run, bits 1 to 32 its length in words, bits 33 to 63 how many literal
 *            words come next
 *   4 bytes  which word is the last marker
 *
 * All numbers are big-endian.
 */
#ifndef PACK_EWAH_H
#define PACK_EWAH_H

#include "compat/posix.h"
#include "pack/bitset.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Somewhere in a file that must live as long as this. */
struct ewah {
	const unsigned char *words;
	uint32_t nr_words;
};
/*
 * Parse one at p[0..len), where bits from max_bits on must not be set. On 0, *used is its length.
 * ERR_CORRUPT: cut off, or words that do not add up. What has been parsed is safe to use.
 */
MUST_USE int ewah_parse(struct ewah *out, const unsigned char *p, size_t len, size_t max_bits,
			size_t *used, struct err *err);
void ewah_or_into(struct bitset *to, const struct ewah *e);
void ewah_xor_into(struct bitset *to, const struct ewah *e);
bool ewah_is_subset(const struct ewah *e, const struct bitset *of);
/* The CRC-32 of its compressed form. */
uint32_t ewah_checksum(const struct bitset *b);
/* Append. */
void ewah_write(struct strbuf *out, const struct bitset *b);

#endif
