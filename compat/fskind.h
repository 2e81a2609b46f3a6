/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one flush covers on the file system of a descriptor (the table of
 * Documentation/Durability). Only what is known to deserve it is called
 * FS_JOURNAL or FS_BTRFS; any doubt ends one line further down.
 */
#ifndef COMPAT_FSKIND_H
#define COMPAT_FSKIND_H

#include "compat/posix.h"

enum fs_kind {
	FS_JOURNAL,	/* ext4, XFS: one fsync of a directory seals all */
	FS_BTRFS,	/* one syncfs seals all */
	FS_LOCAL,	/* unknown but local: syncfs before and after */
	FS_EACH,	/* network, FUSE, or no syncfs: fsync each file, directory */
	FS_FULL,	/* macOS: F_FULLFSYNC before and after */
};

/*
 * A few system calls; ask once per file system. The environment variable GIT_TEST_FS_KIND
 * (journal, btrfs, local, each, full) pretends that all are of that kind; "each" has no
 * fs_lock_view either.
 */
enum fs_kind fs_kind_of(int fd);

/*
 * Which locks that fcntl(2) takes on files there are seen by all who see the files? A letter for
 * a way to look at them, the same for all who share locks; '\0' where that is not known, as on
 * whatever several machines can share. Only what is known to be used by one kernel alone has a
 * letter: 'd' (disk or memory), 'o' (overlayfs: its files have locks of their own, which whoever
 * looks at its upper directory from outside does not see). One call.
 */
char fs_lock_view(const char *path);

#endif
