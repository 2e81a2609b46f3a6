/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object database: it reads an object from any store (our own object directory, alternates) and from
 * the open batch, and it opens a batch of new objects. How a store keeps its objects is behind a table of
 * sources (source.h).
 *
 * Reading is thread-safe. If a copy of an object is corrupt and another one is whole, that one is used,
 * and a warning names the object and the file of the corrupt copy.
 */
#ifndef ODB_ODB_H
#define ODB_ODB_H

#include "compat/posix.h"
#include "bulk-checkin.h"
#include "object/object.h"
#include "util/err.h"
#include "util/strvec.h"

struct odb;
struct odb_source;

struct odb_options {
	const char *objdir;
	/* source of our own objects, in place of loose files and packs (source.h); NULL: these. Owned by the odb */
	struct odb_source *own;
	const struct hash_algo *algo;
	const char *alternates_env; /* GIT_ALTERNATE_OBJECT_DIRECTORIES or NULL */
	int shared_perm;
	int loose_level, pack_level;
	unsigned unpack_limit; /* so many new objects become a pack; 0: never */
	size_t pack_size_limit; /* bytes of a new pack; 0: no limit */
	uint64_t big_file_threshold;
	size_t delta_base_cache_limit, packed_git_window_size, packed_git_limit;
	bool use_multi_pack_index;
	int max_tree_depth; /* as in an object_source */
	/* called for each corrupt copy that was passed over; may be NULL */
	void (*warn)(void *data, const char *msg);
	void (*report_error)(void *data, const char *msg); /* alternates that are missing */
	void *warn_data; /* for both */
};

/* 100, but 8 where each file is flushed by itself. */
#define UNPACK_LIMIT_AUTO UINT_MAX

MUST_USE int odb_open(struct odb **out, const struct odb_options *opts, struct err *err);
void odb_free(struct odb *odb);
/*
 * Free the memory that holds objects for later reads. Call it after many reads, before a long wait.
 * Other threads may be reading.
 */
void odb_drop_cache(struct odb *odb);
const struct hash_algo *odb_algo(const struct odb *odb);
const char *odb_objdir(const struct odb *odb);
/*
 * From now on, reading asks `fn` for the object to read instead: replacements_find (repo/replace.c), or NULL.
 * odb_has and its like, enumeration and writing take the object itself.
 */
typedef int (*odb_replace_fn)(void *data, const struct object_id *oid, struct object_id *out,
			      struct err *err);
void odb_set_replace(struct odb *odb, odb_replace_fn fn, void *data);
/*
 * A remote may have objects that are missing here (a partial clone). `fn` makes them readable, as far as it can.
 * It is called without any lock, from any thread. If it returns 0, they are looked for again; an error is
 * the result of the read. on_read: each read of a missing object calls it; otherwise odb_prefetch alone does.
 * odb_has and its like, enumeration, and writing never call it.
 */
typedef int (*odb_fetch_fn)(void *data, const struct oid_array *missing, struct err *err);
void odb_set_fetch(struct odb *odb, odb_fetch_fn fn, void *data, bool on_read);
/* Change on_read: for a caller that reports missing objects. */
void odb_set_fetch_on_read(struct odb *odb, bool on_read);
bool odb_fetches_on_read(const struct odb *odb);
/* Is there an odb_fetch_fn? If not, a list for odb_prefetch is not needed. odb: NULL if there is no repository. */
bool odb_can_fetch(const struct odb *odb);
/*
 * The caller is going to read all of these: the missing ones are fetched together. They may still be missing
 * afterwards. Sorts oids and removes doubles.
 */
MUST_USE int odb_prefetch(struct odb *odb, struct oid_array *oids, struct err *err);
/*
 * This database as an object_source; it lives as long as the odb. The second one ignores replacements: for
 * refs, which depend on the objects that they name, and for deltas.
 */
const struct object_source *odb_source(struct odb *odb);
const struct object_source *odb_source_unreplaced(struct odb *odb);

/*
 * ERR_NOT_FOUND, ERR_CORRUPT. The hash has been checked for loose objects, but not for packed ones.
 */
