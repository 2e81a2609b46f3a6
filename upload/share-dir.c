/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <dirent.h>
#include <fcntl.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file-lock.h"
#include "fs/file.h"
#include "fs/private-dir.h"
#include "upload/share-dir.h"
#include "upload/share-file.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/strbuf.h"
#include "write-or-die.h"

/* Limit of the number of files. */
#define FILES_MAX 1024
/* A temporary file older than this that has no filler is abandoned. */
#define TMP_SECONDS 60

static int64_t now_s(void)
{
	return share_now_ns() / NS_PER_SECOND;
}

/* Was it within the last age_s seconds? A time in the future was not. */
static bool is_within(int64_t when_s, unsigned age_s)
{
	int64_t now = now_s();

	return when_s <= now && now - when_s <= (int64_t)age_s;
}

/* ---- locks of the table: held for moments, but their holder may have been stopped ---- */

#define LOCK_TRIES 100
#define SWEEP_BYTE ((off_t)1 << 40)

static bool lock_for_a_moment(const struct share_dir *d, off_t start, off_t len)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!file_lock_set(d->seen, F_WRLCK, start, len))
			return true;
		if (errno != EAGAIN && errno != EACCES)
			return false;
		usleep(2000);
	}
	return false;
}

static void unlock(const struct share_dir *d, off_t start, off_t len)
{
	(void)file_lock_set(d->seen, F_UNLCK, start, len);
}

/* ---- kinds that have been seen ---- */

#define BUCKETS 8192
#define BUCKET_ENTRIES 8

struct entry {
	uint64_t kind;
	int64_t when_s; /* 0: free; negative: time since which the kind is unfit */
};
struct bucket {
	struct entry entries[BUCKET_ENTRIES];
};

static int64_t time_of(const struct entry *e)
{
	return e->when_s < 0 ? -e->when_s : e->when_s;
}

/* Finds the row of this kind, or the oldest row, which is replaced. */
static struct entry *choose_entry(struct bucket *b, uint64_t kind)
{
	struct entry *e = &b->entries[0];

	for (size_t i = 0; i < BUCKET_ENTRIES; i++) {
		if (b->entries[i].kind == kind)
			return &b->entries[i];
		if (time_of(&b->entries[i]) < time_of(e))
			e = &b->entries[i];
	}
	return e;
}

static enum share_kind note(struct share_dir *d, const struct object_id *kind, bool unfit)
{
	uint64_t id, place;
	struct bucket b;
	struct entry *e;
	enum share_kind found = SHARE_NEW;
	off_t at;
	bool locked;

	memcpy(&id, kind->hash, sizeof(id));
	memcpy(&place, kind->hash + sizeof(id), sizeof(place));
	at = (off_t)(place % BUCKETS * sizeof(b));
	memset(&b, 0, sizeof(b));
	locked = lock_for_a_moment(d, at, sizeof(b));
	(void)!pread_in_full(d->seen, &b, sizeof(b), at);
	e = choose_entry(&b, id);
	if (e->kind == id && e->when_s && is_within(time_of(e), d->age_s))
		found = e->when_s < 0 ? SHARE_UNFIT : SHARE_AGAIN;
	if (found != SHARE_UNFIT) {
		*e = (struct entry){ id, unfit ? -now_s() : now_s() };
		(void)!pwrite_in_full(d->seen, &b, sizeof(b), at, "the table of requests", NULL);
	}
	if (locked)
		unlock(d, at, sizeof(b));
	return found;
}

enum share_kind share_dir_note(struct share_dir *d, const struct object_id *kind)
{
	return note(d, kind, false);
}

void share_dir_note_unfit(struct share_dir *d, const struct object_id *kind)
{
	note(d, kind, true);
}

/* ---- names ---- */

struct file_name {
	char text[HASH_MAX_HEX + 24];
};

static struct file_name name_of(const struct object_id *kind)
{
	struct file_name name = { "pack-" };

	oid_to_hex_r(name.text + strlen(name.text), kind);
	return name;
}

