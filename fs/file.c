/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"
#include <dirent.h>
#include <signal.h>

/* A larger file costs more than the call that tells its size. */
#define EXPECTED_MAX ((size_t)1 << 20)

/* ---- reading ---- */

static int read_rest(struct strbuf *out, int fd, const struct stat *st, size_t max,
		     const char *what, struct err *err)
{
	size_t start = out->len, piece = 8192, size = 0;

	/* One byte more than the file has, so that its end shows at once. */
	if (S_ISREG(st->st_mode) && st->st_size > 0 && (!max || (uintmax_t)st->st_size <= max) &&
	    (uintmax_t)st->st_size < SIZE_MAX / 2)
		piece = (size = (size_t)st->st_size) + 1;
	for (;;) {
		ssize_t n;

		strbuf_grow(out, piece);
		n = RETRY_EINTR(read(fd, out->buf + out->len, piece));
		if (n < 0) {
			err_set_errno(err, "unable to read '%s'", what);
			strbuf_setlen(out, start);
			return ERR_IO;
		}
		strbuf_setlen(out, out->len + (size_t)n);
		if (max && out->len - start > max) {
			strbuf_setlen(out, start);
			return err_set(err, ERR_TOO_BIG,
				       "'%s' is larger than %"PRIuMAX" bytes",
				       what, (uintmax_t)max);
		}
		if (!n || (size && out->len - start == size))
			return 0;
		if ((size_t)n == piece && piece < (1u << 20))
			piece *= 2;
	}
}

int read_fd(struct strbuf *out, int fd, size_t max, const char *what, struct err *err)
{
	struct stat st = { .st_size = 0 };

	(void)fstat(fd, &st); /* if it fails, read(2) will fail, too */
	return read_rest(out, fd, &st, max, what, err);
}

static int open_failed(const char *path, struct err *err)
{
	int missing = errno == ENOENT || errno == ENOTDIR;

	err_set_errno(err, "unable to open '%s'", path);
	if (missing && err)
		err->code = ERR_NOT_FOUND;
	return missing ? ERR_NOT_FOUND : ERR_IO;
}

/* One call: true if the file has exactly that size. Else nothing is appended, and the file is read from its beginning. */
static bool read_exactly(struct strbuf *out, int fd, size_t size)
{
	ssize_t n;

	if (!size)
		return false;
	strbuf_grow(out, size + 1);
	n = RETRY_EINTR(pread(fd, out->buf + out->len, size + 1, 0));
	if (n != (ssize_t)size)
		return false;
	strbuf_setlen(out, out->len + size);
	return true;
}

/* O_NONBLOCK: another user may have put a named pipe there, and opening it must not wait for ever. */
static int read_opened(struct strbuf *out, const char *path, int flags, size_t expected, size_t max,
		       struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC | flags, 0));
	struct stat st = { .st_size = 0 };
	int ret;

	if (fd < 0)
		return open_failed(path, err);
	if (read_exactly(out, fd, expected)) {
		sys->close(fd);
		return 0;
	}
	(void)fstat(fd, &st);
	if (flags & O_NONBLOCK && S_ISFIFO(st.st_mode))
		ret = err_set(err, ERR_IO, "'%s' is a pipe, not a file", path);
	else
		ret = read_rest(out, fd, &st, max, path, err);
	sys->close(fd);
	return ret;
}

/* A pipe below /dev/fd or /proc is one that a shell has made for the user. */
int read_file(struct strbuf *out, const char *path, size_t max, struct err *err)
{
	bool from_shell = starts_with(path, "/dev/fd/") || starts_with(path, "/proc/") ||
			  !strcmp(path, "/dev/stdin");

	return read_opened(out, path, from_shell ? 0 : O_NONBLOCK, 0, max, err);
}

int read_named_file(struct strbuf *out, const char *path, size_t max, struct err *err)
{
	return read_opened(out, path, 0, 0, max, err);
}

int read_file_nofollow(struct strbuf *out, const char *path, size_t max, struct err *err)
{
	return read_opened(out, path, O_NOFOLLOW | O_NONBLOCK, 0, max, err);
}

int read_file_expected(struct strbuf *out, const char *path, uint64_t size, struct err *err)
{
	return read_opened(out, path, O_NOFOLLOW | O_NONBLOCK, size < EXPECTED_MAX ? (size_t)size : 0, 0, err);
}

int read_link(struct strbuf *out, const char *path, size_t hint, struct err *err)
{
	size_t want = hint && hint < PATH_MAX ? hint + 1 : 256;

	for (;;) {
		ssize_t n;

		strbuf_grow(out, want);
		n = readlink(path, out->buf + out->len, want);
		if (n < 0) {
			int missing = errno == ENOENT;

			err_set_errno(err, "unable to read the symbolic link '%s'", path);
			return missing ? ERR_NOT_FOUND : ERR_IO;
		}
		if ((size_t)n < want) {
			strbuf_setlen(out, out->len + (size_t)n);
			return 0;
		}
		want *= 2;
	}
}

