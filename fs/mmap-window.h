/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files mapped for reading: whole, or in windows from a pool that bounds how much
 * address space is in use at a time.
 *
 * The size is taken from fstat when the file is opened and nothing beyond it is
 * ever touched, so a file that is too short is an error and no SIGBUS. (A file that
 * is cut while we have it mapped is beyond help; packs are never cut.)
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
 * window_bytes 0: whole files where address space is plenty (64 bit), else 32 MiB.
 * limit_bytes 0: none on 64 bit, else 256 MiB. The limit counts what is mapped
 * in all files of the pool; it is exceeded only while more is pinned at once.
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

/* What is mapped now, for tests. */
size_t window_pool_mapped_bytes(struct window_pool *pool);

#endif
