/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the kernel on bytes of a file, which need not exist: held by an open file description, so that they
 * end when its last descriptor is closed, in whatever way the process ends (fcntl(2), "open file
 * description locks"). A child of a fork holds its parent's locks as well.
 *
 * Where the system or the file system has none, all fail (-1 with errno).
 */
#ifndef FS_FILE_LOCK_H
#define FS_FILE_LOCK_H

#include "compat/posix.h"

/* type: F_RDLCK, F_WRLCK or F_UNLCK. Never waits: EAGAIN or EACCES if another holds it. */
int file_lock_set(int fd, short type, off_t start, off_t len);
/*
 * Does another one hold a lock that is in the way of this type? 1, 0. F_WRLCK may be asked for through a
 * descriptor that cannot be written, too, and of directories.
 */
int file_lock_query(int fd, short type, off_t start, off_t len);

#endif