/* ---- questions ---- */

bool file_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

bool is_same_state(const struct stat *a, const struct stat *b)
{
	return is_same_file(a, b) && a->st_size == b->st_size && a->st_mtime == b->st_mtime &&
	       ST_MTIME_NSEC(*a) == ST_MTIME_NSEC(*b);
}

bool is_directory_nofollow(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_dot_or_dotdot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

bool is_empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *de;
	bool empty = true;

	if (!dir)
		return false;
	while (empty && (de = readdir(dir)))
		empty = is_dot_or_dotdot(de->d_name);
	closedir(dir);
	return empty;
}

/* ---- permissions ---- */

/* The mode that core.sharedRepository asks for, from the one that is there. */
static mode_t shared_mode(mode_t mode, int shared_perm)
{
	mode_t want = (mode_t)(shared_perm < 0 ? -shared_perm : shared_perm) & 0777;

	if (!(mode & S_IWUSR))
		want &= ~(mode_t)0222; /* objects and packs stay read-only */
	if (S_ISDIR(mode) || (mode & S_IXUSR))
		want |= (want & 0444) >> 2;
	mode = shared_perm < 0 ? (mode & ~(mode_t)0777) | want : mode | want;
	/* New files of other users in a shared directory get its group, if the group has access. */
	if (S_ISDIR(mode) && want & 060)
		mode |= S_ISGID;
	return mode & 07777;
}

int apply_shared_perm(const char *path, int shared_perm, struct err *err)
{
	struct stat st;
	mode_t want;

	if (shared_perm == SHARED_PERM_UMASK)
		return 0;
	if (lstat(path, &st) < 0)
		return err_set_errno(err, "unable to stat '%s'", path);
	if (S_ISLNK(st.st_mode))
		return 0;
	want = shared_mode(st.st_mode, shared_perm);
	if (want == (st.st_mode & 07777) || !RETRY_EINTR(sys->chmod(path, want)))
		return 0;
	return err_set_errno(err, "unable to set permissions of '%s'", path);
}

/* ---- making directories ---- */

int make_dir(const char *path, int shared_perm, struct err *err)
{
	struct stat st;

	if (!RETRY_EINTR(sys->mkdir(path, 0777)))
		return apply_shared_perm(path, shared_perm, err);
	if (errno == EEXIST) {
		if (is_directory(path))
			return 0;
		/* ENOENT: another process has removed it meanwhile. The caller can try again. */
		errno = lstat(path, &st) < 0 && errno == ENOENT ? ENOENT : EEXIST;
	}
	return err_set_errno(err, "unable to create directory '%s'", path);
}

/*
 * Directories are tried from the deepest up and made on the way back: where
 * all but the last exist, which is the usual case, that is one call.
 */
static int make_dirs_at(char *path, size_t len, int shared_perm, struct err *err)
{
	size_t parent = len;
	char c;
	int ret;

	while (len && path[len - 1] == '/')
		len--;
	if (!len)
		return 0;
	c = path[len];
	path[len] = '\0';
	if (is_directory(path)) {
		path[len] = c;
		return 0;
	}
	for (parent = len; parent && path[parent - 1] != '/'; parent--)
		; /* the slash before the last component */
	ret = parent ? make_dirs_at(path, parent, shared_perm, err) : 0;
	if (!ret)
		ret = make_dir(path, shared_perm, err);
	path[len] = c;
	return ret;
}

int make_dirs(const char *path, int shared_perm, struct err *err)
{
	char *copy = xstrdup(path);
	int ret = make_dirs_at(copy, strlen(copy), shared_perm, err);

	free(copy);
	return ret;
}

int make_leading_dirs(const char *path, int shared_perm, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *copy;
	int ret;

	if (!slash)
		return 0;
	copy = xstrdup(path);
	ret = make_dirs_at(copy, (size_t)(slash - path), shared_perm, err);
	free(copy);
	return ret;
}

/* ---- removing ---- */

