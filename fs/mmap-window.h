/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps files for reading: a whole file, or windows from a pool. The pool limits how much address
 * space is in use at a time.
 *
 * The size comes from fstat when the file is opened. No byte beyond it is touched, so a file that is
 * too short causes an error, not SIGBUS. A file that is truncated while it is mapped still causes
 * SIGBUS; packs are never truncated.
 */
#ifndef FS_MMAP_WINDOW_H
#define FS_MMAP_WINDOW_H

#include "compat/posix.h"
#include "util/err.h"

/* ---- a whole file ---- */
struct mapped_file {
	const unsigned char *p; /* NULL if not mapped (or empty) */
	size_t len;
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
};
#define MAPPED_FILE_INIT { NULL, 0, 0, 0, { 0, 0 } }
/* ERR_NOT_FOUND, ERR_IO. */
MUST_USE int mapped_file_open(struct mapped_file *out, const char *path, struct err *err);
void mapped_file_release(struct mapped_file *m); /* idempotent */

/* ---- windows ---- */
struct window_pool; /* thread-safe */
struct window_file; /* belongs to a pool */

/*
 * window_bytes 0: map whole files on 64-bit systems, else 32 MiB.
 * limit_bytes 0: no limit on 64-bit systems, else 256 MiB; SIZE_MAX / 2 or more: no limit. The limit counts the mapped bytes
 * of all files of the pool. It is exceeded only while more bytes are pinned at once.
 */
struct window_pool *window_pool_new(size_t window_bytes, size_t limit_bytes);
void window_pool_free(struct window_pool *pool); /* after its files */

/* No descriptor stays open. ERR_NOT_FOUND, ERR_IO. The path is copied. */
MUST_USE int window_file_open(struct window_file **out, struct window_pool *pool,
			      const char *path, struct err *err);
void window_file_free(struct window_file *f); /* nothing may be pinned; NULL is fine */
uint64_t window_file_size(const struct window_file *f);

struct window_pin {
	const unsigned char *p;
	size_t len; /* bytes from p on, at least min(want, to the end of the file) */
	struct window *window;
};
/*
 * The bytes of f from `offset` on, mapped until window_unpin. `offset` must lie
 * inside the file (ERR_CORRUPT otherwise). Errors: ERR_CORRUPT if the file
 * has changed its size or was replaced meanwhile, ERR_IO.
 */
MUST_USE int window_pin(struct window_pin *out, struct window_file *f, uint64_t offset,
			size_t want, struct err *err);
void window_unpin(struct window_file *f, struct window_pin *pin); /* idempotent */

/* Bytes that are mapped now, for tests. */
size_t window_pool_mapped_bytes(struct window_pool *pool);

#endif
