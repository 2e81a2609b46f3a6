/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the copy of an object in a pack good enough to be the only one that is left? */
#ifndef PACK_WHOLE_INTERNAL_H
#define PACK_WHOLE_INTERNAL_H

#include "compat/posix.h"
#include "pack/bitset.h"
#include "pack/pack-internal.h"

/* Which entries of a pack have been found whole, with the entries that they build on. */
struct pack_whole {
	struct bitset entries; /* by position in the idx */
	bool damaged;	       /* one was not: then none is any more */
};

/*
 * By the checksums of its entry and of those that it builds on, all in that pack. (Reading it would
 * prove nothing: what is bad is read from elsewhere, perhaps from the copy that is to go.)
 */
bool pack_object_is_whole(struct pack *p, uint64_t offset, struct pack_whole *w);
/* D2: what was found in another pack is what is left of an object: it is sealed with our own. */
MUST_USE int pack_adopt(const struct pack *p, struct fsync_batch *b, struct err *err);

#endif
