/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that must not outlive this process are in a process-wide list. It is one of the few mutable
 * states of the process, because a signal handler has no context.
 *
 * Signal handlers read the list, so it only grows. It consists of chunks of slots that atomic
 * pointers link; a free slot is used again. A slot counts when its path is set; all its other fields
 * are written before. Before a path is removed at exit, its inode is compared with the one that we
 * made: between a rename and the moment when the slot is emptied, the name may belong to the file of
 * another process.
 */
#include "compat/posix.h"
#include "fs/tempfile.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#define SLOTS_PER_CHUNK 64
/* Directories in directories: each costs the signal handler a descriptor and 2 kB of its stack. */
#define USUAL_DEPTH 16
#define TREE_DEPTH 512

struct slot {
	_Atomic(const char *) path; /* NULL: free */
	struct slot *next_free;	    /* under the mutex */
	struct tempfile *owner;	    /* NULL: deleted, but its file would not go */
	dev_t dev;
	ino_t ino;
	pid_t pid;
	bool is_dir;
	/* For a directory: how deep it can be; whether it existed before; how many directories above it we made. */
	int depth;
	bool keep_top;
	unsigned made_parents;
	bool last;     /* removed when all others have gone */
	atomic_bool keep; /* or not at all */
	/* A file that was there before us: cut back to that many bytes instead
	 * of removed. -1: remove. */
	off_t keep_bytes;
	/* Closed while its name stays ours: another program may have put
	 * another inode there. */
	bool any_inode;
};

struct chunk {
	_Atomic(struct chunk *) next;
	struct slot slots[SLOTS_PER_CHUNK];
};

static struct {
	pthread_mutex_t mutex;
	_Atomic(struct chunk *) first;
	struct slot *free_slots;
	bool installed;
	pid_t pid; /* ours: getpid for each of many locks would be felt */
} registry = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* What a caller sees, and its slot. */
struct watched {
	struct tempfile pub;
	struct slot *slot;
};

static struct watched *watched_of(struct tempfile *t)
{
	return (struct watched *)t;
}

/* ---- removal at exit and in signal handlers: no allocation, no locks ---- */

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static void remove_entry_quickly(int at, const char *name, int depth);

#ifdef __linux__
struct kernel_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static void remove_content_quickly(int fd, int depth)
{
	_Alignas(struct kernel_dirent) char buf[2048];
	long n, at;

	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (at = 0; at < n;) {
			struct kernel_dirent *de = (struct kernel_dirent *)(buf + at);

			if (!is_dot(de->name))
				remove_entry_quickly(fd, de->name, depth);
			at += de->reclen;
		}
	}
}
#else
/* opendir may allocate; better a small risk in a dying process than litter. */
static void remove_content_quickly(int fd, int depth)
{
	DIR *dir = fdopendir(dup(fd));
	struct dirent *de;

	while (dir && (de = readdir(dir)))
		if (!is_dot(de->d_name))
			remove_entry_quickly(fd, de->d_name, depth);
	if (dir)
		closedir(dir);
}
#endif

/* Until a directory is gone, other threads can make names in it. */
#define REMOVE_TRIES 100

static void remove_dir_quickly(int at, const char *name, int depth, bool keep)
{
	int fd;

	if (depth < 0)
		return;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	for (int try = 0; try < REMOVE_TRIES; try++) {
		lseek(fd, 0, SEEK_SET);
		remove_content_quickly(fd, depth);
		if (keep || !unlinkat(at, name, AT_REMOVEDIR) || (errno != ENOTEMPTY && errno != EEXIST))
			break;
	}
	close(fd);
}

static void remove_entry_quickly(int at, const char *name, int depth)
{
	if (unlinkat(at, name, 0) && (errno == EISDIR || errno == EPERM))
		remove_dir_quickly(at, name, depth - 1, false);
}

/* False: the file is gone, or the name belongs to another file by now. */
static bool still_ours(const struct slot *slot, const char *path)
{
	struct stat st;

	return slot->pid == getpid() && !lstat(path, &st) &&
	       (slot->any_inode ||
		(st.st_dev == slot->dev && st.st_ino == slot->ino));
}

/* Only ever shorter; the file keeps what it had before us. */
static bool cut_back(const char *path, off_t keep)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	ok = !fstat(fd, &st) && (st.st_size <= keep || !sys->ftruncate(fd, keep));
	close(fd);
	return ok;
}

