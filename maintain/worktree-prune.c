/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/worktree-prune.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "fs/owner.h"
#include "util/alloc.h"
#include "util/path.h"

#define GITDIR_MAX (64 * 1024)

/* ---- which ---- */

static bool is_in(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

/* What the file "gitdir" names, absolute. 0: *out is NULL if there is no such file, or nothing in it. */
static int read_place(const char *dir, char **out, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = path_join(dir, "gitdir");
	int rc = read_file(&text, path, GITDIR_MAX, err);

	*out = NULL;
	strbuf_rtrim(&text);
	if (!rc && text.len) {
		char *joined = is_absolute_path(text.buf) ? xstrdup(text.buf) :
							    path_join(dir, text.buf);

		*out = path_real(joined, 100); /* for comparison: the end of it may not be there */
		if (!*out)
			*out = joined;
		else
			free(joined);
	}
	if (rc == ERR_NOT_FOUND && err)
		err_release(err);
	strbuf_release(&text);
	free(path);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* Its index tells when it was last of use. */
static bool is_expired(const char *dir, timestamp_t expire_before)
{
	char *index = path_join(dir, "index");
	struct stat st;
	bool yes = stat(index, &st) < 0 || st.st_mtime < 0 ||
		   (timestamp_t)st.st_mtime <= expire_before;

	free(index);
	return yes;
}

struct place {
	char *path, *id;
};

struct search {
	struct repository *repo;
	timestamp_t expire_before;
	struct place *v; /* places of worktrees that stay */
	size_t nr, alloc;
};

static bool is_ours(const struct repository *r, const char *dir)
{
	char *real = path_real(dir, 0);
	bool yes = real && !strcmp(real, r->gitdir_abs);

	free(real);
	return yes;
}

static const char *why_without_place(const char *dir)
{
	return is_in(dir, "gitdir") ? "invalid gitdir file" : "gitdir file does not exist";
}

/* P5: it is locked as one that is being made, and the process that was to make it is gone. */
static bool is_left_unfinished(const char *dir)
{
	static const char *const locks[] = { "commondir.lock", "gitdir.lock" }; /* the first and the last */
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(locks) && !is_in(dir, "gitdir"); i++) {
		char *lock = path_join(dir, locks[i]);

		yes |= lock_owner_of(lock, NULL) == LOCK_OWNER_GONE;
		free(lock);
	}
	return yes;
}

/* *why: it can go; NULL: it stays. */
static int judge(struct search *s, const char *id, const char **why, struct err *err)
{
	char *dir = xstrfmt("%s/worktrees/%s", s->repo->commondir, id), *path = NULL;
	int rc = 0;

	*why = NULL;
	if (is_directory_nofollow(dir) && (!is_in(dir, "locked") || is_left_unfinished(dir)) && !is_ours(s->repo, dir)) {
		rc = read_place(dir, &path, err);
		if (!rc && !path)
			*why = why_without_place(dir);
		else if (!rc && !file_exists(path) && is_expired(dir, s->expire_before))
			*why = "gitdir file points to non-existent location";
	}
	if (!rc && !*why && path) {
		ALLOC_GROW(s->v, s->nr + 1, s->alloc);
		s->v[s->nr++] = (struct place){ .path = path, .id = xstrdup(id) };
		path = NULL;
	}
	free(path);
	free(dir);
	return rc;
}

static int place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int cmp = strcmp(x->path, y->path);

	return cmp ? cmp : strcmp(x->id, y->id);
}

/* If several entries are for one place, the first by name stays. */
static void find_duplicates(struct search *s, struct string_list *ids)
{
	if (s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), place_cmp);
	for (size_t i = 1; i < s->nr; i++)
		if (!strcmp(s->v[i].path, s->v[i - 1].path))
			string_list_append(ids, s->v[i].id)->util = (char *)(uintptr_t) "duplicate entry";
}

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		free(s->v[i].path);
		free(s->v[i].id);
	}
	free(s->v);
}

const char *worktree_prune_reason(struct repository *r, const char *id, timestamp_t expire_before)
{
	struct search s = { .repo = r, .expire_before = expire_before };
	const char *why;

	if (judge(&s, id, &why, NULL) < 0)
		why = NULL;
	search_release(&s);
	return why;
}

