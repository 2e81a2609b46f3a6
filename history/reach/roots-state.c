/* SPDX-License-Identifier: GPL-2.0-only */
/* Roots in files of a worktree's directory: root refs, FETCH_HEAD, and operations in progress. */
#include "compat/posix.h"
#include <dirent.h>
#include "history/reach/roots-internal.h"
#include "util/alloc.h"
#include "util/path.h"

struct state_visit {
	struct roots_walk *w;
	const char *worktree, *gitdir;
};

static bool is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

/* Each full object name in the line that is a word. */
static int visit_line(struct state_visit *v, const char *name, const char *line)
{
	const struct hash_algo *algo = v->w->repo->algo;
	struct root root = { .kind = ROOT_STATE, .name = name, .worktree = v->worktree };
	int rc = 0;

	for (const char *p = line; !rc && *p; p++) {
		size_t len = strspn(p, "0123456789abcdefABCDEF");

		if (len == algo->hex_len && (p == line || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[len]) && !oid_parse_hex(&root.oid, p, algo, NULL))
			rc = v->w->fn(v->w->data, &root);
		if (len)
			p += len - 1;
	}
	return rc;
}

static int visit_lines(struct state_visit *v, const char *name, FILE *f)
{
	char *line = NULL;
	size_t alloc = 0;
	int rc = 0;

	while (!rc && getline(&line, &alloc, f) >= 0)
		rc = visit_line(v, name, line);
	if (!rc && ferror(f))
		rc = err_set_errno(v->w->err, "unable to read '%s/%s'", v->gitdir, name);
	free(line);
	return rc;
}

/* A file that is missing is fine, one that cannot be read is not. */
static int visit_file(struct state_visit *v, const char *name)
{
	char *path = path_join(v->gitdir, name);
	struct stat st;
	FILE *f = NULL;
	int rc = 0;

	if (stat(path, &st) < 0)
		rc = is_missing(errno) ? 0 : err_set_errno(v->w->err, "unable to stat '%s'", path);
	else if (S_ISREG(st.st_mode) && !(f = fopen(path, "re")))
		rc = is_missing(errno) ? 0 : err_set_errno(v->w->err, "unable to open '%s'", path);
	if (f) {
		rc = visit_lines(v, name, f);
		fclose(f);
	}
	free(path);
	return rc;
}

/* FETCH_HEAD, MERGE_HEAD, AUTO_MERGE, BISECT_EXPECTED_REV …; not a file that only holds a message. */
static bool may_name_objects(const char *name)
{
	return *name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0' &&
	       strcmp(name, "HEAD") != 0 && !ends_with(name, "MSG");
}

static int visit_root_files(struct state_visit *v)
{
	DIR *dir = opendir(v->gitdir);
	struct dirent *de;
	int rc = 0;

	if (!dir)
		return err_set_errno(v->w->err, "unable to open directory '%s'", v->gitdir);
	while (!rc && (errno = 0, de = readdir(dir)))
		if (may_name_objects(de->d_name))
			rc = visit_file(v, de->d_name);
	if (!rc && errno)
		rc = err_set_errno(v->w->err, "cannot read directory '%s'", v->gitdir);
	closedir(dir);
	return rc;
}

/* rebase, am, cherry-pick, revert. */
static int visit_operations(struct state_visit *v)
{
	static const char *const files[] = {
		"rebase-merge/autostash", "rebase-merge/orig-head", "rebase-merge/onto",
		"rebase-merge/stopped-sha", "rebase-merge/squash-onto", "rebase-merge/amend",
		"rebase-merge/git-rebase-todo", "rebase-merge/git-rebase-todo.backup",
		"rebase-merge/done", "rebase-merge/rewritten-list",
		"rebase-merge/rewritten-pending", "rebase-merge/update-refs",
		"rebase-apply/autostash", "rebase-apply/orig-head", "rebase-apply/onto",
		"rebase-apply/abort-safety", "rebase-apply/original-commit",
		"rebase-apply/rewritten", "sequencer/head", "sequencer/todo",
		"sequencer/abort-safety",
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(files); i++)
		rc = visit_file(v, files[i]);
	return rc;
}

int roots_visit_state(struct roots_walk *w, const char *worktree, const char *gitdir)
{
	struct state_visit v = { w, worktree, gitdir };
	int rc = visit_root_files(&v);

	return rc ? rc : visit_operations(&v);
}
