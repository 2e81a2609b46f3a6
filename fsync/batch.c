/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Four steps: stage, settle, publish, seal. The header and
 * Documentation/Durability describe them; this file is laid out in their order.
 *
 * What a method does with a file system of each kind:
 *
 *   method          kind         a file           before names   after names
 *   batch           FS_JOURNAL   await writeback  -              fsync last directory
 *                   FS_BTRFS     await writeback  -              syncfs
 *                   FS_LOCAL     await writeback  syncfs, fsync  the same, after each phase
 *                   FS_FULL      await writeback  F_FULLFSYNC    F_FULLFSYNC
 *                   FS_EACH      fsync            -              fsync directories
 *   fsync           FS_BTRFS     fsync            -              syncfs
 *                   FS_LOCAL     fsync            syncfs, fsync  the same, after each phase
 *                   others       fsync            -              fsync directories
 *   writeout-only   any          await writeback  -              -
 *
 * Where writeback without a flush does not exist (ENOSYS), a file is flushed
 * instead; where syncfs does not, the file system counts as FS_EACH.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include "fsync/batch.h"
#include "compat/syscalls.h"
#include "fsync/volume.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "util/trace2.h"
#include "util/workers.h"

#define DEFAULT_WINDOW 256u

struct entry {
	enum publish_class order;
	enum publish_how how;
	bool make_parents;
	bool alone;	     /* staged by a call, or the batch is (see there) */
	bool started;	     /* its writeback */
	bool covered;	     /* the policy wants it durable */
	bool one_of_many;    /* PUBLISH_ADOPT: not flushed by itself */
	bool by_flush;	     /* its content needs fsync, not only writeback */
	bool settled;	     /* content needs nothing more of its own */
	bool noted;	     /* ... and its volume has been recorded */
	int fd;		     /* >= 0: in flight, counted in the window */
	int sys_errno;	     /* result of its flush or writeback */
	struct volume *vol;
	char *tmp_path;	     /* NULL unless renamed */
	char *final_path;
	void (*done)(void *data, bool published);
	int (*write)(void *data, int *fd, struct err *err);
	int (*call)(void *data, struct err *err);
	void *data;
};

/* It has its name already; its content is in flight. */
struct awaited_file {
	int fd;
	char *path;
};

struct fsync_batch {
	struct fsync_batch_options opts;
	enum fsync_batch_state state; /* changed by the owning thread */
	bool active;	     /* not switched off by the environment */
	bool called;	     /* CALLING has been, in this publish: others may wait for a lock */
	size_t window;
	pthread_mutex_t lock; /* of all below, while stage may run */
	struct entry **entries; /* in order of staging */
	size_t nr, alloc;
	size_t oldest;	     /* entries before it are not in flight */
	size_t in_flight;
	struct awaited_file *awaited; /* the oldest first */
	size_t nr_awaited, alloc_awaited;
	struct entry **late; /* PUBLISH_WRITE, written by this publish */
	size_t nr_late, alloc_late;
	size_t late_unsettled; /* the last so many of them */
	struct volume **volumes;
	size_t nr_volumes, alloc_volumes;
	struct strmap volume_of_dir;
	size_t unsealed;     /* names visible whose durability is not known */
	bool noted_unsealed; /* ... and others can see that */
	struct strvec replaced; /* fsync_batch_remove_after_seal */
	struct strvec second_names; /* of files that have been replaced since the last seal */
	struct err poison;   /* D6: the first failed flush or writeback */
};

/* ---- states ---- */

#define IN(state) (1u << BATCH_##state)
/* Between the calls of the owner. */
#define AT_REST (IN(OPEN) | IN(UNSEALED) | IN(FAILED))

static const char *const state_names[BATCH_STATE_NR] = {
	"OPEN", "SETTLING", "PUBLISHING", "CALLING", "UNSEALED", "SEALING", "FAILED"
};

enum fsync_batch_state fsync_batch_state(const struct fsync_batch *b)
{
	return b->state;
}

static void expect_state(const struct fsync_batch *b, unsigned allowed, const char *function)
{
	if (!(allowed & (1u << b->state)))
		BUG("%s() of a batch that is %s", function, state_names[b->state]);
}
#define EXPECT(b, allowed) expect_state(b, allowed, __func__)

/* The drawing of the header: the states that may follow each. */
static const unsigned char next_states[BATCH_STATE_NR] = {
	[BATCH_OPEN] = IN(OPEN) | IN(SETTLING) | IN(SEALING) | IN(FAILED),
	[BATCH_SETTLING] = IN(PUBLISHING) | IN(FAILED),
	[BATCH_PUBLISHING] = IN(CALLING) | IN(OPEN) | IN(UNSEALED) | IN(FAILED),
	[BATCH_CALLING] = IN(SETTLING) | IN(OPEN) | IN(UNSEALED) | IN(FAILED),
	[BATCH_UNSEALED] = IN(UNSEALED) | IN(SETTLING) | IN(SEALING) | IN(FAILED),
	[BATCH_SEALING] = IN(OPEN) | IN(UNSEALED) | IN(FAILED),
	[BATCH_FAILED] = IN(FAILED),
};

static void enter_state(struct fsync_batch *b, enum fsync_batch_state next)
{
	if (!(next_states[b->state] & (1u << next)))
		BUG("a batch goes from %s to %s", state_names[b->state], state_names[next]);
	b->state = next;
}

/* ---- opening ---- */

static size_t choose_window(unsigned wanted)
{
	size_t window = wanted ? wanted : DEFAULT_WINDOW;
	struct rlimit lim;

	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur != RLIM_INFINITY &&
	    window > (size_t)(lim.rlim_cur / 4))
		window = (size_t)lim.rlim_cur / 4;
	return window ? window : 1;
}

struct fsync_batch *fsync_batch_new(const struct fsync_batch_options *opts)
{
	struct fsync_batch *b = xcalloc(1, sizeof(*b));

