/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One loose object: its file name, reading (inflate, check of header and
 * hash), writing (deflate). gitrepository-layout(5).
 */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "object/object.h"
#include "util/strbuf.h"

/* "OBJDIR/ab/cdef…" */
void loose_object_path(struct strbuf *out, const char *objdir, const struct object_id *oid);
bool loose_object_exists(const char *objdir, const struct object_id *oid); /* not an empty file */
/*
 * The mark of what we have made durable: the nanoseconds of a file's modification time, computed
 * from its name and inode, so that a copy does not bear it. It is set before the file is published;
 * for one whose operation was killed before its seal, the owner file says so (fs/owner.h).
 */
bool loose_object_is_marked(const struct stat *st, const struct object_id *oid);
/*
 * Give it the present time, so that a prune by age leaves it alone. durable: and a mark, which
 * otherwise stays as it is. False: it is not there, empty, or cannot be changed.
 */
bool loose_object_touch(const char *objdir, const struct object_id *oid, bool durable);
/* Would it be true? Nothing is changed. */
bool loose_object_can_be_touched(const char *objdir, const struct object_id *oid);
/*
 * ERR_NOT_FOUND; ERR_CORRUPT names the object and the file. The hash is checked.
 * max_size 0: none, else ERR_TOO_BIG.
 */
MUST_USE int loose_object_read(const char *objdir, const struct object_id *oid,
			       const struct hash_algo *algo, uint64_t max_size,
			       struct object_buf *out, struct err *err);
/* The same for a file that is named otherwise: fsck, staged objects. */
MUST_USE int loose_object_read_file(const char *path, const struct object_id *oid,
				    const struct hash_algo *algo, uint64_t max_size,
				    struct object_buf *out, struct err *err);
/*
 * In pieces, in bounded memory; hash and end are checked when all has gone to the
 * sink, so an error can come after the last piece. *any: the sink was called.
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
/* The file in stage_dir, until it is published. */
void loose_object_stage_path(struct strbuf *out, const char *stage_dir,
			     const struct object_id *oid);
/*
 * Every loose object, in oid order. fn < 0 stops. Files that are none are shown to
 * cruft (may be NULL), those that vanish meanwhile are not.
 */
MUST_USE int loose_object_foreach(const char *objdir, const struct hash_algo *algo,
				  int (*fn)(void *data, const struct object_id *oid,
					    const char *path),
				  int (*cruft)(void *data, const char *path),
				  void *data, struct err *err);
/* Those in one fan-out directory, appended to out; none if it is missing. */
MUST_USE int loose_object_list(const char *objdir, const struct hash_algo *algo,
			       unsigned fanout, struct oid_array *out, struct err *err);

#endif
