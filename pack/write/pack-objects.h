/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choosing how objects are stored in one pack, and writing it. gitformat-pack(5),
 * git-pack-objects(1).
 *
 *   po = pack_objects_new(&opts);
 *   pack_objects_add(po, &oid, type, path, 0, err)      for each object
 *   pack_objects_prepare(po, err)                       where they are; which deltas
 *   pack_objects_write(po, &sink, err)                  header, entries, checksum
 *   pack_objects_free(po);
 *
 * If possible, an object is copied byte for byte from a pack, after its crc was checked; a delta is copied
 * if the new pack has its base. For other objects a delta is searched; without one they are deflated.
 * Copied bytes are read by pread, so a failing disk or a truncated file is an error, not a signal.
 *
 * Threads: a pack_objects is used by one thread at a time, and starts threads of its own. Several can
 * use one odb. The odb and its packs must outlive it.
 */
#ifndef PACK_WRITE_PACK_OBJECTS_H
#define PACK_WRITE_PACK_OBJECTS_H

#include "compat/posix.h"
#include "object/object.h"
#include "pack/pack.h"
#include "util/err.h"
#include "util/shared-sets.h"

struct odb;
struct pack_objects;

enum pack_phase { PACK_PHASE_DELTAS, PACK_PHASE_WRITE };
const char *pack_phase_title(enum pack_phase phase); /* title of its progress meter */

/* Order in which objects are written. A base always comes before its deltas. */
enum pack_order {
	/*
	 * Unpacked objects as they were added; then pack by pack, each in its own order, so that
	 * long runs can be copied. For a client that waits.
	 */
	PACK_ORDER_SOURCE,
	/*
	 * Tags, commits, trees, blobs, each as they were added. Deltas of trees and blobs come
	 * after all non-deltas, next to deltas of the same base. For a pack that stays.
	 */
	PACK_ORDER_TYPE,
	/* The same, each delta right behind its base: for several packs, which cannot share bases. */
	PACK_ORDER_FAMILY,
};

/* Packs from which ranges are copied: all, the first of them, none. */
enum pack_ranges { PACK_RANGES_MULTI, PACK_RANGES_SINGLE, PACK_RANGES_NONE };

struct pack_objects_options {
	struct odb *odb;
	unsigned window;	     /* number of objects to try as base; 0: search no deltas */
	unsigned depth;		     /* longest chain of deltas */
	size_t window_memory;	     /* bytes, each thread; 0: no limit */
	size_t delta_cache_bytes;    /* new deltas that are held until they are written; 0: no limit */
	size_t delta_cache_limit;    /* the largest of them, in bytes */
	uint64_t big_file_threshold; /* larger blobs are not held in memory; 0: no limit */
	bool by_path;		     /* search among objects of the same path first (--path-walk) */
	unsigned name_hash_version;  /* 1 or 2; see pack/name-hash.h */
	int threads;		     /* 0: one per processor */
	int level;		     /* zlib's; -1: its default */
	bool ofs_delta;		     /* the reader knows OFS_DELTA */
	bool thin;		     /* deltas against PACK_PREFERRED_BASE, which are not sent */
	bool reuse_delta, reuse_object;
	enum pack_ranges ranges;     /* pack.allowPackReuse */
	bool incremental;	     /* leave out packed objects */
	bool local;		     /* leave out objects of alternates */
	enum pack_order order;
	/* Should this new object be left out? Not called for ranges. May be NULL. */
	bool (*leave_out)(void *data, const struct object_id *oid);
	void *leave_out_data;
	/*
	 * Called now and then by the thread that prepares or writes, with the number of objects
	 * done and in all. A non-zero result, for which it sets err, stops the work and is
	 * returned. May be NULL.
	 */
	int (*progress)(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
			struct err *err);
	void *data;
};
/*
 * The defaults of git-pack-objects(1): window 10, depth 50, reuse deltas and objects, no OFS_DELTA.
 */
void pack_objects_options_init(struct pack_objects_options *o, struct odb *odb);

/*
 * Reads the settings that commands and servers share: pack.window, pack.depth, pack.threads,
 * pack.windowMemory, pack.deltaCacheSize, pack.deltaCacheLimit and pack.compression
 * (core.compression). ERR_INVALID names a bad value.
 */
struct config_set;
MUST_USE int pack_objects_options_read(struct pack_objects_options *o, const struct config_set *c,
				       struct err *err);

struct pack_objects *pack_objects_new(const struct pack_objects_options *o);
void pack_objects_free(struct pack_objects *po); /* NULL is fine */

#define PACK_PREFERRED_BASE 1u /* the receiver has it: used only as a base, with `thin` */
#define PACK_NO_DELTA 2u       /* attribute -delta: search no delta for it */
/*
 * Add an object. path: for the name hash; NULL: none. type: OBJ_NONE if unknown. A second call for
 * the same object changes nothing, except that a preferred base becomes a normal object.
 * pack_objects_prepare checks whether the object exists.
 */
MUST_USE int pack_objects_add(struct pack_objects *po, const struct object_id *oid,
			      enum object_type type, const char *path, unsigned flags,
			      struct err *err);
/*
 * As pack_objects_add, without a look-up, for an object whose place and name hash are known (from a
 * bitmap). pack: NULL if the place is unknown.
 */
