/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in the repository each ref has its files, what other worktrees there are; making and
 * removing the directories of loose refs and of their logs.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/files/files-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include <dirent.h>

/*
 * The directory that a name belongs to: the worktree's own, the shared one, or
 * that of another worktree. *bare is the name within it.
 */
static void add_ref_dir(const struct ref_store *rs, const char *name,
			struct strbuf *out, const char **bare)
{
	const char *id;
	size_t id_len;

	*bare = name;
	if (refname_worktree_prefix(name, &id, &id_len, bare)) {
		strbuf_addstr(out, files_store(rs)->commondir);
		if (id && refname_is_per_worktree(*bare)) {
			strbuf_addstr(out, "/worktrees/");
			strbuf_add(out, id, id_len);
		}
	} else if (refname_is_per_worktree(name)) {
		strbuf_addstr(out, files_store(rs)->gitdir);
	} else {
		strbuf_addstr(out, files_store(rs)->commondir);
	}
}

void ref_path(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	const char *bare;

	add_ref_dir(rs, name, out, &bare);
	strbuf_addch(out, '/');
	strbuf_addstr(out, bare);
}

void reflog_path(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	const char *bare;

	add_ref_dir(rs, name, out, &bare);
	strbuf_addstr(out, "/logs/");
	strbuf_addstr(out, bare);
}

bool ref_may_be_packed(const struct ref_store *rs UNUSED, const char *name)
{
	return starts_with(name, "refs/") && !refname_in_private_dir(name);
}

static int visit_worktree(const struct ref_store *rs, const char *dir, const char *prefix,
			  worktree_fn fn, void *data, struct err *err)
{
	struct stat ours, theirs;

	if (stat(dir, &theirs) < 0 || !S_ISDIR(theirs.st_mode) || stat(files_store(rs)->gitdir, &ours) < 0 ||
	    is_same_file(&ours, &theirs))
		return 0;
	return fn(data, dir, prefix, err);
}

int ref_other_worktrees(const struct ref_store *rs, worktree_fn fn, void *data, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(files_store(rs)->commondir, &ids, err);

	if (!rc)
		rc = visit_worktree(rs, files_store(rs)->commondir, "main-worktree/", fn, data, err);
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", files_store(rs)->commondir, ids.items[i].string);
		char *prefix = xstrfmt("worktrees/%s/", ids.items[i].string);

		rc = visit_worktree(rs, dir, prefix, fn, data, err);
		free(prefix);
		free(dir);
	}
	string_list_clear(&ids, NULL);
	return rc;
}

/* ---- directories ---- */

bool ref_dir_is_walked(const char *path)
{
	struct stat st, above;
	char *dir;
	bool inside = false;

	if (lstat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	if (!S_ISLNK(st.st_mode) || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	dir = xstrdup(path);
	for (char *slash = dir; !inside && (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		inside = !stat(dir, &above) && is_same_file(&above, &st);
	}
	free(dir);
	return !inside;
}

/* dir has no slash at its end and is cut in place while parents are made. */
static int make_one(const struct ref_store *rs, char *dir, struct fsync_batch *b,
		    struct err *err)
{
	char *slash;
	int rc;

	if (is_directory(dir))
		return 0;
	slash = strrchr(dir, '/');
	if (slash && slash != dir) {
		*slash = '\0';
		rc = make_one(rs, dir, b, err);
		if (!rc && b)
			fsync_batch_note_dir(b, FSYNC_REFERENCE, dir);
		*slash = '/';
		if (rc < 0)
			return rc;
	}
	return make_dir(dir, files_store(rs)->shared_perm, err);
}

int ref_make_parents(const struct ref_store *rs, const char *path,
		     struct fsync_batch *b, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct err why = ERR_INIT;
	char *dir;
	int rc;

	if (!slash || slash == path)
		return 0;
	dir = xstrndup(path, slash - path);
	/* A process that deletes a ref removes directories that it has left empty, also one that was there a moment ago. */
	for (int try = 0; (rc = make_one(rs, dir, b, &why)) < 0 && why.sys_errno == ENOENT && try < REF_DIR_TRIES; try++) {
		err_release(&why);
		ref_dir_pause(try);
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	free(dir);
	return rc;
}

void ref_dir_pause(int try)
{
	struct timespec ts = { .tv_nsec = (long)(os_random64() % 5000000) };

	if (try >= 4)
		nanosleep(&ts, NULL);
}

/*
 * Another user who may write there can put a symbolic link in the place of a directory meanwhile: it
 * is not followed. `path` is where `name` of the directory `at` was found.
 */
static bool clear_entries(int at, const char *name, struct strbuf *path, bool files);

static bool clear_entry(int at, const char *name, struct strbuf *path, bool files)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	if (S_ISREG(st.st_mode) && files && !ends_with(name, ".lock"))
		return !RETRY_EINTR(sys->unlinkat(at, name, 0)) || errno == ENOENT;
	if (!S_ISDIR(st.st_mode)) /* only what a dead process of ours has locked is removed */
		return lockfile_remove_stale(path->buf);
	return clear_entries(at, name, path, files) &&
	       (!RETRY_EINTR(sys->unlinkat(at, name, AT_REMOVEDIR)) || errno == ENOENT);
}

/* False as soon as something is met that is not ours to remove. */
static bool clear_entries(int at, const char *name, struct strbuf *path, bool files)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t len = path->len;
	struct dirent *de;
	bool clear = true;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fd < 0 && errno == ENOENT;
	}
	while (clear && (de = readdir(dir))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		strbuf_addf(path, "/%s", de->d_name);
		clear = clear_entry(fd, de->d_name, path, files);
		strbuf_setlen(path, len);
	}
	closedir(dir);
	return clear;
}

static int clear_dir(const char *path, bool files, struct err *err)
{
	struct strbuf sub = STRBUF_INIT;
	bool clear;

	strbuf_addstr(&sub, path);
	clear = clear_entries(AT_FDCWD, path, &sub, files);
	strbuf_release(&sub);
	if (!clear)
		return err_set(err, ERR_EXISTS, "'%s' is a directory that is in use", path);
	if (RETRY_EINTR(sys->rmdir(path)) < 0 && errno != ENOENT)
		return err_set_errno(err, "unable to remove directory '%s'", path);
	return 0;
}

int ref_clear_dir(const char *path, struct err *err)
{
	return clear_dir(path, false, err);
}

int reflog_clear_dir(const char *path, struct err *err)
{
	return clear_dir(path, true, err);
}

void ref_remove_empty_parents(const struct ref_store *rs, const char *name, bool log)
{
	struct strbuf path = STRBUF_INIT, stop = STRBUF_INIT;
	const char *rest, *slash;

	/* "refs/heads" stays even if it is empty. */
	if (!skip_prefix(name, "refs/", &rest) || !(slash = strchr(rest, '/')))
		return;
	if (log)
		reflog_path(rs, name, &path);
	else
		ref_path(rs, name, &path);
	strbuf_add(&stop, path.buf, path.len - strlen(slash));
	remove_empty_parents(path.buf, stop.buf);
	strbuf_release(&path);
	strbuf_release(&stop);
}
