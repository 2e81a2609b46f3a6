/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one table through which every system call goes that creates, writes,
 * flushes, renames or removes something on disk. Tests put another table in
 * its place to record the calls, to fail the n-th one, or to replay them.
 *
 * Raw open(2) for writing, rename(2), fsync(2), unlink(2) and friends appear
 * only in compat/ and fs/ (tools/check-calls enforces it); everybody else calls
 * `sys->NAME` or, better, the helpers of fs/ and write-or-die.h.
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
	/* Name a file that was opened with O_TMPFILE; ENOSYS where missing. */
	int (*link_fd)(int fd, const char *to);
	int (*symlink)(const char *target, const char *path);
	int (*unlink)(const char *path);
	int (*mkdir)(const char *path, mode_t mode);
	int (*rmdir)(const char *path);
	int (*utimens)(const char *path, const struct timespec times[2]);
	int (*fsetxattr)(int fd, const char *name, const void *value,
			 size_t len, int flags);
	int (*fremovexattr)(int fd, const char *name);
	int (*removexattr)(const char *path, const char *name); /* no symlinks */
	/* Flushes; each counts as one "hardware-flush". */
	int (*fsync)(int fd);
	int (*fdatasync)(int fd);
	int (*syncfs)(int fd);	   /* ENOSYS where missing */
	int (*full_fsync)(int fd); /* macOS F_FULLFSYNC; fsync elsewhere */
	/*
	 * Page-cache writeback without a flush of the disk's cache. Start: begin
	 * writing all dirty pages of fd, do not wait. Wait: return when all have
	 * been written; an error of any of them surfaces here. Both together are
	 * one "writeout-only". ENOSYS where the platform has nothing like it.
	 */
	int (*writeout_start)(int fd);
	int (*writeout_wait)(int fd);
};

/*
 * Repeat a call that a signal interrupted before it did anything. The result
 * is a long: wide enough for all of the above.
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
