/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which objects are reachable from some and not from others, by the bitmaps of a pack or of a
 * multi-pack-index (pack/bitmap.h). What has no bitmap is walked: commits, trees, blobs and tags;
 * objects that are not in the bitmapped packs are found as well.
 *
 *   rc = bitmap_walk_new(&w, r, &wants, &haves, &err);    ERR_NOT_FOUND: walk without bitmaps
 *   bitmap_walk_count(w, OBJ_COMMIT)
 *   bitmap_walk_foreach(w, each, data, &err)
 *   bitmap_walk_free(w)
 *
 * The result is exact: no object that a have reaches is in it. The packs stay readable as long as the
 * repository is open, even if another process removes them. For one thread.
 */
#ifndef HISTORY_BITMAP_BITMAP_H
#define HISTORY_BITMAP_BITMAP_H

#include "compat/posix.h"
#include "object/object.h"
#include "pack/bitset.h"
#include "pack/pack.h"
#include "repo/repo.h"

struct bitmap_walk;

/*
 * wants and haves are objects of any type; haves that are not here are passed over.
 * ERR_NOT_FOUND: there are no bitmaps, or they cannot be used: they are damaged (which has been
 * told through the repository's warn), or grafts, a shallow boundary or replacements make the
 * history another one than theirs, or an object is missing.
 */
#define BITMAP_WALK_PACKED 1u /* ERR_NOT_FOUND also if a want is not in the bitmapped packs */
MUST_USE int bitmap_walk_new(struct bitmap_walk **out, struct repository *r,
			     const struct oid_array *wants, const struct oid_array *haves,
			     unsigned flags, struct err *err);
void bitmap_walk_free(struct bitmap_walk *w);

/* How many objects of that type (OBJ_ANY: of all). */
uint64_t bitmap_walk_count(const struct bitmap_walk *w, enum object_type type);
bool bitmap_walk_has(struct bitmap_walk *w, const struct object_id *oid);
/*
 * Is the object reachable from a have? The answer is exact: a client that has all objects reachable
 * from its haves has it, so deltas can use it as a base.
 */
bool bitmap_walk_excludes(struct bitmap_walk *w, const struct object_id *oid);
/*
 * Take all objects of that type out of the result, those named as wants excepted
 * (git-rev-list(1) --filter=blob:none and so on).
 */
void bitmap_walk_drop(struct bitmap_walk *w, enum object_type type);

/*
 * All of them: those of the bitmapped packs first, in the order of their bits (pack by pack, by
 * offset), then others, for which pack is NULL. name_hash: 0 if no path is known.
 */
typedef int (*bitmap_walk_fn)(void *data, const struct object_id *oid, enum object_type type,
			      uint32_t name_hash, struct pack *pack, uint64_t offset);
MUST_USE int bitmap_walk_foreach(struct bitmap_walk *w, bitmap_walk_fn fn, void *data,
				 struct err *err);
/*
 * The same, with stretches of objects that follow each other in a pack in place of the single ones,
 * where that is known: `nr` from the `first` on by offset. Others, and those of several packs, go to fn.
 */
typedef int (*bitmap_walk_run_fn)(void *data, struct pack *pack, uint32_t first, uint32_t nr);
MUST_USE int bitmap_walk_foreach_run(struct bitmap_walk *w, bitmap_walk_run_fn run,
				     bitmap_walk_fn fn, void *data, struct err *err);

/*
 * Is the result every object of the one bitmapped pack and nothing else? Then that pack may go out
 * unchanged. NULL: it is not.
 */
struct pack *bitmap_walk_whole_pack(const struct bitmap_walk *w);

#endif
