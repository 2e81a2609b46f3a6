/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes a directory a repository; ".git" files; common directories. */
#include "compat/posix.h"
#include "repo/setup-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"

#define GITFILE_MAX ((size_t)1 << 20)

/* "ref: refs/…", an object name, or a symbolic link into refs/. */
static bool head_is_plausible(const char *gitdir)
{
	char *path = path_join(gitdir, "HEAD");
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	bool ok = false;

	if (lstat(path, &st) < 0)
		goto out;
	if (S_ISLNK(st.st_mode)) {
		ok = !read_link(&text, path, 0, NULL) && starts_with(text.buf, "refs/");
	} else if (!read_file(&text, path, 4096, NULL)) {
		const char *p = text.buf;

		if (skip_prefix(p, "ref:", &p))
			ok = starts_with(p + strspn(p, " \t\n\r"), "refs/");
		else
			ok = strspn(p, "0123456789abcdefABCDEF") >= hash_sha1->hex_len;
	}
out:
	strbuf_release(&text);
	free(path);
	return ok;
}

static bool has_dir(const char *parent, const char *name)
{
	char *path = path_join(parent, name);
	bool yes = !access(path, X_OK);

	free(path);
	return yes;
}

int gitdir_check(const char *path, const char *objdir, bool use_env, struct err *err)
{
	struct err why = ERR_INIT;
	char *common = NULL;
	int rc;

	if (!head_is_plausible(path))
		return 0;
	rc = setup_commondir(&common, path, use_env, &why);
	if (!rc)
		rc = has_dir(common, "refs") &&
		     (objdir ? !access(objdir, X_OK) : has_dir(common, "objects"));
	else if (rc == ERR_NOT_FOUND)
		rc = 0;
	else
		err_move(err, &why);
	err_release(&why);
	free(common);
	return rc;
}

bool is_git_directory(const char *path)
{
	struct err ignored = ERR_INIT;
	bool yes = gitdir_check(path, NULL, false, &ignored) > 0;

	err_release(&ignored);
	return yes;
}

int setup_commondir(char **out, const char *gitdir, bool use_env, struct err *err)
{
	const char *given = use_env ? getenv("GIT_COMMON_DIR") : NULL;
	char *file, *joined, *real;
	struct strbuf text = STRBUF_INIT;
	struct err io = ERR_INIT;
	int rc;

	if (given) {
		*out = xstrdup(given);
		return 0;
	}
	file = path_join(gitdir, "commondir");
	rc = read_file(&text, file, PATH_MAX, &io);
	if (rc == ERR_NOT_FOUND || io.sys_errno == ENOENT || io.sys_errno == ENOTDIR) {
		*out = xstrdup(gitdir);
		rc = 0;
	} else if (rc < 0) {
		rc = err_set(err, ERR_IO, "failed to read %s: %s", file,
			     io.sys_errno ? strerror(io.sys_errno) : err_message(&io));
	} else {
		strbuf_rtrim(&text);
		joined = is_absolute_path(text.buf) ? xstrdup(text.buf)
						    : path_join(gitdir, text.buf);
		real = path_real(joined, 0);
		if (real)
			*out = real;
		else
			rc = err_set(err, ERR_NOT_FOUND, "invalid path in '%s': %s", file,
				     strerror(errno));
		free(joined);
	}
	err_release(&io);
	strbuf_release(&text);
	free(file);
	return rc;
}

/* The path in the text "gitdir: PATH". NULL: err set. */
static char *gitfile_target(const char *file, struct strbuf *text, struct err *err)
{
	struct strbuf dir = STRBUF_INIT;
	const char *path;
	char *target;

	if (!skip_prefix(text->buf, "gitdir: ", &path)) {
		err_set(err, ERR_CORRUPT, "invalid gitfile format: %s", file);
		return NULL;
	}
	while (text->len && strchr("\r\n", text->buf[text->len - 1]))
		strbuf_setlen(text, text->len - 1);
	if (!*path) {
		err_set(err, ERR_CORRUPT, "no path in gitfile: %s", file);
		return NULL;
	}
	if (is_absolute_path(path))
		return xstrdup(path);
	path_dirname(&dir, file);
	target = path_join(dir.buf, path);
	strbuf_release(&dir);
	return target;
}

char *read_gitfile(const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *target, *real = NULL;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(err, ERR_NOT_FOUND, "not a regular file: %s", path);
		return NULL;
	}
	if ((uintmax_t)st.st_size > GITFILE_MAX) {
		err_set(err, ERR_TOO_BIG, "too large to be a .git file: '%s'", path);
		return NULL;
	}
	if (read_file(&text, path, GITFILE_MAX, err) < 0)
		return NULL;
	target = gitfile_target(path, &text, err);
	if (target && !is_git_directory(target))
		err_set(err, ERR_CORRUPT, "not a git repository: %s", target);
	else if (target)
		real = path_real(target, 0);
	free(target);
	strbuf_release(&text);
	return real;
}

/* If GIT_DIR or GIT_WORK_TREE is set, the gitdir can belong to a directory below the top. */
static bool is_own_gitdir(const struct repository *r, const char *path)
{
	char *real = path_real(path, 0);
	bool ret = real && !strcmp(real, r->gitdir_abs);

	free(real);
	return ret;
}

bool repo_has_nested(const struct repository *r, const char *dir)
{
	char *path = path_join(dir, ".git"), *file;
	bool ret = is_git_directory(path);

	if (ret) {
		ret = !is_own_gitdir(r, path);
	} else {
		file = read_gitfile(path, NULL);
		ret = file != NULL;
		free(file);
	}
	free(path);
	return ret;
}
