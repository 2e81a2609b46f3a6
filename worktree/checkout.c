/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the file of an index entry. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "fsync/batch.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/worktree.h"
#include "write-or-die.h"
#include <dirent.h>

int worktree_clear_parents(const char *path, size_t known, struct err *err)
{
	for (size_t i = known ? known : 1; path[i]; i++) {
		char *parent;
		struct stat st;
		int ret = 0;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		if (!lstat(parent, &st) && !S_ISDIR(st.st_mode))
			ret = remove_file(parent, err);
		free(parent);
		if (ret)
			return ret;
	}
	return 0;
}

/* Also a bare one, or a damaged one. A work tree whose repository is elsewhere has none. */
static int find_repository(const char *dir, bool *found, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0 : err_set_errno(err, "cannot look into '%s'", dir);
	*found = is_git_directory(dir);
	while (!rc && !*found && (e = readdir(d)) != NULL) {
		char *path;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		path = path_join(dir, e->d_name);
		if (is_directory_nofollow(path)) {
			*found = !strcmp(e->d_name, ".git");
			rc = *found ? 0 : find_repository(path, found, err);
		}
		free(path);
	}
	closedir(d);
	return rc;
}

int worktree_refuse_repository(const char *dir, struct err *err)
{
	bool found = false;
	int rc = find_repository(dir, &found, err);

	return rc || !found ? rc : err_set(err, ERR_EXISTS, "unable to write file '%s': there is a repository in its place", dir);
}

int worktree_remove_directory(const char *path, struct err *err)
{
	int rc = worktree_refuse_repository(path, err);

	return rc ? rc : remove_tree(path, false, err);
}

int worktree_clear_place(const struct index_entry *e, struct err *err)
{
	struct stat st;

	if (lstat(e->name, &st) < 0)
		return 0; /* or not to be reached: writing tells */
	if (!S_ISDIR(st.st_mode))
		return remove_file(e->name, err);
	return MODE_IS_GITLINK(e->mode) ? 0 : worktree_remove_directory(e->name, err);
}

static int refuse_existing(const char *path, const struct index_entry *e, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return err_set_errno(err, "cannot stat '%s'", path);
	}
	if (MODE_IS_GITLINK(e->mode) && S_ISDIR(st.st_mode))
		return 0;
	return err_set(err, ERR_EXISTS, "%s already exists, no checkout", path);
}

/* ---- big files ---- */

int worktree_checkout_read(const struct repository *r, const struct object_id *oid, const struct conversion *cv,
		       struct object_buf *out, struct err *err)
{
	return conversion_is_noop_to_worktree(cv) ?
		odb_read_limited(r->odb, oid, OBJ_BLOB, r->settings.big_file_threshold, out, err) :
		odb_read_type(r->odb, oid, OBJ_BLOB, out, err);
}

struct piece_target {
	int fd;
	const char *path;
};

static int write_piece(void *data, const void *p, size_t len, struct err *err)
{
	const struct piece_target *t = data;

	return write_in_full(t->fd, p, len, t->path, err);
}

int worktree_checkout_stream(const struct repository *r, const struct object_id *oid, int fd, const char *path,
			 struct err *err)
{
	struct piece_target t = { fd, path };

	return odb_stream(r->odb, oid, write_piece, &t, err);
}

/* ---- regular files ---- */

static int create_regular(const char *path, unsigned mode, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
					    mode == MODE_EXEC ? 0777 : 0666));

	return fd < 0 ? err_set_errno(err, "unable to create file %s", path) : fd;
}

/* Closes a file that was written with that result, or leaves that to the batch. */
static int close_regular(const char *path, int fd, int rc, struct fsync_batch *batch, struct err *err)
{
	if (!rc && batch) {
		fsync_batch_await(batch, path, fd);
		return 0;
	}
	if (sys->close(fd) < 0 && !rc)
		rc = err_set_errno(err, "unable to write file %s", path);
	if (rc < 0)
		sys->unlink(path);
	return rc;
}

