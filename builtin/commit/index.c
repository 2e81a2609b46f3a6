/* SPDX-License-Identifier: GPL-2.0-only */
/* What a commit holds: the index, the index with changes, or some paths alone. */
#include "compat/posix.h"
#include "builtin/commit/commit-run.h"
#include "cli/choose/choose.h"
#include "index/cache-tree.h"
#include "util/alloc.h"
#include "util/path.h"
#include <dirent.h>

struct index_state *commit_index_tree_source(struct commit_run *run)
{
	return run->ci.style == COMMIT_PARTIAL ? &run->ci.partial : &run->ci.ix;
}

/* ---- changes of the work tree ---- */

static int report_failure(void *data UNUSED, const char *path, struct err *err)
{
	error("%s", err_message(err));
	error("unable to index file '%s'", path);
	return -1;
}

/* Taken out of the index, but in HEAD and still (or again) there: as they are now. */
static int add_untracked(struct commit_run *run, struct worktree_adder *adder,
			 const struct string_list *paths, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < paths->nr && rc >= 0; i++) {
		const char *path = paths->items[i].string;
		struct stat st;

		if (index_find(&run->ci.ix, path, strlen(path)) ||
		    worktree_leading_symlink(path, strlen(path)) || lstat(path, &st) < 0 ||
		    S_ISDIR(st.st_mode))
			continue;
		rc = worktree_adder_add(adder, path, &st, err);
	}
	return rc;
}

static int index_add_changes(struct commit_run *run, const struct pathspec *ps, char *seen,
			     const struct string_list *paths, struct err *err)
{
	struct worktree_add_options ao = { .on_error = report_failure };
	struct commit_index *ci = &run->ci;
	struct worktree_changes changes = { NULL, 0, 0 };
	struct worktree_adder *adder;
	int rc = worktree_find_changes(run->repo, &ci->ix, ps, ci->conv, 0, seen, &changes, err);

	if (rc < 0)
		return rc;
	adder = worktree_adder_new(run->repo, &ci->ix, ci->conv, &ao);
	rc = worktree_adder_apply(adder, &changes, false, err);
	if (rc >= 0 && paths)
		rc = add_untracked(run, adder, paths, err);
	if (rc >= 0)
		rc = worktree_adder_finish(adder, err);
	worktree_adder_free(adder);
	worktree_changes_release(&changes);
	return rc;
}

/* ---- some paths alone ---- */

struct tree_reader {
	struct index_state *ix;
	unsigned protect;
};

static int add_tree_entry(void *data, const char *path, size_t len,
			  const struct tree_entry *te, struct err *err)
{
	struct tree_reader *tr = data;
	int rc;

	if (MODE_IS_TREE(te->mode))
		return TREE_WALK_DESCEND;
	rc = index_add(tr->ix, index_entry_new(tr->ix, te->mode, &te->oid, path, len, 0),
		       INDEX_ADD_APPEND, tr->protect, err);
	return rc < 0 ? rc : TREE_WALK_SKIP;
}

static int read_head_tree(struct commit_run *run, struct index_state *ix, struct err *err)
{
	struct tree_reader tr = { ix, run->repo->settings.protect };

	if (run->initial)
		return 0;
	return tree_walk(odb_source(run->repo->odb), &run->head_tree, "", add_tree_entry, &tr,
			 err);
}

/* Tracked in the index or in HEAD, and matched. */
static void collect_matches(struct commit_run *run, const struct index_state *ix, char *seen,
			    struct string_list *out)
{
	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (pathspec_match(&run->ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode),
				   seen))
			string_list_append(out, e->name);
	}
}

/* In the tree: what the (updated) index has at that path. */
static int copy_path(struct commit_run *run, const char *path, struct err *err)
{
	struct commit_index *ci = &run->ci;
	size_t len = strlen(path);
	struct index_entry *e = index_find(&ci->ix, path, len), *copy;

	if (!e || (e->flags & CE_INTENT_TO_ADD)) {
		index_remove(&ci->partial, path, len);
		return 0;
	}
	copy = index_entry_new(&ci->partial, e->mode, &e->oid, path, len, 0);
	copy->stat = e->stat;
	return index_add(&ci->partial, copy, INDEX_ADD_REPLACE, run->repo->settings.protect,
			 err);
}

