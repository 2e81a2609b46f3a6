/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/append.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/strbuf.h"
#include "write-or-die.h"

/* Open the file. *keep: where its old content ends; -1: there was no file. */
static int open_for_append(const char *path, unsigned flags, off_t *keep, struct err *err)
{
	const int mode = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	struct stat st;
	int fd;

	for (int try = 0; try < 3; try++) {
		fd = (int)RETRY_EINTR(sys->open(path, mode, 0));
		if (fd >= 0) {
			if (fstat(fd, &st) < 0) {
				err_set_errno(err, "unable to stat '%s'", path);
			} else if (S_ISREG(st.st_mode)) {
				*keep = st.st_size;
				return fd;
			} else {
				err_set(err, ERR_IO, "'%s' is not a regular file", path);
			}
			sys->close(fd);
			return ERR_IO;
		}
		if (errno != ENOENT)
			return err_set_errno(err, "unable to append to '%s'", path);
		if (!(flags & APPEND_CREATE))
			return ERR_NOT_FOUND;
		fd = (int)RETRY_EINTR(sys->open(path, mode | O_CREAT | O_EXCL, 0666));
		if (fd >= 0) {
			*keep = -1;
			return fd;
		}
		if (errno != EEXIST)
			return err_set_errno(err, "unable to create '%s'", path);
	}
	return err_set_errno(err, "unable to append to '%s'", path);
}

struct append {
	struct tempfile *t; /* cuts the file back */
	struct strbuf text;
};

static void append_free(struct append *a)
{
	strbuf_release(&a->text);
	free(a);
}

static void append_done(void *data, bool published)
{
	struct append *a = data;

	if (published)
		tempfile_forget(&a->t);
	else
		tempfile_delete(&a->t);
	append_free(a);
}

/* Where the last whole line ends; the file has `size` bytes. -1: errno. */
static off_t end_of_lines(int fd, off_t size)
{
	char buf[4096];

	while (size > 0) {
		size_t want = size < (off_t)sizeof(buf) ? (size_t)size : sizeof(buf);
		ssize_t got = pread_in_full(fd, buf, want, size - (off_t)want);

		if (got <= 0)
			return got < 0 ? -1 : 0;
		for (; got > 0; got--, size--)
			if (buf[got - 1] == '\n')
				return size;
	}
	return 0;
}

/* 1: yes, < 0: errno */
static int has_nul(int fd, off_t from, off_t to)
{
	char buf[4096];

	while (from < to) {
		size_t want = to - from < (off_t)sizeof(buf) ? (size_t)(to - from) : sizeof(buf);
		ssize_t got = pread_in_full(fd, buf, want, from);

		if (got <= 0)
			return (int)got;
		if (memchr(buf, '\0', (size_t)got))
			return 1;
		from += got;
	}
	return 0;
}

/*
 * A power cut can leave a part of an append: a line without its end, or, if the line crosses pages,
 * a line without its beginning, with NULs instead. *end: size of the file without that part.
 */
#define TORN_MAX (64 * 1024)

static int find_torn_tail(int fd, off_t size, off_t *end)
{
	for (*end = size; *end > 0 && size - *end < TORN_MAX;) {
		off_t begin = end_of_lines(fd, *end - 1);
		char last;
		int nul;

		if (begin < 0 || pread_in_full(fd, &last, 1, *end - 1) < 0 ||
		    (nul = has_nul(fd, begin, *end)) < 0)
			return -1;
		if (last == '\n' && !nul)
			break;
		*end = begin;
	}
	return 0;
}

static int cut_torn_tail(int fd, const char *path, struct err *err)
{
	struct stat st;
	off_t end;

	if (fstat(fd, &st) < 0 || find_torn_tail(fd, st.st_size, &end) < 0)
		return err_set_errno(err, "unable to read '%s'", path);
	if (end < st.st_size && RETRY_EINTR(sys->ftruncate(fd, end)) < 0)
		return err_set_errno(err, "unable to cut off the torn tail of '%s'", path);
	return 0;
}

/* A line that went in by half is cut off by append_done. */
static int append_write(void *data, int *fd_out, struct err *err)
{
	struct append *a = data;
	int fd = (int)RETRY_EINTR(sys->open(a->t->path, O_RDWR | O_APPEND | O_CLOEXEC |
					    O_NOFOLLOW | O_NONBLOCK, 0));

	if (fd < 0)
		return err_set_errno(err, "unable to append to '%s'", a->t->path);
	if (cut_torn_tail(fd, a->t->path, err) < 0) {
		sys->close(fd);
		return ERR_IO;
	}
	if (write_in_full(fd, a->text.buf, a->text.len, a->t->path, err) < 0) {
		sys->close(fd);
		return ERR_IO;
	}
	*fd_out = fd;
	return 0;
}

/* Open the file as it is now and watch it, so that it can be cut back; it is not kept open. */
static int prepare(struct tempfile **t, const char *path, unsigned flags, int shared_perm,
		   bool *made, struct err *err)
{
	off_t keep;
	int fd = open_for_append(path, flags, &keep, err);
	int rc;

	if (fd < 0)
		return fd;
	rc = tempfile_adopt_append(t, path, fd, keep, err);
	if (rc < 0) {
		sys->close(fd);
		if (keep < 0)
			sys->unlink(path);
		return rc;
	}
	if (keep < 0)
		rc = apply_shared_perm(path, shared_perm, err);
	if (rc < 0)
		tempfile_delete(t);
	else
		sys->close(tempfile_release_fd(*t));
	*made = keep < 0;
	return rc;
}

/* The name of a file that we made must last, too. */
static void note_dir_of(struct fsync_batch *b, enum fsync_component component,
			const char *path)
{
	struct strbuf dir = STRBUF_INIT;

	path_dirname(&dir, path);
	fsync_batch_note_dir(b, component, dir.buf);
	strbuf_release(&dir);
}

int append_and_stage(const char *path, unsigned flags, int shared_perm,
		     const void *buf, size_t len, struct fsync_batch *b,
		     enum fsync_component component, enum publish_class order,
		     struct err *err)
{
	struct fsync_staging s = {
		.component = component,
		.order = order,
		.how = PUBLISH_WRITE,
		.fd = -1,
		.final_path = path,
		.done = append_done,
		.write = append_write,
	};
	struct append *a = xcalloc(1, sizeof(*a));
	bool made;
	int rc;

	strbuf_init(&a->text, 0);
	strbuf_add(&a->text, buf, len);
	rc = prepare(&a->t, path, flags, shared_perm, &made, err);
	if (rc < 0) {
		append_free(a);
		return rc;
	}
	if (made)
		note_dir_of(b, component, path);
	s.data = a;
	return fsync_batch_stage(b, &s, err);
}