static int write_regular(const char *path, unsigned mode, const void *data, size_t len,
			 struct fsync_batch *batch, struct err *err)
{
	int fd = create_regular(path, mode, err);

	return fd < 0 ? fd : close_regular(path, fd, write_in_full(fd, data, len, path, err), batch, err);
}

struct target {
	struct repository *r;
	const struct index_entry *e;
	const char *path;
	struct converter *c;
	const struct checkout_options *o;
};

/* 1: a filter will have the content later. */
static int write_converted(const struct target *t, struct conversion *cv,
			   const struct object_buf *buf, struct err *err)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	int rc = convert_to_worktree(t->c, t->e->name, cv, buf->data, buf->size, &t->e->oid, &out,
				     &warn, err);

	repo_report_lines(t->r, warn.buf);
	if (rc == CONVERT_DELAYED)
		rc = 1;
	else if (rc > 0)
		rc = write_regular(t->path, t->e->mode, out.buf, out.len, t->o->batch, err);
	else if (!rc)
		rc = write_regular(t->path, t->e->mode, buf->data, buf->size, t->o->batch, err);
	strbuf_release(&out);
	strbuf_release(&warn);
	return rc;
}

/* 1: the filter, which is not required, does not have it after all. */
static int checkout_write_delayed(const struct target *t, const struct conversion *cv,
				  struct err *err)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	int rc = convert_delayed(t->c, t->e->name, cv, &t->e->oid, &out, &warn, err);

	repo_report_lines(t->r, warn.buf);
	if (rc > 0) {
		rc = write_regular(t->path, t->e->mode, out.buf, out.len, t->o->batch, err);
		if (!rc && t->o->written)
			*t->o->written += out.len;
	} else if (!rc) {
		rc = 1;
	}
	strbuf_release(&out);
	strbuf_release(&warn);
	return rc;
}

static int write_symlink(const struct target *t, const struct object_buf *buf, struct err *err)
{
	const char *path = t->path;

	if (!t->r->settings.symlinks)
		return write_regular(path, MODE_FILE, buf->data, buf->size, t->o->batch, err);
	if (memchr(buf->data, '\0', buf->size))
		return err_set(err, ERR_CORRUPT, "target of symlink '%s' has a NUL byte", path);
	if (RETRY_EINTR(sys->symlink(buf->data, path)) < 0)
		return err_set_errno(err, "unable to create symlink %s", path);
	return 0;
}

static int refuse_unreadable(const struct target *t, struct err *why, struct err *err)
{
	int rc = why->code;

	err_prefix(why, "unable to read sha1 file of %s", t->path);
	err_move(err, why);
	err_release(why);
	return rc;
}

static int write_big_blob(const struct target *t, struct err *err)
{
	struct err why = ERR_INIT;
	int fd = create_regular(t->path, t->e->mode, err), rc;

	if (fd < 0)
		return fd;
	rc = worktree_checkout_stream(t->r, &t->e->oid, fd, t->path, &why);
	if (rc < 0)
		rc = refuse_unreadable(t, &why, err);
	return close_regular(t->path, fd, rc, t->o->batch, err);
}

static int write_blob(const struct target *t, struct conversion *cv, struct err *err)
{
	const bool link = MODE_IS_SYMLINK(t->e->mode);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err why = ERR_INIT; /* err may have that of another file */
	int rc = link ? odb_read_type(t->r->odb, &t->e->oid, OBJ_BLOB, &buf, &why) :
		worktree_checkout_read(t->r, &t->e->oid, cv, &buf, &why);

	if (rc == ERR_TOO_BIG && !link && conversion_is_noop_to_worktree(cv)) {
		err_release(&why);
		return write_big_blob(t, err);
	}
	if (rc < 0)
		return refuse_unreadable(t, &why, err);
	rc = link ? write_symlink(t, &buf, err) : write_converted(t, cv, &buf, err);
	object_buf_release(&buf);
	return rc;
}

