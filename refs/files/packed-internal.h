/* SPDX-License-Identifier: GPL-2.0-only */
/* packed-refs: one file with many refs, sorted by name. */
#ifndef REFS_FILES_PACKED_INTERNAL_H
#define REFS_FILES_PACKED_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "fsync/batch.h"
#include "refs/refs-backend.h"

struct packed_refs;
struct packed_entry {
	const char *name; /* not NUL-terminated */
	size_t name_len;
	struct object_id oid;
	struct object_id peeled; /* null: none */
	bool peel_known;	 /* peeled is all that there is to say */
};
struct packed_cursor {
	const struct packed_refs *p;
	size_t pos, end; /* bytes, or places in the order of an unsorted file */
};
/*
 * The present packed-refs, as one reader sees it; looked at again (stat) each
 * time. A missing file is an empty one. Give it back with packed_refs_put.
 */
MUST_USE int packed_refs_get(struct ref_store *rs, struct packed_refs **out, struct err *err);
void packed_refs_put(struct packed_refs *p);
size_t packed_refs_size(const struct packed_refs *p); /* bytes */
/* 1 found, 0 not there, < 0 corrupt. Cost: a binary search, or less near the last name. */
int packed_refs_lookup(struct packed_refs *p, const char *name,
		       struct packed_entry *out, struct err *err);
/* The first entry at or after `from`. */
MUST_USE int packed_cursor_start(struct packed_cursor *c, struct packed_refs *p,
				 const char *from, struct err *err);
/* 1 entry, 0 end, < 0 corrupt */
int packed_cursor_next(struct packed_cursor *c, struct packed_entry *out, struct err *err);
/* From memory, for tests; buf is copied. */
MUST_USE int packed_refs_parse(struct packed_refs **out, const char *buf, size_t len,
			       const char *path, const struct hash_algo *algo,
			       struct err *err);

/* refs_table_format */
extern const struct ref_table_format packed_table_format;

/* One change of packed-refs; sorted by name in an array. */
struct packed_change {
	const char *name;
	struct object_id oid; /* null: take it out */
	struct object_id peeled; /* null: none */
	bool peel_unknown;	 /* peeled could not be found out */
};
/*
 * Write the new packed-refs to fd: what the present one has, with the changes
 * merged in. The caller holds packed-refs.lock. Cost: one pass, no flush; tags are read where the present
 * file, without a header or with an old one, does not say what they lead to.
 */
MUST_USE int packed_refs_write(const struct ref_store *rs, struct packed_refs *p,
			       const struct packed_change *changes, size_t nr,
			       int fd, const char *what, struct err *err);
/*
 * Readers know by inode, size and time that the file is still the same. Stock git looks at whole seconds, also after it has
 * waited for packed-refs.lock, before it writes the file anew from what it read before. A file that is replaced several times
 * in a second may get an old inode again, and its size is often the same. So files that follow each
 * other quickly get different times of modification: each a second before the last one. True: *mtime is such a time.
 */
bool packed_refs_distinct_time(const struct packed_refs *p, time_t now, time_t *mtime);
/* How long we wait for a live process that holds packed-refs.lock. */
#define PACKED_PATIENCE_MS 60000
/*
 * packed-refs.lock, which keeps others from packing refs and from rewriting the file. An
 * orphan of packed-refs.new, which only a holder of the lock may have, is removed.
 * timeout_ms: how long to wait for any holder; 0: one try. patience_ms: for owners that are alive.
 */
MUST_USE int packed_refs_lock(struct ref_store *rs, struct lockfile *lk, long timeout_ms,
			      long patience_ms, struct err *err);
/* P5: removes the lock of a killed transaction, even if we do not need it now. */
void packed_refs_clear_dead_lock(struct ref_store *rs);
/*
 * Write the present packed-refs with the changes merged in to packed-refs.new, and stage
 * it in class `order`. The lock stays as it is. To be called by an entry of the batch
 * (PUBLISH_CALL), so that others wait for this file alone.
 */
MUST_USE int packed_refs_stage(struct ref_store *rs, const struct lockfile *lk,
			       struct packed_refs *present,
			       const struct packed_change *changes, size_t nr,
			       struct fsync_batch *b, enum publish_class order,
			       struct err *err);
/* The entry that calls it: `call(data)` takes the lock when all else has been settled. */
MUST_USE int packed_refs_stage_call(struct ref_store *rs, struct fsync_batch *b,
				    int (*call)(void *data, struct err *err), void *data,
				    struct err *err);

#endif