static int make_partial(struct commit_run *run, struct string_list *paths, struct err *err)
{
	int rc = 0;

	string_list_sort(paths);
	string_list_remove_duplicates(paths, NULL);
	for (size_t i = 0; !rc && i < paths->nr; i++)
		rc = copy_path(run, paths->items[i].string, err);
	return rc;
}

/* ---- preparing ---- */

static int check_seen(const struct commit_run *run, const char *seen)
{
	int rc = 0;

	for (size_t i = 0; i < run->ps.nr; i++) {
		if (seen[i] || run->ps.items[i].exclude)
			continue;
		error("pathspec '%s' did not match any file(s) known to git",
		      run->ps.items[i].original);
		rc = ERR_ABORTED;
	}
	return rc;
}

static int prepare_partial(struct commit_run *run, char *seen, struct err *err)
{
	struct commit_index *ci = &run->ci;
	struct string_list paths = STRING_LIST_INIT;
	int rc;

	if (run->whence == FROM_MERGE)
		return err_set(err, ERR_INVALID, "cannot do a partial commit during a merge.");
	if (run->whence == FROM_CHERRY_PICK)
		return err_set(err, ERR_INVALID,
			       "cannot do a partial commit during a cherry-pick.");
	rc = read_head_tree(run, &ci->partial, err);
	if (rc < 0 || !run->ps.nr) /* --only alone: nothing at all */
		return rc;
	collect_matches(run, &ci->ix, seen, &paths);
	collect_matches(run, &ci->partial, seen, &paths);
	rc = check_seen(run, seen);
	if (rc >= 0)
		rc = index_add_changes(run, &run->ps, NULL, &paths, err);
	if (rc >= 0)
		rc = make_partial(run, &paths, err);
	string_list_clear(&paths, NULL);
	return rc;
}

static int prepare_updated(struct commit_run *run, char *seen, struct err *err)
{
	int rc = index_add_changes(run, run->o.all ? NULL : &run->ps, seen, NULL, err);

	if (rc >= 0 && !run->o.all)
		rc = check_seen(run, seen);
	return rc;
}

/* The user chooses hunks, which are added to the index. */
static int prepare_chosen(struct commit_run *run, struct err *err)
{
	struct choose_request q = { .repo = run->repo, .target = CHOOSE_STAGE, .ps = &run->ps, .context = run->o.context,
				    .auto_advance = 1, .into = &run->ci.ix, .op = run->op };

	if (run->o.patch ? choose_hunks(&q) : choose_from_menu(&q))
		return err_set(err, ERR_ABORTED, "interactive add failed");
	run->ci.ix.changed = true;
	return 0;
}

static enum commit_style choose_style(const struct commit_run *run)
{
	if (run->o.all || run->o.include || run->o.patch || run->o.interactive)
		return COMMIT_UPDATED;
	return run->ps.nr || run->o.only ? COMMIT_PARTIAL : COMMIT_AS_IS;
}

#define NEXT_INDEX "next-index-"

/* P5: those of commits that were killed. Test: t7502, "commit of paths, killed in its hook". */
static void remove_dead_next(struct repository *repo)
{
	DIR *dir = opendir(repo->gitdir);
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		if (starts_with(de->d_name, NEXT_INDEX)) {
			char *path = path_join(repo->gitdir, de->d_name);

			(void)lockfile_remove_stale(path);
			free(path);
		}
	}
	if (dir)
		closedir(dir);
}

int commit_index_prepare(struct commit_run *run, struct err *err)
{
	struct commit_index *ci = &run->ci;
	char *seen = xcalloc(run->ps.nr + 1, 1);
	int rc;

	ci->style = choose_style(run);
	remove_dead_next(run->repo);
	if ((rc = repo_operation_lock_index(run->op, err)) < 0 ||
	    (rc = index_read_repo(&ci->ix, run->repo, err)) < 0 ||
	    (rc = converter_new(&ci->conv, run->repo, &ci->ix, ATTR_CHECKIN, err)) < 0 ||
	    (rc = repo_operation_open_objects(run->op, err)) < 0)
		goto out;
	run->ps.match_attr = attrs_match_spec;
	run->ps.match_attr_data = converter_attrs(ci->conv);
	if (run->o.patch || run->o.interactive)
		rc = prepare_chosen(run, err);
	else if (ci->style == COMMIT_UPDATED)
		rc = prepare_updated(run, seen, err);
	else if (ci->style == COMMIT_PARTIAL)
		rc = prepare_partial(run, seen, err);
out:
	free(seen);
	return rc;
}

