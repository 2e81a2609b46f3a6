/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/owner.h"
#include "compat/fskind.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/file-lock.h"
#include "fs/tempfile.h"
#include "util/alloc.h"
#include "util/path.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>

#define OWNER_VERSION '2'
#define NAME_PREFIX ".git-owner-"

/* ---- the lock ---- */

/*
 * The owner holds a lock on byte 0. A process that makes its owner file locks byte 1; a process that
 * removes files of ended owners shares that lock. Without it, if a file cannot be locked before it
 * has its name (no O_TMPFILE), a new owner would seem to have ended for a moment.
 */
static bool set_lock(int fd, short type, off_t start, off_t len)
{
	return !file_lock_set(fd, type, start, len);
}

/* Query with a read lock: only a write lock counts, so a process that may only read the file cannot seem to be its owner. */
static enum lock_owner query_lock(int fd)
{
	int held = file_lock_query(fd, F_RDLCK, 0, 1);

	return held < 0 ? LOCK_OWNER_UNKNOWN : held ? LOCK_OWNER_ALIVE : LOCK_OWNER_GONE;
}

/* `at`: the home, open, so that ENOENT speaks of this one name. */
static enum lock_owner state_of_file(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	enum lock_owner who = LOCK_OWNER_UNKNOWN;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? LOCK_OWNER_GONE : LOCK_OWNER_UNKNOWN;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		who = query_lock(fd);
	close(fd);
	return who;
}

/* ---- earlier boots ---- */

/* The first 16 hex digits of "6f9619ff-8b86-d011-…"; 0: not known. */
static uint64_t boot_id(void)
{
	char text[OS_BOOT_ID_LEN + 1], digits[17];
	size_t nr = 0;

	if (!os_boot_id(text))
		return 0;
	for (char *p = text; *p && nr < 16; p++)
		if (isxdigit((unsigned char)*p))
			digits[nr++] = *p;
	digits[nr] = '\0';
	return nr == 16 ? strtoull(digits, NULL, 16) : 0;
}

/*
 * Containers can have a boot id of their own, so it needs a second witness: the mark is
 * older than this boot. Where clocks are shifted (time namespaces), that cannot be known.
 */
static bool is_before_boot(time_t made_at)
{
#ifdef CLOCK_BOOTTIME
	static const char initial[] = "time:[4026531834]"; /* the same on every Linux */
	char buf[64] = "";
	struct timespec now, up;

	if (readlink("/proc/self/ns/time", buf, sizeof(buf) - 1) > 0 && strcmp(buf, initial))
		return false;
	return made_at && !clock_gettime(CLOCK_REALTIME, &now) &&
	       !clock_gettime(CLOCK_BOOTTIME, &up) &&
	       made_at < now.tv_sec - up.tv_sec - 1;
#else
	(void)made_at;
	return false;
#endif
}

static bool is_of_earlier_boot(const struct owner *o, time_t made_at)
{
	uint64_t boot = boot_id();

	return boot && o->boot && boot != o->boot && is_before_boot(made_at);
}

/* ---- homes ---- */

static bool has_dir(struct strbuf *dir, const char *name)
{
	size_t len = dir->len;
	struct stat st;
	bool yes;

	strbuf_addf(dir, "/%s", name);
	yes = !stat(dir->buf, &st) && S_ISDIR(st.st_mode);
	strbuf_setlen(dir, len);
	return yes;
}

/*
 * The nearest directory at or above `path` on the same file system that is the one with inode
 * `ino`, or, if that is 0, a repository. False: none; *path is then of no use.
 */
static bool find_above(struct strbuf *path, ino_t ino, struct stat *st)
{
	struct stat up;

	if (stat(path->buf, st))
		return false;
	for (int i = 0; i < 100; i++) {
		if (ino ? st->st_ino == ino : has_dir(path, "objects") && has_dir(path, "refs"))
			return true;
		strbuf_addstr(path, "/..");
		if (stat(path->buf, &up) || up.st_dev != st->st_dev || up.st_ino == st->st_ino)
			return false;
		*st = up;
	}
	return false;
}

