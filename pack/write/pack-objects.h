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
 * An object is copied byte for byte from a pack where that can be done (its crc is checked), as a delta
 * if its base goes along; otherwise a delta is searched for, and the rest is deflated. What
 * is copied is read by pread: a disk that fails or a file that is cut short is an error.
 *
 * Threads: one at a time for a pack_objects; it starts threads of its own. Several can be at work
 * on one odb. The odb, and its packs, must outlive it.
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
const char *pack_phase_title(enum pack_phase phase); /* of a progress meter */

/* In which order objects are written; a base always comes before its deltas. */
enum pack_order {
	/*
	 * What is in no pack, as it was added; then pack by pack, each in its own order: whole
	 * stretches can be copied. For a client that waits.
	 */
	PACK_ORDER_SOURCE,
	/*
	 * Tags, commits, trees, blobs, each as they were added, but deltas of trees and blobs behind
	 * all that are no deltas, with those that share a base. For a pack that stays.
	 */
	PACK_ORDER_TYPE,
	/* The same, each delta right behind its base: for several packs, which cannot share bases. */
	PACK_ORDER_FAMILY,
};

/* From which packs ranges are copied: all, the first of them, none. */
enum pack_ranges { PACK_RANGES_MULTI, PACK_RANGES_SINGLE, PACK_RANGES_NONE };

struct pack_objects_options {
	struct odb *odb;
	unsigned window;	     /* objects that a delta is tried against; 0: none is searched */
	unsigned depth;		     /* links of a chain of deltas */
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
	bool incremental;	     /* leave out what is in any pack */
	bool local;		     /* leave out what an alternate has */
	enum pack_order order;
	/* Leave out this object, which would be added now? Not asked about ranges. May be NULL. */
	bool (*leave_out)(void *data, const struct object_id *oid);
	void *leave_out_data;
	/*
	 * Called now and then, by the thread that prepares or writes: how many objects of how many.
	 * Not 0: stop; that is returned, and the callee has set err. May be NULL.
	 */
	int (*progress)(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
			struct err *err);
	void *data;
};
/* What git-pack-objects(1) has without options: window 10, depth 50, all reused, OFS_DELTA not. */
void pack_objects_options_init(struct pack_objects_options *o, struct odb *odb);

/*
 * pack.window, pack.depth, pack.threads, pack.windowMemory, pack.deltaCacheSize,
 * pack.deltaCacheLimit and pack.compression (core.compression): what commands and servers share.
 * ERR_INVALID names a bad value.
 */
struct config_set;
MUST_USE int pack_objects_options_read(struct pack_objects_options *o, const struct config_set *c,
				       struct err *err);

struct pack_objects *pack_objects_new(const struct pack_objects_options *o);
void pack_objects_free(struct pack_objects *po); /* NULL is fine */

#define PACK_PREFERRED_BASE 1u /* the other side has it: only as a base, with `thin` */
#define PACK_NO_DELTA 2u       /* the attribute -delta: none is searched for it */
/*
 * path: for the name hash; NULL: none. type: OBJ_NONE if it is not known. Added twice: once counts
 * (as preferred base and as an object: the object). Whether it is there is seen by prepare.
 */
MUST_USE int pack_objects_add(struct pack_objects *po, const struct object_id *oid,
			      enum object_type type, const char *path, unsigned flags,
			      struct err *err);
/* The same for an object whose place and name hash are known (a bitmap): no look-up. pack: NULL if not. */
MUST_USE int pack_objects_add_packed(struct pack_objects *po, const struct object_id *oid,
				     enum object_type type, uint32_t name_hash, struct pack *pack,
				     uint64_t offset, struct err *err);
/*
 * `nr` objects of a pack from the `first` on, in the order of offsets (which is that of a bitmap's
 * bits): they go before all others, mostly byte for byte, and cost nothing before the writing and next to no
 * memory. For clones: nothing else may be a delta of them, and those whose base is in no range
 * before them become whole. Ranges of one pack come one after the other, in ascending order; no object
 * of a range is added in another way. Only for pack_objects_write.
 */
MUST_USE int pack_objects_add_range(struct pack_objects *po, struct pack *pack, uint32_t first,
				    uint32_t nr, struct err *err);
/* Do the options permit ranges? If not, their objects are added one by one, and have no name hashes. */
bool pack_objects_keeps_ranges(const struct pack_objects *po);
/*
 * The same for one object, as bitmap_walk_foreach() delivers them: ranges are made of them. Where none
 * can stay, it is added as by pack_objects_add_packed().
 */
