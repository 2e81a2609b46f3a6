/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lstat of many paths in the order of the index. Directories are kept open, so that the
 * kernel looks up one component per file; files behind a symlink among the leading
 * directories count as missing.
 *
 *   struct lstat_cursor cur;
 *   lstat_cursor_init(&cur);
 *   lstat_cursor_stat(&cur, "a/b/c", 5, &st)    0, or -1 with errno
 *   lstat_cursor_release(&cur);
 *
 * Paths are relative to the cwd. Any order works, neighbouring paths are fast.
 */
#ifndef WORKTREE_LSTAT_CURSOR_H
#define WORKTREE_LSTAT_CURSOR_H

#include "compat/posix.h"
#include "util/strbuf.h"

#define LSTAT_CURSOR_DEPTH 32

struct lstat_cursor {
	struct strbuf dir;  /* the open directory: "" or "a/b/" */
	unsigned depth;
	int fd[LSTAT_CURSOR_DEPTH];
	size_t len[LSTAT_CURSOR_DEPTH]; /* of `dir` at that depth */
	struct strbuf missing; /* "a/x/": known not to be a directory */
};
void lstat_cursor_init(struct lstat_cursor *c);
int lstat_cursor_stat(struct lstat_cursor *c, const char *path, size_t len, struct stat *st);
void lstat_cursor_release(struct lstat_cursor *c);

#endif
