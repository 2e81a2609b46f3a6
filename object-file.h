/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loose objects, gitrepository-layout(5): file names, reading (inflate, check of
 * header and hash), writing (deflate).
 */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "object/object.h"
#include "util/strbuf.h"

/* "OBJDIR/ab/cdef…" */
void loose_object_path(struct strbuf *out, const char *objdir, const struct object_id *oid);
bool loose_object_exists(const char *objdir, const struct object_id *oid); /* not an empty file */
/*
 * Does the file bear the mark of a durable object? The mark is in the nanoseconds of the modification
 * time. It is computed from name and inode, so that a copy does not bear it. It is set before the
 * file is published. If the operation is killed before its seal, the owner file says so (fs/owner.h).
 */
bool loose_object_is_marked(const struct stat *st, const struct object_id *oid);
/*
 * Set the times of the file to the present time, so that a prune by age leaves it alone. durable: set
 * the mark, too; otherwise the mark stays as it is. False: the file is missing or empty, or this
 * process may not change it.
 */
bool loose_object_touch(const char *objdir, const struct object_id *oid, bool durable);
/* Would loose_object_touch return true? Changes nothing. */
bool loose_object_can_be_touched(const char *objdir, const struct object_id *oid);
/*
 * Read the object and check its hash. ERR_NOT_FOUND; ERR_CORRUPT names the object and the
 * file; ERR_TOO_BIG: more than max_size bytes (0: no limit).
 */
MUST_USE int loose_object_read(const char *objdir, const struct object_id *oid,
			       const struct hash_algo *algo, uint64_t max_size,
			       struct object_buf *out, struct err *err);
/* The same for a file with another name: fsck, staged objects. */
MUST_USE int loose_object_read_file(const char *path, const struct object_id *oid,
				    const struct hash_algo *algo, uint64_t max_size,
				    struct object_buf *out, struct err *err);
/*
 * Pass the content to the sink in pieces, in bounded memory. Hash and end are checked after the
 * last piece, so an error can follow it. *any: the sink was called.
 */
MUST_USE int loose_object_stream(const char *objdir, const struct object_id *oid,
				 const struct hash_algo *algo,
				 int (*sink)(void *data, const void *p, size_t len,
					     struct err *err),
				 void *data, bool *any, struct err *err);
/* Type, size and disk_size from the first bytes of the file. */
MUST_USE int loose_object_info(const char *objdir, const struct object_id *oid,
			       struct object_info *out, struct err *err);
/* Deflate header and content into out, ready to be written. Thread-safe. level
 * as zlib: -1 default, 0..9. */
void loose_object_deflate(struct strbuf *out, enum object_type type, const void *data,
			  size_t size, int level);
/*
 * Write deflated bytes to stage_dir (a tmp objdir) and stage them in the batch for
 * their place in objdir, read-only for all. Thread-safe.
 */
MUST_USE int loose_object_stage(const char *stage_dir, const char *objdir,
				const struct object_id *oid, int shared_perm,
				const void *deflated, size_t len,
				struct fsync_batch *b, struct err *err);
/* Append the path of the object in stage_dir, which is valid until it is published. */
void loose_object_stage_path(struct strbuf *out, const char *stage_dir,
			     const struct object_id *oid);
/*
 * Call fn for every loose object, in oid order; a result < 0 of fn stops. `cruft` (may be NULL) is
 * called for every other file, except for one that vanishes meanwhile.
 */
MUST_USE int loose_object_foreach(const char *objdir, const struct hash_algo *algo,
				  int (*fn)(void *data, const struct object_id *oid,
					    const char *path),
				  int (*cruft)(void *data, const char *path),
				  void *data, struct err *err);
/* Append the objects of one fan-out directory to out; none if it is missing. */
MUST_USE int loose_object_list(const char *objdir, const struct hash_algo *algo,
			       unsigned fanout, struct oid_array *out, struct err *err);

#endif
