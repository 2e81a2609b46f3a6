/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading directories with as few system calls as possible. opendir(3) and readdir(3) make
 * three more per directory, which matters with thousands of small directories.
 *
 *   struct dir_scan d;
 *   if (dir_scan_open(&d, path, buf, sizeof(buf)) < 0) ...    errno
 *   while ((n = dir_scan_next(&d, &name, &type)) > 0) ...     n < 0: errno
 *   dir_scan_close(&d);
 */
#ifndef COMPAT_DIRSCAN_H
#define COMPAT_DIRSCAN_H

#include "compat/posix.h"
#include <dirent.h>

struct dir_scan {
	int fd;	   /* for fstatat; owned by the scan */
	DIR *dir;  /* only on systems without getdents64 */
	char *buf; /* the caller's */
	size_t size, pos, len;
};

/*
 * -1: errno. A symlink to a directory is not followed. buf: some KiB, aligned as malloc does,
 * valid until dir_scan_close.
 */
int dir_scan_open(struct dir_scan *d, const char *path, void *buf, size_t size);
/*
 * 1: *name and its DT_* type (DT_UNKNOWN: use fstatat); 0: end; -1: errno. "." and ".." are
 * skipped. The name is valid until the next call.
 */
int dir_scan_next(struct dir_scan *d, const char **name, unsigned char *type);
void dir_scan_close(struct dir_scan *d);

#endif
