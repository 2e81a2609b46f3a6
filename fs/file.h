/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files, directories, permissions. */
#ifndef FS_FILE_H
#define FS_FILE_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

/*
 * Append the bytes of the file. ERR_NOT_FOUND; ERR_IO; ERR_TOO_BIG: more than max bytes (0: no limit). A pipe is
 * ERR_IO, except a pipe of the shell, below /dev/fd or /proc: a repository must not make us wait.
 */
MUST_USE int read_file(struct strbuf *out, const char *path, size_t max, struct err *err);
/* The same for a file that the user has named: it may be a pipe. */
MUST_USE int read_named_file(struct strbuf *out, const char *path, size_t max, struct err *err);
/* The same, but a symbolic link is ERR_IO (ELOOP). */
MUST_USE int read_file_nofollow(struct strbuf *out, const char *path, size_t max,
				struct err *err);
/* The same without a limit; a file that has that size (0: not known) costs one call less. */
MUST_USE int read_file_expected(struct strbuf *out, const char *path, uint64_t size, struct err *err);
MUST_USE int read_fd(struct strbuf *out, int fd, size_t max, const char *what, struct err *err);
MUST_USE int read_link(struct strbuf *out, const char *path, size_t hint, struct err *err);

/* Is it a regular file, not empty, whose times this process may set to the present time? */
bool file_can_be_touched(const char *path);

/* mkdir; EEXIST is fine if it is a directory. sys_errno ENOENT: another process has removed it again; try again. */
MUST_USE int make_dir(const char *path, int shared_perm, struct err *err);
/* Every missing leading directory of path (not path itself). */
MUST_USE int make_leading_dirs(const char *path, int shared_perm, struct err *err);
MUST_USE int make_dirs(const char *path, int shared_perm, struct err *err);
/* Remove empty parents of path up to, not including, `stop`. */
void remove_empty_parents(const char *path, const char *stop);
/* rm -r; keep_top leaves the directory itself. Missing is fine; symbolic links are not followed. */
MUST_USE int remove_tree(const char *path, bool keep_top, struct err *err);
/* unlink; missing is fine. */
MUST_USE int remove_file(const char *path, struct err *err);

/*
 * core.sharedRepository (git-config(1)): 0 umask, else a mode as 0660, 0664;
 * negative: exactly that mode. Applied to new files and directories.
 */
#define SHARED_PERM_UMASK 0
#define SHARED_PERM_GROUP 0660
#define SHARED_PERM_EVERYBODY 0664
MUST_USE int apply_shared_perm(const char *path, int shared_perm, struct err *err);

bool file_exists(const char *path);  /* lstat succeeds */
bool is_directory(const char *path); /* follows symlinks */
bool is_directory_nofollow(const char *path);
bool is_same_file(const struct stat *a, const struct stat *b);
/* Is it the same file, unchanged as far as size and time of its last change tell? */
bool is_same_state(const struct stat *a, const struct stat *b);
bool is_empty_dir(const char *path);
/* Properties of the file system of a new repository; each function tries it out inside dir. */
bool fs_trusts_executable_bit(const char *dir);
bool fs_has_symlinks(const char *dir);
bool fs_ignores_case(const char *dir);

#endif