/* ---- hooks and editors look on ---- */

static int write_lock(struct commit_run *run, struct err *err)
{
	struct commit_index *ci = &run->ci;
	struct index_write_options wo = { .version = run->repo->settings.index_version,
					  .skip_hash = run->repo->settings.index_skip_hash,
					  .repo = run->repo };
	struct lockfile *lock = repo_operation_index_lock(run->op);
	int rc = index_write_fd(&ci->ix, lock->tf->fd, lock->tf->path, &wo, err);

	return rc < 0 ? rc : lockfile_close(lock, err);
}

/* A file of its own, since the lock holds what the index becomes. */
static int write_next(struct commit_run *run, struct err *err)
{
	struct commit_index *ci = &run->ci;
	struct index_write_options wo = { .repo = run->repo };
	char *path = repo_path(run->repo, NEXT_INDEX "%jd", (intmax_t)getpid());
	int rc = lockfile_hold(&ci->next, path, LOCK_NO_DEREF, 0, err);

	if (rc >= 0)
		rc = index_write_fd(&ci->partial, ci->next.tf->fd, ci->next.tf->path, &wo, err);
	if (rc >= 0)
		rc = lockfile_close(&ci->next, err);
	free(path);
	return rc;
}

int commit_index_expose(struct commit_run *run, struct err *err)
{
	struct lockfile *lock = repo_operation_index_lock(run->op);
	struct commit_index *ci = &run->ci;
	int rc;

	if (ci->seen_by_hooks)
		return 0;
	/* Once: what comes later (trees, the commit) is not in the index that they see. */
	rc = repo_operation_show_objects(run->op, err);
	if (rc < 0)
		return rc;
	if (ci->style == COMMIT_AS_IS) {
		lockfile_rollback(lock);
		ci->seen_by_hooks = xstrdup(run->repo->index_path);
		return 0;
	}
	if ((rc = write_lock(run, err)) < 0)
		return rc;
	if (ci->style == COMMIT_PARTIAL && (rc = write_next(run, err)) < 0)
		return rc;
	/* absolute: hooks change directories */
	ci->seen_by_hooks = path_absolute(ci->style == COMMIT_PARTIAL ? ci->next.tf->path :
								       lock->tf->path);
	return ci->seen_by_hooks ? 0 : err_set_errno(err, "unable to get current working directory");
}

int commit_index_reload(struct commit_run *run, struct err *err)
{
	struct index_state *ix = commit_index_tree_source(run);
	const struct index_places places = { run->repo->gitdir, odb_source(run->repo->odb) };
	struct index_state fresh;
	int rc;

	index_init(&fresh, run->repo->algo);
	rc = index_read(&fresh, run->ci.seen_by_hooks, run->repo->algo, &places, err);
	if (rc < 0)
		return rc;
	index_release(ix);
	*ix = fresh;
	return 0;
}

/* ---- the end ---- */

/* Another process may have changed the index while the lock was not held. */
static bool is_still_the_same(struct commit_run *run)
{
	struct index_state now;
	bool same;

	index_init(&now, run->repo->algo);
	same = index_read_repo(&now, run->repo, NULL) >= 0 &&
	       oid_eq(&now.checksum, &run->ci.ix.checksum);
	index_release(&now);
	return same;
}

/* The index as it stands only gains its cached trees: no reason to fail. */
static bool can_write_as_is(struct commit_run *run)
{
	struct lockfile *lock = repo_operation_index_lock(run->op);

	if (lockfile_is_held(lock))
		return true;
	if (repo_operation_lock_index(run->op, NULL) < 0)
		return false;
	if (is_still_the_same(run))
		return true;
	lockfile_rollback(lock);
	return false;
}

int commit_index_set(struct commit_run *run, struct err *err)
{
	struct commit_index *ci = &run->ci;
	int rc;

	if (ci->style == COMMIT_AS_IS && !can_write_as_is(run))
		return 0;
	if (ci->style != COMMIT_AS_IS && ci->seen_by_hooks &&
	    (rc = lockfile_reopen(repo_operation_index_lock(run->op), err)) < 0)
		return rc;
	repo_operation_set_index(run->op, &ci->ix);
	return 0;
}

void commit_index_release(struct commit_index *ci)
{
	lockfile_release(&ci->next);
	converter_free(ci->conv);
	index_release(&ci->ix);
	index_release(&ci->partial);
	FREE_AND_NULL(ci->seen_by_hooks);
}
