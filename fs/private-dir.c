/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/private-dir.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "util/path.h"
#include <fcntl.h>

#ifndef O_NOATIME
#define O_NOATIME 0
#endif

static bool is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 077);
}

int private_dir_open(int *out, const char *path, struct err *err)
{
	struct stat st;
	int fd, rc = 0;

	if (!is_absolute_path(path))
		return err_set(err, ERR_INVALID, "'%s' is no absolute path", path);
	fd = (int)RETRY_EINTR(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (fd < 0 && (os_is_nofollow_error(errno) || errno == ENOTDIR))
		return err_set(err, ERR_INVALID, "'%s' is not a directory", path);
	if (fd < 0 || fstat(fd, &st))
		rc = err_set_errno(err, "cannot open '%s'", path);
	else if (!is_private(&st))
		rc = err_set(err, ERR_INVALID,
			     "'%s' is not private: its owner must be user %lu, its mode 0700",
			     path, (unsigned long)geteuid());
	if (rc < 0 && fd >= 0)
		close(fd);
	if (!rc)
		*out = fd;
	return rc;
}

bool private_file_is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && is_private(st);
}

static int open_ours(int dir, const char *name, int flags)
{
	int fd = (int)RETRY_EINTR(openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
					 0600));
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && private_file_is_ours(&st)))
		return fd;
	sys->close(fd);
	errno = EPERM;
	return -1;
}

int private_file_open(int dir, const char *name)
{
	return open_ours(dir, name, O_RDWR);
}

int private_file_open_or_make(int dir, const char *name)
{
	return open_ours(dir, name, O_RDWR | O_CREAT);
}

int private_file_create(int dir, const char *name)
{
	return open_ours(dir, name, O_RDWR | O_CREAT | O_EXCL);
}

int private_file_link(int dir, const char *from, const char *to)
{
	return linkat(dir, from, dir, to, 0);
}

int private_file_rename(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to);
}

int private_file_stat(int dir, const char *name, struct stat *st)
{
	return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}
