/* SPDX-License-Identifier: GPL-2.0-only */
/* Merging trees: the files of the work tree that must not be lost, and the messages about them. */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "worktree/unpack-trees-internal.h"

int unpack_trees_refuse(struct merger *mg, enum refusal why, const char *path)
{
	if (mg->m->for_switch) {
		mg->refused = true;
		mg->m->local_changes |= why == OVERWRITTEN || why == NOT_UPTODATE;
		if (!string_list_lookup(&mg->in_the_way[why], path))
			string_list_insert(&mg->in_the_way[why], path);
		return 0;
	}
	switch (why) {
	case NOT_UPTODATE:
		return err_set(mg->err, ERR_CONFLICT, "Entry '%s' not uptodate. Cannot merge.", path);
	case OVERWRITTEN:
		return err_set(mg->err, ERR_CONFLICT,
			       "Entry '%s' would be overwritten by merge. Cannot merge.", path);
	case UNTRACKED_IN_DIR:
		return err_set(mg->err, ERR_CONFLICT,
			       "Updating '%s' would lose untracked files in it", path);
	case UNTRACKED_PARENT:
		return err_set(mg->err, ERR_CONFLICT,
			       "Untracked working tree file '%s' would be removed by merge.", path);
	case CURRENT_DIR:
		return err_set(mg->err, ERR_CONFLICT,
			       "Refusing to remove '%s' since it is the current working directory.", path);
	default:
		return err_set(mg->err, ERR_CONFLICT,
			       "Untracked working tree file '%s' would be overwritten by merge.",
			       path);
	}
}

static bool is_missing(const struct index_entry *e)
{
	struct stat st;

	return lstat(e->name, &st) < 0 && errno == ENOENT;
}

static const char *command_of(const struct merger *mg)
{
	return mg->m->for_merge ? "merge" : "checkout";
}

/* The step that the user takes after the paths have been moved or committed. */
static const char *next_step_of(const struct merger *mg)
{
	return mg->m->for_merge ? "merge" : "switch branches";
}

static void add_headline(struct strbuf *out, const struct merger *mg, enum refusal why)
{
	static const char *const words[] = {
		[OVERWRITTEN] = "Your local changes to the following files would be overwritten by %s:",
		[NOT_UPTODATE] = "Your local changes to the following files would be overwritten by %s:",
		[UNTRACKED_FILE] = "The following untracked working tree files would be overwritten by %s:",
		[UNTRACKED_PARENT] = "The following untracked working tree files would be removed by %s:",
		[UNTRACKED_IN_DIR] = "Updating the following directories would lose untracked files in them:",
		[CURRENT_DIR] = "Refusing to remove the current working directory:",
	};
	const char *at = strstr(words[why], "%s");

	if (at)
		strbuf_addf(out, "%.*s%s%s", (int)(at - words[why]), words[why], command_of(mg), at + 2);
	else
		strbuf_addstr(out, words[why]);
	strbuf_addch(out, '\n');
}

static void add_advice(struct strbuf *out, const struct merger *mg, enum refusal why)
{
	if (why == OVERWRITTEN || why == NOT_UPTODATE)
		strbuf_addf(out, "Please commit your changes or stash them before you %s.", next_step_of(mg));
	else if (why == UNTRACKED_FILE || why == UNTRACKED_PARENT)
		strbuf_addf(out, "Please move or remove them before you %s.", next_step_of(mg));
	strbuf_addch(out, '\n');
}

static void add_paths(struct strbuf *out, const struct merger *mg, enum refusal why)
{
	const struct string_list *paths = &mg->in_the_way[why];

	if (!paths->nr)
		return;
	strbuf_addstr(out, out->len ? "error: " : "");
	add_headline(out, mg, why);
	for (size_t i = 0; i < paths->nr; i++)
		strbuf_addf(out, "\t%s\n", paths->items[i].string);
	add_advice(out, mg, why);
}

int unpack_trees_tell_refused(struct merger *mg)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	for (int why = 0; why < REFUSALS; why++) {
		add_paths(&text, mg, (enum refusal)why);
		string_list_clear(&mg->in_the_way[why], NULL);
	}
	if (mg->refused)
		rc = err_set(mg->err, ERR_CONFLICT, "%sAborting", text.buf);
	strbuf_release(&text);
	return rc;
}

/* An ignored file may go, unless all shall be kept. */
static bool is_expendable(struct merger *mg, const char *path, size_t len)
{
	if (mg->m->keep_ignored)
		return false;
	if (!mg->ignore && ignore_new(&mg->ignore, mg->r, mg->ix, NULL) < 0)
		return false;
	return ignore_is_ignored(mg->ignore, path, len, false);
}

