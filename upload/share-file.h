/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack that several clients get. One process, the filler, writes it into a file. Other processes, the
 * followers, read the file while it grows and after it is complete.
 *
 * The first page of the file holds its kind and state; the bytes of the pack follow, up to the end of the
 * file. The filler holds a lock on byte 0 as long as it lives, each follower one on byte 1. Followers sleep
 * in the kernel until a word of the page changes. The page is read and written by pread and pwrite,
 * so that a broken or full disk is an error, not a signal.
 *
 * The file is valid only until the machine reboots, since it is never flushed.
 */
#ifndef UPLOAD_SHARE_FILE_H
#define UPLOAD_SHARE_FILE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"

enum share_state {
	SHARE_GROWING,
	SHARE_DONE,
	SHARE_FAILED, /* the pack could not be built; the file holds a message */
	SHARE_FULL,   /* the disk or the limit has no room for all of it */
	SHARE_BUSY,   /* uploadpack.maxConcurrent is reached; the file holds a message */
	SHARE_DEAD,   /* its filler has died */
};

struct share_file {
	int fd; /* owned */
	void *page; /* mapping of the word that followers wait for; NULL: they poll */
};
#define SHARE_FILE_INIT { .fd = -1 }
void share_file_release(struct share_file *f);
int share_file_detach(struct share_file *f); /* returns the descriptor, now owned by the caller */

/* ---- for the filler ---- */

/* Makes an empty file one of this kind. The process that holds or inherits `fd` is its filler. */
MUST_USE int share_file_begin(int fd, const struct object_id *kind,
			      struct err *err);
/* For the filler. Takes ownership of the descriptor. */
void share_file_fill(struct share_file *f, int fd);
/* Write bytes of the pack. ERR_IO: the disk is full or broken. */
MUST_USE int share_file_write(struct share_file *f, uint64_t at, const void *p, size_t len,
			      struct err *err);
/* Wake the followers. */
void share_file_grew(struct share_file *f);
void share_file_end(struct share_file *f, enum share_state state, const char *message);
bool share_file_is_followed(const struct share_file *f);

/* ---- for followers ---- */

/*
 * Lock the file as a follower. ERR_NOT_FOUND: it has another kind or was made before the last boot.
 */
MUST_USE int share_file_follow(int fd, const struct object_id *kind, struct err *err);
/* Takes ownership of the descriptor. */
void share_file_open(struct share_file *f, int fd);
struct share_status {
	enum share_state state;
	uint64_t bytes; /* of the pack that are in the file */
	uint32_t word;	/* changes with the others */
};
MUST_USE int share_file_status(const struct share_file *f, struct share_status *out,
			       struct err *err);
/* Wait until the status differs from `seen`, at most timeout_ms. */
void share_file_wait(const struct share_file *f, const struct share_status *seen,
		     int64_t timeout_ms);
/* Read exactly `len` bytes of the pack; the caller knows from the status that they are there. */
MUST_USE int share_file_read(const struct share_file *f, uint64_t at, void *p, size_t len,
			     struct err *err);
/* The message that the filler left with share_file_end. */
void share_file_message(const struct share_file *f, struct strbuf *out);

/* ---- times, in nanoseconds since 1970 (share_now_ns) ---- */

/*
 * The file stores its own times, since a confined process can write to it but cannot set
 * timestamps. 0: unknown. `made`: when filling began or, once complete, ended.
 */
#define NS_PER_SECOND 1000000000
int64_t share_now_ns(void);
void share_file_times(int fd, int64_t *made_ns, int64_t *used_ns);
void share_file_note_use(int fd, int64_t when_ns);
void share_file_note_made(int fd, int64_t when_ns);

/* ---- for the clean-up of the directory ---- */

bool share_file_is_filled(int fd); /* a filler lives */
bool share_file_is_read(int fd);   /* there are followers */
/* Is it complete, and made since the last boot? */
bool share_file_is_good(int fd);

#endif
