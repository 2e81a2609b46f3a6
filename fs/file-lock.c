/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file-lock.h"
#include "compat/syscalls.h"
#include <fcntl.h>

#ifdef F_OFD_SETLK
static int lock_bytes(int fd, int cmd, struct flock *l, short type, off_t start, off_t len)
{
	*l = (struct flock){ .l_type = type, .l_whence = SEEK_SET,
			     .l_start = start, .l_len = len };
	return (int)RETRY_EINTR(fcntl(fd, cmd, l));
}

int file_lock_set(int fd, short type, off_t start, off_t len)
{
	struct flock l;

	return lock_bytes(fd, F_OFD_SETLK, &l, type, start, len);
}

int file_lock_query(int fd, short type, off_t start, off_t len)
{
	struct flock l;

	if (lock_bytes(fd, F_OFD_GETLK, &l, type, start, len))
		return -1;
	return l.l_type != F_UNLCK;
}
#else
int file_lock_set(int fd UNUSED, short type UNUSED, off_t start UNUSED, off_t len UNUSED)
{
	errno = ENOSYS;
	return -1;
}

int file_lock_query(int fd UNUSED, short type UNUSED, off_t start UNUSED, off_t len UNUSED)
{
	errno = ENOSYS;
	return -1;
}
#endif