/* An untracked file in place of one of its directories has been reported: that is enough. */
static bool is_below_untracked(const struct merger *mg, const struct index_entry *e)
{
	const struct string_list *l = &mg->in_the_way[UNTRACKED_FILE];

	for (size_t i = 0; i < l->nr; i++) {
		const char *rest;

		if (skip_prefix(e->name, l->items[i].string, &rest) && *rest == '/')
			return true;
	}
	return false;
}

int unpack_trees_compare(struct merger *mg, struct index_entry *e, enum worktree_change *change)
{
	unsigned assumed = e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE), mode;
	struct stat st;

	e->flags &= ~assumed;
	*change = worktree_compare(mg->r, mg->ix, e, &mg->cursor, mg->c, &st, &mode);
	e->flags |= assumed;
	return 0;
}

/* A file in the place of a submodule: its directory must be empty; with reset, without a repository. */
static int check_submodule_replaced(struct merger *mg, struct index_entry *e)
{
	enum worktree_change change;
	int ret;

	if (mg->m->reset)
		return worktree_refuse_repository(e->name, mg->err);
	ret = unpack_trees_compare(mg, e, &change);
	if (!ret && change == WT_MODIFIED)
		return unpack_trees_refuse(mg, NOT_UPTODATE, e->name);
	if (!ret && !is_empty_dir(e->name))
		return unpack_trees_refuse(mg, UNTRACKED_IN_DIR, e->name);
	return ret;
}

int unpack_trees_check_replaced(struct merger *mg, struct index_entry *e, const struct index_entry *by)
{
	bool checks = !mg->m->index_only && mg->m->update && mg->r->worktree;
	int ret = 0;

	if (checks && MODE_IS_GITLINK(e->mode) && !MODE_IS_GITLINK(by->mode) && is_directory_nofollow(e->name))
		ret = check_submodule_replaced(mg, e);
	return ret ? ret : unpack_trees_check_uptodate(mg, e);
}

int unpack_trees_check_uptodate(struct merger *mg, struct index_entry *e)
{
	bool assumed = e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE);
	enum worktree_change change;
	int ret;

	if (mg->m->index_only || (mg->m->reset && !assumed) || !mg->r->worktree)
		return 0;
	ret = unpack_trees_compare(mg, e, &change);
	if (ret)
		return ret;
	/* The commit of a submodule that is checked out is not touched, and so it is never lost. */
	if (change == WT_UNCHANGED || (change == WT_MODIFIED && MODE_IS_GITLINK(e->mode)))
		return 0;
	/* it does not exist: nothing is lost; a file in place of its directory is a change, too */
	if (change == WT_DELETED && (is_missing(e) || is_below_untracked(mg, e)))
		return 0;
	return unpack_trees_refuse(mg, NOT_UPTODATE, e->name);
}

static int found_untracked(void *data, const char *path, size_t len, bool is_dir,
			   enum dirwalk_kind kind)
{
	(void)data;
	(void)path;
	(void)len;
	(void)is_dir;
	return kind == DIRWALK_UNTRACKED ? 1 : 0;
}

/* A directory in place of a new file: fails if it has untracked files, or a repository, which ignored files may be. */
static int check_dir_expendable(struct merger *mg, const char *path)
{
	const char *const argv[] = { path, NULL };
	struct ignore *ig = NULL;
	struct pathspec ps;
	int ret = pathspec_parse(&ps, NULL, mg->r->worktree, argv, PATHSPEC_LITERAL, mg->err);

	if (ret)
		return ret;
	ret = ignore_new(&ig, mg->r, mg->ix, mg->err);
	if (!ret)
		ret = worktree_walk_untracked(mg->r, mg->ix, ig, &ps, UNTRACKED_ALL, 0,
					      found_untracked, NULL, mg->err);
	ignore_free(ig);
	pathspec_release(&ps);
	if (!ret) {
		ret = worktree_refuse_repository(path, mg->err);
		if (ret == ERR_EXISTS) {
			err_release(mg->err);
			ret = 1;
		}
	}
	return ret > 0 ? unpack_trees_refuse(mg, UNTRACKED_IN_DIR, path) : ret;
}

/* If core.ignorecase is set: the entry whose file may be the file at this path; or NULL. */
static struct index_entry *find_other_case(const struct merger *mg, const char *path, size_t len)
{
	return mg->r->settings.ignorecase ? index_find_icase(mg->ix, path, len) : NULL;
}