	b->opts = *opts;
	b->active = !fsync_disabled_by_environment();
	b->window = choose_window(opts->window);
	strmap_init(&b->volume_of_dir);
	strvec_init(&b->second_names);
	strvec_init(&b->replaced);
	err_init(&b->poison);
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void fsync_batch_set_options(struct fsync_batch *b, const struct fsync_batch_options *opts)
{
	EXPECT(b, IN(OPEN) | IN(UNSEALED));
	if (!fsync_batch_is_empty(b))
		BUG("the options of a batch change while something is staged");
	b->opts = *opts;
}

const struct fsync_policy *fsync_batch_policy(const struct fsync_batch *b)
{
	return &b->opts.policy;
}

static bool is_covered(const struct fsync_batch *b, enum fsync_component component)
{
	return b->active && component && (b->opts.policy.components & component) == component;
}

static bool seals(const struct fsync_batch *b)
{
	return b->active && b->opts.policy.method != FSYNC_METHOD_WRITEOUT_ONLY;
}

/* ---- D6: one failed flush spoils the batch ---- */

/*
 * After a failed flush the kernel has dropped the dirty pages or marked them
 * clean: a second flush says yes although the data is not on the disk. So the
 * first failure stays, and nothing that follows is called good. Tests:
 * d6_failed_writeback_poisons, d6_failed_seal_poisons.
 */
static int batch_poison(struct fsync_batch *b, const char *what, const char *path, int sys_errno)
{
	pthread_mutex_lock(&b->lock);
	errno = sys_errno;
	err_set_errno(&b->poison, "unable to %s '%s'", what, path); /* the first stays */
	pthread_mutex_unlock(&b->lock);
	return ERR_IO;
}

static bool is_poisoned(struct fsync_batch *b)
{
	bool yes;

	pthread_mutex_lock(&b->lock);
	yes = b->poison.code != 0;
	pthread_mutex_unlock(&b->lock);
	return yes;
}

/* The owner's call ends: the state in which the batch waits for the next one (B3, B4). */
static void come_to_rest(struct fsync_batch *b)
{
	enter_state(b, is_poisoned(b) ? BATCH_FAILED : b->unsealed ? BATCH_UNSEALED : BATCH_OPEN);
}

static int batch_copy_failure(struct err *dst, enum err_code code, const struct err *why)
{
	struct err copy = ERR_INIT;

	err_set(&copy, code, "%s", err_message(why));
	copy.sys_errno = why->sys_errno;
	err_move(dst, &copy);
	err_release(&copy);
	return code;
}

/* The code says whether names are visible, the message what went wrong first. */
static int fail(struct fsync_batch *b, const struct err *why, struct err *err)
{
	return batch_copy_failure(err, b->unsealed ? ERR_UNCERTAIN :
				       why->code == ERR_LOCKED ? ERR_LOCKED : ERR_IO, why);
}

/* ---- volumes ---- */

static struct volume *volume_by_fd(struct fsync_batch *b, int fd, const char *name)
{
	struct volume *vol;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	for (size_t i = 0; i < b->nr_volumes; i++) {
		if (b->volumes[i]->dev == st.st_dev) {
			sys->close(fd);
			return b->volumes[i];
		}
	}
	vol = volume_new(fd, st.st_dev, name, fs_kind_of(fd));
	ALLOC_GROW(b->volumes, b->nr_volumes + 1, b->alloc_volumes);
	b->volumes[b->nr_volumes++] = vol;
	return vol;
}

/*
 * Which file system is `dir` on? Known after the first time. NULL: errno. In
 * messages it will be the one of `name`, since dir may be a temporary one.
 */
static struct volume *volume_of_dir(struct fsync_batch *b, const char *dir, const char *name)
{
	struct volume *vol;
	struct strbuf path = STRBUF_INIT;
	int fd;

	pthread_mutex_lock(&b->lock);
	vol = strmap_get(&b->volume_of_dir, dir);
	if (!vol) {
		strbuf_addstr(&path, dir);
		fd = open_existing_dir(&path);
		if (fd >= 0) {
			vol = volume_by_fd(b, fd, name);
			if (vol)
				strmap_put(&b->volume_of_dir, dir, vol);
			else
				sys->close(fd);
		}
		strbuf_release(&path);
	}
	pthread_mutex_unlock(&b->lock);
	return vol;
}

bool fsync_batch_flushes_each(struct fsync_batch *b, enum fsync_component component,
			      const char *dir)
{
	struct volume *vol;

	if (!is_covered(b, component) || b->opts.policy.method == FSYNC_METHOD_WRITEOUT_ONLY)
		return false;
	vol = volume_of_dir(b, dir, dir);
	return b->opts.policy.method == FSYNC_METHOD_FSYNC || (vol && vol->kind == FS_EACH);
}

void fsync_batch_note_dir(struct fsync_batch *b, enum fsync_component component,
			  const char *dir)
{
	struct volume *vol;

	EXPECT(b, AT_REST | IN(CALLING));
	if (!is_covered(b, component))
		return;
	vol = volume_of_dir(b, dir, dir);
	if (!vol) {
		batch_poison(b, "open directory", dir, errno);
		return;
	}
	volume_touch_dir(vol, dir, true);
}

static int batch_seal_volume(struct fsync_batch *b, struct volume *vol)
{
	if (b->opts.alone && vol->dirty && vol->kind == FS_LOCAL && seals(b))
		return volume_seal_dirs(vol, b->window, &b->poison);
	return volume_seal(vol, b->opts.policy.method, b->window, &b->poison);
}

/* ---- stage ---- */

/* Up to so many are flushed one by one where that is the rule. */
#define ADOPT_SINGLY 200

/* Where a flush of all that others have written would take too long. */
static bool is_flushed_alone(const struct entry *e)
{
	return e->alone && (e->vol->kind == FS_LOCAL || e->vol->kind == FS_FULL);
}

static bool content_by_flush(const struct fsync_batch *b, const struct entry *e)
{
	if (e->one_of_many)
		return false;
	switch (b->opts.policy.method) {
	case FSYNC_METHOD_FSYNC:
		return true;
	case FSYNC_METHOD_WRITEOUT_ONLY:
		return false;
	default:
		return e->vol->kind == FS_EACH || is_flushed_alone(e);
	}
}

static struct entry *new_entry(struct fsync_batch *b, const struct fsync_staging *s)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->order = s->order;
	e->how = s->how;
	e->make_parents = s->make_parents;
	e->started = s->started;
	e->alone = b->state == BATCH_CALLING || b->opts.alone;
	e->covered = is_covered(b, s->component);
	e->settled = s->settled;
	e->fd = s->fd;
	e->tmp_path = s->how == PUBLISH_RENAME ? xstrdup(s->tmp_path) : NULL;
	e->final_path = s->how == PUBLISH_NOTE ? NULL : xstrdup(s->final_path);
	e->done = s->done;
	e->write = s->write;
	e->call = s->call;
	e->data = s->data;
	return e;
}

