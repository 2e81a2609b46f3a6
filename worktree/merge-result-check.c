/* SPDX-License-Identifier: GPL-2.0-only */
/* Before an interrupted change of files is undone: has a user edited one of them since? */
#include "compat/posix.h"
#include <dirent.h>
#include "attr/convert.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/merge-result-internal.h"

static int refuse_edited(const char *path, struct err *err)
{
	return err_set(err, ERR_CONFLICT, "'%s' has changed since a command was interrupted while it changed files; "
					  "move it away, then try again", path);
}

/* ---- one file ---- */

/* A version of a file as a checkout writes it. ERR_TOO_BIG: it is not held in memory. */
static int read_version(const struct interrupted_update *u, const struct index_entry *e, struct strbuf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf warn = STRBUF_INIT;
	struct conversion cv = { 0 };
	int rc;

	if (MODE_IS_FILE(e->mode))
		converter_lookup(u->conv, e->name, &cv);
	rc = worktree_checkout_read(u->r, &e->oid, &cv, &buf, err);
	if (!rc && MODE_IS_FILE(e->mode))
		rc = convert_to_worktree(u->conv, e->name, &cv, buf.data, buf.size, &e->oid, out, &warn, err);
	if (!rc)
		strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

/* A file whose writing was interrupted is short, or has zeros. */
static bool is_part_of(const struct strbuf *file, const struct strbuf *version)
{
	if (file->len > version->len)
		return false;
	for (size_t i = 0; i < file->len; i++)
		if (file->buf[i] && file->buf[i] != version->buf[i])
			return false;
	return true;
}

static int has_big_version(const struct interrupted_update *u, const struct index_entry *e, const struct stat *st, bool *is,
			   struct err *err)
{
	struct object_id oid;
	struct object_info info = { 0 };
	unsigned mode;
	int rc = odb_info(u->r->odb, &e->oid, &info, err);

	*is = !rc && (uint64_t)st->st_size < info.size;
	if (rc || *is)
		return rc;
	rc = worktree_hash_path(u->r, u->conv, e->name, st, false, &oid, &mode, err);
	*is = !rc && oid_eq(&oid, &e->oid);
	return rc;
}

static int has_version(const struct interrupted_update *u, const struct index_entry *e, const struct stat *st, bool *is,
		       struct err *err)
{
	struct strbuf file = STRBUF_INIT, version = STRBUF_INIT;
	const bool link = S_ISLNK(st->st_mode);
	struct err why = ERR_INIT;
	int rc;

	*is = false;
	if (!e || MODE_IS_GITLINK(e->mode) || (link && !MODE_IS_SYMLINK(e->mode)))
		return 0;
	rc = read_version(u, e, &version, &why);
	if (rc == ERR_TOO_BIG) {
		err_release(&why);
		return has_big_version(u, e, st, is, err);
	}
	if (rc)
		err_move(err, &why);
	if (!rc)
		rc = link ? read_link(&file, e->name, 0, err) : read_file_nofollow(&file, e->name, 0, err);
	*is = !rc && is_part_of(&file, &version);
	strbuf_release(&file);
	strbuf_release(&version);
	return rc;
}

static int check_file(const struct interrupted_update *u, const char *path, const struct stat *st, struct err *err)
{
	size_t len = strlen(path);
	bool is = false;
	int rc = has_version(u, index_find(u->to, path, len), st, &is, err);

	if (!rc && !is)
		rc = has_version(u, index_find(u->from, path, len), st, &is, err);
	return !rc && !is ? refuse_edited(path, err) : rc;
}

/* ---- directories ---- */

static bool is_in_a_tree(const struct interrupted_update *u, const char *path)
{
	size_t len = strlen(path);

	return index_find(u->from, path, len) || index_find(u->to, path, len);
}

/* A directory in the place of a file would go with all that is in it: files of a tree alone, which are checked by themselves. */
static int check_directory(const struct interrupted_update *u, const char *path, struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *de;
	int rc = dir ? 0 : err_set_errno(err, "cannot open directory '%s'", path);

	while (!rc && dir && (de = readdir(dir))) {
		char *sub = xstrfmt("%s/%s", path, de->d_name);

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			;
		else if (is_directory_nofollow(sub))
			rc = check_directory(u, sub, err);
		else if (!is_in_a_tree(u, sub))
			rc = refuse_edited(sub, err);
		free(sub);
	}
	if (dir)
		closedir(dir);
	return rc;
}

/* A file, or a link, in the place of a directory would go, too. */
static int check_parents(const struct interrupted_update *u, const char *path, struct err *err)
{
	int rc = 0;

	for (const char *slash = strchr(path, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		char *parent = xmemdupz(path, (size_t)(slash - path));
		struct stat st;

		if (!lstat(parent, &st) && !S_ISDIR(st.st_mode) && !is_in_a_tree(u, parent))
			rc = refuse_edited(parent, err);
		free(parent);
	}
	return rc;
}

static bool is_submodule(const struct index_state *ix, const char *path)
{
	const struct index_entry *e = index_find(ix, path, strlen(path));

	return e && MODE_IS_GITLINK(e->mode);
}

static int check_place(const struct interrupted_update *u, const char *path, struct err *err)
{
	struct stat st;
	int rc = check_parents(u, path, err);

	if (rc || worktree_leading_symlink(path, strlen(path)) || lstat(path, &st) < 0)
		return rc;
	if (S_ISDIR(st.st_mode))
		return is_submodule(u->from, path) || is_submodule(u->to, path) ? 0 : check_directory(u, path, err);
	return check_file(u, path, &st, err);
}

int interrupted_update_check(const struct interrupted_update *u, const struct string_list *paths, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < paths->nr; i++)
		rc = check_place(u, paths->items[i].string, err);
	return rc;
}