/* While names of its process are not sealed, an owner file is not empty: a size without content
 * needs no room on the disk. */
#define UNSEALED_SIZE 1

static bool says_unsealed(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size;
}

static int open_owner_file(const char *path)
{
	return (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0));
}

/* ".git-owner-ID.N": a second name of a file that the owner has replaced. */
static bool is_second_name(const char *name)
{
	return strchr(name + strlen(NAME_PREFIX), '.');
}

static bool is_unheld(int fd)
{
	return set_lock(fd, F_RDLCK, 1, 1) && query_lock(fd) == LOCK_OWNER_GONE;
}

/*
 * Remove the file of an owner that was killed. The name is never used again, so it is no other file.
 * A file that says "unsealed" stays, unless its names have been sealed by now (NULL).
 */
static void remove_if_dead(const char *path, struct string_list *unsealed)
{
	int fd = open_owner_file(path);

	if (fd < 0)
		return;
	if (is_unheld(fd)) {
		if (unsealed && says_unsealed(fd))
			string_list_append(unsealed, path);
		else
			(void)RETRY_EINTR(sys->unlink(path));
	}
	sys->close(fd);
}

/* Remove a second name whose owner was killed, or ended in a power cut. */
static bool is_orphan(const char *path)
{
	char *owner_file = xstrdup(path);
	bool orphan;
	int fd;

	*strrchr(owner_file, '.') = '\0';
	fd = open_owner_file(owner_file);
	orphan = fd < 0 ? errno == ENOENT : is_unheld(fd);
	if (fd >= 0)
		sys->close(fd);
	free(owner_file);
	return orphan;
}

/* A file of another kind was made in another view of the directory: its owner's state is not known. */
static void remove_dead_files(const char *dir, const char *our_id, struct string_list *unsealed)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		const char *id;
		char *path;

		if (!skip_prefix(de->d_name, NAME_PREFIX, &id) || *id != *our_id ||
		    !strcmp(id, our_id))
			continue;
		path = path_join(dir, de->d_name);
		if (!is_second_name(de->d_name))
			remove_if_dead(path, unsealed);
		else if (is_orphan(path))
			string_list_append(unsealed, path);
		free(path);
	}
	if (d)
		closedir(d);
}

void owner_sweep(const char *dir)
{
	const char view[2] = { fs_lock_view(dir), '\0' };
	struct string_list unsealed = STRING_LIST_INIT;

	if (*view)
		remove_dead_files(dir, view, &unsealed);
	string_list_clear(&unsealed, NULL);
}

/* ---- our own owner files ---- */

struct home {
	struct home *next;
	struct tempfile *file; /* NULL: not made, or that of the process that forked us */
	struct owner self;     /* .home tells which directory it is, with dev */
	char text[OWNER_TEXT_MAX + 1]; /* the mark of locks */
	dev_t dev;
	unsigned unsealed; /* operations that have published and not sealed yet */
	unsigned second_names; /* made so far */
	struct string_list dead; /* unsealed ones of dead owners, when the file was made */
};

/* The directory asked for last: a transaction asks once for each of its locks. */
struct asked_dir {
	struct strbuf path;
	dev_t dev;
	ino_t ino;
	struct home *home; /* NULL: nothing is marked there */
};

static struct {
	pthread_mutex_t mutex;
	struct home *homes; /* grows only */
	struct asked_dir asked;
	uint64_t boot;
} process = { .mutex = PTHREAD_MUTEX_INITIALIZER, .asked.path = STRBUF_INIT };

/* A child must not keep its parent's owner file locked when the parent has died. */
static void owner_after_fork(void)
{
	for (struct home *h = process.homes; h; h = h->next) {
		if (h->file)
			close(h->file->fd);
		h->file = NULL;
		h->unsealed = 0;
	}
}

