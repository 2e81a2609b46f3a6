/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fsync/volume.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/trace2.h"
#include "util/workers.h"

struct volume *volume_new(int fd, dev_t dev, const char *name, enum fs_kind kind)
{
	struct volume *vol = xcalloc(1, sizeof(*vol));

	vol->order = NO_CLASS;
	vol->dev = dev;
	vol->kind = kind;
	vol->fd = fd;
	vol->name = xstrdup(name);
	strvec_init(&vol->dirs);
	strmap_init(&vol->in_dirs.map);
	return vol;
}

void volume_free(struct volume *vol)
{
	sys->close(vol->fd);
	strvec_clear(&vol->dirs);
	strset_clear(&vol->in_dirs);
	free(vol->last_dir);
	free(vol->last_in_place);
	free(vol->name);
	free(vol);
}

static int open_dir(const char *path)
{
	return (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
}

int open_existing_dir(struct strbuf *dir)
{
	struct strbuf up = STRBUF_INIT;
	int fd;

	while ((fd = open_dir(dir->buf)) < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		int saved = errno;

		path_dirname(&up, dir->buf);
		if (!strcmp(up.buf, dir->buf)) {
			errno = saved;
			break;
		}
		strbuf_swap(dir, &up);
		strbuf_reset(&up);
	}
	strbuf_release(&up);
	return fd;
}

/* ---- flushes and writebacks, counted ---- */

/*
 * EINTR comes before anything was flushed, so going on is no second try in
 * the sense of D6.
 */
int volume_flush_fd(const struct volume *vol, int fd)
{
	trace2_counter_add(TRACE2_COUNTER_HARDWARE_FLUSH, 1);
	return (int)RETRY_EINTR(vol->kind == FS_FULL ? sys->full_fsync(fd) : sys->fsync(fd));
}

/* A file system that cannot flush a directory has no names that syncfs leaves behind. */
static int flush_cache_again(const struct volume *vol)
{
	int rc = volume_flush_fd(vol, vol->fd);

	return rc < 0 && is_missing_call(errno) ? 0 : rc;
}

/*
 * FS_LOCAL: without a journal syncfs flushes the disk's cache, if at all, before it has written
 * directories and tables of inodes: what they say can still be lost. An fsync of any directory
 * flushes the cache once more. Test: order_batch_local; t/crash on ext4-nojournal.
 */
int volume_flush_all(const struct volume *vol)
{
	int rc;

	trace2_counter_add(TRACE2_COUNTER_HARDWARE_FLUSH, 1);
	if (vol->kind == FS_FULL)
		return (int)RETRY_EINTR(sys->full_fsync(vol->fd));
	rc = (int)RETRY_EINTR(sys->syncfs(vol->fd));
	return rc || vol->kind != FS_LOCAL ? rc : flush_cache_again(vol);
}

bool is_missing_call(int sys_errno)
{
	return sys_errno == ENOSYS || sys_errno == EINVAL || sys_errno == EOPNOTSUPP ||
	       sys_errno == ESPIPE;
}

int await_writeback(int fd)
{
	if (RETRY_EINTR(sys->writeout_wait(fd)) < 0)
		return -1;
	trace2_counter_add(TRACE2_COUNTER_WRITEOUT_ONLY, 1);
	return 0;
}

/* ---- what the seal must cover ---- */

static void replace_string(char **s, const char *with)
{
	if (*s && !strcmp(*s, with))
		return;
	free(*s);
	*s = xstrdup(with);
}

void volume_touch_dir(struct volume *vol, const char *dir, bool changed)
{
	vol->dirty = true;
	if (strset_add(&vol->in_dirs, dir))
		strvec_push(&vol->dirs, dir);
	if (changed || !vol->last_dir)
		replace_string(&vol->last_dir, dir);
	if (changed)
		vol->in_place = 0; /* a seal of this directory covers them, too */
}

void volume_touch_parent(struct volume *vol, const char *path, bool changed)
{
	struct strbuf dir = STRBUF_INIT;

	path_dirname(&dir, path);
	volume_touch_dir(vol, dir.buf, changed);
	strbuf_release(&dir);
}

void volume_touch_in_place(struct volume *vol, const char *path)
{
	vol->dirty = true;
	vol->in_place++;
	replace_string(&vol->last_in_place, path);
}

static void forget_names(struct volume *vol)
{
	vol->dirty = false;
	vol->order = NO_CLASS;
	vol->in_place = 0;
	FREE_AND_NULL(vol->last_dir);
	FREE_AND_NULL(vol->last_in_place);
	strvec_clear(&vol->dirs);
	strset_clear(&vol->in_dirs);
}

/* ---- seal ---- */

struct flush_job {
	const struct volume *vol;
	char *path;
	int fd, sys_errno;
	char id[20]; /* inode number: one directory can have several paths */
};

static void flush_some(void *data, size_t begin, size_t end)
{
	struct flush_job *jobs = data;

	for (size_t i = begin; i < end; i++) {
		/* Some network file systems know no fsync of a directory: their
		 * names are durable when the call that made them returns. */
		if (volume_flush_fd(jobs[i].vol, jobs[i].fd) < 0 &&
		    (errno != EINVAL || jobs[i].vol->kind != FS_EACH))
			jobs[i].sys_errno = errno;
	}
}

/* The directory may have been removed since: then its parent was changed. */
static int open_flush_job(struct flush_job *job, struct volume *vol,
			  const char *dir, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addstr(&path, dir);
	job->vol = vol;
	job->sys_errno = 0;
	job->fd = open_existing_dir(&path);
	job->path = strbuf_detach(&path, NULL);
	if (job->fd >= 0 && !fstat(job->fd, &st)) {
		snprintf(job->id, sizeof(job->id), "%jx", (uintmax_t)st.st_ino);
		return 0;
	}
	if (job->fd >= 0)
		sys->close(job->fd);
	err_set_errno(err, "unable to open directory '%s'", job->path);
	free(job->path);
	return ERR_IO;
}

static int run_flush_jobs(struct flush_job *jobs, size_t nr, struct err *err)
{
	int ret = 0;

	if (nr >= FLUSH_THREADS_FROM)
		workers_parallel_for(nr, 1, FLUSH_THREADS, flush_some, jobs);
	else
		flush_some(jobs, 0, nr);
	for (size_t i = 0; i < nr; i++) {
		if (jobs[i].sys_errno) {
			errno = jobs[i].sys_errno;
			ret = err_set_errno(err, "unable to flush directory '%s'",
					    jobs[i].path);
		}
		sys->close(jobs[i].fd);
		free(jobs[i].path);
	}
	return ret;
}

/* Each directory once, a window of descriptors at a time. */
static int seal_each_dir(struct volume *vol, size_t window, struct err *err)
{
	struct strset seen = STRSET_INIT;
	struct flush_job *jobs;
	size_t i = 0;
	int ret = 0;

	trace2_data_string("fsync", "seal", "fsync of each directory");
	ALLOC_ARRAY(jobs, window);
	while (!ret && i < vol->dirs.nr) {
		size_t nr = 0;

		while (!ret && i < vol->dirs.nr && nr < window) {
			ret = open_flush_job(&jobs[nr], vol, vol->dirs.v[i++], err);
			if (ret)
				break;
			if (strset_add(&seen, jobs[nr].id)) {
				nr++;
				continue;
			}
			sys->close(jobs[nr].fd);
			free(jobs[nr].path);
		}
		if (run_flush_jobs(jobs, nr, err) < 0)
			ret = ERR_IO;
	}
	strset_clear(&seen);
	free(jobs);
	return ret;
}

static int seal_by_syncfs(struct volume *vol, size_t window, struct err *err)
{
	trace2_data_string("fsync", "seal", "syncfs");
	if (!volume_flush_all(vol))
		return 0;
	if (errno != ENOSYS)
		return err_set_errno(err, "unable to flush the file system of '%s'", vol->name);
	vol->kind = FS_EACH;
	return seal_each_dir(vol, window, err);
}

/*
 * XFS that has shut itself down after a failed write returns 0 for the fsync of a directory, but
 * opens nothing any more. Test: a_file_system_that_has_shut_down.
 */
static int check_is_alive(const struct volume *vol, struct err *err)
{
	struct strbuf dir = STRBUF_INIT;
	int fd;

	strbuf_addstr(&dir, vol->last_dir);
	fd = open_existing_dir(&dir);
	if (fd < 0)
		err_set_errno(err, "unable to open directory '%s' after its flush", dir.buf);
	else
		sys->close(fd);
	strbuf_release(&dir);
	return fd < 0 ? ERR_IO : 0;
}

/* One file that was changed in place: its own fsync commits its size, too. */
static int seal_in_place(struct volume *vol, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(vol->last_in_place, O_RDONLY | O_CLOEXEC, 0));
	int ret = 0;

	trace2_data_string("fsync", "seal", "fsync of one file");
	if (fd < 0)
		return err_set_errno(err, "unable to open '%s'", vol->last_in_place);
	if (volume_flush_fd(vol, fd) < 0)
		ret = err_set_errno(err, "unable to flush '%s'", vol->last_in_place);
	sys->close(fd);
	return ret;
}

