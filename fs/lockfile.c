/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/lockfile.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include <sys/file.h>
#if defined(__linux__) || defined(__APPLE__)
#include <sys/xattr.h>
#endif

#define OWNER_ATTRIBUTE "user.git.lock"
#define SUFFIX ".lock"

static void report_takeover(const char *lock_path, pid_t pid)
{
	fprintf(stderr, "warning: removed stale lock '%s'; its owner, process %ld, is gone\n",
		lock_path, (long)pid);
}

void (*lockfile_takeover_report)(const char *lock_path, pid_t pid) = report_takeover;

/* ---- the owner ---- */

/*
 * A mark begins with the id of the file for which it was written. So a copy of a file that was a
 * lock, or another name of it, has no owner. All names of a shared file are locks.
 */
#define FILE_ID_MAX 8
#define SHARED_FILE "shared"
/* 64 bytes, and it is seldom more, fit into an inode of ext4 next to the attribute's name. */
#define MARK_MAX (FILE_ID_MAX + 1 + OWNER_TEXT_MAX)

static void format_file_id(char out[FILE_ID_MAX + 1], const struct stat *st)
{
	snprintf(out, FILE_ID_MAX + 1, "%" PRIx32, (uint32_t)st->st_ino);
}

/*
 * Best effort: a lock without the attribute works as well, but no process can prove that its owner
 * is gone.
 */
static bool write_mark(int fd, const char *file_id, const char *owner)
{
	char mark[MARK_MAX + 1];
	int len = snprintf(mark, sizeof(mark), "%s %s", file_id, owner);

	return *owner && !RETRY_EINTR(sys->fsetxattr(fd, OWNER_ATTRIBUTE, mark, (size_t)len, 0));
}

static bool mark_file(int fd, const struct stat *st, const char *owner)
{
	char id[FILE_ID_MAX + 1];

	format_file_id(id, st);
	return write_mark(fd, id, owner);
}

static void mark_lock(int fd, const struct stat *st, const char *lock_path)
{
	struct strbuf dir = STRBUF_INIT;
	char owner[OWNER_TEXT_MAX + 1];

	path_dirname(&dir, lock_path);
	if (owner_self_text(owner, dir.buf))
		mark_file(fd, st, owner);
	strbuf_release(&dir);
}

/* Locks of one directory come one after another: keep the mark of the owner for the next one. */
static void mark_in_group(struct lock_group *g, int fd, const struct stat *st,
			  const char *lock_path)
{
	const char *slash = strrchr(lock_path, '/');
	size_t len = slash ? (size_t)(slash - lock_path) : 0;

	if (!len || len != g->marked_dir.len || memcmp(lock_path, g->marked_dir.buf, len)) {
		strbuf_reset(&g->marked_dir);
		path_dirname(&g->marked_dir, lock_path);
		if (!owner_self_text(g->owner, g->marked_dir.buf))
			g->owner[0] = '\0';
	}
	mark_file(fd, st, g->owner);
}

struct lock_being_made {
	const char *path;
	struct lock_group *group; /* NULL: none */
};

static void mark_new_lock(int fd, const struct stat *st, void *data)
{
	const struct lock_being_made *m = data;

	if (m->group)
		mark_in_group(m->group, fd, st, m->path);
	else
		mark_lock(fd, st, m->path);
}

static ssize_t get_mark(int fd, char *buf, size_t size)
{
#if defined(__linux__)
	return fgetxattr(fd, OWNER_ATTRIBUTE, buf, size);
#elif defined(__APPLE__)
	return fgetxattr(fd, OWNER_ATTRIBUTE, buf, size, 0, 0);
#else
	(void)fd, (void)buf, (void)size;
	errno = ENOTSUP;
	return -1;
#endif
}

/* Splits the mark of an open file: its owner, as text in *mark; NULL: it has none. */
static char *read_mark(int fd, char mark[MARK_MAX + 1])
{
	ssize_t len = get_mark(fd, mark, MARK_MAX);
	char *space;

	mark[len > 0 ? len : 0] = '\0';
	space = strchr(mark, ' ');
	if (space)
		*space++ = '\0';
	return space;
}

