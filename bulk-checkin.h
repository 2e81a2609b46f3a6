/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A batch of new objects: staged, then published together by the operation's
 * fsync_batch.
 *
 * Few objects become loose files in a temporary object directory; from
 * `unpack_limit` new ones on the batch writes one pack (bulkCheckin.unpackLimit).
 * Until then they wait in memory; many bytes become loose files early. Content
 * beyond big_file_threshold is streamed into a pack (bulk_checkin_stream). What has
 * been added can be read back at once (odb/ asks here first).
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

/* No number of objects makes a pack from now on: somebody has said otherwise how many may be loose. */
void bulk_checkin_keep_loose(struct bulk_checkin *b);

/* Add from memory, now; the oid is known on return. */
MUST_USE int bulk_checkin_add(struct bulk_checkin *b, enum object_type type,
			      const void *data, size_t size, struct object_id *oid,
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
	uint64_t size_hint; /* bytes to expect, so that memory is bounded; 0: few */
};
void bulk_checkin_submit(struct bulk_checkin *b, const struct bulk_checkin_job *job);
/*
 * Wait until every submitted job has been done. The batch's own failure (a full disk)
 * is returned here and given to every later job; a producer's is not.
 */
MUST_USE int bulk_checkin_drain(struct bulk_checkin *b, struct err *err);

/*
 * Stream size bytes from fd into the pack; for big files. If the file turns out
 * shorter or longer than size: ERR_IO naming `path`, nothing kept.
 */
MUST_USE int bulk_checkin_stream(struct bulk_checkin *b, enum object_type type, int fd,
				 uint64_t size, const char *path, struct object_id *oid,
				 struct err *err);
/* The same from anything that can be read. */
MUST_USE int bulk_checkin_stream_from(struct bulk_checkin *b, enum object_type type,
				      const struct object_stream *in, uint64_t size,
				      struct object_id *oid, struct err *err);

/* Reading back what is not published yet. Thread-safe. */
bool bulk_checkin_has(struct bulk_checkin *b, const struct object_id *oid);
MUST_USE int bulk_checkin_read(struct bulk_checkin *b, const struct object_id *oid,
			       struct object_buf *out, struct err *err);
MUST_USE int bulk_checkin_info(struct bulk_checkin *b, const struct object_id *oid,
			       struct object_info *out, struct err *err);
size_t bulk_checkin_count(const struct bulk_checkin *b); /* new objects so far */
bool bulk_checkin_has_pack(const struct bulk_checkin *b); /* some went into a pack */
/* Names of new objects, for prefix look-up and enumeration; submitting thread only. */
int bulk_checkin_foreach(struct bulk_checkin *b,
			 int (*fn)(void *data, const struct object_id *oid), void *data);

/*
 * Stage all that is left in the fsync_batch (pack, rev, idx or loose files). The batch
 * stays readable until it is freed, which is after fsync_batch_publish or
 * fsync_batch_commit. More may be added afterwards: it is counted anew, and
 * staged by the next finish.
 */
MUST_USE int bulk_checkin_finish(struct bulk_checkin *b, struct err *err);
/* Removes the staging directories. With objects that were never staged it is a BUG. */
void bulk_checkin_free(struct bulk_checkin *b);
/* The same, giving up what was not staged. */
void bulk_checkin_abort(struct bulk_checkin *b);

#endif