int remove_file(const char *path, struct err *err)
{
	if (!RETRY_EINTR(sys->unlink(path)) || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return err_set_errno(err, "unable to remove '%s'", path);
}

void remove_empty_parents(const char *path, const char *stop)
{
	char *copy = xstrdup(path);
	size_t floor = strlen(stop);
	char *slash;

	while (floor && stop[floor - 1] == '/')
		floor--;
	while ((slash = strrchr(copy, '/')) && (size_t)(slash - copy) > floor) {
		*slash = '\0';
		if (RETRY_EINTR(sys->rmdir(copy)) < 0)
			break;
	}
	free(copy);
}

static int remove_at(int at, const char *name, struct strbuf *path, struct err *err);

/* Goes on after a failure: as much as possible is removed. */
static int remove_entries(int fd, struct strbuf *path, struct err *err)
{
	DIR *dir = fdopendir(fd);
	size_t len = path->len;
	struct dirent *de;
	int ret = 0;

	if (!dir) {
		ret = err_set_errno(err, "unable to open directory '%s'", path->buf);
		close(fd);
		return ret;
	}
	while ((de = readdir(dir))) {
		int one;

		if (is_dot_or_dotdot(de->d_name))
			continue;
		strbuf_complete(path, '/');
		strbuf_addstr(path, de->d_name);
		one = remove_at(fd, de->d_name, path, err);
		if (one < 0)
			ret = one;
		strbuf_setlen(path, len);
	}
	closedir(dir);
	return ret;
}

/* `path` is for messages. Another process may put a symbolic link there meanwhile; it is never followed. */
static int remove_content(int at, const char *name, struct strbuf *path, struct err *err)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		return remove_entries(fd, path, err);
	return errno == ENOENT ? 0 :
		err_set_errno(err, "unable to open directory '%s'", path->buf);
}

static int remove_at(int at, const char *name, struct strbuf *path, struct err *err)
{
	struct stat st;
	int flags, ret = 0;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
			err_set_errno(err, "unable to stat '%s'", path->buf);
	flags = S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0;
	if (flags)
		ret = remove_content(at, name, path, err);
	if (ret || !RETRY_EINTR(sys->unlinkat(at, name, flags)) || errno == ENOENT)
		return ret;
	return err_set_errno(err, "unable to remove %s'%s'", flags ? "directory " : "", path->buf);
}

int remove_tree(const char *path, bool keep_top, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	strbuf_addstr(&sb, path);
	ret = keep_top ? remove_content(AT_FDCWD, path, &sb, err) :
			 remove_at(AT_FDCWD, path, &sb, err);
	strbuf_release(&sb);
	return ret;
}

/* ---- what a file system can do ---- */

#define PROBE "sluice-probe-"

/* Remove the probe: the user would take a leftover for a file of his own. */
static void remove_probe(const char *path)
{
	for (int try = 0; try < 3; try++)
		if (!RETRY_EINTR(sys->unlink(path)) || errno == ENOENT)
			break;
}

/* Probes live for a moment; one whose process is gone was left by a kill (P5). */
static void reap_probes(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	const char *pid;

	while (d && (e = readdir(d))) {
		struct strbuf path = STRBUF_INIT;

		if (!skip_prefix(e->d_name, PROBE, &pid) || !isdigit((unsigned char)*pid) ||
		    !kill((pid_t)atol(pid), 0) || errno != ESRCH)
			continue;
		strbuf_addpath(&path, dir, e->d_name);
		remove_probe(path.buf);
		strbuf_release(&path);
	}
	if (d)
		closedir(d);
}

/* A file of our own to try things with; its path is in `path`. */
static bool make_probe(struct strbuf *path, const char *dir)
{
	reap_probes(dir);
	for (unsigned i = 0; i < 100; i++) {
		int fd;

		strbuf_reset(path);
		strbuf_addpath(path, dir, PROBE);
		strbuf_addf(path, "%ld-%u", (long)getpid(), i);
		fd = (int)RETRY_EINTR(sys->open(path->buf,
						O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
						0644));
		if (fd >= 0) {
			sys->close(fd);
			return true;
		}
		if (errno != EEXIST)
			break;
	}
	return false;
}

static bool exec_bit_after(const char *path, mode_t mode)
{
	struct stat st;

	return !RETRY_EINTR(sys->chmod(path, mode)) && !lstat(path, &st) &&
	       (st.st_mode & 0777) == mode;
}

bool fs_trusts_executable_bit(const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	bool yes = false;

	if (make_probe(&path, dir)) {
		yes = exec_bit_after(path.buf, 0744) && exec_bit_after(path.buf, 0644);
		remove_probe(path.buf);
	}
	strbuf_release(&path);
	return yes;
}

bool fs_has_symlinks(const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool yes = false;

	if (make_probe(&path, dir)) {
		remove_probe(path.buf);
		yes = !RETRY_EINTR(sys->symlink("target", path.buf)) &&
		      !lstat(path.buf, &st) && S_ISLNK(st.st_mode);
		remove_probe(path.buf);
	}
	strbuf_release(&path);
	return yes;
}

bool fs_ignores_case(const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	char *other, *p;
	bool yes = false;

	if (make_probe(&path, dir)) {
		other = xstrdup(path.buf);
		for (p = strrchr(other, '/') + 1; *p; p++)
			*p = (char)toupper((unsigned char)*p);
		yes = file_exists(other);
		free(other);
		remove_probe(path.buf);
	}
	strbuf_release(&path);
	return yes;
}

bool file_can_be_touched(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size &&
	       (st.st_uid == geteuid() || !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS));
}