static const char *content_path(const struct entry *e)
{
	return e->tmp_path ? e->tmp_path : e->final_path;
}

/* Is there something to settle before the first name? */
static bool has_content(const struct entry *e)
{
	return e->how == PUBLISH_RENAME || e->how == PUBLISH_IN_PLACE || e->how == PUBLISH_ADOPT;
}

/* Nothing is left to be done for its name. */
static bool is_in_place(const struct entry *e)
{
	return e->how == PUBLISH_IN_PLACE || e->how == PUBLISH_ADOPT;
}

/* A descriptor that cannot be closed well has lost something. */
static int entry_close(struct fsync_batch *b, struct entry *e)
{
	int fd = e->fd;

	e->fd = -1;
	if (fd < 0 || !sys->close(fd) || errno == EINTR)
		return 0;
	return batch_poison(b, "close", content_path(e), errno);
}

/* Closes the descriptor, calls `done`, and removes a temporary file that was not published. */
static void entry_free(struct entry *e, bool published)
{
	if (e->fd >= 0)
		sys->close(e->fd);
	if (e->done)
		e->done(e->data, published);
	else if (!published && e->tmp_path)
		(void)RETRY_EINTR(sys->unlink(e->tmp_path));
	free(e->tmp_path);
	free(e->final_path);
	free(e);
}

/*
 * Start the writeback of an entry that the policy covers. It is not waited for:
 * that is what lets the disk work on many files at once.
 */
static int entry_start_content(struct fsync_batch *b, struct entry *e)
{
	if (e->fd < 0)
		e->fd = (int)RETRY_EINTR(sys->open(content_path(e), O_RDONLY | O_CLOEXEC, 0));
	if (e->fd < 0)
		return batch_poison(b, "open", content_path(e), errno);
	e->by_flush = content_by_flush(b, e);
	if (e->by_flush || e->started || !RETRY_EINTR(sys->writeout_start(e->fd)))
		return 0;
	if (!is_missing_call(errno))
		return batch_poison(b, "write", content_path(e), errno);
	e->by_flush = true;
	return 0;
}

static int prepare_entry(struct fsync_batch *b, struct entry *e)
{
	struct strbuf dir = STRBUF_INIT;

	if (e->how == PUBLISH_NOTE) {
		e->settled = true;
		return 0;
	}
	path_dirname(&dir, content_path(e));
	e->vol = volume_of_dir(b, dir.buf, e->final_path);
	if (!e->vol)
		batch_poison(b, "open directory", dir.buf, errno);
	strbuf_release(&dir);
	if (!e->vol)
		return ERR_IO;
	if (e->how == PUBLISH_WRITE)
		return 0;
	if (e->how == PUBLISH_ADOPT) {
		pthread_mutex_lock(&b->lock);
		e->one_of_many = ++e->vol->adopted > ADOPT_SINGLY;
		pthread_mutex_unlock(&b->lock);
	}
	if (e->how == PUBLISH_UNLINK || e->how == PUBLISH_CALL || !e->covered || e->settled) {
		e->settled = true;
		return entry_close(b, e);
	}
	return entry_start_content(b, e);
}

/* ---- settle ---- */

/*
 * D7: the descriptor that wrote the file awaits its writeback. The kernel
 * reports a write error to each open descriptor once, and to one that is opened
 * later perhaps not at all. Test: d7_writer_awaits_oldest_first.
 */
static void settle_content(struct entry *e)
{
	if (!e->by_flush) {
		if (!await_writeback(e->fd))
			return;
		if (!is_missing_call(errno)) {
			e->sys_errno = errno;
			return;
		}
	}
	if (volume_flush_fd(e->vol, e->fd) < 0)
		e->sys_errno = errno;
}

static void settle_some(void *data, size_t begin, size_t end)
{
	struct entry **list = data;

	for (size_t i = begin; i < end; i++)
		settle_content(list[i]);
}

/* Flushes wait for the disk one by one, so they go side by side. */
static void settle_all(struct entry **list, size_t nr)
{
	bool flushes = false;

	for (size_t i = 0; i < nr && !flushes; i++)
		flushes = list[i]->by_flush;
	if (flushes && nr >= FLUSH_THREADS_FROM)
		workers_parallel_for(nr, 1, FLUSH_THREADS, settle_some, list);
	else
		settle_some(list, 0, nr);
}

/* Settle a list that has been taken out of the window; closes descriptors. */
static int batch_settle_list(struct fsync_batch *b, struct entry **list, size_t nr)
{
	int ret = 0;

	settle_all(list, nr);
	for (size_t i = 0; i < nr; i++) {
		struct entry *e = list[i];

		if (e->sys_errno)
			ret = batch_poison(b, e->by_flush ? "flush" : "write", content_path(e),
				     e->sys_errno);
		if (entry_close(b, e) < 0)
			ret = ERR_IO;
		e->settled = true;
	}
	return ret;
}