static struct file_name random_name(const char *prefix)
{
	struct file_name name;

	snprintf(name.text, sizeof(name.text), "%s%016" PRIx64, prefix, os_random64());
	return name;
}

static void remove_name(const struct share_dir *d, const char *name)
{
	(void)RETRY_EINTR(sys->unlinkat(d->fd, name, 0));
}

/* Give this file to no new request. While clients read it, it stays under another name. */
static void retire(const struct share_dir *d, const char *name, bool is_read)
{
	struct file_name gone = random_name("gone-");

	if (!is_read || starts_with(name, "gone-") ||
	    private_file_rename(d->fd, name, gone.text))
		remove_name(d, name);
}

/* ---- clearing up ---- */

struct kept_file {
	char *name;
	int64_t used_ns;
	uint64_t bytes;
	bool held; /* has a filler or readers: it stays */
};

struct sweep {
	struct share_dir *d;
	struct kept_file *files;
	size_t nr, alloc;
	uint64_t bytes;
};

static uint64_t bytes_of(const struct stat *st)
{
	return st->st_size > 0 ? (uint64_t)st->st_size : 0;
}

static void keep(struct sweep *w, const char *name, int fd, const struct stat *st, bool held)
{
	int64_t made_ns, used_ns;

	share_file_times(fd, &made_ns, &used_ns);
	ALLOC_GROW(w->files, w->nr + 1, w->alloc);
	w->files[w->nr++] = (struct kept_file){ .name = xstrdup(name), .used_ns = used_ns,
						.bytes = bytes_of(st), .held = held };
	w->bytes += bytes_of(st);
}

/* Is it complete, and not too old? */
static bool is_usable(const struct share_dir *d, int fd)
{
	int64_t made_ns, used_ns;

	share_file_times(fd, &made_ns, &used_ns);
	return share_file_is_good(fd) && is_within(made_ns / NS_PER_SECOND, d->age_s);
}

static void check_open_file(struct sweep *w, const char *name, int fd, const struct stat *st)
{
	bool filled = share_file_is_filled(fd), is_read = share_file_is_read(fd);
	bool usable = starts_with(name, "pack-") && is_usable(w->d, fd);

	if (starts_with(name, "tmp-") && (filled || is_within((int64_t)st->st_mtime, TMP_SECONDS)))
		return keep(w, name, fd, st, true);
	if (!filled && !usable) {
		if (!starts_with(name, "gone-") || !is_read)
			retire(w->d, name, is_read);
		if (!is_read)
			return;
	}
	keep(w, name, fd, st, filled || is_read);
}

static void check_name(struct sweep *w, const char *name)
{
	struct stat st;
	int fd;

	if (!starts_with(name, "pack-") && !starts_with(name, "gone-") && !starts_with(name, "tmp-"))
		return;
	fd = private_file_open(w->d->fd, name);
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		check_open_file(w, name, fd, &st);
	sys->close(fd);
}

static int by_use(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return x->used_ns < y->used_ns ? -1 : x->used_ns > y->used_ns;
}

static void read_all(struct sweep *w)
{
	int fd = openat(w->d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (de = readdir(dir)))
		check_name(w, de->d_name);
	if (dir)
		closedir(dir);
}

static bool is_room(const struct sweep *w, size_t nr, uint64_t want)
{
	uint64_t limit = w->d->limit_bytes;

	return nr < FILES_MAX && w->bytes <= limit && limit - w->bytes >= want;
}

/* Files that clients read are in use: remove only others. */
static void make_room(struct sweep *w, uint64_t want)
{
	size_t left = w->nr;

	if (w->nr)
		qsort(w->files, w->nr, sizeof(*w->files), by_use);
	for (size_t i = 0; i < w->nr; i++) {
		if (is_room(w, left, want))
			break;
		if (w->files[i].held)
			continue;
		remove_name(w->d, w->files[i].name);
		w->bytes -= w->files[i].bytes;
		left--;
	}
	if (left >= FILES_MAX)
		w->bytes = w->d->limit_bytes;
}