MUST_USE int odb_read(struct odb *odb, const struct object_id *oid,
		      struct object_buf *out, struct err *err);
/* ERR_INVALID if it is of another type ("object X is a tree, not a blob"). */
MUST_USE int odb_read_type(struct odb *odb, const struct object_id *oid,
			   enum object_type want, struct object_buf *out, struct err *err);
/* The same, but ERR_TOO_BIG if it has more than max bytes, before they are in memory. max 0 counts as 1. */
MUST_USE int odb_read_limited(struct odb *odb, const struct object_id *oid, enum object_type want, uint64_t max,
			      struct object_buf *out, struct err *err);
/* Peels tags; commits peel to trees when want is OBJ_TREE. */
MUST_USE int odb_read_peeled(struct odb *odb, const struct object_id *oid,
			     enum object_type want, struct object_buf *out,
			     struct object_id *actual, struct err *err);
/* All members of object_info. In a pack this takes a reverse index (pack/pack.h). */
MUST_USE int odb_info(struct odb *odb, const struct object_id *oid,
		      struct object_info *out, struct err *err);
/* The same, without replacements. */
MUST_USE int odb_info_unreplaced(struct odb *odb, const struct object_id *oid,
				 struct object_info *out, struct err *err);
/* Type and size alone: much cheaper in a big pack. */
MUST_USE int odb_type(struct odb *odb, const struct object_id *oid, enum object_type *type,
		      uint64_t *size, struct err *err);
/* After a miss it looks for new packs, as long as packs change. */
bool odb_has(struct odb *odb, const struct object_id *oid);
bool odb_has_quick(struct odb *odb, const struct object_id *oid); /* does not look again */

/* Passes a big blob in pieces. It is hashed; a mismatch is an error after the last piece. */
MUST_USE int odb_stream(struct odb *odb, const struct object_id *oid,
			int (*sink)(void *data, const void *p, size_t len, struct err *err),
			void *data, struct err *err);
/* The same, without replacements. */
MUST_USE int odb_stream_unreplaced(struct odb *odb, const struct object_id *oid,
				   int (*sink)(void *data, const void *p, size_t len,
					       struct err *err),
				   void *data, struct err *err);

/* ---- abbreviations ---- */
/*
 * All objects whose hex name starts with `prefix` (4..hex_len digits, lower
 * case), each once, in oid order.
 */
MUST_USE int odb_prefix_lookup(struct odb *odb, const char *prefix, size_t len,
			       struct oid_array *out, struct err *err);
/* Shortest unambiguous prefix of at least min digits (-1: automatic, by the number
 * of objects). Appends to out. */
void odb_abbrev(struct odb *odb, const struct object_id *oid, int min, struct strbuf *out);

/* ---- enumeration ---- */
#define ODB_FOREACH_LOCAL 1u	  /* no alternates */
MUST_USE int odb_foreach(struct odb *odb, unsigned flags,
			 int (*fn)(void *data, const struct object_id *oid),
			 void *data, struct err *err); /* may repeat an oid */

/*
 * Every object once. Packed objects come in the order of offsets, with the information that is wanted
 * (OBJECT_INFO_…): this costs less than to ask for each. info is NULL if nothing is wanted, for loose
 * objects, and for copies that cannot be read.
 */
MUST_USE int odb_foreach_once(struct odb *odb, unsigned want,
			      int (*fn)(void *data, const struct object_id *oid,
					const struct object_info *info),
			      void *data, struct err *err);

/* ---- stores ---- */
/* Store 0 is our own; 1… are the alternates. */
size_t odb_nr_alternates(const struct odb *odb);
const char *odb_alternate(const struct odb *odb, size_t i); /* of store i + 1 */
const char *odb_store_objdir(const struct odb *odb, size_t store); /* NULL: there is no such store */
bool odb_store_has(struct odb *odb, size_t store, const struct object_id *oid);

enum odb_scope { ODB_OWN = 1, ODB_ALTERNATES = 2, ODB_ALL = 3 };
/* Look for packs that other processes have added or removed. Returns true if anything has changed. */
bool odb_refresh(struct odb *odb, enum odb_scope scope);