/* Up to max of the oldest in flight, out of the window. Under the lock. */
static size_t claim_oldest(struct fsync_batch *b, struct entry **list, size_t max)
{
	size_t nr = 0;

	while (nr < max && b->oldest < b->nr) {
		struct entry *e = b->entries[b->oldest++];

		if (e->settled || e->fd < 0)
			continue;
		list[nr++] = e;
	}
	b->in_flight -= nr;
	return nr;
}

/*
 * Make room in the window: the oldest is the most likely to be done (D7).
 * Flushes go in groups, or there would be nothing to do side by side.
 */
static int shrink_window(struct fsync_batch *b)
{
	struct entry **list;
	size_t nr = 0;
	int ret;

	ALLOC_ARRAY(list, b->window);
	pthread_mutex_lock(&b->lock);
	if (b->in_flight > b->window) {
		size_t want = b->in_flight - b->window;

		if (b->entries[b->nr - 1]->by_flush && want < b->window / 2)
			want = b->window / 2;
		nr = claim_oldest(b, list, want < b->window ? want : b->window);
	}
	pthread_mutex_unlock(&b->lock);
	ret = batch_settle_list(b, list, nr);
	free(list);
	return ret;
}

void fsync_batch_start(struct fsync_batch *b, enum fsync_component component, const char *path,
		       int fd)
{
	const struct fsync_staging s = {
		.component = component, .how = PUBLISH_IN_PLACE, .fd = fd, .final_path = path,
	};
	struct entry *e;

	EXPECT(b, AT_REST | IN(CALLING)); /* B2 */
	if (!is_covered(b, component) || is_poisoned(b))
		return;
	e = new_entry(b, &s);
	(void)prepare_entry(b, e);
	e->fd = -1; /* the caller's */
	entry_free(e, true);
}

int fsync_batch_stage(struct fsync_batch *b, const struct fsync_staging *s,
		      struct err *err)
{
	struct entry *e;
	bool full;
	int ret;

	EXPECT(b, AT_REST | IN(CALLING)); /* B2 */
	e = new_entry(b, s);
	ret = is_poisoned(b) ? ERR_IO : prepare_entry(b, e);
	pthread_mutex_lock(&b->lock);
	ALLOC_GROW(b->entries, b->nr + 1, b->alloc);
	b->entries[b->nr++] = e;
	if (e->fd >= 0 && !e->settled)
		b->in_flight++;
	full = b->in_flight > b->window;
	pthread_mutex_unlock(&b->lock);
	if (!ret && full)
		ret = shrink_window(b);
	if (!ret)
		return 0;
	pthread_mutex_lock(&b->lock);
	ret = fail(b, &b->poison, err);
	pthread_mutex_unlock(&b->lock);
	return ret;
}

/* ---- files that have their names already ---- */

bool fsync_batch_awaits(struct fsync_batch *b, enum fsync_component component, const char *dir)
{
	const struct volume *vol = is_covered(b, component) ? volume_of_dir(b, dir, dir) : NULL;

	return vol && vol->kind != FS_EACH;
}

/* Closes the descriptors. */
static int settle_awaited(struct fsync_batch *b, struct awaited_file *list, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		if (await_writeback(list[i].fd) < 0 && !is_missing_call(errno))
			ret = batch_poison(b, "write", list[i].path, errno);
		if (sys->close(list[i].fd) < 0 && errno != EINTR)
			ret = batch_poison(b, "close", list[i].path, errno);
		free(list[i].path);
	}
	return ret;
}

/* D7: the oldest, so many of them. Test: awaited_files_fit_into_the_window. */
static int settle_oldest_awaited(struct fsync_batch *b, size_t max)
{
	struct awaited_file *list;
	size_t nr;
	int ret;

	pthread_mutex_lock(&b->lock);
	nr = b->nr_awaited < max ? b->nr_awaited : max;
	if (!nr) {
		pthread_mutex_unlock(&b->lock);
		return 0;
	}
	ALLOC_ARRAY(list, nr);
	memcpy(list, b->awaited, nr * sizeof(*list));
	b->nr_awaited -= nr;
	memmove(b->awaited, b->awaited + nr, b->nr_awaited * sizeof(*list));
	pthread_mutex_unlock(&b->lock);
	ret = settle_awaited(b, list, nr);
	free(list);
	return ret;
}

void fsync_batch_await(struct fsync_batch *b, const char *path, int fd)
{
	bool full;

	EXPECT(b, AT_REST);
	if (RETRY_EINTR(sys->writeout_start(fd)) < 0 && !is_missing_call(errno))
		batch_poison(b, "write", path, errno);
	pthread_mutex_lock(&b->lock);
	ALLOC_GROW(b->awaited, b->nr_awaited + 1, b->alloc_awaited);
	b->awaited[b->nr_awaited++] = (struct awaited_file){ .fd = fd, .path = xstrdup(path) };
	full = b->nr_awaited > b->window;
	pthread_mutex_unlock(&b->lock);
	if (full)
		(void)settle_oldest_awaited(b, b->window / 4 + 1);
}

int fsync_batch_check(struct fsync_batch *b, struct err *err)
{
	return is_poisoned(b) ? fail(b, &b->poison, err) : 0;
}

