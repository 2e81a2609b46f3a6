/* SPDX-License-Identifier: GPL-2.0-only */
/* "repair" of git-worktree(1): links between a repository and its worktrees that lead nowhere, since one of them was moved. */
#include "compat/posix.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "worktree/linked/linked.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/path.h"

#define LINK_FILE_MAX (64 * 1024)

static void repair_tell(const struct worktree_repair *x, bool mended, const char *what, const char *path)
{
	char *text = xstrfmt("%s: %s", what, path);

	x->tell(x->data, mended, text);
	free(text);
}

static int relink(struct worktree_repair *x, const char *gitdir, const char *path, struct err *err)
{
	const struct worktree_links links = { gitdir, path, x->relative };
	struct fsync_batch *b = repo_operation_batch(x->op);
	int rc = x->relative && !x->relinked ? worktree_stage_relative_format(x->r, b, err) : 0;

	x->relinked = true;
	return rc ? rc : worktree_stage_links(b, &links, err);
}

/* The text of a small file without the end of the line; NULL without it. Caller frees. */
static char *read_link_file(const char *path)
{
	struct strbuf text = STRBUF_INIT;

	if (read_file(&text, path, LINK_FILE_MAX, NULL) < 0) {
		strbuf_release(&text);
		return NULL;
	}
	strbuf_rtrim(&text);
	return strbuf_detach(&text, NULL);
}

static bool is_relative_dot_git(const char *dot_git)
{
	char *text = read_link_file(dot_git);
	const char *to;
	bool yes = text && skip_prefix(text, "gitdir: ", &to) && !is_absolute_path(to);

	free(text);
	return yes;
}

/* ---- from the repository to the worktrees ---- */

/* The fault of the ".git" of a worktree; NULL: none. */
static const char *fault_of_dot_git(const struct worktree_repair *x, const char *gitdir, const char *dot_git)
{
	char *there = read_gitfile(dot_git, NULL);
	const char *fault = NULL;

	if (!there)
		fault = ".git file broken";
	else if (strcmp(there, gitdir))
		fault = ".git file incorrect";
	else if (x->relative && !is_relative_dot_git(dot_git))
		fault = ".git file absolute/relative path mismatch";
	free(there);
	return fault;
}

static int repair_dot_git(struct worktree_repair *x, const struct worktree *w, struct err *err)
{
	char *dot_git = path_join(w->path, ".git"), *gitdir = path_real(w->gitdir, 0), *path = path_real(w->path, 0);
	const char *fault;
	int rc = 0;

	if (!path || !gitdir) {
		/* it is missing: another disk, perhaps */
	} else if (!is_directory(path)) {
		repair_tell(x, false, "not a valid path", w->path);
	} else if (is_directory(dot_git)) {
		repair_tell(x, false, ".git is not a file", w->path);
	} else if ((fault = fault_of_dot_git(x, gitdir, dot_git))) {
		repair_tell(x, true, fault, w->path);
		rc = relink(x, gitdir, path, err);
	}
	free(path);
	free(gitdir);
	free(dot_git);
	return rc;
}

static int repair_from_repository(struct worktree_repair *x, struct err *err)
{
	struct worktree *list = NULL;
	int rc = worktrees_read(&list, x->r, err);

	for (const struct worktree *w = list; !rc && w; w = w->next)
		if (w->id)
			rc = repair_dot_git(x, w, err);
	worktrees_free(list);
	return rc;
}

/* ---- from a worktree to the repository ---- */

/* The repository was moved: the ".git" file names a directory that is not there, but worktrees/ID is. Caller frees. */
static char *infer_gitdir(const struct worktree_repair *x, const char *dot_git)
{
	char *text = read_link_file(dot_git), *dir = NULL, *found = NULL;
	const char *to;

	if (text && skip_prefix(text, "gitdir: ", &to)) {
		dir = xstrfmt("%s/worktrees/%s", x->r->commondir, path_basename(to));
		if (strstr(to, "/worktrees/") && is_directory(dir))
			found = path_real(dir, 0);
	}
	free(dir);
	free(text);
	return found;
}

/* The gitdir that the worktree belongs to. NULL: it has been told why there is none. */
static char *find_gitdir(const struct worktree_repair *x, const char *dot_git)
{
	char *gitdir = is_directory(dot_git) ? NULL : read_gitfile(dot_git, NULL);
	char *text;
	const char *to;

	if (is_directory(dot_git)) {
		repair_tell(x, false, "unable to locate repository; .git is not a file", dot_git);
		return NULL;
	}
	if (!gitdir)
		gitdir = infer_gitdir(x, dot_git);
	if (gitdir)
		return gitdir;
	text = read_link_file(dot_git);
	repair_tell(x, false, text && skip_prefix(text, "gitdir: ", &to) ?
		    "unable to locate repository; .git file does not reference a repository" :
		    "unable to locate repository; .git file broken", dot_git);
	free(text);
	return NULL;
}

/* The fault of the file worktrees/ID/gitdir; NULL: none. */
static const char *fault_of_gitdir_file(const struct worktree_repair *x, const char *gitdir, const char *file, const char *dot_git)
{
	char *text = read_link_file(file), *path;
	const char *fault = NULL;

	if (!text)
		return "gitdir unreadable";
	if (x->relative == is_absolute_path(text)) {
		fault = "gitdir absolute/relative path mismatch";
	} else {
		char *joined = is_absolute_path(text) ? xstrdup(text) : path_join(gitdir, text);

		path = path_real(joined, 1);
		if (!path || strcmp(path, dot_git))
			fault = "gitdir incorrect";
		free(path);
		free(joined);
	}
	free(text);
	return fault;
}

static bool is_main_worktree(const struct worktree_repair *x, const char *path)
{
	char *dot_git = path_join(path, ".git"), *real = path_real(dot_git, 0), *common = path_real(x->r->commondir, 0);
	bool yes = common && ((real && !strcmp(real, common)) || !strcmp(path, common));

	free(common);
	free(real);
	free(dot_git);
	return yes;
}

static int repair_at(struct worktree_repair *x, const char *given, struct err *err)
{
	char *path = path_real(given, 0), *dot_git, *gitdir, *file;
	const char *fault;
	int rc = 0;

	if (!path || !is_directory(path)) {
		repair_tell(x, false, "not a valid path", given);
		free(path);
		return 0;
	}
	if (is_main_worktree(x, path)) {
		free(path);
		return 0;
	}
	dot_git = path_join(path, ".git");
	gitdir = find_gitdir(x, dot_git);
	file = gitdir ? path_join(gitdir, "gitdir") : NULL;
	if (gitdir && (fault = fault_of_gitdir_file(x, gitdir, file, dot_git))) {
		repair_tell(x, true, fault, file);
		rc = relink(x, gitdir, path, err);
	}
	free(file);
	free(gitdir);
	free(dot_git);
	free(path);
	return rc;
}

int worktrees_repair(struct worktree_repair *x, const struct string_list *paths, struct err *err)
{
	int rc = repair_from_repository(x, err);

	if (!rc) /* the second half reads what the first one has written */
		rc = repo_operation_publish(x->op, err);
	for (size_t i = 0; !rc && i < paths->nr; i++) {
		rc = repair_at(x, paths->items[i].string, err);
		if (!rc)
			rc = repo_operation_publish(x->op, err);
	}
	return rc;
}