MUST_USE int pack_objects_add_packed(struct pack_objects *po, const struct object_id *oid,
				     enum object_type type, uint32_t name_hash, struct pack *pack,
				     uint64_t offset, struct err *err);
/*
 * Add a range: `nr` objects of a pack from the `first` on, in the order of offsets (the order of a
 * bitmap's bits). Ranges are written before all other objects, mostly byte for byte. They cost no
 * time before the writing, and hardly any memory. For clones: no other object may be a delta of an
 * object in a range, and a delta whose base is in no earlier range is written whole. Add the ranges
 * of one pack one after the other, in ascending order, and no object of a range in another way.
 * Only for pack_objects_write.
 */
MUST_USE int pack_objects_add_range(struct pack_objects *po, struct pack *pack, uint32_t first,
				    uint32_t nr, struct err *err);
/*
 * Do the options permit ranges? If not, the objects of ranges are added one by one, without name
 * hashes.
 */
bool pack_objects_keeps_ranges(const struct pack_objects *po);
/*
 * As pack_objects_add_range, for one object as bitmap_walk_foreach() delivers it: consecutive
 * objects are joined into ranges. Where ranges are impossible it works as
 * pack_objects_add_packed().
 */
MUST_USE int pack_objects_copy(struct pack_objects *po, const struct object_id *oid,
			       enum object_type type, uint32_t name_hash, struct pack *pack,
			       uint64_t offset, struct err *err);
/*
 * The same for objects that the walk of a clone finds, in any order, packed or not. If one pack has
 * them all, they become a range, and take 9 bytes each until pack_objects_prepare.
 */
MUST_USE int pack_objects_mark(struct pack_objects *po, const struct object_id *oid,
			       enum object_type type, const char *path, struct err *err);
/* Add all objects of a pack, in its order. */
MUST_USE int pack_objects_add_pack(struct pack_objects *po, struct pack *pack, struct err *err);
/* Leave out objects of this pack that are added from now on. */
void pack_objects_exclude_pack(struct pack_objects *po, struct pack *pack);
bool pack_objects_excludes_pack(const struct pack_objects *po, const struct pack *pack);
/* Leave out the objects of another list, which must outlive this one. */
void pack_objects_exclude_list(struct pack_objects *po, const struct pack_objects *other);
/* Is the object in one of those lists? */
bool pack_objects_is_elsewhere(const struct pack_objects *po, const struct object_id *oid);
bool pack_objects_has(const struct pack_objects *po, const struct object_id *oid);
/* Objects to be written: preferred bases do not count. */
uint32_t pack_objects_count(const struct pack_objects *po);

/*
 * Delta islands: the base of a delta is in every island of the delta's object. So a receiver of one
 * island gets the bases of all its deltas. Applies to reused deltas, too, but not to ranges.
 */
struct pack_islands {
	const struct shared_sets *sets; /* of islands; lives as long as the pack_objects */
	const struct oid_flags *marks;	/* the set (shared_set) of each object; SHARED_SET_EMPTY: in none */
	bool has_core;
	uint32_t core;			/* its objects are written before all others */
};
/* Call after the last object was added, before prepare. marks may be freed afterwards. */
void pack_objects_set_islands(struct pack_objects *po, const struct pack_islands *islands);

/*
 * Look up the objects, choose deltas to reuse, and search other deltas in threads. Call it once,
 * after the last object was added. ERR_NOT_FOUND and ERR_CORRUPT name the object.
 */
MUST_USE int pack_objects_prepare(struct pack_objects *po, struct err *err);

/*
 * Receives the bytes of a pack. A function that returns < 0 stops the writing; the value is
 * returned.
 */
struct pack_sink {
	/* Called with pieces of 64 KiB and more, except the last. */
	int (*write)(void *data, const void *p, size_t len, struct err *err);
	/*
	 * NULL, or returns `len` bytes of memory (at most PACK_ROOM_MAX) that the sink owns, valid
	 * until the next call of `write`. That call passes the bytes put there, from their
	 * beginning, or other bytes.
	 */
	int (*room)(void *data, size_t len, void **p, struct err *err);
	void *data;
};
#define PACK_ROOM_MAX ((size_t)512 * 1024)
/*
 * Write the pack. Errors: ERR_IO; ERR_CORRUPT if no copy of an object is whole; the result of the
 * sink. After an error the sink has no valid pack.
 */
MUST_USE int pack_objects_write(struct pack_objects *po, const struct pack_sink *sink,
				struct err *err);

/*
 * After the writing: sets *line to the line "Total …" of git-pack-objects(1), and sends the same numbers as trace2
 * data. If a whole pack is sent instead, `whole` is that pack, whose objects count; else NULL.
 */
void pack_objects_tell_stats(const struct pack_objects *po, struct pack *whole, struct strbuf *line);

/*
 * Write an existing pack unchanged, with its own checksum. The caller knows that it has exactly the
 * wanted objects, and that the reader knows OFS_DELTA. Header and checksum are compared with the
 * index; nothing is hashed.
 */
MUST_USE int pack_write_unchanged(struct pack *p, const struct pack_sink *sink, struct err *err);

#endif