/* Without syncfs: what it would have covered is flushed file by file. */
static int flush_staged_files(struct fsync_batch *b, struct volume *vol)
{
	vol->kind = FS_EACH;
	for (size_t i = 0; i < b->nr; i++) {
		struct entry *e = b->entries[i];
		int fd;

		if (!e || e->vol != vol || !e->covered || !has_content(e) || e->by_flush)
			continue;
		fd = (int)RETRY_EINTR(sys->open(content_path(e), O_RDONLY | O_CLOEXEC, 0));
		if (fd < 0)
			return batch_poison(b, "open", content_path(e), errno);
		if (volume_flush_fd(vol, fd) < 0) {
			int saved = errno;

			sys->close(fd);
			return batch_poison(b, "flush", content_path(e), saved);
		}
		sys->close(fd);
	}
	return 0;
}

static int flush_contents(struct fsync_batch *b, struct volume *vol)
{
	if (!volume_flush_all(vol))
		return 0;
	if (errno == ENOSYS)
		return flush_staged_files(b, vol);
	return batch_poison(b, "flush the file system of", vol->name, errno);
}

/* One flush for all contents, before the first name. */
static bool needs_common_flush(const struct fsync_batch *b, const struct entry *e)
{
	const bool batch = b->opts.policy.method == FSYNC_METHOD_BATCH;

	if (!e->covered || !has_content(e) || !seals(b) || b->opts.hidden || is_flushed_alone(e))
		return false;
	if (e->vol->kind == FS_LOCAL)
		return true;
	return !e->by_flush && ((batch && e->vol->kind == FS_FULL) ||
				(e->how == PUBLISH_ADOPT && (!batch || e->vol->kind == FS_EACH)));
}

/* The process that made the name may have made its directory for it. */
static void touch_adopted(struct entry *e)
{
	struct strbuf dir = STRBUF_INIT;

	path_dirname(&dir, e->final_path);
	volume_touch_parent(e->vol, dir.buf, false);
	volume_touch_dir(e->vol, dir.buf, false);
	strbuf_release(&dir);
}

/* Once: what stays staged while objects are published is flushed with them. */
static void note_settled(const struct fsync_batch *b, struct entry *e)
{
	if (!e->covered || !has_content(e) || e->noted)
		return;
	e->noted = true;
	if (needs_common_flush(b, e))
		e->vol->unflushed = true;
	if (e->how == PUBLISH_ADOPT)
		touch_adopted(e);
	if (is_in_place(e))
		volume_touch_in_place(e->vol, e->final_path);
}

/*
 * D1: contents before names. When this has returned 0, every byte that a name
 * is about to be given to is on its way out of the page cache for good: a journal
 * commit that holds the name cannot reach the disk before it, as the commit flushes
 * the disk's cache first. Test: d1_names_wait_for_contents.
 */
static int settle_batch(struct fsync_batch *b)
{
	struct entry **list;
	size_t nr;
	int ret;

	(void)settle_oldest_awaited(b, b->nr_awaited);
	ALLOC_ARRAY(list, b->nr + 1);
	nr = claim_oldest(b, list, b->nr);
	ret = batch_settle_list(b, list, nr);
	free(list);
	if (ret < 0 || is_poisoned(b))
		return ERR_IO;
	for (size_t i = 0; i < b->nr; i++)
		if (b->entries[i])
			note_settled(b, b->entries[i]);
	for (size_t i = 0; i < b->nr_volumes && !ret; i++) {
		if (!b->volumes[i]->unflushed)
			continue;
		b->volumes[i]->unflushed = false;
		ret = flush_contents(b, b->volumes[i]);
	}
	return ret;
}

static int batch_settle(struct fsync_batch *b)
{
	int ret;

	enter_state(b, BATCH_SETTLING);
	trace2_region_enter("fsync", "settle");
	ret = settle_batch(b);
	trace2_region_leave("fsync", "settle");
	if (ret >= 0)
		enter_state(b, BATCH_PUBLISHING);
	return ret;
}

/* ---- publish: what has to be sealed before ---- */

/* The phase of a class, by fsync/order.h. Test: d4_phases_without_a_journal. */
static int phase_of(enum publish_class order)
{
#define PHASE(name, phase) [name] = phase,
	static const int phases[] = { PUBLISH_ORDER(PHASE) };
#undef PHASE
	return phases[order];
}

static bool batch_names_are_unordered(const struct fsync_batch *b, const struct volume *vol)
{
	if (b->opts.policy.method == FSYNC_METHOD_FSYNC)
		return vol->kind != FS_JOURNAL;
	return vol->kind == FS_EACH || vol->kind == FS_LOCAL;
}

/*
 * D4 across file systems: a journal orders only its own names, so what lies on
 * another device is sealed first. Test: d4_classes_on_two_devices.
 */
static bool must_seal_before(const struct fsync_batch *b, const struct volume *vol,
			     const struct entry *e)
{
	if (!vol->dirty || b->opts.hidden)
		return false;
	if (vol != e->vol)
		return vol->order < (int)e->order;
	return vol->order != NO_CLASS && batch_names_are_unordered(b, vol) &&
	       phase_of((enum publish_class)vol->order) < phase_of(e->order);
}

/*
 * Up to so many directories are flushed one by one, so that a process that waits for a lock does
 * not wait for a syncfs.
 */
#define FEW_DIRS 16

static int seal_names_so_far(struct fsync_batch *b, struct volume *vol)
{
	if (b->called && vol->kind == FS_LOCAL && vol->dirs.nr <= FEW_DIRS)
		return volume_seal_dirs(vol, b->window, &b->poison);
	return batch_seal_volume(b, vol);
}

static int seal_before(struct fsync_batch *b, const struct entry *e)
{
	for (size_t i = 0; i < b->nr_volumes; i++)
		if (must_seal_before(b, b->volumes[i], e) &&
		    seal_names_so_far(b, b->volumes[i]) < 0)
			return ERR_IO;
	return 0;
}

/* ---- publish: one name ---- */

static int make_one_dir(struct fsync_batch *b, const char *dir)
{
	if (b->opts.make_dir)
		return b->opts.make_dir(b->opts.make_dir_data, dir);
	return (int)RETRY_EINTR(sys->mkdir(dir, 0777));
}

