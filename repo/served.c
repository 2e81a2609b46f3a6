/* SPDX-License-Identifier: GPL-2.0-only */
/* The repository that a client names to a server: git-upload-pack(1), <directory>. */
#include "compat/posix.h"
#include "repo/repo.h"
#include "repo/setup-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* Where the repository may be below what was named, in this order. */
static const char *const suffixes[] = { "/.git", "", ".git/.git", ".git" };

/*
 * 1: `path` is a gitdir, or a ".git" file that leads to one: *gitdir, *gitfile (NULL: none), owned by
 * the caller; 0: it is none.
 */
static int look_at(char *path, char **gitdir, char **gitfile, struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	*gitfile = NULL;
	*gitdir = read_gitfile(path, &local);
	if (*gitdir) {
		*gitfile = xstrdup(path);
		return 1;
	}
	if (local.code != ERR_NOT_FOUND) {
		rc = local.code;
		err_move(err, &local);
		return rc;
	}
	err_release(&local);
	rc = gitdir_check(path, NULL, false, err);
	if (rc > 0)
		*gitdir = xstrdup(path);
	return rc;
}

static int find_served(const char *path, bool strict, char **gitdir, char **gitfile,
		       struct err *err)
{
	char *expanded = strict ? xstrdup(path) : path_expand_user(path);
	size_t len = expanded ? strlen(expanded) : 0;
	int rc = 0;

	while (!strict && len > 1 && is_dir_sep(expanded[len - 1]))
		expanded[--len] = '\0';
	for (size_t i = 0; len && i < ARRAY_SIZE(suffixes) && !rc; i++) {
		char *candidate;

		if (strict && *suffixes[i])
			continue;
		candidate = xconcat(expanded, suffixes[i]);
		rc = look_at(candidate, gitdir, gitfile, err);
		free(candidate);
	}
	free(expanded);
	if (!rc)
		rc = err_set(err, ERR_NOT_FOUND, "'%s' does not appear to be a git repository",
			     path);
	return rc < 0 ? rc : 0;
}

int repo_open_served(struct repository **out, const char *path, bool strict, struct err *err)
{
	char *gitdir = NULL, *gitfile = NULL;
	int rc = find_served(path, strict, &gitdir, &gitfile, err);

	if (rc < 0)
		return rc;
	rc = setup_check_ownership(gitfile, NULL, gitdir, err);
	if (!rc && chdir(gitdir) < 0)
		rc = err_set_errno(err, "cannot enter '%s'", gitdir);
	if (!rc)
		rc = repo_open_at(out, ".", NULL, err);
	free(gitdir);
	free(gitfile);
	return rc;
}
