/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "worktree/lstat-cursor.h"
#include "worktree/worktree.h"

#ifndef O_PATH
#define O_PATH 0
#endif

size_t worktree_leading_symlink(const char *path, size_t len)
{
	char buf[PATH_MAX];
	struct stat st;

	if (len >= sizeof(buf))
		return 0; /* no system call takes such a path */
	for (size_t i = 1; i < len; i++) {
		if (path[i] != '/')
			continue;
		memcpy(buf, path, i);
		buf[i] = '\0';
		if (lstat(buf, &st) < 0)
			return 0;
		if (S_ISLNK(st.st_mode))
			return i;
	}
	return 0;
}

void lstat_cursor_init(struct lstat_cursor *c)
{
	c->depth = 0;
	strbuf_init(&c->dir, 0);
	strbuf_init(&c->missing, 0);
}

void lstat_cursor_release(struct lstat_cursor *c)
{
	while (c->depth)
		close(c->fd[--c->depth]);
	strbuf_release(&c->dir);
	strbuf_release(&c->missing);
}

static bool is_below(const struct strbuf *dir, const char *path, size_t len)
{
	return len > dir->len && !memcmp(path, dir->buf, dir->len);
}

/* Close directories that path is not in. */
static void leave(struct lstat_cursor *c, const char *path, size_t len)
{
	while (c->depth && !is_below(&c->dir, path, len)) {
		close(c->fd[--c->depth]);
		strbuf_setlen(&c->dir, c->depth ? c->len[c->depth - 1] : 0);
	}
}

static int current_fd(const struct lstat_cursor *c)
{
	return c->depth ? c->fd[c->depth - 1] : AT_FDCWD;
}

/* Open the directories that lead to path; -1 with errno. */
static int enter(struct lstat_cursor *c, const char *path, size_t len)
{
	while (c->depth < LSTAT_CURSOR_DEPTH) {
		const char *from = path + c->dir.len;
		const char *slash = memchr(from, '/', len - c->dir.len);
		size_t before = c->dir.len;
		int fd;

		if (!slash)
			return 0;
		strbuf_add(&c->dir, from, (size_t)(slash - from));
		fd = openat(current_fd(c), c->dir.buf + before,
			    O_PATH | O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0) {
			int saved = errno;

			strbuf_reset(&c->missing);
			strbuf_addbuf(&c->missing, &c->dir);
			strbuf_addch(&c->missing, '/');
			strbuf_setlen(&c->dir, before);
			errno = os_is_nofollow_error(saved) ? ENOTDIR : saved;
			return -1;
		}
		strbuf_addch(&c->dir, '/');
		c->fd[c->depth] = fd;
		c->len[c->depth++] = c->dir.len;
	}
	return 0;
}

int lstat_cursor_stat(struct lstat_cursor *c, const char *path, size_t len, struct stat *st)
{
	if (c->missing.len && is_below(&c->missing, path, len)) {
		errno = ENOENT;
		return -1;
	}
	leave(c, path, len);
	if (enter(c, path, len) < 0) {
		if (errno != EMFILE && errno != ENFILE) {
			if (errno != ENOENT && errno != ENOTDIR)
				strbuf_reset(&c->missing); /* not known to be missing */
			return -1;
		}
		strbuf_reset(&c->missing);
	}
	/* too deep, or no descriptor left: the kernel looks up the rest */
	if (strchr(path + c->dir.len, '/') && worktree_leading_symlink(path, len)) {
		errno = ENOTDIR;
		return -1;
	}
	return fstatat(current_fd(c), path + c->dir.len, st, AT_SYMLINK_NOFOLLOW);
}