static int write_entry(const struct target *t, struct err *err)
{
	struct conversion cv = { 0 };

	if (MODE_IS_GITLINK(t->e->mode))
		return make_dir(t->path, 0, err);
	if (MODE_IS_FILE(t->e->mode))
		converter_lookup(t->c, t->e->name, &cv);
	if (t->o->delayed) {
		int rc = checkout_write_delayed(t, &cv, err);

		if (rc <= 0)
			return rc;
		cv.filter = NULL;
	}
	cv.may_delay = t->o->may_delay;
	return write_blob(t, &cv, err);
}

/* Links in the prefix, which the user has given, are followed; those of the work tree are not. */
static bool is_beyond_symlink(const char *path, size_t prefix_len)
{
	if (!prefix_len)
		return worktree_leading_symlink(path, strlen(path));
	for (size_t i = prefix_len; path[i]; i++) {
		char *parent;
		struct stat st;
		bool link;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		link = !lstat(parent, &st) && S_ISLNK(st.st_mode);
		free(parent);
		if (link)
			return true;
	}
	return false;
}

/* ---- temporary files ---- */

static int convert_blob(struct repository *r, const struct index_entry *e, struct converter *c,
			const struct object_buf *buf, struct strbuf *out, struct err *err)
{
	struct strbuf warn = STRBUF_INIT;
	struct conversion cv = { 0 };
	int rc = 0;

	if (MODE_IS_FILE(e->mode)) {
		converter_lookup(c, e->name, &cv);
		rc = convert_to_worktree(c, e->name, &cv, buf->data, buf->size, &e->oid, out, &warn, err);
	}
	if (!rc)
		strbuf_add(out, buf->data, buf->size);
	repo_report_lines(r, warn.buf);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

static int write_temp(const struct index_entry *e, const struct strbuf *content, struct strbuf *name,
		      struct err *err)
{
	struct tempfile *t = NULL;
	int rc = tempfile_create_in(&t, ".", MODE_IS_SYMLINK(e->mode) ? ".merge_link_" : ".merge_file_",
				    0600, err);

	if (rc < 0)
		return rc;
	if ((rc = write_in_full(t->fd, content->buf, content->len, t->path, err)) < 0 ||
	    (rc = tempfile_close(t, err)) < 0) {
		tempfile_delete(&t);
		return rc;
	}
	strbuf_addstr(name, path_basename(t->path));
	tempfile_forget(&t);
	return 0;
}

int worktree_checkout_temp(struct repository *r, const struct index_entry *e, struct converter *c,
			   struct strbuf *name, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf content = STRBUF_INIT;
	int rc;

	if (MODE_IS_GITLINK(e->mode))
		return err_set(err, ERR_INVALID, "cannot create temporary submodule %s", e->name);
	rc = odb_read_type(r->odb, &e->oid, OBJ_BLOB, &buf, err);
	if (rc < 0)
		err_prefix(err, "unable to read sha1 file of %s", e->name);
	else if ((rc = convert_blob(r, e, c, &buf, &content, err)) >= 0)
		rc = write_temp(e, &content, name, err);
	object_buf_release(&buf);
	strbuf_release(&content);
	return rc;
}

int worktree_checkout_entry(struct repository *r, struct index_state *ix,
			    struct index_entry *e, struct converter *c,
			    const struct checkout_options *o, struct err *err)
{
	char *path = xstrfmt("%s%s", o->prefix ? o->prefix : "", e->name);
	const struct target t = { r, e, path, c, o };
	struct stat st;
	int rc;

	if (!path_is_safe(e->name, e->mode, r->settings.protect))
		rc = err_set(err, ERR_INVALID, "invalid path '%s'", e->name);
	else if (is_beyond_symlink(path, strlen(path) - e->name_len))
		rc = err_set(err, ERR_INVALID, "'%s' is beyond a symbolic link", path);
	else if ((rc = make_leading_dirs(path, 0, err)) >= 0 &&
		 (rc = refuse_existing(path, e, err)) >= 0)
		rc = write_entry(&t, err);
	if (!rc && !(o->prefix && *o->prefix) && !lstat(path, &st)) {
		stat_data_fill(&e->stat, &st);
		e->flags |= CE_UPTODATE;
		ix->changed = true;
	}
	free(path);
	return rc;
}