static int seal_last_dir(struct volume *vol, struct err *err)
{
	struct flush_job job;
	int ret;

	trace2_data_string("fsync", "seal", "fsync of one directory");
	if (open_flush_job(&job, vol, vol->last_dir, err) < 0)
		return ERR_IO;
	ret = run_flush_jobs(&job, 1, err);
	return ret < 0 ? ret : check_is_alive(vol, err);
}

/*
 * ext4 and XFS: names go into one journal in the order in which they were made. An
 * fsync commits the journal up to the last change of its file or directory. So an fsync
 * of the directory that was changed last covers all names, and the sizes of files that
 * were changed in place before. The commit flushes the disk's cache, and with it the
 * contents whose writeback the settle step has awaited.
 *
 * Changes in place with no name after them have no order among each other that
 * could be known here: for several of them it is syncfs, which commits all.
 */
static int seal_journal(struct volume *vol, size_t window, struct err *err)
{
	if (vol->in_place == 1 && !vol->last_dir)
		return seal_in_place(vol, err);
	return vol->in_place ? seal_by_syncfs(vol, window, err) : seal_last_dir(vol, err);
}

static int seal_by_kind(struct volume *vol, enum fsync_method method, size_t window,
			struct err *err)
{
	if (method == FSYNC_METHOD_WRITEOUT_ONLY)
		return 0;
	/*
	 * btrfs: an fsync of a directory makes the names in it durable that its log knows, but
	 * not that a lock beside them has gone, and replay of the log can bring back
	 * names under which a file was flushed before it was renamed. syncfs commits
	 * the transaction and drops the log. Test: t/crash, refs-mixed with method fsync.
	 * FS_LOCAL: on ext4 without a journal an fsync does not write all inodes of the directories
	 * on the way to a name. Test: t/crash, refs-create with method fsync.
	 */
	if (method == FSYNC_METHOD_FSYNC && vol->kind != FS_BTRFS && vol->kind != FS_LOCAL)
		return seal_each_dir(vol, window, err);
	switch (vol->kind) {
	case FS_JOURNAL:
		return seal_journal(vol, window, err);
	case FS_EACH:
		return seal_each_dir(vol, window, err);
	default:
		return seal_by_syncfs(vol, window, err);
	}
}

int volume_seal_dirs(struct volume *vol, size_t window, struct err *err)
{
	int ret = seal_each_dir(vol, window, err);

	if (!ret) {
		vol->order = NO_CLASS;
		strvec_clear(&vol->dirs);
		strset_clear(&vol->in_dirs);
	}
	return ret;
}

int volume_seal(struct volume *vol, enum fsync_method method, size_t window,
		struct err *err)
{
	int ret;

	if (!vol->dirty)
		return 0;
	ret = seal_by_kind(vol, method, window, err);
	if (!ret)
		forget_names(vol);
	return ret;
}