static void lock_new_file(int fd, const struct stat *st UNUSED, void *ok)
{
	*(bool *)ok = set_lock(fd, F_WRLCK, 0, 2);
}

/* Another process that cleans up, or a user, may have removed the file. */
static bool is_held(const struct home *h)
{
	struct stat st;

	return h->file && !fstat(h->file->fd, &st) && st.st_nlink;
}

/* A new name with each try: see remove_if_dead. */
static bool try_to_make(struct home *h, const char *dir)
{
	bool locked = false;
	char *path;

	snprintf(h->self.id, sizeof(h->self.id), "%c%012" PRIx64, fs_lock_view(dir),
		 os_random64() >> 16);
	path = xstrfmt("%s/" NAME_PREFIX "%s", dir, h->self.id);
	tempfile_delete(&h->file);
	if (!tempfile_create_marked(&h->file, path, 0666, lock_new_file, &locked, NULL)) {
		tempfile_remove_last(h->file);
		if (!locked)
			tempfile_delete(&h->file);
		else
			set_lock(h->file->fd, F_UNLCK, 1, 1);
	}
	free(path);
	return is_held(h);
}

/*
 * The file is removed by its real path: one that leads through the directory of a lock and up
 * again ends when that directory goes. Test: leaves_nothing_where_a_directory_went.
 */
static void make_file(struct home *h, const char *dir)
{
	char *top = path_real(dir, 0);
	struct stat st;

	h->text[0] = '\0'; /* until all of the mark is known */
	h->self.boot = process.boot;
	h->self.pid = getpid();
	for (int i = 0; top && i < 3 && !try_to_make(h, top); i++)
		;
	/* Asked again: an overlay may give a directory another number once it is written to. */
	if (is_held(h) && !stat(top, &st)) {
		h->self.home = st.st_ino;
		owner_format(h->text, &h->self, ' ');
		remove_dead_files(top, h->self.id, &h->dead);
	}
	free(top);
}

static struct home *find_home(const struct stat *st)
{
	struct home *h = process.homes;

	while (h && (h->dev != st->st_dev || h->self.home != st->st_ino))
		h = h->next;
	return h;
}

void owner_leave(const char *dir)
{
	struct home *h;
	struct stat st;

	pthread_mutex_lock(&process.mutex);
	h = stat(dir, &st) ? NULL : find_home(&st);
	if (h)
		tempfile_delete(&h->file);
	pthread_mutex_unlock(&process.mutex);
}

static struct home *add_home(const struct stat *st)
{
	struct home *h = xcalloc(1, sizeof(*h));

	if (!process.homes) {
		pthread_atfork(NULL, NULL, owner_after_fork);
		process.boot = boot_id();
	}
	h->dev = st->st_dev;
	h->self.home = st->st_ino;
	h->next = process.homes;
	process.homes = h;
	return h;
}

/* The nearest repository at or above `dir`, else `dir` itself. */
static struct home *home_of(const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	struct home *h = NULL;
	struct stat st;

	strbuf_addstr(&path, dir);
	if (!find_above(&path, 0, &st)) {
		strbuf_reset(&path);
		strbuf_addstr(&path, dir);
		if (stat(dir, &st))
			goto out;
	}
	h = find_home(&st);
	if (!h)
		h = add_home(&st);
	if (!is_held(h))
		make_file(h, path.buf);
out:
	strbuf_release(&path);
	return h;
}

static bool is_asked_dir(const char *dir, const struct stat *st)
{
	const struct asked_dir *a = &process.asked;

	return a->ino == st->st_ino && a->dev == st->st_dev && !strcmp(a->path.buf, dir);
}

/* One with its owner file; NULL: nothing is marked there. */
static struct home *held_home_of(const char *dir)
{
	struct asked_dir *a = &process.asked;
	struct stat st;