MUST_USE int pack_objects_copy(struct pack_objects *po, const struct object_id *oid,
			       enum object_type type, uint32_t name_hash, struct pack *pack,
			       uint64_t offset, struct err *err);
/*
 * The same for a clone, as a walk finds its objects, in any order and in packs or not: they become a range if
 * one pack has them all. Until they are prepared they take 9 bytes each then.
 */
MUST_USE int pack_objects_mark(struct pack_objects *po, const struct object_id *oid,
			       enum object_type type, const char *path, struct err *err);
/* All objects of a pack, in its order. */
MUST_USE int pack_objects_add_pack(struct pack_objects *po, struct pack *pack, struct err *err);
/* Objects of that pack that are added from now on are left out. */
void pack_objects_exclude_pack(struct pack_objects *po, struct pack *pack);
bool pack_objects_excludes_pack(const struct pack_objects *po, const struct pack *pack);
/* The same for the objects of another list, which must outlive this one. */
void pack_objects_exclude_list(struct pack_objects *po, const struct pack_objects *other);
/* Is the object in one of those lists? */
bool pack_objects_is_elsewhere(const struct pack_objects *po, const struct object_id *oid);
bool pack_objects_has(const struct pack_objects *po, const struct object_id *oid);
/* Objects to be written: preferred bases do not count. */
uint32_t pack_objects_count(const struct pack_objects *po);

/*
 * Delta islands: the base of a delta is in every island that the object is in, so that whoever is given one
 * island gets the bases of all deltas with it. Also for deltas that are reused; not for ranges.
 */
struct pack_islands {
	const struct shared_sets *sets; /* of islands; lives as long as the pack_objects */
	const struct oid_flags *marks;	/* the set (shared_set) of each object; SHARED_SET_EMPTY: in none */
	bool has_core;
	uint32_t core;			/* its objects are written before all others */
};
/* After the last object was added, before prepare. marks may go afterwards. */
void pack_objects_set_islands(struct pack_objects *po, const struct pack_islands *islands);

/*
 * Look up, choose deltas to reuse, search others in threads. Once, after the last object was added.
 * ERR_NOT_FOUND, ERR_CORRUPT name the object.
 */
MUST_USE int pack_objects_prepare(struct pack_objects *po, struct err *err);

/* Where a pack goes. Functions: < 0 stops the writing and is returned. */
struct pack_sink {
	/* Called with pieces of 64 KiB and more, except the last. */
	int (*write)(void *data, const void *p, size_t len, struct err *err);
	/*
	 * NULL, or memory of the sink, for `len` bytes (at most PACK_ROOM_MAX), until the next call of `write`,
	 * which gives what has been put there, from its beginning, or something else.
	 */
	int (*room)(void *data, size_t len, void **p, struct err *err);
	void *data;
};
#define PACK_ROOM_MAX ((size_t)512 * 1024)
/*
 * Errors: ERR_IO, ERR_CORRUPT (no copy of an object is whole); what the sink returns. What the
 * sink got is then no pack.
 */
MUST_USE int pack_objects_write(struct pack_objects *po, const struct pack_sink *sink,
				struct err *err);

/* After the writing. */
struct pack_objects_stats {
	uint32_t total, deltas;		/* written; deltas without those of ranges */
	uint32_t reused, reused_deltas; /* of these, copied from packs */
	uint32_t in_ranges;		/* further ones, of ranges */
	uint32_t packs;			/* which came from so many packs */
	uint64_t bytes;
};
void pack_objects_get_stats(const struct pack_objects *po, struct pack_objects_stats *out);
/*
 * The line "Total …" that users know, replacing *line; and the same as trace2 data. Of a pack that goes out whole instead
 * (may be NULL), its objects count.
 */
void pack_objects_tell_stats(const struct pack_objects *po, struct pack *whole, struct strbuf *line);
const struct object_id *pack_objects_checksum(const struct pack_objects *po);

/*
 * A complete pack as it is, with its own checksum. The caller knows that its objects are what
 * is asked for, and that the reader knows OFS_DELTA. Header and checksum are compared with
 * the index; nothing is hashed.
 */
MUST_USE int pack_write_unchanged(struct pack *p, const struct pack_sink *sink, struct err *err);

#endif
