/* SPDX-License-Identifier: GPL-2.0-only */
/* Verifying one packed object: is this copy good enough to be the only one that is kept? */
#ifndef PACK_VERIFY_OBJECT_INTERNAL_H
#define PACK_VERIFY_OBJECT_INTERNAL_H

#include "compat/posix.h"
#include "pack/bitset.h"
#include "pack/pack-internal.h"

/* Entries of a pack that were verified, together with the entries that they build on. */
struct pack_whole {
	struct bitset entries; /* by position in the idx */
	bool damaged;	       /* an entry is damaged: none of the pack counts as whole any more */
};

/*
 * Is the object whole by the checksums of its entry and of all entries that it builds on, in that
 * pack? (Reading the object proves nothing: a damaged entry is replaced by another copy, perhaps
 * the one that is to be removed.)
 */
bool pack_object_is_whole(struct pack *p, uint64_t offset, struct pack_whole *w);
/*
 * D2: another process wrote this pack, and its copy becomes the only one of an object. It is sealed
 * with our own files.
 */
MUST_USE int pack_adopt(const struct pack *p, struct fsync_batch *b, struct err *err);

#endif