	if (stat(dir, &st))
		return NULL;
	if (is_asked_dir(dir, &st) && (!a->home || is_held(a->home)))
		return a->home;
	a->home = fs_lock_view(dir) ? home_of(dir) : NULL;
	a->dev = st.st_dev;
	a->ino = st.st_ino;
	strbuf_reset(&a->path);
	strbuf_addstr(&a->path, dir);
	return a->home && is_held(a->home) ? a->home : NULL;
}

bool owner_self(struct owner *out, const char *dir)
{
	struct home *h;

	pthread_mutex_lock(&process.mutex);
	h = held_home_of(dir);
	if (h)
		*out = h->self;
	pthread_mutex_unlock(&process.mutex);
	return h;
}

size_t owner_self_text(char out[OWNER_TEXT_MAX + 1], const char *dir)
{
	struct home *h;
	size_t len = 0;

	pthread_mutex_lock(&process.mutex);
	h = held_home_of(dir);
	if (h) {
		len = strlen(h->text);
		memcpy(out, h->text, len + 1);
	}
	pthread_mutex_unlock(&process.mutex);
	return len;
}

/* ---- names that are not sealed yet ---- */

/* On a full disk "unsealed" is not written: the operation will hardly succeed then. */
static void begin_unsealed(struct home *h)
{
	if (h->unsealed++)
		return;
	tempfile_keep_at_exit(h->file, true);
	(void)RETRY_EINTR(sys->ftruncate(h->file->fd, UNSEALED_SIZE));
}

static void end_unsealed(struct home *h)
{
	if (!h->unsealed || --h->unsealed)
		return;
	(void)RETRY_EINTR(sys->ftruncate(h->file->fd, 0));
	tempfile_keep_at_exit(h->file, false);
}

void owner_note_unsealed(void *dir, bool unsealed)
{
	struct home *h;

	pthread_mutex_lock(&process.mutex);
	h = held_home_of(dir);
	if (h && unsealed)
		begin_unsealed(h);
	else if (h)
		end_unsealed(h);
	pthread_mutex_unlock(&process.mutex);
}

char *owner_second_name(const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	char *name = NULL;
	struct home *h;

	path_dirname(&dir, path);
	pthread_mutex_lock(&process.mutex);
	h = held_home_of(dir.buf);
	if (h)
		name = xstrfmt("%s.%u", h->file->path, h->second_names++);
	pthread_mutex_unlock(&process.mutex);
	strbuf_release(&dir);
	return name;
}

void owner_forget_earlier(const char *dir)
{
	struct home *h;

	pthread_mutex_lock(&process.mutex);
	h = held_home_of(dir);
	if (h) {
		owner_forget(&h->dead);
		string_list_clear(&h->dead, NULL);
	}
	pthread_mutex_unlock(&process.mutex);
}

static bool is_our_file(const char *id)
{
	bool ours = false;

	pthread_mutex_lock(&process.mutex);
	for (struct home *h = process.homes; h && !ours; h = h->next)
		ours = !strcmp(id, h->self.id);
	pthread_mutex_unlock(&process.mutex);
	return ours;
}

/*
 * Call fn with each open owner file. may_judge false: the file was made in another view of the
 * directory (fs_lock_view), so it is not known whether its owner is alive.
 */
typedef void (*owner_file_fn)(void *data, const char *path, int fd, bool may_judge);

static void foreach_other(const char *dir, owner_file_fn fn, void *data)
{
	const char view = fs_lock_view(dir);
	struct strbuf home = STRBUF_INIT;
	struct dirent *de;
	struct stat st;
	DIR *d = NULL;

	strbuf_addstr(&home, dir);
	if (view && find_above(&home, 0, &st))
		d = opendir(home.buf);
	while (d && (de = readdir(d))) {
		const char *id;
		char *path;
		int fd;

		if (!skip_prefix(de->d_name, NAME_PREFIX, &id) || is_second_name(de->d_name) ||
		    is_our_file(id))
			continue;
		path = path_join(home.buf, de->d_name);
		fd = open_owner_file(path);
		if (fd >= 0) {
			fn(data, path, fd, *id == view);
			sys->close(fd);
		}
		free(path);
	}
	if (d)
		closedir(d);
	strbuf_release(&home);
}

