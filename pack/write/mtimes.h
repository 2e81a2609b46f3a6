/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The .mtimes file of a cruft pack: the time when each of its objects was last used.
 * gitformat-pack(5), "pack-*.mtimes files have the format".
 */
#ifndef PACK_WRITE_MTIMES_H
#define PACK_WRITE_MTIMES_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "pack/pack.h"

/*
 * All objects of a pack, in the order of names, with the time of each: that of the file .mtimes, or of the
 * pack itself, if there is none. ERR_CORRUPT: the file does not belong to the pack. A return of fn
 * other than 0 stops and is returned.
 */
typedef int (*pack_mtime_fn)(void *data, const struct object_id *oid, uint32_t mtime);
MUST_USE int pack_foreach_mtime(struct pack *p, pack_mtime_fn fn, void *data, struct err *err);

#endif
