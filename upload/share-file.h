/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack that several clients get: one process, the filler, writes it into a file, others follow while it
 * grows, and read it when it is done.
 *
 * The file begins with a page that says what it is and how it stands; behind it the bytes of the pack follow, as many as
 * the file has. Whoever fills it holds a lock on byte 0 for as long as he lives, each follower one on byte 1.
 * Followers sleep in the kernel until a word of the page changes; it is read and written as the rest of the
 * file is, so that a broken or full disk is an error and no signal.
 *
 * The file is good for this boot of the machine only: it is never flushed.
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
	SHARE_FAILED, /* no pack can be made; there is a message */
	SHARE_FULL,   /* there is no room for all of it */
	SHARE_BUSY,   /* uploadpack.maxConcurrent; there is a message */
	SHARE_DEAD,   /* its filler has died */
};

struct share_file {
	int fd; /* owned */
	void *page; /* of the word that followers wait for; NULL: they look now and then */
};
#define SHARE_FILE_INIT { .fd = -1 }
void share_file_release(struct share_file *f);
int share_file_detach(struct share_file *f); /* the descriptor is the caller's again */

/* ---- for the filler ---- */

/* An empty file becomes one of this kind, filled by whoever holds `fd` or inherits it. */
MUST_USE int share_file_begin(int fd, const struct object_id *kind,
			      struct err *err);
/* In the filler itself; takes over the descriptor. */
void share_file_fill(struct share_file *f, int fd);
/* Write bytes of the pack. ERR_IO: the disk is full or broken. */
MUST_USE int share_file_write(struct share_file *f, uint64_t at, const void *p, size_t len,
			      struct err *err);
/* Wake those who follow. */
void share_file_grew(struct share_file *f);
void share_file_end(struct share_file *f, enum share_state state, const char *message);
bool share_file_is_followed(const struct share_file *f);

/* ---- for followers ---- */

/* From now on we count as a follower. ERR_NOT_FOUND: it is not of this kind or of this boot. */
MUST_USE int share_file_follow(int fd, const struct object_id *kind, struct err *err);
/* Takes over the descriptor. */
void share_file_open(struct share_file *f, int fd);
struct share_status {
	enum share_state state;
	uint64_t bytes; /* of the pack that are there */
	uint32_t word;	/* changes with the others */
};
MUST_USE int share_file_status(const struct share_file *f, struct share_status *out,
			       struct err *err);
/* Until it is no longer as `seen` says, or for so long. */
void share_file_wait(const struct share_file *f, const struct share_status *seen,
		     int64_t timeout_ms);
/* Exactly `len` bytes of the pack that are there. */
MUST_USE int share_file_read(const struct share_file *f, uint64_t at, void *p, size_t len,
			     struct err *err);
/* What its filler has said at the end. */
void share_file_message(const struct share_file *f, struct strbuf *out);

/* ---- times, in nanoseconds since 1970 (share_now_ns) ---- */

/*
 * They are in the file, since a confined process can write it, but change no times of files. 0: not known. `made`: when
 * it began, or ended.
 */
#define NS_PER_SECOND 1000000000
int64_t share_now_ns(void);
void share_file_times(int fd, int64_t *made_ns, int64_t *used_ns);
void share_file_note_use(int fd, int64_t when_ns);
void share_file_note_made(int fd, int64_t when_ns);

/* ---- for those who clear up ---- */

bool share_file_is_filled(int fd); /* a filler lives */
bool share_file_is_read(int fd);   /* there are followers */
/* Is it done, and of this boot? */
bool share_file_is_good(int fd);

#endif
