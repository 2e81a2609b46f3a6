/* SPDX-License-Identifier: GPL-2.0-only */
/* The index of a repository: read, locked, written within its operation. */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "index/index-internal.h"
#include "repo/hook.h"
#include "util/alloc.h"
#include "util/trace2.h"

int index_read_repo(struct index_state *ix, struct repository *r, struct err *err)
{
	const struct index_places places = { r->gitdir, odb_source(r->odb) };
	int ret;

	trace2_region_enter("index", "read");
	ret = index_read(ix, r->index_path, r->algo, &places, err);
	if (!ret)
		ret = index_notice_present_files(ix, r, err);
	trace2_data_intmax("index", "entries", (intmax_t)ix->nr);
	trace2_region_leave("index", "read");
	return ret;
}

int index_lock(struct repository *r, struct lockfile *lk, struct err *err)
{
	return lockfile_hold(lk, r->index_path, 0, 0, err);
}

/* For an index that has no file yet: the environment, then the configuration. */
static int version_of_new(const struct repository *r)
{
	const char *env = getenv("GIT_INDEX_VERSION");
	bool many_files = false;

	if (env && *env)
		return strlen(env) == 1 && *env >= '2' && *env <= '4' ? *env - '0' : 2;
	if (r->settings.index_version)
		return r->settings.index_version;
	if (r->config && config_get_bool(r->config, "feature.manyfiles", &many_files, NULL) > 0 &&
	    many_files)
		return 4;
	return 0;
}

static int write_to_lock(struct index_state *ix, struct repository *r, struct lockfile *lk,
			 struct err *err)
{
	struct index_write_options o = {
		.version = ix->version ? 0 : version_of_new(r),
		.skip_hash = r->settings.index_skip_hash,
		.repo = r,
	};
	int ret = apply_shared_perm(lk->tf->path, r->settings.shared_perm, err);

	trace2_region_enter("index", "write");
	if (!ret)
		ret = index_write_fd(ix, lk->tf->fd, lk->tf->path, &o, err);
	trace2_region_leave("index", "write");
	return ret;
}

int index_write_locked(struct index_state *ix, struct repository *r, struct lockfile *lk,
		       struct fsync_batch *b, struct err *err)
{
	int ret = write_to_lock(ix, r, lk, err);

	if (!ret)
		ret = lockfile_stage(lk, b, FSYNC_INDEX, PUBLISH_INDEX, err);
	if (ret) /* `changed` must stay true: nothing has been written */
		ix->changed = true;
	lockfile_release(lk);
	return ret;
}

/* The hook cannot veto the change: report only that it could not run. */
void index_tell_change(struct repository *r, unsigned effects)
{
	const char *const args[] = { effects & INDEX_CHANGED_WORKTREE ? "1" : "0",
				     effects & INDEX_CHANGED_SKIP_WORKTREE ? "1" : "0", NULL };
	struct err err = ERR_INIT;

	if (repo_run_hook(r, "post-index-change", NULL, args, NULL, &err) < 0 && *err_message(&err))
		repo_note(r, NULL, "%s", err_message(&err));
	err_release(&err);
}

/* ---- refreshing on the side ---- */

static bool optional_locks_allowed(void)
{
	const char *env = getenv("GIT_OPTIONAL_LOCKS");

	return !env || config_parse_maybe_bool(env) != 0;
}

/* No other process has written an index since we read ours. */
static bool still_the_same(const struct index_state *ix, const char *path)
{
	struct stat_data now;
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	stat_data_fill(&now, &st);
	return now.ino == ix->file.ino && now.size == ix->file.size &&
	       now.mtime_sec == ix->file.mtime_sec && now.mtime_nsec == ix->file.mtime_nsec;
}

/*
 * Contents before the name (D1), so that a power cut leaves the old index or the
 * new one; a refresh promises no durability, so it is not sealed: no flush on
 * file systems with an ordered journal. (t2002-index-file.sh) Where no journal orders names, the
 * old inode has to be kept until the new name is on the disk, so there it is.
 */
static int publish_refreshed(struct index_state *ix, struct repository *r, struct lockfile *lk)
{
	struct fsync_batch_options o = {
		.policy = r->settings.fsync,
		.alone = true,
		.second_name = owner_second_name,
	};
	struct fsync_batch *b = fsync_batch_new(&o);
	const bool seal = fs_kind_of(lk->tf->fd) == FS_LOCAL;
	int ret = write_to_lock(ix, r, lk, NULL);

	if (!ret)
		ret = lockfile_stage(lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL);
	if (!ret)
		ret = seal ? fsync_batch_commit(b, NULL) : fsync_batch_publish(b, NULL);
	fsync_batch_free(b);
	return ret;
}

void index_update_if_able(struct index_state *ix, struct repository *r)
{
	struct lockfile lk = LOCKFILE_INIT;

	if (!ix->changed || !optional_locks_allowed())
		return;
	if (lockfile_hold(&lk, r->index_path, 0, 0, NULL) < 0)
		return;
	if (still_the_same(ix, r->index_path) && publish_refreshed(ix, r, &lk) < 0)
		ix->changed = true;
	lockfile_release(&lk);
	if (!ix->changed)
		index_tell_change(r, 0);
}
