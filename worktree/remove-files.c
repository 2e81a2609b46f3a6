/* SPDX-License-Identifier: GPL-2.0-only */
/* Removing the files of entries that leave the index. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "worktree/write-files.h"

void worktree_remove_add(struct string_list *paths, const char *path, unsigned mode)
{
	string_list_append(paths, path)->util = MODE_IS_GITLINK(mode) ? paths : NULL; /* is it a submodule? */
}

static void warn_unable(const struct repository *r, const char *action, const char *path, int number)
{
	char *text = xstrfmt("warning: unable to %s '%s': %s\n", action, path, strerror(number));

	repo_report_lines(r, text);
	free(text);
}

/* An empty directory goes, unless a shell may still be in it. 1 as in remove_one. */
static int remove_submodule(const struct repository *r, const char *path)
{
	if (r->original_cwd && !strcmp(path, r->original_cwd))
		return 0;
	if (!RETRY_EINTR(sys->rmdir(path)))
		return 1;
	warn_unable(r, "rmdir", path, errno);
	return 0;
}

/* 1: there is nothing any more, so that its directories may be empty. A directory in the place of a file is not that file. */
static int remove_one(const struct repository *r, struct lstat_cursor *cur, const char *path,
		      bool is_submodule, bool warns, struct err *err)
{
	size_t len = strlen(path);
	struct stat st;
	int rc;

	if (!path_is_safe(path, MODE_FILE, r->settings.protect))
		return err_set(err, ERR_INVALID, "invalid path '%s'", path);
	if (lstat_cursor_stat(cur, path, len, &st) < 0)
		return errno == ENOENT && !worktree_leading_symlink(path, len);
	if (is_submodule)
		return remove_submodule(r, path);
	if (S_ISDIR(st.st_mode)) {
		if (warns)
			warn_unable(r, "unlink", path, EISDIR);
		return 0;
	}
	rc = remove_file(path, err);
	return rc < 0 ? rc : 1;
}

/* The directories of a file that is gone, unless a shell may still be in one of them. */
static void remove_directories(const struct repository *r, const char *path)
{
	const char *rest;
	bool in_cwd = r->original_cwd && skip_prefix(path, r->original_cwd, &rest) && *rest == '/';

	remove_empty_parents(path, in_cwd ? r->original_cwd : "");
}

int worktree_remove_entry(const struct repository *r, const char *path, struct err *err)
{
	struct lstat_cursor cur;
	int rc;

	lstat_cursor_init(&cur);
	rc = remove_one(r, &cur, path, false, false, err);
	lstat_cursor_release(&cur);
	if (rc > 0)
		remove_directories(r, path);
	return rc < 0 ? rc : 0;
}

/* Then its directories are looked at after `next`, which is in them as well. */
static bool shares_directory(const char *path, const char *next)
{
	const char *slash = strrchr(path, '/');

	return !slash || (next && !strncmp(path, next, (size_t)(slash - path) + 1));
}

int worktree_remove_files(const struct repository *r, const struct string_list *paths,
			  struct err *err)
{
	struct lstat_cursor cur;
	int ret = 0;

	lstat_cursor_init(&cur);
	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		const char *next = i + 1 < paths->nr ? paths->items[i + 1].string : NULL;
		int rc = remove_one(r, &cur, path, paths->items[i].util, true, err);

		if (rc > 0 && !shares_directory(path, next))
			remove_directories(r, path);
		ret = ret ? ret : rc < 0 ? rc : 0;
	}
	lstat_cursor_release(&cur);
	return ret;
}
