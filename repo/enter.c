/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "repo/enter.h"
#include "repo/setup-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* 1: `path` is a gitdir, or a .git file that names one; *gitdir is that. 0: it is not. */
static int look_at(const char *path, char **gitdir, char **gitfile, struct err *err)
{
	struct stat st;
	int rc = 0;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISREG(st.st_mode)) {
		*gitdir = read_gitfile(path, NULL);
		*gitfile = *gitdir ? xstrdup(path) : NULL;
		return *gitdir != NULL;
	}
	if (S_ISDIR(st.st_mode))
		rc = gitdir_check(path, NULL, false, err);
	if (rc > 0)
		*gitdir = xstrdup(path);
	return rc;
}

/* Tries the names that `name` may be short for. */
static int find(const char *name, unsigned flags, char **path, char **gitdir, char **gitfile,
		struct err *err)
{
	static const char *const all[] = { "/.git", "", ".git/.git", ".git" };
	static const char *const exact[] = { "" };
	bool strict = flags & REPO_ENTER_STRICT;
	const char *const *suffixes = strict ? exact : all;
	size_t nr = strict ? ARRAY_SIZE(exact) : ARRAY_SIZE(all), len = strlen(name);
	int rc = 0;

	while (!strict && len > 1 && is_dir_sep(name[len - 1]))
		len--;
	for (size_t i = 0; !rc && i < nr; i++) {
		*path = xstrfmt("%.*s%s", (int)len, name, suffixes[i]);
		rc = look_at(*path, gitdir, gitfile, err);
		if (rc <= 0)
			FREE_AND_NULL(*path);
	}
	return rc;
}

int repo_enter(const char *name, unsigned flags, char **path, struct err *err)
{
	char *expanded = NULL, *found = NULL, *gitdir = NULL, *gitfile = NULL;
	int rc = 0;

	if (strlen(name) < PATH_MAX)
		expanded = flags & REPO_ENTER_STRICT ? xstrdup(name) : path_expand_user(name);
	if (expanded && *expanded)
		rc = find(expanded, flags, &found, &gitdir, &gitfile, err);
	if (!rc)
		rc = err_set(err, ERR_NOT_FOUND, "'%s' does not appear to be a git repository",
			     name);
	else if (flags & REPO_ENTER_ANY_OWNER)
		rc = rc < 0 ? rc : 0;
	else if (rc > 0) /* before the cwd changes, for names that are relative */
		rc = setup_check_ownership(gitfile, NULL, gitdir, err);
	if (!rc && chdir(gitdir) < 0)
		rc = err_set_errno(err, "cannot change to '%s'", gitdir);
	if (!rc) {
		setenv("GIT_DIR", ".", 1);
		if (path) {
			*path = found;
			found = NULL;
		}
	}
	free(expanded);
	free(found);
	free(gitdir);
	free(gitfile);
	return rc;
}

int repo_locate(const char *name, char **gitdir, char **commondir, struct err *err)
{
	char *found = NULL, *dir = NULL, *gitfile = NULL;
	int rc = *name && strlen(name) < PATH_MAX ? find(name, 0, &found, &dir, &gitfile, err) : 0;

	if (rc > 0) {
		*gitdir = path_real(dir, 0);
		if (!*gitdir)
			rc = err_set_errno(err, "unable to resolve '%s'", dir);
	}
	if (rc > 0 && setup_commondir(commondir, *gitdir, false, err) < 0) {
		FREE_AND_NULL(*gitdir);
		rc = ERR_CORRUPT;
	}
	free(found);
	free(dir);
	free(gitfile);
	return rc;
}
