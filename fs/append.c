/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/append.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "write-or-die.h"

/* Open, and say in *keep where the old content ends; -1 if there was no file. */
static int open_for_append(const char *path, unsigned flags, off_t *keep, struct err *err)
{
	const int mode = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
	struct stat st;
	int fd;

	for (int try = 0; try < 3; try++) {
		fd = (int)RETRY_EINTR(sys->open(path, mode, 0));
		if (fd >= 0) {
			if (!fstat(fd, &st)) {
				*keep = st.st_size;
				return fd;
			}
			err_set_errno(err, "unable to stat '%s'", path);
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

static void append_done(void *data, bool published)
{
	struct tempfile *t = data;

	if (published)
		tempfile_forget(&t);
	else
		tempfile_delete(&t);
}

int append_and_stage(const char *path, unsigned flags, int shared_perm,
		     const void *buf, size_t len, struct fsync_batch *b,
		     enum fsync_component component, enum publish_class order,
		     struct err *err)
{
	struct fsync_staging s = {
		.component = component,
		.order = order,
		.how = PUBLISH_IN_PLACE,
		.final_path = path,
		.done = append_done,
	};
	struct tempfile *t;
	off_t keep;
	int fd, rc;

	fd = open_for_append(path, flags, &keep, err);
	if (fd < 0)
		return fd;
	rc = tempfile_adopt_append(&t, path, fd, keep, err);
	if (rc < 0) {
		sys->close(fd);
		if (keep < 0)
			sys->unlink(path);
		return rc;
	}
	if (keep < 0)
		rc = apply_shared_perm(path, shared_perm, err);
	if (!rc)
		rc = write_in_full(t->fd, buf, len, path, err);
	if (rc < 0) {
		tempfile_delete(&t);
		return rc;
	}
	s.fd = tempfile_release_fd(t);
	s.data = t;
	return fsync_batch_stage(b, &s, err);
}
