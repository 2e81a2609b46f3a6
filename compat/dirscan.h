/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading directories with as few system calls as the platform allows:
 * readdir(3) costs three more for each directory, which counts where there are
 * thousands of small ones.
 *
 *   struct dir_scan d;
 *   if (dir_scan_open(&d, path, buf, sizeof(buf)) < 0) …      errno
 *   while ((n = dir_scan_next(&d, &name, &type)) > 0) …       n < 0: errno
 *   dir_scan_close(&d);
 */
#ifndef COMPAT_DIRSCAN_H
#define COMPAT_DIRSCAN_H

#include "compat/posix.h"
#include <dirent.h>

struct dir_scan {
	int fd;	   /* for fstatat; belongs to the scan */
	DIR *dir;  /* where there is nothing better than readdir */
	char *buf; /* the caller's, aligned as malloc does */
	size_t size, pos, len;
};

/* A symlink to a directory is not followed. buf: some KiB, for the scan's life. */
int dir_scan_open(struct dir_scan *d, const char *path, void *buf, size_t size);
/* 1 and a name with its DT_* type (DT_UNKNOWN: ask fstatat), 0 at the end, -1. "." and
 * ".." are left out. The name is valid until the next call. */
int dir_scan_next(struct dir_scan *d, const char **name, unsigned char *type);
void dir_scan_close(struct dir_scan *d);

#endif
