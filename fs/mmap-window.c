/* SPDX-License-Identifier: GPL-2.0-only */
/* See mmap-window.h. */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include "compat/syscalls.h"
#include "fs/mmap-window.h"
#include "util/alloc.h"

#define WIDE_ADDRESSES (sizeof(void *) >= 8)
#define NARROW_WINDOW ((size_t)32 * 1024 * 1024)
#define NARROW_LIMIT ((size_t)256 * 1024 * 1024)
/* More than there are addresses: windows that stay need no lock. */
#define NO_LIMIT (SIZE_MAX >> 1)
/* Halves of a window begin at a multiple of any page size. */
#define MIN_WINDOW ((size_t)128 * 1024)

/* ---- whole files ---- */

static int open_and_stat(const char *path, int *fd, struct stat *st, struct err *err)
{
	*fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0));
	if (*fd < 0 && errno == ENOENT)
		return err_set(err, ERR_NOT_FOUND, "'%s' does not exist", path);
	if (*fd < 0)
		return err_set_errno(err, "cannot open '%s'", path);
	if (fstat(*fd, st) < 0) {
		int rc = err_set_errno(err, "cannot stat '%s'", path);

		sys->close(*fd);
		return rc;
	}
	if (!S_ISREG(st->st_mode)) {
		sys->close(*fd);
		return err_set(err, ERR_IO, "'%s' is not a regular file", path);
	}
	return 0;
}

int mapped_file_open(struct mapped_file *out, const char *path, struct err *err)
{
	struct mapped_file m = MAPPED_FILE_INIT;
	struct stat st;
	int fd, rc = open_and_stat(path, &fd, &st, err);

	if (rc < 0)
		return rc;
	m.dev = st.st_dev;
	m.ino = st.st_ino;
	m.mtime.tv_sec = st.st_mtime;
	m.mtime.tv_nsec = (long)ST_MTIME_NSEC(st);
	if ((uint64_t)st.st_size > SIZE_MAX / 2) {
		rc = err_set(err, ERR_TOO_BIG, "'%s' is too big to be mapped", path);
	} else if (st.st_size) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (p == MAP_FAILED) {
			rc = err_set_errno(err, "cannot map '%s'", path);
		} else {
			m.p = p;
			m.len = (size_t)st.st_size;
		}
	}
	sys->close(fd);
	if (!rc)
		*out = m;
	return rc;
}

void mapped_file_release(struct mapped_file *m)
{
	if (m->p)
		munmap((void *)m->p, m->len);
	m->p = NULL;
	m->len = 0;
}

/* ---- windows ---- */

struct window {
	struct window_file *file;
	struct window *newer, *older; /* in the pool, by last use */
	struct window *next;	      /* in the file */
	unsigned char *p;
	uint64_t offset;
	size_t len;
	unsigned pins;
};

struct window_pool {
	pthread_mutex_t lock;
	struct window *newest, *oldest;
	size_t window_bytes; /* 0: whole files */
	size_t limit_bytes;  /* 0: none */
	size_t mapped_bytes;
};

struct window_file {
	struct window_pool *pool;
	char *path;
	uint64_t size;
	dev_t dev;
	ino_t ino;
	struct window *windows;
	/* The whole file, when it is mapped for good: needs no lock. */
	_Atomic(const unsigned char *) whole;
};

struct window_pool *window_pool_new(size_t window_bytes, size_t limit_bytes)
{
	struct window_pool *pool;

	CALLOC_ARRAY(pool, 1);
	pthread_mutex_init(&pool->lock, NULL);
	if (!window_bytes && !WIDE_ADDRESSES)
		window_bytes = NARROW_WINDOW;
	if (!limit_bytes && !WIDE_ADDRESSES)
		limit_bytes = NARROW_LIMIT;
	if (limit_bytes >= NO_LIMIT)
		limit_bytes = 0;
	if (window_bytes && window_bytes < MIN_WINDOW)
		window_bytes = MIN_WINDOW;
	/* If there is a limit, several windows must fit into it. */
	if (limit_bytes && (!window_bytes || window_bytes > limit_bytes / 2))
		window_bytes = limit_bytes / 2 < MIN_WINDOW ? MIN_WINDOW : limit_bytes / 2;
	pool->window_bytes = window_bytes & ~(MIN_WINDOW - 1);
	pool->limit_bytes = limit_bytes;
	return pool;
}