/* Remove `nr` directories above path, which we have made; stop at one that is not empty. */
static void remove_parents_quickly(const char *path, unsigned nr)
{
	char dir[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(dir))
		return;
	memcpy(dir, path, len + 1);
	for (; nr; nr--) {
		char *slash = strrchr(dir, '/');

		if (!slash || slash == dir)
			return;
		*slash = '\0';
		if (rmdir(dir))
			return;
	}
}

static void remove_slot(struct slot *slot)
{
	const char *path = atomic_load(&slot->path);

	if (!path || atomic_load(&slot->keep) || !still_ours(slot, path))
		return;
	if (slot->keep_bytes >= 0)
		cut_back(path, slot->keep_bytes);
	else if (slot->is_dir)
		remove_dir_quickly(AT_FDCWD, path, slot->depth, slot->keep_top);
	else
		unlink(path);
	remove_parents_quickly(path, slot->made_parents);
}

static void remove_all(void)
{
	for (int last = 0; last < 2; last++)
		for (struct chunk *c = atomic_load(&registry.first); c; c = atomic_load(&c->next))
			for (size_t i = 0; i < SLOTS_PER_CHUNK; i++)
				if (c->slots[i].last == last)
					remove_slot(&c->slots[i]);
}

static const int fatal_signals[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE };
static struct sigaction previous[ARRAY_SIZE(fatal_signals)];

/*
 * Clean up, restore the previous signal action, and send the signal again. It is blocked until
 * this function returns, and takes effect then.
 */
static void on_fatal_signal(int sig)
{
	int saved = errno;

	remove_all();
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		if (fatal_signals[i] == sig)
			sigaction(sig, &previous[i], NULL);
	raise(sig);
	errno = saved;
}

static void tempfile_after_fork(void)
{
	registry.pid = getpid();
}

/* Under the mutex, once. A signal that was ignored (nohup) stays ignored. */
static void install(void)
{
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_fatal_signal;
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		if (!sigaction(fatal_signals[i], NULL, &previous[i]) &&
		    previous[i].sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &act, NULL);
	}
	atexit(remove_all);
	tempfile_after_fork();
	pthread_atfork(NULL, NULL, tempfile_after_fork);
	registry.installed = true;
}

/* ---- the list ---- */

static struct slot *claim_slot(void)
{
	struct slot *slot;

	pthread_mutex_lock(&registry.mutex);
	if (!registry.installed)
		install();
	if (!registry.free_slots) {
		struct chunk *c = xcalloc(1, sizeof(*c));

		for (size_t i = 0; i < SLOTS_PER_CHUNK; i++) {
			c->slots[i].next_free = registry.free_slots;
			registry.free_slots = &c->slots[i];
		}
		atomic_store(&c->next, atomic_load(&registry.first));
		atomic_store(&registry.first, c);
	}
	slot = registry.free_slots;
	registry.free_slots = slot->next_free;
	pthread_mutex_unlock(&registry.mutex);
	return slot;
}

static void give_back_slot(struct slot *slot)
{
	atomic_store(&slot->path, NULL);
	pthread_mutex_lock(&registry.mutex);
	slot->next_free = registry.free_slots;
	registry.free_slots = slot;
	pthread_mutex_unlock(&registry.mutex);
}

/* From here on it is removed at exit. path passes to the tempfile. */
static struct tempfile *watch(char *path, int fd, const struct stat *st, off_t keep_bytes)
{
	struct watched *w = xcalloc(1, sizeof(*w));

	w->pub.path = path;
	w->pub.fd = fd;
	w->slot = claim_slot();
	w->slot->owner = &w->pub;
	w->slot->dev = st->st_dev;
	w->slot->ino = st->st_ino;
	w->slot->pid = registry.pid;
	w->slot->is_dir = S_ISDIR(st->st_mode);
	w->slot->depth = USUAL_DEPTH;
	w->slot->keep_top = false;
	w->slot->made_parents = 0;
	w->slot->last = false;
	atomic_store(&w->slot->keep, false);
	w->slot->any_inode = false;
	w->slot->keep_bytes = keep_bytes;
	atomic_store(&w->slot->path, path);
	return &w->pub;
}

static void unwatch(struct tempfile *t)
{
	give_back_slot(watched_of(t)->slot);
	free(t->path);
	free(t);
}

/* ---- making ---- */

static int set_create_error(const char *path, struct err *err)
{
	if (errno == EEXIST)
		return err_set(err, ERR_EXISTS, "unable to create '%s': %s",
			       path, strerror(errno));
	return err_set_errno(err, "unable to create '%s'", path);
}