/* Each directory that is made changes the one above it. */
static int make_parents(struct fsync_batch *b, struct entry *e, const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	int ret;

	path_dirname(&dir, path);
	ret = make_one_dir(b, dir.buf);
	if (ret < 0 && errno == ENOENT && strcmp(dir.buf, path)) {
		ret = make_parents(b, e, dir.buf);
		if (!ret)
			ret = make_one_dir(b, dir.buf);
	}
	if (!ret && e->covered)
		volume_touch_parent(e->vol, dir.buf, true);
	if (ret < 0 && errno == EEXIST)
		ret = 0;
	strbuf_release(&dir);
	return ret;
}

/*
 * Directories in the place of a file: others make them before they see that a ref has the
 * name, or is about to get it, and leave them. False: something is in there.
 */
static bool remove_empty_dirs(const char *path)
{
	bool empty = !RETRY_EINTR(sys->rmdir(path));
	struct dirent *de;
	DIR *dir;

	if (empty || (errno != ENOTEMPTY && errno != EEXIST) || !(dir = opendir(path)))
		return empty;
	empty = true;
	while (empty && (de = readdir(dir))) {
		char *sub = path_join(path, de->d_name);

		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			empty = remove_empty_dirs(sub);
		free(sub);
	}
	closedir(dir);
	return empty && !RETRY_EINTR(sys->rmdir(path));
}

/*
 * refs/heads/a/ without files must not keep the branch "a" from being made; the same holds for its log. In the
 * place of any other file a directory is of the user's making, or a mistake: it stays.
 */
static bool is_named_by_ref(const struct entry *e)
{
	return e->order == PUBLISH_REF || e->order == PUBLISH_REFLOG;
}

/* Others make and remove empty directories between our mkdir and our rename. */
#define RENAME_TRIES 5

/* After a rename that has failed: may it work now? errno stays, if not. */
static bool clear_way(struct fsync_batch *b, struct entry *e)
{
	const int why = errno;
	bool clear = (why == ENOENT && e->make_parents && (!make_parents(b, e, e->final_path) || errno == ENOENT)) ||
		     (why == EISDIR && is_named_by_ref(e) && remove_empty_dirs(e->final_path));

	if (!clear)
		errno = why;
	return clear;
}

/*
 * Without a journal the kernel may write "this inode is free" before it writes the directory in
 * which its name has gone to another one; after a power cut e2fsck then removes the name. As long
 * as the inode has a second name, it is not free. Test: replaced_files_keep_their_inodes.
 */
static void keep_old_inode(struct fsync_batch *b, const struct entry *e)
{
	struct stat st;
	char *name;

	if (!b->opts.second_name || e->vol->kind != FS_LOCAL || !e->covered || !seals(b) ||
	    lstat(e->final_path, &st) || !S_ISREG(st.st_mode))
		return;
	name = b->opts.second_name(e->final_path);
	if (name && !RETRY_EINTR(sys->link(e->final_path, name)))
		strvec_push(&b->second_names, name);
	free(name);
}

/* The names of the new files are on the disk. */
static void drop_second_names(struct fsync_batch *b)
{
	for (size_t i = 0; i < b->second_names.nr; i++)
		(void)RETRY_EINTR(sys->unlink(b->second_names.v[i]));
	strvec_clear(&b->second_names);
}

/*
 * D8: until the new names are on the disk, the old files may be all that a power cut leaves. A failure leaves a file that is
 * of no use. Test: d8_replaced_files_go_after_the_seal.
 */
static void remove_replaced(struct fsync_batch *b)
{
	for (size_t i = 0; i < b->replaced.nr; i++)
		(void)RETRY_EINTR(sys->unlink(b->replaced.v[i]));
	strvec_clear(&b->replaced);
}

void fsync_batch_remove_after_seal(struct fsync_batch *b, const char *path)
{
	strvec_push(&b->replaced, path);
}

static int rename_entry(struct fsync_batch *b, struct entry *e)
{
	keep_old_inode(b, e);
	for (int try = 1;; try++) {
		if (!RETRY_EINTR(sys->rename(e->tmp_path, e->final_path)))
			return 0;
		if (try == RENAME_TRIES || !clear_way(b, e))
			return -1;
	}
}

/* The call that makes the change visible. *changed: there was something to do. */
static int apply_entry(struct fsync_batch *b, struct entry *e, bool *changed,
		       struct err *err)
{
	*changed = true;
	switch (e->how) {
	case PUBLISH_RENAME:
		if (!rename_entry(b, e))
			return 0;
		return err_set_errno(err, "unable to rename '%s' to '%s'",
				     e->tmp_path, e->final_path);
	case PUBLISH_UNLINK:
		if (!RETRY_EINTR(sys->unlink(e->final_path)))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			return err_set_errno(err, "unable to remove '%s'", e->final_path);
		/* The unlink of another process need not be durable yet. */
		*changed = false;
		return 0;
	default:
		return 0;
	}
}

static void note_order(struct entry *e)
{
	if (e->vol->order < (int)e->order)
		e->vol->order = e->order;
}

/* ---- publish: files written when their turn has come ---- */

/*
 * D4 for a file that is changed in place: it is written after the objects that it names
 * have their names (a kill in between leaves nothing that dangles), and awaited
 * before the next name, whose seal then covers it. Test:
 * d4_log_lines_after_objects.
 */

/* Await the late ones that are in flight; a name that follows covers their size. */
static int settle_late(struct fsync_batch *b, struct err *err)
{
	struct entry **from = b->late + (b->nr_late - b->late_unsettled), **list;
	size_t nr = 0;
	int ret;

	ALLOC_ARRAY(list, b->late_unsettled + 1);
	for (size_t i = 0; i < b->late_unsettled; i++)
		if (from[i]->covered)
			list[nr++] = from[i];
	b->late_unsettled = 0;
	ret = batch_settle_list(b, list, nr);
	for (size_t i = 0; i < nr && !ret; i++) {
		volume_touch_in_place(list[i]->vol, list[i]->final_path);
		note_order(list[i]);
	}
	free(list);
	return ret < 0 ? batch_copy_failure(err, ERR_IO, &b->poison) : 0;
}

