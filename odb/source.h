/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table that a source of the object database implements.
 *
 * A source holds objects in one way: as loose files (source-loose.c), in packs (source-packs.c), or as
 * a batch that is not published yet (source-batch.c). A store is a place: the repository's own object
 * directory, or an alternate. It has a source of each rank, or of one only. The database (odb.h) knows
 * replacements, asks a remote for missing objects, remembers corrupt copies, and asks the sources in
 * this order: the open batch; the indexed sources of all stores; the file sources of all stores.
 * After a miss it refreshes the indexed sources and asks again.
 *
 * Ownership:  the database owns its sources. A source's own struct begins with struct odb_source.
 * Threads:    all reading can be called from several threads; `free`, `objects_added`, and the functions of
 *             a batch other than reading are for one.
 * Errors:     reading returns ERR_NOT_FOUND without a message if the source lacks the object: the next
 *             source is asked. Any other error means that this copy is bad. Its message names the
 *             object and the file; it is shown if no other copy is whole.
 */
#ifndef ODB_SOURCE_H
#define ODB_SOURCE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/err.h"
#include "util/map.h"

struct bulk_checkin;
struct object_adopter;
struct object_stage_options;
struct odb_source;
struct packs;
struct packs_options;

enum odb_rank {
	ODB_RANK_INDEXED, /* answers from memory: asked first */
	ODB_RANK_FILES,	  /* an answer costs a system call */
	ODB_NR_RANKS
};

/* Results of end_batch: where the new objects went. */
#define ODB_NEW_OBJECTS 1u
#define ODB_NEW_PACK 2u

typedef int (*odb_sink_fn)(void *data, const void *p, size_t len, struct err *err);
typedef int (*odb_oid_fn)(void *data, const struct object_id *oid);
typedef int (*odb_info_fn)(void *data, const struct object_id *oid, const struct object_info *info);

/* A member may be NULL only if its comment says so. */
struct odb_source_ops {
	const char *name;
	enum odb_rank rank;
	void (*free)(struct odb_source *s);

	/* ---- one object ---- */
	/* max > 0: ERR_TOO_BIG for more bytes, before they are in memory. */
	int (*read)(struct odb_source *s, const struct object_id *oid, uint64_t max,
		    struct object_buf *out, struct err *err);
	/* `want` is OBJECT_INFO_TYPE, or OBJECT_INFO_LOCATION for all members of *out. */
	int (*info)(struct odb_source *s, const struct object_id *oid, unsigned want,
		    struct object_info *out, struct err *err);
	/* quick: a "no" may come from a list that is stale. */
	bool (*has)(struct odb_source *s, const struct object_id *oid, bool quick);
	/*
	 * Passes the content to `sink` in pieces, and checks the hash at the end. Sets *any when the sink has
	 * been called: no other copy can be used after an error then.
	 */
	int (*stream)(struct odb_source *s, const struct object_id *oid, odb_sink_fn sink, void *data,
		      bool *any, struct err *err);
	/*
	 * Gives the object the present time, so that pruning by age keeps it. Returns false if the source
	 * lacks the object, or cannot do it. adopter: the object is made durable with the operation
	 * (adopter.h); NULL: no. dry_run: changes nothing, and says if it would work.
	 */
	bool (*freshen)(struct odb_source *s, const struct object_id *oid, struct object_adopter *adopter,
			bool dry_run);

	/* ---- all objects ---- */
	/* An object may come twice. fn < 0 stops, and is returned. */
	int (*foreach)(struct odb_source *s, odb_oid_fn fn, void *data, struct err *err);
	/*
	 * Each object that is not in `seen`, with the wanted information, like packs_foreach_new. NULL:
	 * the caller uses `foreach`, without information.
	 */
	int (*foreach_new)(struct odb_source *s, unsigned want, struct oidset *seen, bool more,
			   odb_info_fn fn, void *data);
	size_t (*count)(struct odb_source *s); /* about how many; NULL: few */

	/* ---- abbreviations ---- */
	/* Appends each object whose hex name begins with these digits. */
	int (*prefix_lookup)(struct odb_source *s, const char *hex, size_t len, struct oid_array *out,
			     struct err *err);
	/* How many digits tell oid from every other object of the source; 0: there is no other. */
	size_t (*unique_prefix_len)(struct odb_source *s, const struct object_id *oid);

	/* ---- changes ---- */
	/* Looks for what other processes have added. Returns true if anything has changed. NULL: nothing is kept. */
	bool (*refresh)(struct odb_source *s);
	/* A batch of this store was published: ODB_NEW_…; may be NULL. */
	void (*objects_added)(struct odb_source *s, unsigned what);
	void (*drop_cache)(struct odb_source *s); /* odb_drop_cache; may be NULL */

	/* ---- writing ---- */
	/* Opens a batch of new objects. NULL: this source takes none. The caller ends it with `end_batch`. */
	int (*begin_batch)(struct odb_source *s, const struct object_stage_options *o,
			   struct odb_source **batch, struct err *err);

	/* The following are members of a batch alone. */
	int (*write)(struct odb_source *batch, enum object_type type, const void *data, size_t size,
		     struct object_id *oid, struct err *err);
	int (*stage_batch)(struct odb_source *batch, struct err *err);
	/* Frees the batch. publish: its objects have been published; else they are given up. Returns ODB_NEW_…. */
	unsigned (*end_batch)(struct odb_source *batch, bool publish);
	/* The batch as a bulk_checkin, which has worker threads and streams; NULL: it is none. */
	struct bulk_checkin *(*checkin)(struct odb_source *batch);

	/* ---- capabilities ---- */
	/* The source's packs on a local disk; NULL: it has none. */
	struct packs *(*packs)(struct odb_source *s);
};

struct odb_source {
	const struct odb_source_ops *ops;
	const struct hash_algo *algo;
};

/* ---- the sources ---- */

/* objdir must outlive the source. */
struct odb_source *odb_source_loose_new(const char *objdir, const struct hash_algo *algo);
struct odb_source *odb_source_packs_new(const struct packs_options *o);
struct odb_source *odb_source_batch_new(const struct object_stage_options *o);

/* ---- for implementations ---- */

bool oid_has_hex_prefix(const struct object_id *oid, const char *hex, size_t len);
/* How many hex digits tell one from the other; 0 if they are equal. */
size_t oid_digits_apart(const struct object_id *a, const struct object_id *b);

#endif