void window_pool_free(struct window_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

size_t window_pool_mapped_bytes(struct window_pool *pool)
{
	size_t n;

	pthread_mutex_lock(&pool->lock);
	n = pool->mapped_bytes;
	pthread_mutex_unlock(&pool->lock);
	return n;
}

int window_file_open(struct window_file **out, struct window_pool *pool,
		     const char *path, struct err *err)
{
	struct window_file *f;
	struct stat st;
	int fd, rc = open_and_stat(path, &fd, &st, err);

	if (rc < 0)
		return rc;
	sys->close(fd);
	CALLOC_ARRAY(f, 1);
	f->pool = pool;
	f->path = xstrdup(path);
	f->size = (uint64_t)st.st_size;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	*out = f;
	return 0;
}

uint64_t window_file_size(const struct window_file *f)
{
	return f->size;
}

/* ---- the list by last use; all below with the pool locked ---- */

static void list_remove(struct window_pool *pool, struct window *w)
{
	if (w->newer)
		w->newer->older = w->older;
	else
		pool->newest = w->older;
	if (w->older)
		w->older->newer = w->newer;
	else
		pool->oldest = w->newer;
}

static void list_add(struct window_pool *pool, struct window *w)
{
	w->newer = NULL;
	w->older = pool->newest;
	if (pool->newest)
		pool->newest->newer = w;
	else
		pool->oldest = w;
	pool->newest = w;
}

static void drop(struct window *w)
{
	struct window_pool *pool = w->file->pool;
	struct window **at = &w->file->windows;

	list_remove(pool, w);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (atomic_load(&w->file->whole) == w->p)
		atomic_store(&w->file->whole, NULL);
	pool->mapped_bytes -= w->len;
	munmap(w->p, w->len);
	free(w);
}

/* Unmap unpinned windows, oldest first, until `room` more bytes fit. */
static void make_room(struct window_pool *pool, size_t room)
{
	struct window *w = pool->oldest;

	while (w && (pool->mapped_bytes > pool->limit_bytes ||
		     room > pool->limit_bytes - pool->mapped_bytes)) {
		struct window *newer = w->newer;

		if (!w->pins)
			drop(w);
		w = newer;
	}
}

/* The file may have been replaced since it was opened. */
static int reopen(const struct window_file *f, int *fd, struct err *err)
{
	struct stat st;
	int rc = open_and_stat(f->path, fd, &st, err);

	if (rc < 0)
		return rc;
	if ((uint64_t)st.st_size == f->size && st.st_ino == f->ino && st.st_dev == f->dev)
		return 0;
	sys->close(*fd);
	return err_set(err, ERR_NOT_FOUND, "'%s' has been replaced since it was opened", f->path);
}

static int map_window(struct window_file *f, uint64_t offset, size_t len,
		      struct window **out, struct err *err)
{
	struct window_pool *pool = f->pool;
	struct window *w;
	void *p;
	int fd, rc = reopen(f, &fd, err);

	if (rc < 0)
		return rc;
	if (pool->limit_bytes)
		make_room(pool, len);
	p = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
	if (p == MAP_FAILED)
		rc = err_set_errno(err, "cannot map '%s'", f->path);
	sys->close(fd);
	if (rc < 0)
		return rc;
	CALLOC_ARRAY(w, 1);
	w->file = f;
	w->p = p;
	w->offset = offset;
	w->len = len;
	w->next = f->windows;
	f->windows = w;
	list_add(pool, w);
	pool->mapped_bytes += len;
	*out = w;
	return 0;
}

/* Does w hold `need` bytes from offset on? */
static bool covers(const struct window *w, uint64_t offset, uint64_t need)
{
	return offset >= w->offset && offset - w->offset < w->len &&
	       w->len - (offset - w->offset) >= need;
}

static int find_or_map(struct window_file *f, uint64_t offset, uint64_t need,
		       struct window **out, struct err *err)
{
	size_t step = f->pool->window_bytes / 2;
	uint64_t start, len;
	struct window *w;

	for (w = f->windows; w; w = w->next)
		if (covers(w, offset, need)) {
			list_remove(f->pool, w);
			list_add(f->pool, w);
			*out = w;
			return 0;
		}
	if (!f->pool->window_bytes || f->size <= f->pool->window_bytes) {
		if (f->size > SIZE_MAX / 2)
			return err_set(err, ERR_TOO_BIG, "'%s' is too big to be mapped", f->path);
		return map_window(f, 0, (size_t)f->size, out, err);
	}
	/* Windows begin at multiples of half a window, a multiple of the page. */
	start = offset - offset % step;
	len = f->pool->window_bytes;
	if (offset + need > start + len)
		len = offset + need - start;
	if (len > f->size - start)
		len = f->size - start;
	if (len > SIZE_MAX / 2)
		return err_set(err, ERR_TOO_BIG, "'%s' is too big to be mapped", f->path);
	return map_window(f, start, (size_t)len, out, err);
}

int window_pin(struct window_pin *out, struct window_file *f, uint64_t offset,
	       size_t want, struct err *err)
{
	struct window_pool *pool = f->pool;
	const unsigned char *whole;
	struct window *w;
	uint64_t need;
	int rc;

	if (offset >= f->size)
		return err_set(err, ERR_CORRUPT, "offset %" PRIu64 " is beyond the end of '%s'",
			       offset, f->path);
	whole = atomic_load_explicit(&f->whole, memory_order_acquire);
	if (whole) {
		*out = (struct window_pin){ whole + offset, (size_t)(f->size - offset), NULL };
		return 0;
	}
	need = want < f->size - offset ? want : f->size - offset;
	pthread_mutex_lock(&pool->lock);
	rc = find_or_map(f, offset, need, &w, err);
	if (!rc) {
		size_t skip = (size_t)(offset - w->offset);
		bool for_good = !pool->limit_bytes && w->len == f->size;

		if (for_good)
			atomic_store_explicit(&f->whole, w->p, memory_order_release);
		else
			w->pins++;
		*out = (struct window_pin){ w->p + skip, w->len - skip, for_good ? NULL : w };
	}
	pthread_mutex_unlock(&pool->lock);
	return rc;
}

void window_unpin(struct window_file *f, struct window_pin *pin)
{
	if (pin->window) {
		pthread_mutex_lock(&f->pool->lock);
		pin->window->pins--;
		pthread_mutex_unlock(&f->pool->lock);
	}
	*pin = (struct window_pin){ NULL, 0, NULL };
}

void window_file_free(struct window_file *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->pool->lock);
	while (f->windows)
		drop(f->windows);
	pthread_mutex_unlock(&f->pool->lock);
	free(f->path);
	free(f);
}
