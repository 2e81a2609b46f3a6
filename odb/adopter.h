/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loose objects that are there already, but perhaps not on the disk: another Git has written
 * them a moment ago and has not flushed them. An operation of ours that comes to rest on one
 * adopts it: reads it, checks its hash, and hands it to the fsync_batch, which makes its content and
 * its name durable together with the new objects.
 *
 * An object is young if its file changed after the kernel last wrote all data that was due
 * (os_dirty_seconds).
 * Our own objects bear a mark in the time of the file (object-file.h), and need nothing.
 *
 * Ownership:  an adopter belongs to one operation; the batch is not owned.
 * Durability: none of its own: D1 and D4 hold for adopted objects as for new ones.
 * Cost:       for each object that is asked about one stat, and one for all objects of the
 *             same first byte; no more if none of them is young; a young one is read once.
 * Threads:    all of it can be called from several threads.
 */
#ifndef ODB_ADOPTER_H
#define ODB_ADOPTER_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "object/object.h"

struct object_adopter;

struct object_adopter *object_adopter_new(const char *objdir, const struct hash_algo *algo,
					  struct fsync_batch *b);
void object_adopter_free(struct object_adopter *a);

/* Could any object be young? Cost: up to 256 stat, once. */
bool object_adopter_sees_young(struct object_adopter *a);
/*
 * If it is young, adopt it, once, and return 1; otherwise 0: it is old, or made durable by us, or
 * no loose object. ERR_CORRUPT, ERR_IO: it is damaged, or cannot be read; the message names object
 * and file.
 */
MUST_USE int object_adopt(struct object_adopter *a, const struct object_id *oid,
			  struct err *err);
/* What the adopted objects lead to, and has not come yet: out is empty, and gets all of them.
 * False: nothing is left. */
bool object_adopter_take(struct object_adopter *a, struct oid_array *out);
/* Something else that is to come out of object_adopter_take, once. */
void object_adopter_push(struct object_adopter *a, const struct object_id *oid);
/* ... and what an object with this content leads to. What cannot be parsed leads nowhere. */
void object_adopter_push_links(struct object_adopter *a, const struct object_buf *o);
size_t object_adopter_pending(struct object_adopter *a);
/* Is the new object `oid` met for the first time? Then its links are to be pushed. */
bool object_adopter_meets(struct object_adopter *a, const struct object_id *oid);

#endif