/* A file that has its name already. */
static int adopt(struct tempfile **out, char *path, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		err_set_errno(err, "unable to stat '%s'", path);
		sys->close(fd);
		sys->unlink(path);
		free(path);
		return ERR_IO;
	}
	*out = watch(path, fd, &st, -1);
	return 0;
}

static int open_exclusive(const char *path, int mode)
{
	return (int)RETRY_EINTR(sys->open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
					  (mode_t)mode));
}

int tempfile_create(struct tempfile **out, const char *path, int mode, struct err *err)
{
	int fd = open_exclusive(path, mode);

	if (fd < 0)
		return set_create_error(path, err);
	return adopt(out, xstrdup(path), fd, err);
}

#define TRIES 100

/* BASE and random letters. Caller frees. */
static char *random_name(const char *base)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	uint64_t rnd = os_random64();
	char tail[7] = "";

	for (size_t i = 0; i + 1 < sizeof(tail); i++, rnd /= sizeof(letters) - 1)
		tail[i] = letters[rnd % (sizeof(letters) - 1)];
	return xstrfmt("%s%s", base, tail);
}

int tempfile_create_in(struct tempfile **out, const char *dir,
		       const char *prefix, int mode, struct err *err)
{
	char *base = path_join(dir, prefix);

	for (int try = 0; try < TRIES; try++) {
		char *path = random_name(base);
		int fd = open_exclusive(path, mode);

		if (fd >= 0) {
			free(base);
			return adopt(out, path, fd, err);
		}
		free(path);
		if (errno != EEXIST)
			break;
	}
	set_create_error(base, err);
	free(base);
	return ERR_IO;
}

int tempfile_create_dir(struct tempfile **out, const char *dir, const char *prefix,
			struct err *err)
{
	char *base = path_join(dir, prefix), *path = NULL;
	int made = -1;

	for (int try = 0; try < TRIES; try++) {
		free(path);
		path = random_name(base);
		made = (int)RETRY_EINTR(sys->mkdir(path, 0700));
		if (!made || errno != EEXIST)
			break;
	}
	if (made < 0)
		set_create_error(base, err);
	else
		*out = tempfile_register(path);
	free(path);
	free(base);
	return made < 0 ? ERR_IO : 0;
}

int tempfile_open_nameless(const char *path, int mode)
{
#ifdef O_TMPFILE
	struct strbuf dir = STRBUF_INIT;
	int fd;

	path_dirname(&dir, path);
	fd = (int)RETRY_EINTR(sys->open(dir.buf, O_TMPFILE | O_RDWR | O_CLOEXEC,
					(mode_t)mode));
	strbuf_release(&dir);
	return fd;
#else
	(void)path, (void)mode;
	errno = ENOSYS;
	return -1;
#endif
}

/*
 * 1: made; 0: not possible here, use O_EXCL instead; < 0: failed.
 * The file is in the list before it has its name. If a signal comes in between, the comparison of
 * inodes protects another process's file of that name.
 */
static int create_nameless(struct tempfile **out, const char *path, int mode,
			   void (*mark)(int fd, const struct stat *st, void *data), void *data,
			   struct err *err)
{
	int fd = tempfile_open_nameless(path, mode);
	struct tempfile *t;
	struct stat st;
	int saved;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0) {
		sys->close(fd);
		return 0;
	}
	mark(fd, &st, data);
	t = watch(xstrdup(path), fd, &st, -1);
	if (!RETRY_EINTR(sys->link_fd(fd, path))) {
		*out = t;
		return 1;
	}
	saved = errno;
	sys->close(fd);
	unwatch(t);
	errno = saved;
	if (saved != EEXIST && saved != ENOSPC && saved != EDQUOT && saved != EIO)
		return 0; /* no /proc, no such link: the other way will tell */
	return set_create_error(path, err);
}

int tempfile_create_marked(struct tempfile **out, const char *path, int mode,
			   void (*mark)(int fd, const struct stat *st, void *data), void *data,
			   struct err *err)
{
	int ret = create_nameless(out, path, mode, mark, data, err);
	struct stat st;

	if (ret)
		return ret < 0 ? ret : 0;
	ret = tempfile_create(out, path, mode, err);
	if (!ret && !fstat((*out)->fd, &st))
		mark((*out)->fd, &st, data);
	return ret;
}

