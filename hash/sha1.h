/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SHA-1 (FIPS 180-4) that recognises the known attacks: a message that is one half of a collision
 * made with one of 32 disturbance vectors is distinguished from all others (M. Stevens,
 * "Counter-cryptanalysis", 2013). The digest is the ordinary one.
 *
 *   struct sha1 s;
 *   sha1_init(&s);
 *   sha1_update(&s, p, len);            as often as needed
 *   if (sha1_final(&s, digest))         the context is over; sha1_init begins anew
 *           the message is part of a collision attack
 *
 * Cost: the check adds about half of the time that the processor's SHA instructions take for the
 * digest. No allocation; one thread at a time per context; a copy of the struct is a copy of the state.
 */
#ifndef HASH_SHA1_H
#define HASH_SHA1_H

#include "compat/posix.h"

#define SHA1_BATCH 16 /* blocks that are examined together */

/* The last blocks, as far as the check of them needs them. */
struct sha1_kept {
	uint32_t w[9][4][4][4];		   /* see sha1-internal.h */
	uint32_t before[SHA1_BATCH + 1][5]; /* the chaining value before each block, and the present one */
	unsigned nr;
};

struct sha1 {
	const struct sha1_engine *engine;
	uint64_t len; /* bytes */
	unsigned char partial[64];
	struct sha1_kept kept;
	bool collision;
};

void sha1_init(struct sha1 *s);
void sha1_update(struct sha1 *s, const void *p, size_t len);
/* True: a collision attack. */
MUST_USE bool sha1_final(struct sha1 *s, unsigned char digest[20]);

#endif