struct unsealed_search {
	struct string_list *dead;
	bool found;
};

static void look_for_unsealed(void *data, const char *path, int fd, bool may_judge)
{
	struct unsealed_search *s = data;

	if (!says_unsealed(fd))
		return;
	s->found = true;
	if (may_judge && query_lock(fd) == LOCK_OWNER_GONE)
		string_list_append(s->dead, path);
}

bool owner_find_unsealed(const char *dir, struct string_list *dead)
{
	struct unsealed_search s = { .dead = dead };

	foreach_other(dir, look_for_unsealed, &s);
	return s.found;
}

/* Its last change may have been the mark of what it has published. */
#define LONGEST_BEFORE_PUBLISHING (60 * 60)

static void look_for_living(void *data, const char *path UNUSED, int fd, bool may_judge)
{
	time_t *since = data, made = os_birth_time(fd);
	struct stat st;

	if (may_judge && query_lock(fd) == LOCK_OWNER_GONE)
		return;
	if (made < 0)
		made = fstat(fd, &st) ? 1 : st.st_mtime - LONGEST_BEFORE_PUBLISHING;
	if (!*since || made < *since)
		*since = made;
}

time_t owner_others_since(const char *dir)
{
	time_t since = 0;

	foreach_other(dir, look_for_living, &since);
	return since;
}

void owner_forget(const struct string_list *dead)
{
	for (size_t i = 0; i < dead->nr; i++) {
		const char *path = dead->items[i].string;

		if (is_second_name(path_basename(path)))
			(void)RETRY_EINTR(sys->unlink(path));
		else
			remove_if_dead(path, NULL);
	}
}

/* ---- the proof ---- */

enum lock_owner owner_state(const struct owner *o, const char *dir, time_t made_at)
{
	enum lock_owner who = LOCK_OWNER_UNKNOWN;
	char view = fs_lock_view(dir), name[sizeof(NAME_PREFIX) + OWNER_ID_LEN];
	struct strbuf path = STRBUF_INIT;
	int at = -1;
	struct stat st;

	strbuf_addstr(&path, dir);
	if (view && view == o->id[0] && find_above(&path, (ino_t)o->home, &st))
		at = open(path.buf, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at >= 0) {
		snprintf(name, sizeof(name), NAME_PREFIX "%s", o->id);
		if (!fstat(at, &st) && st.st_ino == o->home)
			who = state_of_file(at, name);
		close(at);
	} else if (view && is_of_earlier_boot(o, made_at)) {
		who = LOCK_OWNER_GONE;
	}
	strbuf_release(&path);
	return who;
}

/* ---- text ---- */

size_t owner_format(char out[OWNER_TEXT_MAX + 1], const struct owner *o, char sep)
{
	return (size_t)snprintf(out, OWNER_TEXT_MAX + 1,
				"%c%c%s%c%" PRIx64 "%c%016" PRIx64 "%c%ld", OWNER_VERSION, sep,
				o->id, sep, o->home, sep, o->boot, sep, (long)o->pid);
}

/* A text that owner_format would write differently is not in our format. */
bool owner_parse(struct owner *out, const char *text, size_t len, char sep)
{
	char buf[OWNER_TEXT_MAX + 1], again[OWNER_TEXT_MAX + 1];
	struct owner o;
	long pid;

	if (len > OWNER_TEXT_MAX)
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (sscanf(buf, "%*c%*c%13[do0-9a-f]%*c%" SCNx64 "%*c%" SCNx64 "%*c%ld", o.id, &o.home,
		   &o.boot, &pid) != 4 || strlen(o.id) != OWNER_ID_LEN || !o.home || pid <= 0)
		return false;
	o.pid = (pid_t)pid;
	if (owner_format(again, &o, sep) != len || memcmp(again, buf, len) != 0)
		return false;
	*out = o;
	return true;
}