static bool is_mark_of(const struct stat *st, const char *file_id)
{
	char id[FILE_ID_MAX + 1];

	format_file_id(id, st);
	return !strcmp(file_id, SHARED_FILE) || (st->st_nlink == 1 && !strcmp(file_id, id));
}

static enum lock_owner owner_of_fd(int fd, const char *lock_path, struct owner *owner)
{
	struct strbuf dir = STRBUF_INIT;
	char mark[MARK_MAX + 1], *text;
	enum lock_owner who;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return LOCK_OWNER_UNKNOWN;
	text = read_mark(fd, mark);
	if (!text || !is_mark_of(&st, mark) || !owner_parse(owner, text, strlen(text), ' '))
		return LOCK_OWNER_UNKNOWN;
	path_dirname(&dir, lock_path);
	who = owner_state(owner, dir.buf, st.st_ctime);
	strbuf_release(&dir);
	return who;
}

/*
 * Does the name mean the open file? While a file is being removed, its name still leads to it for a
 * moment, but it has no links any more.
 */
static bool has_name(int fd, const char *path)
{
	struct stat st, named;

	return !fstat(fd, &st) && st.st_nlink && !lstat(path, &named) && is_same_file(&st, &named);
}

/*
 * The mark counts only if the file still has its name after the mark was read. The open descriptor
 * keeps the inode number from being used again. *moved: the file lost its name, so the lock passes
 * from one process to another. A symbolic link in place of the lock has no owner: O_NOFOLLOW.
 * Tests: from_hand_to_hand, removal_is_waited_for, takeover_spares_the_next_owner.
 */
static enum lock_owner read_owner(const char *lock_path, struct owner *owner, bool *moved)
{
	int fd = (int)RETRY_EINTR(sys->open(lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					    O_NONBLOCK, 0));
	enum lock_owner who = LOCK_OWNER_UNKNOWN;

	if (fd < 0) {
		*moved = errno == ENOENT;
		return who;
	}
	who = owner_of_fd(fd, lock_path, owner);
	*moved = !has_name(fd, lock_path);
	sys->close(fd);
	return *moved ? LOCK_OWNER_UNKNOWN : who;
}

enum lock_owner lock_owner_of(const char *lock_path, pid_t *pid)
{
	struct owner owner = { .pid = 0 };
	bool moved;
	enum lock_owner who = read_owner(lock_path, &owner, &moved);

	if (pid)
		*pid = owner.pid;
	return who;
}

static bool is_of_the_dead(const char *lock_path, struct owner *owner)
{
	bool moved;

	return read_owner(lock_path, owner, &moved) == LOCK_OWNER_GONE;
}

/* ---- take-over ---- */

#define TAKEOVER_WAIT_MS 1000

/* While a lock is waited for, its name is looked for at about this interval. */
#define POLL_US 1000

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

/* Another program may hold flock(2) on that directory for other reasons. */
static bool flock_for_a_while(int fd)
{
	for (int waited = 0; waited < TAKEOVER_WAIT_MS; waited += 10) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		sleep_ms(10);
	}
	return false;
}

/*
 * P5: if two processes find that the owner is gone, only one may remove the lock: the second would
 * remove the lock that the first has just made. A process that removes a lock holds an advisory lock
 * on the directory, and reads the owner again under it. A lock whose owner is gone keeps its name
 * until then. The new lock is made with O_EXCL like any other, outside the advisory lock.
 * Test: takeover_has_one_winner.
 */