uint64_t share_dir_room(struct share_dir *d, uint64_t want)
{
	struct sweep w = { .d = d };

	if (!lock_for_a_moment(d, SWEEP_BYTE, 1))
		return 0;
	read_all(&w);
	make_room(&w, want);
	unlock(d, SWEEP_BYTE, 1);
	for (size_t i = 0; i < w.nr; i++)
		free(w.files[i].name);
	free(w.files);
	return w.bytes < d->limit_bytes ? d->limit_bytes - w.bytes : 0;
}

/* ---- files ---- */

int share_dir_open(struct share_dir *d, const char *path, unsigned age_s, uint64_t limit_bytes,
		   struct err *err)
{
	int rc = private_dir_open(&d->fd, path, err);

	if (rc < 0)
		return rc;
	d->age_s = age_s;
	d->limit_bytes = limit_bytes;
	rc = share_dir_reopen(d, err);
	if (rc < 0)
		share_dir_release(d);
	return rc;
}

int share_dir_reopen(struct share_dir *d, struct err *err)
{
	int seen = private_file_open_or_make(d->fd, "seen");

	if (seen < 0)
		return err_set_errno(err, "cannot open the table of requests");
	if (d->seen >= 0)
		sys->close(d->seen);
	d->seen = seen;
	return 0;
}

void share_dir_release(struct share_dir *d)
{
	if (d->seen >= 0)
		sys->close(d->seen);
	if (d->fd >= 0)
		sys->close(d->fd);
	d->fd = d->seen = -1;
}

int share_dir_find(struct share_dir *d, const struct object_id *kind)
{
	int fd = private_file_open(d->fd, name_of(kind).text);

	if (fd < 0)
		return -1;
	if (!share_file_follow(fd, kind, NULL) && (share_file_is_filled(fd) || is_usable(d, fd))) {
		share_file_note_use(fd, share_now_ns());
		return fd;
	}
	share_dir_drop(d, kind, fd);
	sys->close(fd);
	return -1;
}

/*
 * Create it under a temporary name until it has begun: a file of the final name has or had a
 * filler.
 */
int share_dir_create(struct share_dir *d, const struct object_id *kind, int *out, struct err *err)
{
	struct file_name tmp = random_name("tmp-");
	int fd, rc;

	if (!share_dir_room(d, 1))
		return err_set(err, ERR_TOO_BIG, "no room for shared packs");
	fd = private_file_create(d->fd, tmp.text);
	if (fd < 0)
		return err_set_errno(err, "cannot create a shared pack");
	rc = share_file_begin(fd, kind, err);
	if (!rc && private_file_link(d->fd, tmp.text, name_of(kind).text))
		rc = errno == EEXIST ? err_set(err, ERR_EXISTS, "it is there already")
				     : err_set_errno(err, "cannot create a shared pack");
	remove_name(d, tmp.text);
	if (rc < 0)
		sys->close(fd);
	else
		*out = fd;
	return rc;
}

static bool has_name(const struct share_dir *d, const char *name, int fd)
{
	struct stat named, ours;

	return !private_file_stat(d->fd, name, &named) && !fstat(fd, &ours) &&
	       is_same_file(&named, &ours);
}

/*
 * Removes the name of this file only: under the lock no other process can give the name to another
 * file.
 */
void share_dir_drop(struct share_dir *d, const struct object_id *kind, int fd)
{
	struct file_name name = name_of(kind);

	if (!lock_for_a_moment(d, SWEEP_BYTE, 1))
		return;
	if (has_name(d, name.text, fd))
		retire(d, name.text, share_file_is_read(fd));
	unlock(d, SWEEP_BYTE, 1);
}

/* A file that was kept only for its readers is removed by the last of them. */
void share_dir_leave(struct share_dir *d, const struct object_id *kind, int fd)
{
	bool retired = !has_name(d, name_of(kind).text, fd);

	sys->close(fd);
	if (retired)
		(void)share_dir_room(d, 0);
}