/* The list has it before it has its name, as above. */
int tempfile_create_link(struct tempfile **out, const char *path, int fd,
			 const struct stat *st, struct err *err)
{
	struct tempfile *t = watch(xstrdup(path), -1, st, -1);
	int saved;

	if (!RETRY_EINTR(sys->link_fd(fd, path))) {
		*out = t;
		return 0;
	}
	saved = errno;
	unwatch(t);
	errno = saved;
	return set_create_error(path, err);
}

struct tempfile *tempfile_register(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		memset(&st, 0, sizeof(st)); /* never equal: nothing is removed */
	return watch(xstrdup(path), -1, &st, -1);
}

struct tempfile *tempfile_register_tree(const char *path, bool keep_top, unsigned made_parents)
{
	struct tempfile *t = tempfile_register(path);
	struct slot *slot = watched_of(t)->slot;

	slot->depth = TREE_DEPTH;
	slot->keep_top = keep_top;
	slot->made_parents = made_parents;
	return t;
}

void tempfile_remove_last(struct tempfile *t)
{
	watched_of(t)->slot->last = true;
}

void tempfile_keep_at_exit(struct tempfile *t, bool keep)
{
	atomic_store(&watched_of(t)->slot->keep, keep);
}

int tempfile_adopt_append(struct tempfile **out, const char *path, int fd, off_t keep_bytes,
			  struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set_errno(err, "unable to stat '%s'", path);
	*out = watch(xstrdup(path), fd, &st, keep_bytes);
	return 0;
}

/* ---- ending ---- */

int tempfile_close(struct tempfile *t, struct err *err)
{
	int fd = t->fd;

	t->fd = -1;
	watched_of(t)->slot->any_inode = true;
	if (fd < 0 || !sys->close(fd) || errno == EINTR)
		return 0;
	return err_set_errno(err, "unable to close '%s'", t->path);
}

static bool remove_now(struct tempfile *t)
{
	if (watched_of(t)->slot->keep_bytes >= 0)
		return cut_back(t->path, watched_of(t)->slot->keep_bytes);
	if (watched_of(t)->slot->is_dir && !remove_tree(t->path, watched_of(t)->slot->keep_top, NULL)) {
		remove_parents_quickly(t->path, watched_of(t)->slot->made_parents);
		return true;
	}
	if (watched_of(t)->slot->is_dir)
		return false;
	return !remove_file(t->path, NULL);
}

void tempfile_delete(struct tempfile **tp)
{
	struct tempfile *t = *tp;
	int saved = errno;

	if (!t)
		return;
	*tp = NULL;
	if (t->fd >= 0)
		sys->close(t->fd);
	t->fd = -1;
	/* A file that cannot be removed now stays in the list, for another try at exit. */
	if (!still_ours(watched_of(t)->slot, t->path) || remove_now(t)) {
		unwatch(t);
	} else {
		watched_of(t)->slot->owner = NULL;
		free(t); /* the list keeps the path */
	}
	errno = saved;
}

void tempfile_forget(struct tempfile **tp)
{
	struct tempfile *t = *tp;

	if (!t)
		return;
	*tp = NULL;
	if (t->fd >= 0)
		sys->close(t->fd);
	unwatch(t);
}

/* ---- publishing ---- */

/* After the rename only the inode is ours, not the name: record the inode while the name is still ours. */
static void record_identity(struct tempfile *t)
{
	struct slot *slot = watched_of(t)->slot;
	struct stat st;

	if (!slot->any_inode || lstat(t->path, &st))
		return;
	slot->dev = st.st_dev;
	slot->ino = st.st_ino;
	slot->any_inode = false;
}

int tempfile_release_fd(struct tempfile *t)
{
	int fd = t->fd;

	t->fd = -1;
	record_identity(t);
	return fd;
}

static void tempfile_published(void *data, bool published)
{
	struct tempfile *t = data;

	if (published)
		tempfile_forget(&t);
	else
		tempfile_delete(&t);
}

int tempfile_stage(struct tempfile **tp, struct fsync_batch *b,
		   enum fsync_component component, enum publish_class order,
		   const char *final_path, bool make_parents, struct err *err)
{
	struct tempfile *t = *tp;
	struct fsync_staging s = {
		.component = component,
		.order = order,
		.how = PUBLISH_RENAME,
		.fd = tempfile_release_fd(t),
		.tmp_path = t->path,
		.final_path = final_path,
		.make_parents = make_parents,
		.done = tempfile_published,
		.data = t,
	};

	*tp = NULL;
	return fsync_batch_stage(b, &s, err);
}