/* They stay as they are, or are taken back. */
static void batch_release_late(struct fsync_batch *b, bool published)
{
	for (size_t i = 0; i < b->nr_late; i++)
		entry_free(b->late[i], published);
	b->nr_late = 0;
	b->late_unsettled = 0;
}

static int write_late(struct fsync_batch *b, struct entry *e, struct err *err)
{
	if (e->write(e->data, &e->fd, err) < 0)
		return ERR_IO;
	if ((e->covered ? entry_start_content(b, e) : entry_close(b, e)) < 0)
		return batch_copy_failure(err, ERR_IO, &b->poison);
	return 0;
}

/* The entry belongs to the list in all outcomes. */
static int publish_late(struct fsync_batch *b, struct entry *e, struct err *err)
{
	int ret = 0;

	if (b->late_unsettled == b->window)
		ret = settle_late(b, err);
	if (!ret)
		ret = write_late(b, e, err);
	ALLOC_GROW(b->late, b->nr_late + 1, b->alloc_late);
	b->late[b->nr_late++] = e;
	b->late_unsettled++;
	return ret;
}

/* ---- publish: all of them ---- */

static void note_unsealed(struct fsync_batch *b, bool unsealed)
{
	if (b->opts.note_unsealed && b->noted_unsealed != unsealed)
		b->opts.note_unsealed(b->opts.note_unsealed_data, unsealed);
	b->noted_unsealed = unsealed;
}

/* A name or a removal; the entry is freed if it was done. */
static int publish_name(struct fsync_batch *b, struct entry *e, struct err *err)
{
	bool changed;

	EXPECT(b, IN(PUBLISHING)); /* B1 */
	if (e->covered && seals(b) && e->how != PUBLISH_ADOPT)
		note_unsealed(b, true);
	if (apply_entry(b, e, &changed, err) < 0)
		return ERR_IO;
	/* Something rests on the late ones now: they are not taken back any more. */
	batch_release_late(b, true);
	if (e->how != PUBLISH_ADOPT) /* it was visible before */
		b->unsealed++;
	if (e->covered && !is_in_place(e))
		volume_touch_parent(e->vol, e->final_path, changed);
	if (e->covered)
		note_order(e);
	entry_free(e, true);
	return 0;
}

/*
 * D1 under a lock that others wait for: what the call stages is settled by itself, after all
 * else. Entries that fail stay, to be given up. Test: what_a_call_stages_is_settled_then.
 */
static int publish_call(struct fsync_batch *b, size_t i, struct err *err)
{
	struct entry *e = b->entries[i];
	int ret;

	enter_state(b, BATCH_CALLING);
	ret = e->call(e->data, err);
	b->called = true;
	if (ret < 0)
		return ret;
	b->entries[i] = NULL;
	entry_free(e, true);
	return batch_settle(b) < 0 ? batch_copy_failure(err, ERR_IO, &b->poison) : 0;
}

static int publish_entry(struct fsync_batch *b, size_t i, struct err *err)
{
	struct entry *e = b->entries[i];

	if (e->how == PUBLISH_NOTE) {
		b->entries[i] = NULL;
		entry_free(e, true);
		return 0;
	}
	/* First: a settled file may be on another file system, which is sealed then. */
	if (e->how != PUBLISH_WRITE && b->late_unsettled && settle_late(b, err) < 0)
		return ERR_IO;
	if (seal_before(b, e) < 0)
		return batch_copy_failure(err, ERR_IO, &b->poison);
	if (e->how == PUBLISH_WRITE) {
		b->entries[i] = NULL;
		return publish_late(b, e, err);
	}
	if (e->how == PUBLISH_CALL)
		return publish_call(b, i, err);
	if (publish_name(b, e, err) < 0)
		return ERR_IO;
	b->entries[i] = NULL;
	return 0;
}

/*
 * By class (D3: .pack before .idx; D4: objects before what names them; D5: updates
 * before deletions, packed refs before either), in a class by staging. Tests:
 * d3_pack_before_idx, d4_objects_before_refs_and_index, d5_updates_before_deletions.
 */
static int publish_in_order(struct fsync_batch *b, int end, struct err *err)
{
	for (int order = 0; order < end; order++) {
		for (size_t i = 0; i < b->nr; i++) {
			if (!b->entries[i] || (int)b->entries[i]->order != order)
				continue;
			if (publish_entry(b, i, err) < 0)
				return ERR_IO;
		}
	}
	return b->late_unsettled ? settle_late(b, err) : 0;
}

static int batch_publish_in_order(struct fsync_batch *b, int end, struct err *err)
{
	int ret;

	trace2_data_intmax("fsync", "files", (intmax_t)b->nr);
	trace2_region_enter("fsync", "publish");
	b->called = false;
	ret = publish_in_order(b, end, err);
	trace2_region_leave("fsync", "publish");
	return ret;
}

/* ---- seal ---- */

/* By a flush of more than single directories. */
static bool seals_names_of_others(const struct fsync_batch *b, const struct volume *vol)
{
	if (vol->kind == FS_LOCAL)
		return seals(b) && !b->opts.alone;
	return vol->kind != FS_EACH && b->opts.policy.method == FSYNC_METHOD_BATCH;
}

/*
 * D2: names before the acknowledgement. Without this the whole operation can
 * vanish after the command has said that it succeeded. Test:
 * d2_seal_follows_names.
 */
