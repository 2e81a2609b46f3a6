/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of the system calls that create, write, flush, rename or remove something on disk.
 * All such calls go through it, so that tests can replace the table to record calls, to make
 * the n-th one fail, or to replay them.
 *
 * Direct calls of rename(2), fsync(2), unlink(2) and so on are allowed only in compat/ and fs/
 * (checked by tools/check-calls). Other code uses the helpers of fs/ and write-or-die.h, or
 * `sys->NAME`.
 *
 * Every member has the signature, return value and errno of the call of that
 * name. The table is set once, before threads start; it is otherwise const.
 */
#ifndef COMPAT_SYSCALLS_H
#define COMPAT_SYSCALLS_H

#include "compat/posix.h"

struct syscall_table {
	int (*open)(const char *path, int flags, mode_t mode);
	int (*close)(int fd);
	ssize_t (*read)(int fd, void *buf, size_t len);
	ssize_t (*pread)(int fd, void *buf, size_t len, off_t off);
	ssize_t (*write)(int fd, const void *buf, size_t len);
	ssize_t (*pwrite)(int fd, const void *buf, size_t len, off_t off);
	ssize_t (*writev)(int fd, const struct iovec *iov, int iovcnt);
	int (*ftruncate)(int fd, off_t len);
	int (*fchmod)(int fd, mode_t mode);
	int (*chmod)(const char *path, mode_t mode);
	int (*rename)(const char *from, const char *to);
	int (*link)(const char *from, const char *to);
	/* Give a name to a file that was opened with O_TMPFILE; ENOSYS where missing. */
	int (*link_fd)(int fd, const char *to);
	int (*symlink)(const char *target, const char *path);
	int (*unlink)(const char *path);
	int (*unlinkat)(int dir, const char *name, int flags);
	int (*mkdir)(const char *path, mode_t mode);
	int (*rmdir)(const char *path);
	int (*utimens)(const char *path, const struct timespec times[2]);
	int (*fsetxattr)(int fd, const char *name, const void *value,
			 size_t len, int flags);
	int (*removexattr)(const char *path, const char *name); /* does not follow symlinks */
	/* Flushes; each is counted as one "hardware-flush". */
	int (*fsync)(int fd);
	int (*fdatasync)(int fd);
	int (*syncfs)(int fd);	   /* ENOSYS where missing */
	int (*full_fsync)(int fd); /* macOS F_FULLFSYNC; fsync elsewhere */
	/*
	 * Writeback of the page cache without a flush of the disk's cache. Start: begin to
	 * write all dirty pages of fd, without waiting. Wait: return when all are written, or
	 * the error of any of them. Both together are one "writeout-only". ENOSYS where
	 * missing.
	 */
	int (*writeout_start)(int fd);
	int (*writeout_wait)(int fd);
};

/*
 * Repeat a call while it fails with EINTR. The result is a long, which is wide enough for all
 * calls above.
 */
#define RETRY_EINTR(call)                                       \
	__extension__({                                         \
		long retry_r_;                                  \
		do                                              \
			retry_r_ = (long)(call);                \
		while (retry_r_ < 0 && errno == EINTR);         \
		retry_r_;                                       \
	})

/* The table in use. */
extern const struct syscall_table *sys;

/* The platform's own calls. */
extern const struct syscall_table syscalls_native;

#endif
