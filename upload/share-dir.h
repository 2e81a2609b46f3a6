/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of shared packs (uploadpack.shareDirectory). It records which kinds of request came lately,
 * and has one file for each kind that came more than once. Callers pass the id of a kind and get a
 * descriptor, so a process that reads no input of a client (the broker) can do the work.
 *
 *   seen          when each kind came last: a table of fixed size; new rows replace old ones
 *   pack-KIND     a shared pack (upload/share-file.h); st_mtime: completed, st_atime: last used
 *   gone-...      too old for new requests, but some client still reads it; its size counts until then
 *   tmp-...       created, not filled yet
 *
 * No failure here makes a fetch fail: the request is then served without a shared file.
 */
#ifndef UPLOAD_SHARE_DIR_H
#define UPLOAD_SHARE_DIR_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"

struct share_dir {
	int fd;	  /* -1: not open */
	int seen; /* the table */
	unsigned age_s;
	uint64_t limit_bytes;
};
#define SHARE_DIR_INIT { .fd = -1, .seen = -1 }

/* ERR_INVALID: another user could read or write the directory (fs/private-dir.h). */
MUST_USE int share_dir_open(struct share_dir *d, const char *path, unsigned age_s,
			    uint64_t limit_bytes, struct err *err);
/* Opens the directory again after a fork; otherwise both processes would share their locks. */
MUST_USE int share_dir_reopen(struct share_dir *d, struct err *err);
void share_dir_release(struct share_dir *d);

enum share_kind {
	SHARE_NEW,   /* the first request of its kind for `age_s` seconds */
	SHARE_AGAIN, /* another request of its kind came before */
	SHARE_UNFIT, /* this kind cannot be shared */
};
/* Record a request of this kind. Cost: reads and writes a few bytes. */
enum share_kind share_dir_note(struct share_dir *d, const struct object_id *kind);
/* Record that this kind cannot be shared for the next `age_s` seconds. */
void share_dir_note_unfit(struct share_dir *d, const struct object_id *kind);

/* Returns a descriptor of the file of this kind, to be followed; -1 if there is none. */
int share_dir_find(struct share_dir *d, const struct object_id *kind);
/* Create a file of this kind, to be filled. ERR_EXISTS: another process has created it first. */
MUST_USE int share_dir_create(struct share_dir *d, const struct object_id *kind, int *out,
			      struct err *err);
/* Take the name of this file away: no later request gets it. */
void share_dir_drop(struct share_dir *d, const struct object_id *kind, int fd);
/* Close a file that share_dir_find returned, after reading it. */
void share_dir_leave(struct share_dir *d, const struct object_id *kind, int fd);
/*
 * Remove files that are too old, and then the least recently used ones until `want` more bytes fit.
 * Returns the bytes that are free under the limit. Cost: a stat of each file.
 */
uint64_t share_dir_room(struct share_dir *d, uint64_t want);

#endif
