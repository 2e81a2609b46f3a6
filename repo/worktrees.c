/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"
#include "repo/state.h"
#include "repo/worktrees.h"

static void worktree_free(struct worktree *w)
{
	if (!w)
		return;
	free(w->path);
	free(w->id);
	free(w->gitdir);
	free(w->head);
	free(w);
}

void worktrees_free(struct worktree *list)
{
	while (list) {
		struct worktree *next = list->next;

		worktree_free(list);
		list = next;
	}
}

/* Where its HEAD points; a broken or unborn one is no failure. */
static void read_head(struct worktree *w, struct repository *r)
{
	char *name = w->is_current ? xstrdup("HEAD") :
		     w->id ? xstrfmt("worktrees/%s/HEAD", w->id) : xstrdup("main-worktree/HEAD");
	char *final = NULL;
	unsigned flags = 0;
	int rc;

	w->head_oid = r->algo->null_oid;
	rc = ref_resolve(r->refs, name, &w->head_oid, &final, &flags, NULL);
	if ((!rc || rc == ERR_NOT_FOUND) && flags & REF_IS_SYMREF && strcmp(final, name)) {
		w->head = final;
		final = NULL;
	}
	free(final);
	free(name);
}

/* First line of a file, NULL without it. Caller frees. */
static char *worktrees_read_line(const char *dir, const char *name)
{
	struct strbuf buf = STRBUF_INIT;
	char *path = path_join(dir, name), *line = NULL;

	if (!read_file(&buf, path, 64 * 1024, NULL)) {
		strbuf_setlen(&buf, strchrnul(buf.buf, '\n') - buf.buf);
		strbuf_rtrim(&buf);
		line = strbuf_detach(&buf, NULL);
	}
	strbuf_release(&buf);
	free(path);
	return line;
}

static bool is_current(const struct worktree *w, const struct repository *r)
{
	char *real = path_real(w->gitdir, 0);
	bool current = real && !strcmp(real, r->gitdir_abs);

	free(real);
	return current;
}

/* The work tree is where the .git is, unless the repository is bare. */
static char *without_dot_git(const char *path)
{
	size_t len;

	return strip_suffix(path, "/.git", &len) ? xmemdupz(path, len) : xstrdup(path);
}

static struct worktree *read_main(struct repository *r)
{
	struct worktree *w;

	CALLOC_ARRAY(w, 1);
	w->gitdir = path_real(r->commondir, 0);
	if (!w->gitdir)
		w->gitdir = path_absolute(r->commondir);
	w->path = without_dot_git(w->gitdir);
	w->is_current = is_current(w, r);
	w->is_bare = w->is_current && r->bare;
	config_get_bool(r->config, "core.bare", &w->is_bare, NULL);
	read_head(w, r);
	return w;
}

/* NULL: there is no such worktree (no file "gitdir" in it). */
static struct worktree *read_linked(struct repository *r, const char *dir, const char *id)
{
	char *gitdir = path_join(dir, id), *dot_git = worktrees_read_line(gitdir, "gitdir");
	struct worktree *w;

	if (!dot_git || !*dot_git) {
		free(dot_git);
		free(gitdir);
		return NULL;
	}
	if (!is_absolute_path(dot_git)) {
		char *joined = path_join(gitdir, dot_git), *real = path_real(joined, 2);

		free(dot_git);
		dot_git = real ? real : xstrdup(joined);
		free(joined);
	}
	CALLOC_ARRAY(w, 1);
	w->id = xstrdup(id);
	w->gitdir = path_absolute(gitdir);
	w->path = without_dot_git(dot_git);
	w->is_current = is_current(w, r);
	read_head(w, r);
	free(dot_git);
	free(gitdir);
	return w;
}

int worktrees_read(struct worktree **out, struct repository *r, struct err *err)
{
	char *dir = path_join(r->commondir, "worktrees");
	struct string_list ids = STRING_LIST_INIT;
	struct worktree *first = NULL, **end = &first;
	int rc = worktree_ids(r->commondir, &ids, err);

	if (!rc) {
		*end = read_main(r);
		end = &(*end)->next;
	}
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		*end = read_linked(r, dir, ids.items[i].string);
		if (*end)
			end = &(*end)->next;
	}
	string_list_clear(&ids, NULL);
	free(dir);
	if (!rc)
		*out = first;
	return rc;
}