static int seal(struct fsync_batch *b)
{
	int ret = 0;

	enter_state(b, BATCH_SEALING);
	trace2_region_enter("fsync", "seal");
	for (size_t i = 0; i < b->nr_volumes && !ret; i++) {
		struct volume *vol = b->volumes[i];

		vol->sealed_all = vol->dirty && seals_names_of_others(b, vol);
		ret = batch_seal_volume(b, vol);
	}
	trace2_region_leave("fsync", "seal");
	if (!ret) {
		b->unsealed = 0;
		drop_second_names(b);
		remove_replaced(b);
		note_unsealed(b, false);
	}
	come_to_rest(b);
	return ret;
}

bool fsync_batch_seals(const struct fsync_batch *b, enum fsync_component component)
{
	return seals(b) && is_covered(b, component);
}

bool fsync_batch_has_sealed_all(struct fsync_batch *b, const char *dir, const char *other)
{
	const struct volume *one = volume_of_dir(b, dir, dir);
	const struct volume *two = volume_of_dir(b, other, other);

	return one && one->sealed_all && two && two->sealed_all;
}

int fsync_batch_flush_others(struct fsync_batch *b, const char *dir, const char *other,
			     struct err *err)
{
	const char *dirs[] = { dir, other };
	struct volume *vol, *last = NULL;
	int ret = 0;

	EXPECT(b, AT_REST);
	if (!seals(b) || !b->opts.policy.components)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !ret; i++, last = vol) {
		vol = volume_of_dir(b, dirs[i], dirs[i]);
		if (!vol)
			ret = batch_poison(b, "open directory", dirs[i], errno);
		else if (vol != last && volume_flush_all(vol) < 0 && errno != ENOSYS)
			ret = batch_poison(b, "flush the file system of", vol->name, errno);
	}
	come_to_rest(b);
	return ret ? fail(b, &b->poison, err) : 1;
}

/*
 * D4 for names that children make: a flush of theirs covers ours only on the same file
 * system, and there only if it is not one of single directories. Test:
 * t7502-commit-hooks.sh, "what a hook may name is sealed".
 */
int fsync_batch_seal_for(struct fsync_batch *b, const char *dir, struct err *err)
{
	struct volume *theirs;
	int ret = 0;

	EXPECT(b, AT_REST);
	theirs = volume_of_dir(b, dir, dir);
	for (size_t i = 0; i < b->nr_volumes && !ret; i++) {
		struct volume *vol = b->volumes[i];

		if (vol != theirs || batch_names_are_unordered(b, vol))
			ret = batch_seal_volume(b, vol);
	}
	come_to_rest(b);
	return ret < 0 ? fail(b, &b->poison, err) : 0;
}

/* ---- the public steps ---- */

static void drop_entries(struct fsync_batch *b)
{
	for (size_t i = 0; i < b->nr; i++)
		if (b->entries[i])
			entry_free(b->entries[i], false);
	b->nr = 0;
	b->oldest = 0;
	b->in_flight = 0;
	for (size_t i = 0; i < b->nr_awaited; i++) {
		sys->close(b->awaited[i].fd);
		free(b->awaited[i].path);
	}
	b->nr_awaited = 0;
}

int fsync_batch_publish(struct fsync_batch *b, struct err *err)
{
	struct err why = ERR_INIT;
	int ret;

	EXPECT(b, AT_REST);
	ret = is_poisoned(b) ? ERR_IO : batch_settle(b);
	if (ret < 0)
		ret = fail(b, &b->poison, err);
	else if (batch_publish_in_order(b, PUBLISH_CLASS_NR, &why) < 0)
		ret = fail(b, &why, err);
	err_release(&why);
	if (ret < 0)
		strvec_clear(&b->replaced);
	if (!ret && b->nr_late)
		b->unsealed++;
	batch_release_late(b, !ret);
	drop_entries(b);
	come_to_rest(b);
	return ret;
}

static bool holds_objects(const struct fsync_batch *b)
{
	for (size_t i = 0; i < b->nr; i++)
		if (b->entries[i]->order <= PUBLISH_DERIVED)
			return true;
	return false;
}

int fsync_batch_publish_objects(struct fsync_batch *b, struct err *err)
{
	struct err why = ERR_INIT;
	size_t kept = 0;
	int ret;

	EXPECT(b, AT_REST);
	if (!holds_objects(b))
		return 0;
	ret = is_poisoned(b) ? ERR_IO : batch_settle(b);
	if (ret < 0)
		ret = fail(b, &b->poison, err);
	else if (batch_publish_in_order(b, PUBLISH_DERIVED + 1, &why) < 0)
		ret = fail(b, &why, err);
	err_release(&why);
	for (size_t i = 0; i < b->nr; i++)
		if (b->entries[i])
			b->entries[kept++] = b->entries[i];
	b->nr = b->oldest = kept;
	come_to_rest(b);
	return ret;
}

int fsync_batch_commit(struct fsync_batch *b, struct err *err)
{
	int ret = fsync_batch_publish(b, err);

	if (ret < 0)
		return ret;
	if (is_poisoned(b) || seal(b) < 0)
		return fail(b, &b->poison, err);
	return 0;
}

bool fsync_batch_is_empty(const struct fsync_batch *b)
{
	return !b->nr && !b->nr_awaited;
}

void fsync_batch_abort(struct fsync_batch *b)
{
	EXPECT(b, AT_REST);
	strvec_clear(&b->replaced);
	drop_entries(b);
	come_to_rest(b);
}

void fsync_batch_free(struct fsync_batch *b)
{
	if (!b)
		return;
	fsync_batch_abort(b);
	for (size_t i = 0; i < b->nr_volumes; i++)
		volume_free(b->volumes[i]);
	free(b->volumes);
	free(b->entries);
	free(b->awaited);
	free(b->late);
	strmap_clear(&b->volume_of_dir, NULL);
	strvec_clear(&b->second_names);
	strvec_clear(&b->replaced);
	err_release(&b->poison);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