/*
 * Packs of stores (pack/pack.h; odb/upkeep.h for code that verifies or changes them). A store may keep its objects
 * in another way, and have no packs on a local disk: then it has no pack here, no object of it is packed, and it has
 * no bitmaps.
 */
struct bitmap_index;
struct pack;
/* A non-zero return of fn stops and is returned. */
int odb_foreach_pack(struct odb *odb, enum odb_scope scope, int (*fn)(void *data, struct pack *pack),
		     void *data);
/*
 * Pack by pack, in the order of offsets. An object in several packs comes with each. Damaged packs are skipped.
 * A non-zero return of fn stops and is returned.
 */
MUST_USE int odb_foreach_packed(struct odb *odb, enum odb_scope scope,
				int (*fn)(void *data, const struct object_id *oid), void *data, struct err *err);
bool odb_is_packed(struct odb *odb, const struct object_id *oid); /* in any store */
bool odb_is_packed_in(struct odb *odb, enum odb_scope scope, const struct object_id *oid);
/* Does a store have the object in cruft packs, and in no other pack? */
bool odb_is_cruft(struct odb *odb, const struct object_id *oid);
/* packs_foreach_garbage, of each store. */
void odb_foreach_garbage(struct odb *odb, enum odb_scope scope,
			 void (*fn)(void *data, const char *why, const char *path), void *data);
/* The bitmaps of the first store that has some. ERR_NOT_FOUND. Close them before the database. */
MUST_USE int odb_open_bitmap(struct odb *odb, struct bitmap_index **out, struct err *err);

/* ---- writing ---- */
/*
 * Open a batch of new objects on the operation's fsync_batch; one at a time.
 * Until odb_end_batch, odb_write and odb_read go through it.
 */
MUST_USE int odb_begin_batch(struct odb *odb, struct fsync_batch *b, struct err *err);
/* NULL if no batch is open, or if our own objects are not written through a bulk_checkin. */
struct bulk_checkin *odb_batch(struct odb *odb);
/*
 * Stage the remaining objects. They are visible to other processes after fsync_batch_publish or
 * fsync_batch_commit.
 */
MUST_USE int odb_stage_batch(struct odb *odb, struct err *err);
/*
 * odb_end_batch frees the batch after the fsync_batch was published; objects that were never staged are a BUG.
 * odb_abort_batch gives them up. Both do nothing if no batch is open.
 */
void odb_end_batch(struct odb *odb);
void odb_abort_batch(struct odb *odb);

/*
 * Another Git may have written loose objects a moment ago, without a flush (adopter.h). Between begin and end,
 * within one operation, the odb adopts the objects that the operation depends on: objects that odb_write and the batch
 * find there already, objects passed to odb_depend_on, and all that new objects lead to, down to objects that
 * are packed, old or ours. odb_adopt does it, before anything is published. ERR_CORRUPT names a damaged one.
 */
void odb_begin_adoption(struct odb *odb, struct fsync_batch *b);
void odb_end_adoption(struct odb *odb);
void odb_depend_on(struct odb *odb, const struct object_id *oid);
MUST_USE int odb_adopt(struct odb *odb, struct err *err);
/* Is the object there, and whole if it has to be adopted? If not, the caller writes it anew. */
bool odb_can_rest_on(struct odb *odb, const struct object_id *oid);
/*
 * The same for an object that the caller would write now. It gets the present time, in whichever store it is, so
 * that pruning by age keeps it. False if no copy can be touched (Durability, "Objects that are written again").
 */
bool odb_freshen(struct odb *odb, const struct object_id *oid);
/*
 * For a process that cannot change files: odb_freshen changes nothing from now on, but adds the object to `used`,
 * for a process that can.
 */
void odb_note_used(struct odb *odb, struct oid_array *used);

/* Needs an open batch. An object that is there already is freshened, not written. */
MUST_USE int odb_write(struct odb *odb, enum object_type type, const void *data,
		       size_t size, struct object_id *oid, struct err *err);

#endif
