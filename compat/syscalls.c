/* SPDX-License-Identifier: GPL-2.0-only */
/* The platform's own calls, with fallbacks for what it lacks. */
#include "compat/posix.h"
#include <stdatomic.h>
#include "compat/syscalls.h"
#include "compat/writev.h"
#if defined(__linux__) || defined(__APPLE__)
#include <sys/xattr.h>
#endif

static int native_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags, mode);
}

static int native_utimens(const char *path, const struct timespec times[2])
{
	return utimensat(AT_FDCWD, path, times, 0);
}

/*
 * Linux before 6.10 lets only privileged processes name a file by its descriptor alone, and says
 * ENOENT to others. All can follow the link in /proc, at a higher cost.
 */
#if defined(__linux__)
static int native_link_fd(int fd, const char *to)
{
	char from[40];

	if (!linkat(fd, "", AT_FDCWD, to, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT && errno != EINVAL && errno != EPERM)
		return -1;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
}
#else
static int native_link_fd(int fd UNUSED, const char *to UNUSED)
{
	errno = ENOSYS;
	return -1;
}
#endif

/* ---- extended attributes ---- */

#if defined(__linux__)
static int native_fsetxattr(int fd, const char *name, const void *value,
			    size_t len, int flags)
{
	return fsetxattr(fd, name, value, len, flags);
}

static int native_removexattr(const char *path, const char *name)
{
	return lremovexattr(path, name);
}
#elif defined(__APPLE__)
static int native_fsetxattr(int fd, const char *name, const void *value,
			    size_t len, int flags)
{
	return fsetxattr(fd, name, value, len, 0, flags);
}

static int native_removexattr(const char *path, const char *name)
{
	return removexattr(path, name, XATTR_NOFOLLOW);
}
#else
static int native_fsetxattr(int fd UNUSED, const char *name UNUSED,
			    const void *value UNUSED, size_t len UNUSED,
			    int flags UNUSED)
{
	errno = ENOTSUP;
	return -1;
}

static int native_removexattr(const char *path UNUSED, const char *name UNUSED)
{
	errno = ENOTSUP;
	return -1;
}
#endif

/* ---- modes ---- */

#if defined(__linux__)
/* Profiles of containers and services that forbid fchmod often forget chmod. */
static int native_fchmod(int fd, mode_t mode)
{
	char path[40];

	if (!fchmod(fd, mode))
		return 0;
	if (errno != EPERM)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return chmod(path, mode);
}
#else
#define native_fchmod fchmod
#endif

/* ---- flushes ---- */

#ifdef __APPLE__
/* fsync(2) there hands the data to the drive, but does not flush the drive. */
static int native_full_fsync(int fd)
{
	if (!fcntl(fd, F_FULLFSYNC))
		return 0;
	/* Not all file systems support the request; then fsync is the best there is. */
	if (errno == ENOTSUP || errno == EINVAL || errno == ENOTTY)
		return fsync(fd);
	return -1;
}
#define native_fdatasync fsync
#else
#define native_full_fsync native_fsync
#endif

#ifdef __linux__
/*
 * The kernel answers EPERM for none of these calls. It comes from a profile of a container or a service that forbids them
 * (systemd's SystemCallFilter=~@sync): like a kernel that does not have them.
 */
static int denied_is_missing(int result)
{
	if (result < 0 && errno == EPERM)
		errno = ENOSYS;
	return result;
}

static int native_syncfs(int fd)
{
	return denied_is_missing(syncfs(fd));
}

/* All flushes are forbidden. The environment we run in has decided that; warn the user once. */
static int go_on_unflushed(void)
{
	static const char text[] = "warning: this system permits no flush (fsync: Operation not permitted); "
				   "a power cut can lose changes\n";
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	return 0;
}

/* The result of fsync or fdatasync; if that is forbidden, of a flush of the whole file system. */
static int flushed(int fd, int result)
{
	if (!result || errno != EPERM)
		return result;
	if (!native_syncfs(fd))
		return 0;
	return errno == ENOSYS ? go_on_unflushed() : -1;
}

static int native_fsync(int fd)
{
	return flushed(fd, fsync(fd));
}

static int native_fdatasync(int fd)
{
	return flushed(fd, fdatasync(fd));
}
#else
#define native_fsync fsync
#ifndef __APPLE__
#define native_fdatasync fdatasync
#endif

static int native_syncfs(int fd UNUSED)
{
	errno = ENOSYS;
	return -1;
}
#endif

/* ---- writeback without a flush ---- */

#if defined(__linux__)
static int native_writeout_start(int fd)
{
	return denied_is_missing(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
}

/*
 * The kernel may skip pages that were under writeback during the start call, so the wait
 * writes all dirty pages once more. Clean pages cost nothing.
 */
static int native_writeout_wait(int fd)
{
	return denied_is_missing(sync_file_range(fd, 0, 0,
						 SYNC_FILE_RANGE_WAIT_BEFORE |
						 SYNC_FILE_RANGE_WRITE |
						 SYNC_FILE_RANGE_WAIT_AFTER));
}
#elif defined(__APPLE__)
static int native_writeout_start(int fd UNUSED)
{
	return 0;
}

static int native_writeout_wait(int fd)
{
	return fsync(fd); /* see native_full_fsync */
}
#else
static int native_writeout_start(int fd UNUSED)
{
	errno = ENOSYS;
	return -1;
}

static int native_writeout_wait(int fd UNUSED)
{
	errno = ENOSYS;
	return -1;
}
#endif

/*
 * The plain ones. Addresses of the library's own functions in the table would be looked up by name at the start of every program;
 * these are so when they are first called.
 */
static int native_close(int fd)
{
	return close(fd);
}

static ssize_t native_read(int fd, void *buf, size_t len)
{
	return read(fd, buf, len);
}

static ssize_t native_pread(int fd, void *buf, size_t len, off_t off)
{
	return pread(fd, buf, len, off);
}

static ssize_t native_write(int fd, const void *buf, size_t len)
{
	return write(fd, buf, len);
}

static ssize_t native_pwrite(int fd, const void *buf, size_t len, off_t off)
{
	return pwrite(fd, buf, len, off);
}

static ssize_t native_writev(int fd, const struct iovec *iov, int iovcnt)
{
#ifdef NO_WRITEV
	return compat_writev(fd, iov, iovcnt);
#else
	return writev(fd, iov, iovcnt);
#endif
}

static int native_ftruncate(int fd, off_t len)
{
	return ftruncate(fd, len);
}

static int native_chmod(const char *path, mode_t mode)
{
	return chmod(path, mode);
}

static int native_rename(const char *from, const char *to)
{
	return rename(from, to);
}

static int native_link(const char *from, const char *to)
{
	return link(from, to);
}

static int native_symlink(const char *target, const char *path)
{
	return symlink(target, path);
}

static int native_unlink(const char *path)
{
	return unlink(path);
}

static int native_unlinkat(int dir, const char *name, int flags)
{
	return unlinkat(dir, name, flags);
}

static int native_mkdir(const char *path, mode_t mode)
{
	return mkdir(path, mode);
}

static int native_rmdir(const char *path)
{
	return rmdir(path);
}

const struct syscall_table syscalls_native = {
	.open = native_open,
	.close = native_close,
	.read = native_read,
	.pread = native_pread,
	.write = native_write,
	.pwrite = native_pwrite,
	.writev = native_writev,
	.ftruncate = native_ftruncate,
	.fchmod = native_fchmod,
	.chmod = native_chmod,
	.rename = native_rename,
	.link = native_link,
	.link_fd = native_link_fd,
	.symlink = native_symlink,
	.unlink = native_unlink,
	.unlinkat = native_unlinkat,
	.mkdir = native_mkdir,
	.rmdir = native_rmdir,
	.utimens = native_utimens,
	.fsetxattr = native_fsetxattr,
	.removexattr = native_removexattr,
	.fsync = native_fsync,
	.fdatasync = native_fdatasync,
	.syncfs = native_syncfs,
	.full_fsync = native_full_fsync,
	.writeout_start = native_writeout_start,
	.writeout_wait = native_writeout_wait,
};

const struct syscall_table *sys = &syscalls_native;