/* An untracked file among the directories that lead to path: its length, or 0. */
static size_t untracked_parent(struct merger *mg, const char *path)
{
	for (size_t i = 1; path[i]; i++) {
		char *parent;
		struct stat st;
		bool stop;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		stop = lstat(parent, &st) < 0;
		free(parent);
		if (stop)
			return 0;
		if (!S_ISDIR(st.st_mode))
			return index_pos(mg->ix, path, i, 0) < 0 && !find_other_case(mg, path, i) ? i : 0;
	}
	return 0;
}

/* Neighbours mostly share their directories. */
static bool is_in_clear(const struct merger *mg, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) + 1 : 0;

	return len == mg->clear.len && !memcmp(path, mg->clear.buf, len);
}

static void remember_clear(struct merger *mg, const char *path)
{
	const char *slash = strrchr(path, '/');

	strbuf_reset(&mg->clear);
	strbuf_add(&mg->clear, path, slash ? (size_t)(slash - path) + 1 : 0);
}

int unpack_trees_check_absent(struct merger *mg, const struct index_entry *e)
{
	struct index_entry *twin;
	size_t parent;
	struct stat st;

	if (mg->m->index_only || mg->m->reset || !mg->m->update)
		return 0;
	parent = is_in_clear(mg, e->name) ? 0 : untracked_parent(mg, e->name);
	if (parent && is_expendable(mg, e->name, parent))
		return 0;
	if (parent) {
		char *path = xmemdupz(e->name, parent);
		int ret = unpack_trees_refuse(mg, UNTRACKED_PARENT, path);

		free(path);
		return ret;
	}
	remember_clear(mg, e->name);
	if (lstat_cursor_stat(&mg->cursor, e->name, e->name_len, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return MODE_IS_GITLINK(e->mode) ? 0 : check_dir_expendable(mg, e->name);
	twin = find_other_case(mg, e->name, e->name_len);
	if (twin)
		return unpack_trees_check_uptodate(mg, twin);
	return is_expendable(mg, e->name, e->name_len) ? 0 : unpack_trees_refuse(mg, UNTRACKED_FILE, e->name);
}

int unpack_trees_check_gone(struct merger *mg, const struct index_entry *e)
{
	size_t len = e->name_len;
	struct stat st;
	char *path;
	int ret = 0;

	if (mg->m->index_only || mg->m->reset || !mg->m->update)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (e->name[i] != '/')
			continue;
		path = xmemdupz(e->name, i);
		if (lstat(path, &st) < 0)
			len = 0;
		else if (!S_ISDIR(st.st_mode))
			len = i;
		free(path);
	}
	path = xmemdupz(e->name, len);
	if (len && !lstat(path, &st) && !S_ISDIR(st.st_mode) && !is_expendable(mg, path, len))
		ret = unpack_trees_refuse(mg, UNTRACKED_PARENT, path);
	free(path);
	return ret;
}

int unpack_trees_check_cwd(struct merger *mg)
{
	const struct unpack_trees *m = mg->m;
	const char *cwd = mg->r->original_cwd;
	const struct index_entry *e = cwd ? index_find(&m->result, cwd, strlen(cwd)) : NULL;

	if (!e || !m->update || m->index_only || MODE_IS_GITLINK(e->mode) || !is_directory_nofollow(cwd))
		return 0;
	for (size_t i = 0; i < m->checked_out.nr; i++)
		if (!strcmp(m->checked_out.items[i].string, cwd))
			return unpack_trees_refuse(mg, CURRENT_DIR, cwd);
	return 0;
}

/* Something is where the file would be written; its own content has been noticed when the index was read. */
static bool is_place_taken(struct merger *mg, const struct index_entry *e)
{
	struct stat st;

	return !mg->m->reset && (untracked_parent(mg, e->name) || !lstat(e->name, &st));
}

int unpack_trees_find_border(struct merger *mg, struct index_entry *e, bool *out)
{
	bool was_out = e->flags & CE_SKIP_WORKTREE;
	enum worktree_change change = WT_UNCHANGED;
	int ret = 0;

	*out = !sparse_has(mg->sparse, e->name, e->name_len);
	if (*out && !was_out && !mg->m->reset) {
		ret = unpack_trees_compare(mg, e, &change);
		if (!ret && change != WT_UNCHANGED && !(change == WT_DELETED && is_missing(e))) {
			string_list_append(&mg->m->left, e->name);
			*out = false;
		}
	} else if (!*out && was_out && is_place_taken(mg, e)) {
		string_list_append(&mg->m->not_overwritten, e->name);
		*out = true;
	}
	return ret;
}