char *worktree_lock_reason(const struct worktree *w)
{
	struct strbuf text = STRBUF_INIT;
	char *path;

	if (!w->id)
		return NULL;
	path = path_join(w->gitdir, "locked");
	if (!file_exists(path)) {
		free(path);
		return NULL;
	}
	if (read_file(&text, path, 64 * 1024, NULL) < 0) /* it is locked, whatever the reason */
		strbuf_reset(&text);
	strbuf_trim(&text);
	free(path);
	return strbuf_detach(&text, NULL);
}

/* ---- by path ---- */

static bool ends_with_components(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return n && n <= len && !strcmp(path + len - n, suffix) && (n == len || path[len - n - 1] == '/');
}

static const struct worktree *find_by_end(const struct worktree *list, const char *arg)
{
	const struct worktree *found = NULL;

	for (; list; list = list->next) {
		if (!ends_with_components(list->path, arg))
			continue;
		if (found)
			return NULL;
		found = list;
	}
	return found;
}

static bool is_at(const struct worktree *w, const char *real)
{
	char *path = path_real(w->path, 1);
	bool same = path && !strcmp(path, real);

	free(path);
	return same;
}

const struct worktree *worktrees_find(const struct worktree *list, const char *prefix, const char *arg)
{
	const struct worktree *w = find_by_end(list, arg);
	char *path, *real;

	if (w)
		return w;
	path = is_absolute_path(arg) || !prefix ? xstrdup(arg) : xconcat(prefix, arg);
	real = path_real(path, 1); /* it may be missing */
	for (w = list; w && !(real && is_at(w, real)); w = w->next)
		;
	free(real);
	free(path);
	return w;
}

const struct worktree *worktrees_find_path(const struct worktree *list, const char *path)
{
	char *real = path_real(path, 1);

	for (; list; list = list->next) {
		char *own = list->id ? path_real(list->path, 1) : NULL;
		bool same = own && real && !strcmp(own, real);

		free(own);
		if (same)
			break;
	}
	free(real);
	return list;
}

/* ---- branches in use ---- */

static bool names_branch(const struct worktree *w, enum repo_state_file f, const char *branch)
{
	char *line = repo_state_line_in(w->gitdir, f);
	bool same = line && !strcmp(line, branch);

	free(line);
	return same;
}

/* rebase --update-refs will move these: three lines each, the first one is the name. */
static bool will_update(const struct worktree *w, const char *refname)
{
	struct strbuf buf = STRBUF_INIT;
	struct string_list lines = STRING_LIST_INIT;
	bool found = false;

	if (!repo_state_read_in(w->gitdir, STATE_REBASE_MERGE_UPDATE_REFS, &buf, NULL)) {
		string_list_split(&lines, buf.buf, "\n");
		for (size_t i = 0; i < lines.nr && !found; i += 3)
			found = !strcmp(lines.items[i].string, refname);
		string_list_clear(&lines, NULL);
	}
	strbuf_release(&buf);
	return found;
}

static bool uses_branch(const struct worktree *w, const char *refname)
{
	const char *branch;

	if (w->is_bare)
		return false;
	if (w->head && !strcmp(w->head, refname))
		return true;
	return names_branch(w, STATE_REBASE_MERGE_HEAD_NAME, refname) ||
	       names_branch(w, STATE_REBASE_APPLY_HEAD_NAME, refname) ||
	       (skip_prefix(refname, "refs/heads/", &branch) &&
		names_branch(w, STATE_BISECT_START, branch)) ||
	       will_update(w, refname);
}

const struct worktree *worktrees_find_branch(const struct worktree *list, const char *refname)
{
	for (; list; list = list->next)
		if (uses_branch(list, refname))
			return list;
	return NULL;
}