static bool remove_if_gone(const char *lock_path)
{
	struct strbuf dir = STRBUF_INIT;
	struct owner owner;
	bool removed = false;
	int fd;

	path_dirname(&dir, lock_path);
	fd = (int)RETRY_EINTR(sys->open(dir.buf, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
	strbuf_release(&dir);
	if (fd < 0)
		return false;
	if (flock_for_a_while(fd) &&
	    is_of_the_dead(lock_path, &owner) &&
	    !RETRY_EINTR(sys->unlink(lock_path))) {
		removed = true;
		lockfile_takeover_report(lock_path, owner.pid);
	}
	sys->close(fd);
	return removed;
}

static bool take_over(const char *lock_path)
{
	struct owner owner;

	return is_of_the_dead(lock_path, &owner) && remove_if_gone(lock_path);
}

/* ---- taking ---- */

/* Scripts look for the words up to the full stop. */
static int locked(const char *lock_path, struct err *err)
{
	struct strbuf who = STRBUF_INIT;
	char *whole = path_absolute(lock_path);
	pid_t pid;
	int ret;

	switch (lock_owner_of(lock_path, &pid)) {
	case LOCK_OWNER_ALIVE:
		strbuf_addf(&who, "Process %ld holds it (as its container counts): wait until "
			    "it has ended,\nor end it.", (long)pid);
		break;
	default:
		strbuf_addstr(&who, "Whether it is still at work cannot be told from here. "
			      "If no such process\nis left, it ended without cleaning up: "
			      "remove the file by hand.");
	}
	ret = err_set(err, ERR_LOCKED,
		      "Unable to create '%s': File exists.\n\n"
		      "Another git process seems to be running in this repository.\n%s",
		      whole ? whole : lock_path, who.buf);
	free(whole);
	strbuf_release(&who);
	return ret;
}

static void set_lock_error(const char *lock_path, const struct err *why, struct err *err)
{
	errno = why->sys_errno;
	if (errno)
		err_set_errno(err, "Unable to create '%s'", lock_path);
	else
		err_set(err, why->code, "%s", err_message(why));
}

/* ---- one file, many names ---- */

static void close_shared_file(struct lock_group *g)
{
	if (g->fd >= 0)
		sys->close(g->fd);
	g->fd = -1;
	g->links = 0;
}

void lock_group_release(struct lock_group *g)
{
	strbuf_release(&g->marked_dir);
	close_shared_file(g);
}

static bool open_shared_file(struct lock_group *g)
{
	struct strbuf path = STRBUF_INIT;

	if (g->fd >= 0 && g->links < LOCK_GROUP_LINKS)
		return true;
	close_shared_file(g);
	strbuf_addf(&path, "%s/x", g->dir);
	g->fd = tempfile_open_nameless(path.buf, 0666);
	strbuf_release(&path);
	if (g->fd >= 0 && !fstat(g->fd, &g->st)) {
		char owner[OWNER_TEXT_MAX + 1];

		if (owner_self_text(owner, g->dir))
			write_mark(g->fd, SHARED_FILE, owner);
		return true;
	}
	close_shared_file(g);
	g->refused = true;
	return false;
}

/* The last of its names was removed: it cannot get another one. */
static bool is_worn_out(const struct lock_group *g)
{
	struct stat st;

	return g->links && !fstat(g->fd, &st) && !st.st_nlink;
}

/* 1: not possible here, a file of its own is needed. */
static int link_lock(struct tempfile **tf, const char *lock_path, struct lock_group *g,
		     struct err *err)
{
	while (!g->refused && open_shared_file(g)) {
		struct err local = ERR_INIT;
		int ret = tempfile_create_link(tf, lock_path, g->fd, &g->st, &local), e;

		e = local.sys_errno;
		if (ret && ret != ERR_EXISTS && (e == ENOSPC || e == EDQUOT || e == EIO))
			err_move(err, &local);
		else if (ret && ret != ERR_EXISTS)
			ret = 1;
		err_release(&local);
		if (!ret)
			g->links++;
		if (ret != 1)
			return ret;
		if (e == EPERM || e == ENOSYS || e == EOPNOTSUPP || (e == EMLINK && !g->links))
			g->refused = true;
		else if (e == EMLINK || (e == ENOENT && is_worn_out(g)))
			close_shared_file(g);
		else
			return 1;
	}
	return 1;
}

/* ---- files that are there before their locks ---- */

void lockfile_make_nameless(struct nameless_lock *n, const char *path, struct lock_group *g)
{
	n->fd = tempfile_open_nameless(path, 0666);
	if (n->fd >= 0 && fstat(n->fd, &n->st))
		nameless_lock_release(n);
	if (n->fd >= 0)
		mark_in_group(g, n->fd, &n->st, path);
}

void nameless_lock_release(struct nameless_lock *n)
{
	if (n->fd >= 0)
		sys->close(n->fd);
	n->fd = -1;
}

/* 1: there is none, or it cannot have that name. */
static int name_prepared(struct tempfile **tf, const char *lock_path, struct nameless_lock *n)
{
	struct err local = ERR_INIT;
	int ret = tempfile_create_link(tf, lock_path, n->fd, &n->st, &local);

	err_release(&local);
	if (ret)
		return ret == ERR_EXISTS ? ret : 1;
	(*tf)->fd = n->fd;
	n->fd = -1;
	return 0;
}

/* ---- taking ---- */

static int make_lock(struct tempfile **tf, const char *lock_path, struct lock_group *g,
		     struct err *err)
{
	struct lock_being_made m = { lock_path, g };
	int ret = 1;

	if (g && !g->own_files)
		ret = link_lock(tf, lock_path, g, err);
	else if (g && g->prepared && g->prepared->fd >= 0)
		ret = name_prepared(tf, lock_path, g->prepared);
	if (ret > 0)
		ret = tempfile_create_marked(tf, lock_path, 0666, mark_new_lock, &m, err);
	return ret;
}

/* ---- taking, with patience ---- */

/* One attempt; ERR_LOCKED without a message if another process holds the lock. look: find out whether its owner is alive. */
static int try_once(struct tempfile **tf, const char *lock_path, struct lock_group *g, bool look,
		    struct err *err)
{
	/* Twice: after a take-over others may be faster, which is fine. */
	for (int i = 0; i < 2; i++) {
		struct err local = ERR_INIT;
		int ret = make_lock(tf, lock_path, g, &local);

		if (ret && ret != ERR_EXISTS)
			set_lock_error(lock_path, &local, err);
		err_release(&local);
		if (ret != ERR_EXISTS)
			return ret;
		if (!look || !take_over(lock_path))
			break;
	}
	return ERR_LOCKED;
}

/* Waiting helps if a known process will release the lock, or has just done so; not if that is this process. */
static bool is_worth_waiting(const char *lock_path)
{
	struct owner owner;
	bool moved;
	enum lock_owner who = read_owner(lock_path, &owner, &moved);

	return moved || (who != LOCK_OWNER_UNKNOWN && owner.pid != getpid());
}

struct lock_wait {
	long timeout_ms, patience_ms;
};

static bool is_over(const struct lock_wait *w, int64_t since, const char *lock_path)
{
	const int64_t waited = monotonic_ms() - since;

	if (w->timeout_ms < 0 || waited < w->timeout_ms)
		return false;
	return !w->timeout_ms || waited >= w->patience_ms || !is_worth_waiting(lock_path);
}

/* Until the lock is gone (true), which a cheap look at short, random intervals finds out, or the time is over. */
static bool sleep_while_locked(const char *lock_path, long ms)
{
	const int64_t end = monotonic_ms() + ms;
	struct stat st;

	do {
		long us = POLL_US / 2 + (long)(os_random64() % POLL_US);

		nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
		if (lstat(lock_path, &st))
			return true;
	} while (monotonic_ms() < end);
	return false;
}

/*
 * Tries at growing, random intervals, and as soon as the lock is gone. A process that waits makes one file, and only names it then.
 * If another process is faster, it has just been alive.
 */
static int try_until(struct tempfile **tf, const char *lock_path, const struct lock_wait *w, struct lock_group *g,
		     struct err *err)
{
	const int64_t since = monotonic_ms();
	long wait = 1, longest = w->timeout_ms > 0 && w->timeout_ms < 1000 ? w->timeout_ms : 1000;
	struct nameless_lock n = { .fd = -1 };
	struct lock_group alone = LOCK_GROUP_INIT(NULL);
	bool changes_hands = false;
	int ret;

	alone.own_files = true;
	alone.prepared = &n;
	while ((ret = try_once(tf, lock_path, g, !changes_hands, err)) == ERR_LOCKED) {
		long ms = wait / 2 + (long)(os_random64() % (uint64_t)(wait + 1));

		if (is_over(w, since, lock_path)) {
			ret = locked(lock_path, err);
			break;
		}
		if (!g) {
			g = &alone;
			lockfile_make_nameless(&n, lock_path, g);
		}
		changes_hands = sleep_while_locked(lock_path, ms ? ms < longest ? ms : longest : 1);
		if (wait < 1000)
			wait = wait * 2;
	}
	nameless_lock_release(&n);
	lock_group_release(&alone);
	return ret;
}

/*
 * Follow a chain of symbolic links, whose end need not exist. A device or a pipe is no target: the
 * new file would take its place.
 */
static int resolve_target(struct strbuf *out, const char *path, struct err *err)
{
	struct strbuf link = STRBUF_INIT;
	struct stat st;
	int depth = 0, ret = 0;
	bool exists;

	strbuf_addstr(out, path);
	while ((exists = !lstat(out->buf, &st)) && S_ISLNK(st.st_mode)) {
		if (++depth > 10) {
			ret = err_set(err, ERR_INVALID,
				      "too many levels of symbolic links at '%s'", path);
			break;
		}
		strbuf_reset(&link);
		ret = read_link(&link, out->buf, 0, err);
		if (ret < 0)
			break;
		if (!is_absolute_path(link.buf)) {
			const char *slash = strrchr(out->buf, '/');

			strbuf_insert(&link, 0, out->buf,
				      slash ? (size_t)(slash + 1 - out->buf) : 0);
		}
		strbuf_swap(out, &link);
	}
	if (!ret && exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		ret = err_set(err, ERR_INVALID, "'%s' is not a regular file", out->buf);
	strbuf_release(&link);
	return ret;
}

int lockfile_hold_patiently(struct lockfile *lk, const char *path, unsigned flags, long timeout_ms, long patience_ms,
			    struct err *err)
{
	const struct lock_wait w = { timeout_ms, patience_ms };
	struct strbuf target = STRBUF_INIT;
	char *lock_path = NULL;
	int ret = 0;

	if (flags & LOCK_NO_DEREF)
		strbuf_addstr(&target, path);
	else
		ret = resolve_target(&target, path, err);
	if (!ret && (flags & LOCK_MAKE_DIRS))
		ret = make_leading_dirs(target.buf, SHARED_PERM_UMASK, err);
	if (!ret) {
		lock_path = xconcat(target.buf, SUFFIX);
		ret = try_until(&lk->tf, lock_path, &w, NULL, err);
	}
	if (!ret) {
		free(lk->target);
		lk->target = strbuf_detach(&target, NULL);
	}
	free(lock_path);
	strbuf_release(&target);
	return ret;
}

int lockfile_hold(struct lockfile *lk, const char *path, unsigned flags, long timeout_ms, struct err *err)
{
	return lockfile_hold_patiently(lk, path, flags, timeout_ms, 0, err);
}

int lockfile_hold_in_group(struct lockfile *lk, const char *path, long timeout_ms,
			   struct lock_group *g, struct err *err)
{
	const bool prepared = g->prepared && g->prepared->fd >= 0;
	const struct lock_wait w = { timeout_ms, g->patience_ms };
	char *lock_path = xconcat(path, SUFFIX);
	int ret = try_until(&lk->tf, lock_path, &w, g, err);

	if (!ret) {
		free(lk->target);
		lk->target = xstrdup(path);
		lk->started = prepared && g->prepared->fd < 0;
	}
	free(lock_path);
	return ret;
}

/* ---- in between ---- */

int lockfile_close(struct lockfile *lk, struct err *err)
{
	return tempfile_close(lk->tf, err);
}

/* The program that wrote the file meanwhile may have put a new inode there: mark that one, too. */
int lockfile_reopen(struct lockfile *lk, struct err *err)
{
	struct stat st;
	int fd;

	if (lk->tf->fd >= 0)
		BUG("'%s' is open", lk->tf->path);
	fd = (int)RETRY_EINTR(sys->open(lk->tf->path, O_RDWR | O_TRUNC | O_CLOEXEC |
					O_NOFOLLOW, 0));
	if (fd < 0)
		return err_set_errno(err, "unable to open '%s' again", lk->tf->path);
	if (!fstat(fd, &st))
		mark_lock(fd, &st, lk->tf->path);
	lk->tf->fd = fd;
	lk->started = false;
	return 0;
}

/* ---- ending ---- */

struct staged_lock {
	struct tempfile *tf;
	char *target;
};

static bool copy_owner(const char *target, int to)
{
	char mark[MARK_MAX + 1], *owner = NULL;
	struct stat st;
	int fd = (int)RETRY_EINTR(sys->open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					    O_NONBLOCK, 0));

	if (fd >= 0) {
		owner = read_mark(fd, mark);
		sys->close(fd);
	}
	return owner && !fstat(to, &st) && mark_file(to, &st, owner);
}

/*
 * The target can be a lock itself: index.lock, which a command writes that a hook runs. It must stay
 * the lock of its holder. So the new file gets the mark of that holder, or none, before it gets the
 * name. A kill at any moment then leaves a lock that can be taken over if the old one could be (P5).
 * Tests: t7502-commit-hooks.sh, "a hook that makes refs"; test-lockfile.
 */
static void hand_over_owner(const char *target, const struct tempfile *from, int to)
{
	if (ends_with(target, SUFFIX) && (to < 0 || !copy_owner(target, to)))
		(void)sys->removexattr(from->path, OWNER_ATTRIBUTE);
}

/* Runs right after the rename, before the seal. */
static void lock_published(void *data, bool published)
{
	struct staged_lock *l = data;

	if (published)
		tempfile_forget(&l->tf);
	else
		tempfile_delete(&l->tf);
	free(l->target);
	free(l);
}

int lockfile_stage(struct lockfile *lk, struct fsync_batch *b,
		   enum fsync_component component, enum publish_class order,
		   struct err *err)
{
	struct staged_lock *l = xmalloc(sizeof(*l));
	struct fsync_staging s = {
		.component = component,
		.order = order,
		.how = PUBLISH_RENAME,
		.done = lock_published,
		.data = l,
	};

	l->tf = lk->tf;
	l->target = lk->target;
	lk->tf = NULL;
	lk->target = NULL;
	s.tmp_path = l->tf->path;
	s.final_path = l->target;
	s.fd = tempfile_release_fd(l->tf);
	s.started = lk->started;
	hand_over_owner(l->target, l->tf, s.fd);
	return fsync_batch_stage(b, &s, err);
}

void lockfile_rollback(struct lockfile *lk)
{
	tempfile_delete(&lk->tf);
}

void lockfile_release(struct lockfile *lk)
{
	lockfile_rollback(lk);
	FREE_AND_NULL(lk->target);
}

/* A lock whose owner is gone: take it over, and release it. */
bool lockfile_remove_stale(const char *path)
{
	struct lockfile lk = LOCKFILE_INIT;
	bool taken = false;
	size_t len;
	char *target;

	if (!strip_suffix(path, ".lock", &len))
		return false;
	if (lock_owner_of(path, NULL) != LOCK_OWNER_GONE)
		return false;
	target = xstrndup(path, len);
	if (!lockfile_hold(&lk, target, LOCK_NO_DEREF, 0, NULL))
		taken = true;
	lockfile_release(&lk);
	free(target);
	return taken;
}