int worktrees_find_prunable(struct string_list *ids, struct repository *r,
			    timestamp_t expire_before, struct err *err)
{
	struct search s = { .repo = r, .expire_before = expire_before };
	struct string_list all = STRING_LIST_INIT;
	int rc = worktree_ids(r->commondir, &all, err);

	for (size_t i = 0; !rc && i < all.nr; i++) {
		const char *why;

		rc = judge(&s, all.items[i].string, &why, err);
		if (!rc && why)
			string_list_append(ids, all.items[i].string)->util = (char *)(uintptr_t)why;
	}
	if (!rc)
		find_duplicates(&s, ids);
	search_release(&s);
	string_list_clear(&all, NULL);
	return rc;
}

/* ---- removing ---- */

struct removal {
	struct repository *repo;
	struct repo_operation *op;
	struct string_list ids;
};

/* "gitdir" first: without it there is no worktree, however much is left of the rest. */
static void worktree_prune_remove_one(const struct removal *x, const char *dir)
{
	char *gitdir = path_join(dir, "gitdir");
	struct err err = ERR_INIT;

	if (remove_file(gitdir, &err) < 0 || remove_tree(dir, false, &err) < 0) {
		repo_warn(x->repo, "%s", err_message(&err));
		err_release(&err);
	}
	free(gitdir);
}

static int remove_all(void *data, struct err *err UNUSED)
{
	struct removal *x = data;
	char *top = path_join(x->repo->commondir, "worktrees");

	for (size_t i = 0; i < x->ids.nr; i++) {
		char *dir = path_join(top, x->ids.items[i].string);

		worktree_prune_remove_one(x, dir);
		free(dir);
	}
	fsync_batch_note_dir(repo_operation_batch(x->op), FSYNC_OTHER,
			     RETRY_EINTR(sys->rmdir(top)) ? top : x->repo->commondir);
	free(top);
	return 0;
}

static void removal_free(void *data, bool published UNUSED)
{
	struct removal *x = data;

	string_list_clear(&x->ids, NULL);
	free(x);
}

static int stage_worktree_removal(struct removal *x, struct err *err)
{
	struct fsync_staging s = {
		.component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE, .how = PUBLISH_CALL,
		.fd = -1, .final_path = x->repo->commondir, .done = removal_free, .call = remove_all,
		.data = x,
	};

	return fsync_batch_stage(repo_operation_batch(x->op), &s, err);
}

static struct removal *new_removal(struct repo_operation *op, struct repository *r)
{
	struct removal *x = xcalloc(1, sizeof(*x));

	*x = (struct removal){ .repo = r, .op = op, .ids = STRING_LIST_INIT };
	return x;
}

int worktree_prune_one(struct repo_operation *op, struct repository *r, const char *id, struct err *err)
{
	struct removal *x = new_removal(op, r);

	string_list_append(&x->ids, id);
	return stage_worktree_removal(x, err);
}

/* ---- work trees ---- */

/* P5: the process that was to make the file ".git" there may have been killed. */
static void sweep_work_tree(const char *dot_git)
{
	struct strbuf dir = STRBUF_INIT;
	struct stat st;

	path_dirname(&dir, dot_git);
	if (!lstat(dot_git, &st) && S_ISREG(st.st_mode))
		owner_sweep(dir.buf);
	strbuf_release(&dir);
}

static void sweep_work_trees(const struct repository *r)
{
	struct string_list ids = STRING_LIST_INIT;
	char *dot_git = r->worktree ? path_join(r->worktree, ".git") : NULL;

	if (dot_git)
		sweep_work_tree(dot_git);
	free(dot_git);
	if (worktree_ids(r->commondir, &ids, NULL) < 0)
		return;
	for (size_t i = 0; i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", r->commondir, ids.items[i].string);

		dot_git = NULL;
		if (!read_place(dir, &dot_git, NULL) && dot_git)
			sweep_work_tree(dot_git);
		free(dot_git);
		free(dir);
	}
	string_list_clear(&ids, NULL);
}

int worktree_prune_run(struct repo_operation *op, struct repository *r, timestamp_t expire_before,
		       struct err *err)
{
	struct removal *x = new_removal(op, r);
	int rc;

	sweep_work_trees(r);
	rc = worktrees_find_prunable(&x->ids, r, expire_before, err);
	if (rc < 0 || !x->ids.nr) {
		removal_free(x, false);
		return rc;
	}
	return stage_worktree_removal(x, err);
}
