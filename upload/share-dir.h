/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of shared packs (uploadpack.shareDirectory): which kinds of request have come lately, and the
 * files of those that came again. Names of kinds go in, descriptors come out: this can be done in another
 * process than the one that reads what a client says.
 *
 *   seen          when which kinds came: a table of fixed size, in which new ones replace old ones
 *   pack-KIND     upload/share-file.h; st_mtime is when it was done, st_atime when it was used last
 *   gone-...      too old to be given to anybody, but still read: it counts until that ends
 *   tmp-...       not begun yet
 *
 * Nothing here may make a fetch fail: on any trouble there is just no file.
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

/* ERR_INVALID: somebody else could write there, or read (fs/private-dir.h). */
MUST_USE int share_dir_open(struct share_dir *d, const char *path, unsigned age_s,
			    uint64_t limit_bytes, struct err *err);
/* After a fork: locks would be shared with the other process otherwise. */
MUST_USE int share_dir_reopen(struct share_dir *d, struct err *err);
void share_dir_release(struct share_dir *d);

enum share_kind {
	SHARE_NEW,   /* the first of its kind for `age_s` seconds */
	SHARE_AGAIN, /* not the first */
	SHARE_UNFIT, /* it has been found that this kind cannot be shared */
};
/* A request of this kind has come. Cost: a few bytes are read and written. */
enum share_kind share_dir_note(struct share_dir *d, const struct object_id *kind);
/* ... and cannot be shared for the next `age_s` seconds. */
void share_dir_note_unfit(struct share_dir *d, const struct object_id *kind);

/* A file of this kind, to be followed; -1: there is none. */
int share_dir_find(struct share_dir *d, const struct object_id *kind);
/* A new one, to be filled. ERR_EXISTS: somebody else was faster. */
MUST_USE int share_dir_create(struct share_dir *d, const struct object_id *kind, int *out,
			      struct err *err);
/* This file, found or made, is given to nobody any more. */
void share_dir_drop(struct share_dir *d, const struct object_id *kind, int fd);
/* Close a file that was found and has been read. */
void share_dir_leave(struct share_dir *d, const struct object_id *kind, int fd);
/*
 * Remove what is too old, and what was used least lately if there would not be room for `want` bytes more; how much
 * room is there? Cost: each file is looked at.
 */
uint64_t share_dir_room(struct share_dir *d, uint64_t want);

#endif
