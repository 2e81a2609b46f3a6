/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one flush covers on the file system of a descriptor (the table in
 * Documentation/Durability). FS_JOURNAL and FS_BTRFS are returned only for file systems that
 * are known to be so; in case of doubt, a kind with more flushes.
 */
#ifndef COMPAT_FSKIND_H
#define COMPAT_FSKIND_H

#include "compat/posix.h"

enum fs_kind {
	FS_JOURNAL,	/* ext4, XFS: one fsync of a directory covers everything */
	FS_BTRFS,	/* one syncfs covers everything */
	FS_LOCAL,	/* unknown but local, no order among names: syncfs between steps */
	FS_EACH,	/* network, FUSE, overlay, or no syncfs: one fsync per file and directory */
	FS_FULL,	/* macOS: F_FULLFSYNC before and after publishing */
};

/*
 * A few system calls; ask once per file system. The environment variable GIT_TEST_FS_KIND
 * (journal, btrfs, local, each, full) pretends that all are of that kind; "each" has no
 * fs_lock_view either.
 */
enum fs_kind fs_kind_of(int fd);

/*
 * Which processes see the locks that fcntl(2) takes on files of this file system. The result is a
 * letter for a group of processes that see each other's locks; '\0' if the group is not known, or if
 * several machines can share the file system. 'd': disk or memory, used by one kernel; 'o':
 * overlayfs: a process that opens its upper directory directly does not see its locks. Cost: one
 * system call.
 */
char fs_lock_view(const char *path);

#endif
