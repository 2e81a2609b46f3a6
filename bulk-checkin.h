/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A batch of new objects: staged, then published together by the operation's
 * fsync_batch.
 *
 * Fewer than `unpack_limit` new objects become loose files in a temporary object
 * directory. From that number on, the batch writes one pack
 * (bulkCheckin.unpackLimit). Until then the objects wait in memory; if they have too
 * many bytes, they become loose files early. Content beyond big_file_threshold is
 * streamed into a pack (bulk_checkin_stream). An object can be read back as soon as it
 * was added (odb/ asks here first).
 *
 * Reading, hashing and deflating run in worker threads; the order of objects in
 * the pack, and of the callbacks, is the order of submission. Objects that the
 * database has already are not written again.
 *
 * Ownership:  the batch belongs to the odb (odb_begin_batch).
 * Durability: none of its own: everything is staged in the fsync_batch; D3.
 */
#ifndef BULK_CHECKIN_H
#define BULK_CHECKIN_H

#include "compat/posix.h"
#include "odb/stage/object-stage.h"
#include "object/object.h"

struct bulk_checkin;

struct bulk_checkin *bulk_checkin_new(const struct object_stage_options *opts);

/* From now on write loose objects, however many there are: the caller has applied a limit of its own. */
void bulk_checkin_keep_loose(struct bulk_checkin *b);

/*
 * For this batch alone: unpack_limit as in the comment above (0: never a pack of small objects), how many bytes a pack may
 * have (0: no limit), and the level of its compression (-1: zlib's default).
 */
void bulk_checkin_set_limits(struct bulk_checkin *b, unsigned unpack_limit, uint64_t pack_size_limit, int pack_level);

/* Add an object from memory; *oid is known on return. */
MUST_USE int bulk_checkin_add(struct bulk_checkin *b, enum object_type type,
			      const void *data, size_t size, struct object_id *oid,
			      struct err *err);

/*
 * The same for a caller that has an older version: where small objects go into a pack, and the open one has the base with
 * fewer than `depth` deltas below it, the object may become a delta. It is named at once, and counts as added; deltas are made,
 * and all is deflated, in worker threads. Returns 1, or 0 if the object was known before.
 *
 * make_delta: in any thread. Appends the deflated delta, and returns its size before; 0: it is not worth while.
 * stored: in the submitting thread, in order. tried: there could have been a delta; used: there is one.
 * All that is pointed to is copied. A failure (a full disk) is returned by a later call. As long as such objects are not done,
 * other threads must not look for objects.
 */
struct bulk_checkin_version {
	enum object_type type;
	const void *data;
	size_t len;
	const struct object_id *base; /* NULL: none */
	const void *base_data;
	size_t base_len;
	unsigned long depth;
	size_t (*make_delta)(void *ctx, const struct bulk_checkin_version *v, struct strbuf *deflated);
	void (*stored)(void *ctx, enum object_type type, bool tried, bool used);
	void *ctx;
};
MUST_USE int bulk_checkin_add_version(struct bulk_checkin *b, const struct bulk_checkin_version *v, struct object_id *oid,
				      struct err *err);

/*
 * Add from a producer that runs in a worker thread. `produce` fills *out (its
 * data passes to the batch), or fails with a message that names the path. `done`
 * is called later in the submitting thread, in submission order, within submit or
 * finish: with rc 0 and the oid, or the producer's failure.
 */
struct bulk_checkin_job {
	int (*produce)(void *data, struct object_buf *out, struct err *err);
	void (*done)(void *data, int rc, const struct object_id *oid, struct err *err);
	void *data;
	uint64_t size_hint; /* expected bytes, to limit the memory in use; 0: few */
};
void bulk_checkin_submit(struct bulk_checkin *b, const struct bulk_checkin_job *job);
/*
 * Wait until every submitted job is done. A failure of the batch itself (a full disk) is
 * returned here, and passed to every later job. A failure of a producer is not returned.
 */
MUST_USE int bulk_checkin_drain(struct bulk_checkin *b, struct err *err);

/*
 * Stream size bytes from fd into the pack; for big files. If the file turns out
 * shorter or longer than size: ERR_IO naming `path`, nothing kept.
 */
MUST_USE int bulk_checkin_stream(struct bulk_checkin *b, enum object_type type, int fd,
				 uint64_t size, const char *path, struct object_id *oid,
				 struct err *err);
/* The same from an object stream. */
MUST_USE int bulk_checkin_stream_from(struct bulk_checkin *b, enum object_type type,
				      const struct object_stream *in, uint64_t size,
				      struct object_id *oid, struct err *err);

/* Look up and read objects of the batch that are not published yet. Thread-safe. */
bool bulk_checkin_has(struct bulk_checkin *b, const struct object_id *oid);
MUST_USE int bulk_checkin_read(struct bulk_checkin *b, const struct object_id *oid,
			       struct object_buf *out, struct err *err);
MUST_USE int bulk_checkin_info(struct bulk_checkin *b, const struct object_id *oid,
			       struct object_info *out, struct err *err);
size_t bulk_checkin_count(struct bulk_checkin *b); /* new objects so far */
bool bulk_checkin_has_pack(struct bulk_checkin *b); /* some went into a pack */
/* Names of new objects, for prefix look-up and enumeration; submitting thread only. */
int bulk_checkin_foreach(struct bulk_checkin *b,
			 int (*fn)(void *data, const struct object_id *oid), void *data);

/*
 * Stage the remaining objects in the fsync_batch (pack, rev, idx or loose files). The batch
 * stays readable until it is freed, which is after fsync_batch_publish or
 * fsync_batch_commit. More objects may be added afterwards: they are counted from 0, and
 * the next finish stages them.
 */
MUST_USE int bulk_checkin_finish(struct bulk_checkin *b, struct err *err);
/* Free the batch and remove the staging directories. BUG if objects were never staged. */
void bulk_checkin_free(struct bulk_checkin *b);
/* The same, but drops objects that were not staged. */
void bulk_checkin_abort(struct bulk_checkin *b);

#endif
