/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory that belongs to us alone, of which nothing is believed because of its path: it is opened once,
 * checked through its descriptor, and its files are named relative to that. Names have no '/'; symbolic
 * links are not followed. For what can be thrown away at any time: nothing here is durable.
 *
 * Functions that return a descriptor return -1 with errno on failure.
 */
#ifndef FS_PRIVATE_DIR_H
#define FS_PRIVATE_DIR_H

#include "compat/posix.h"
#include "util/err.h"

/*
 * Open the directory. ERR_INVALID: the path is not absolute, or what is there is a symbolic link, no
 * directory, somebody else's, or open to others (its mode is not 0700 or less).
 */
MUST_USE int private_dir_open(int *out, const char *path, struct err *err);
/* Is this file ours alone, and a plain one? */
bool private_file_is_ours(const struct stat *st);

/* Of a file that is ours, to be read and written; ELOOP, EPERM: it is something else. */
int private_file_open(int dir, const char *name);
/* The same, made if it is missing. */
int private_file_open_or_make(int dir, const char *name);
/* A new file (EEXIST: there is one), to be read and written. */
int private_file_create(int dir, const char *name);
/* 0 or -1 with errno; private_file_link: EEXIST. */
int private_file_link(int dir, const char *from, const char *to);
int private_file_rename(int dir, const char *from, const char *to);
int private_file_stat(int dir, const char *name, struct stat *st);

#endif
