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

/* A few system calls; ask once per file system. */
enum fs_kind fs_kind_of(int fd);

/* Not shared with other machines, as far as is known: one call. */
bool fs_is_local(int fd);

#endif
