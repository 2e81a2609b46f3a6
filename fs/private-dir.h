/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A private directory of this user. Its path alone is not trusted: the directory is opened once and checked
 * through its descriptor, and its files are opened relative to that descriptor. Names have no '/', and symbolic
 * links are not followed. Nothing here is durable: use it for files that may be lost at any time.
 *
 * Functions that return a descriptor return -1 with errno on failure.
 */
#ifndef FS_PRIVATE_DIR_H
#define FS_PRIVATE_DIR_H

#include "compat/posix.h"
#include "util/err.h"

/*
 * Open the directory. ERR_INVALID: the path is not absolute, or it names a symbolic link, a file, a
 * directory of another user, or one that is open to others (its mode is not 0700 or less).
 */
MUST_USE int private_dir_open(int *out, const char *path, struct err *err);
/* Is this file ours alone, and a plain one? */
bool private_file_is_ours(const struct stat *st);

/* Open a file of ours for reading and writing. ELOOP, EPERM: it is not a plain file of ours. */
int private_file_open(int dir, const char *name);
/* The same; makes the file if it is missing. */
int private_file_open_or_make(int dir, const char *name);
/* Create a file for reading and writing. EEXIST: the name is taken. */
int private_file_create(int dir, const char *name);
/* 0 or -1 with errno; private_file_link: EEXIST. */
int private_file_link(int dir, const char *from, const char *to);
int private_file_rename(int dir, const char *from, const char *to);
int private_file_stat(int dir, const char *name, struct stat *st);

#endif
