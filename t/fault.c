/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "t/fault.h"
#include "compat/syscalls.h"
#include <pthread.h>

/* The table has no context argument, so this is the state of the process. */
static struct {
	pthread_mutex_t lock;
	struct fault_plan plan;
	char *text;
	size_t len, alloc;
	size_t counted;
	bool hit;
	char *names[4096]; /* by descriptor: the path it was opened or named with */
} fault = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
	const char *name;
	int number;
} errnos[] = {
	{ "ENOSPC", ENOSPC }, { "EIO", EIO },	    { "EINTR", EINTR },
	{ "EDQUOT", EDQUOT }, { "EACCES", EACCES }, { "EPERM", EPERM },
	{ "EROFS", EROFS },   { "ENOSYS", ENOSYS }, { "EEXIST", EEXIST },
	{ "ENOENT", ENOENT }, { "EMFILE", EMFILE }, { "EINVAL", EINVAL },
	{ "ENOTSUP", ENOTSUP }, { "EAGAIN", EAGAIN }, { "EISDIR", EISDIR },
	{ "ENOTDIR", ENOTDIR }, { "ENOTEMPTY", ENOTEMPTY }, { "EXDEV", EXDEV },
};

int fault_errno_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++)
		if (!strcmp(errnos[i].name, name))
			return errnos[i].number;
	return 0;
}

static const char *errno_name(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++)
		if (errnos[i].number == number)
			return errnos[i].name;
	return "E?";
}

/* ---- the record ---- */

static void append(const char *line, size_t len)
{
	if (fault.len + len + 1 > fault.alloc) {
		size_t want = (fault.len + len + 1) * 2;
		char *grown = realloc(fault.text, want);

		if (!grown)
			abort();
		fault.text = grown;
		fault.alloc = want;
	}
	memcpy(fault.text + fault.len, line, len);
	fault.len += len;
	fault.text[fault.len] = '\0';
	if (fault.plan.log_fd >= 0 && write(fault.plan.log_fd, line, len) < 0)
		abort(); /* a test without its record proves nothing */
}

/* A line for a call that is about to return `result`. Keeps errno. */
static void record(const char *what, long result, bool injected)
{
	char line[2 * PATH_MAX + 200];
	int saved = errno, n;

	if (result < 0)
		n = snprintf(line, sizeof(line), "%s = %s%s\n", what, errno_name(saved),
			     injected ? " (injected)" : "");
	else
		n = snprintf(line, sizeof(line), "%s%s\n", what,
			     injected ? " (injected)" : "");
	pthread_mutex_lock(&fault.lock);
	append(line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
	pthread_mutex_unlock(&fault.lock);
	errno = saved;
}

/* fd stands for `path` from now on; NULL: for nothing. Keeps errno. */
static void name_fd(int fd, const char *path)
{
	int saved = errno;

	if (fd < 0 || (size_t)fd >= ARRAY_SIZE(fault.names))
		return;
	pthread_mutex_lock(&fault.lock);
	free(fault.names[fd]);
	fault.names[fd] = path ? strdup(path) : NULL;
	pthread_mutex_unlock(&fault.lock);
	errno = saved;
}

/* As it was given to us, so that lines can be compared; else as the system has it. */
static void path_of_fd(int fd, char *out, size_t size)
{
	char link[40];
	bool known = false;
	ssize_t n;

	if (fd >= 0 && (size_t)fd < ARRAY_SIZE(fault.names)) {
		pthread_mutex_lock(&fault.lock);
		known = fault.names[fd] != NULL;
		if (known)
			snprintf(out, size, "%s", fault.names[fd]);
		pthread_mutex_unlock(&fault.lock);
	}
	if (known)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, out, size - 1);
	if (n < 0)
		n = snprintf(out, size, "fd-%d", fd);
	out[n] = '\0';
}

/* ---- the decision ---- */

/* What a full disk refuses; unlink and rename over a file work on it. */
static bool needs_space(const char *name)
{
	static const char *const names[] = {
		"open", "write", "pwrite", "writev", "mkdir", "link", "link_fd",
		"symlink", "fsetxattr",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

enum decision { PASS, FAIL, SHORTEN };

/* Count a call of that name; its whole line is for the plan's `before`. */
static enum decision decide(const char *name, const char *line)
{
	enum decision d = PASS;

	pthread_mutex_lock(&fault.lock);
	if (!fault.plan.only || !strcmp(fault.plan.only, name)) {
		fault.counted++;
		if (fault.counted == fault.plan.fail_at ||
		    (fault.plan.from_then_on && fault.plan.fail_at &&
		     fault.counted > fault.plan.fail_at && needs_space(name)))
			d = fault.plan.short_write ? SHORTEN : FAIL;
		if (d == FAIL)
			fault.hit = true;
	}
	pthread_mutex_unlock(&fault.lock);
	if (d == PASS && fault.plan.before)
		fault.plan.before(fault.plan.data, line);
	return d;
}

static long refuse(const char *line)
{
	errno = fault.plan.fail_errno;
	record(line, -1, true);
	return -1;
}

/* A call whose line is put together from the arguments after `name`. */
#define THROUGH(name, call, ...)                                            \
	do {                                                                \
		char line_[2 * PATH_MAX + 100];                             \
		long r_;                                                    \
									    \
		snprintf(line_, sizeof(line_), name " " __VA_ARGS__);       \
		if (decide(name, line_) == FAIL)                            \
			return (int)refuse(line_);                          \
		r_ = (long)(call);                                          \
		record(line_, r_, false);                                   \
		return (int)r_;                                             \
	} while (0)

#define THROUGH_FD(name, call)                                              \
	do {                                                                \
		char path_[PATH_MAX];                                       \
									    \
		path_of_fd(fd, path_, sizeof(path_));                       \
		THROUGH(name, call, "%s", path_);                           \
	} while (0)

/* ---- the calls ---- */

static void open_flags(int flags, char *out, size_t size)
{
	const char *mode = (flags & O_ACCMODE) == O_RDWR ? "rdwr" :
			   (flags & O_ACCMODE) == O_WRONLY ? "wronly" : "rdonly";
#ifdef O_TMPFILE
	bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
#else
	bool nameless = false;
#endif

	snprintf(out, size, "%s%s%s%s%s%s", mode, flags & O_CREAT ? "|creat" : "",
		 flags & O_EXCL ? "|excl" : "", flags & O_TRUNC ? "|trunc" : "",
		 flags & O_APPEND ? "|append" : "", nameless ? "|tmpfile" : "");
}

static int named_open(const char *path, int flags, mode_t mode)
{
	int fd = syscalls_native.open(path, flags, mode);

	name_fd(fd, path);
	return fd;
}

static int fault_open(const char *path, int flags, mode_t mode)
{
	char how[80];

	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return named_open(path, flags, mode);
	open_flags(flags, how, sizeof(how));
	THROUGH("open", named_open(path, flags, mode), "%s %s", path, how);
}

static int fault_close(int fd)
{
	char line[PATH_MAX + 20] = "close ";
	int saved = errno, r;

	/* A child that closes all descriptors of its parent does not know of these. */
	if (fd == fault.plan.log_fd || fd == fault.plan.calls_fd)
		return 0;
	path_of_fd(fd, line + 6, sizeof(line) - 6);
	name_fd(fd, NULL);
	errno = saved;
	r = syscalls_native.close(fd);
	if (fault.plan.only && !strcmp(fault.plan.only, "close") && decide("close", line) == FAIL)
		return (int)refuse(line);
	record(line, r, false);
	return r;
}

static ssize_t fault_read(int fd, void *buf, size_t len)
{
	return syscalls_native.read(fd, buf, len);
}

/* "pread PATH @OFFSET LENGTH", where the plan is about it only. */
static ssize_t fault_pread(int fd, void *buf, size_t len, off_t off)
{
	char path[PATH_MAX], line[PATH_MAX + 100];
	ssize_t n;

	if (!fault.plan.only || strcmp(fault.plan.only, "pread") != 0)
		return syscalls_native.pread(fd, buf, len, off);
	path_of_fd(fd, path, sizeof(path));
	snprintf(line, sizeof(line), "pread %s @%jd %zu", path, (intmax_t)off, len);
	if (decide("pread", line) == FAIL)
		return refuse(line);
	n = syscalls_native.pread(fd, buf, len, off);
	record(line, (long)n, false);
	return n;
}

/* "write PATH @OFFSET LENGTH"; *shorten: do only half of it. */
static bool begin_write(const char *name, int fd, intmax_t off, size_t len,
			char *line, size_t size, bool *shorten)
{
	char path[PATH_MAX];
	enum decision d;

	path_of_fd(fd, path, sizeof(path));
	if (off < 0)
		snprintf(line, size, "%s %s %zu", name, path, len);
	else
		snprintf(line, size, "%s %s @%jd %zu", name, path, off, len);
	d = decide(name, line);
	*shorten = d == SHORTEN && len > 1;
	if (*shorten) {
		pthread_mutex_lock(&fault.lock);
		fault.hit = true;
		pthread_mutex_unlock(&fault.lock);
	}
	return d != FAIL;
}

static ssize_t fault_write(int fd, const void *buf, size_t len)
{
	char line[PATH_MAX + 100];
	bool shorten;
	ssize_t n;

	if (!begin_write("write", fd, lseek(fd, 0, SEEK_CUR), len, line, sizeof(line),
			 &shorten))
		return refuse(line);
	n = syscalls_native.write(fd, buf, shorten ? len / 2 : len);
	record(line, n, shorten);
	return n;
}

static ssize_t fault_pwrite(int fd, const void *buf, size_t len, off_t off)
{
	char line[PATH_MAX + 100];
	bool shorten;
	ssize_t n;

	if (!begin_write("pwrite", fd, off, len, line, sizeof(line), &shorten))
		return refuse(line);
	n = syscalls_native.pwrite(fd, buf, shorten ? len / 2 : len, off);
	record(line, n, shorten);
	return n;
}

static ssize_t fault_writev(int fd, const struct iovec *iov, int iovcnt)
{
	char line[PATH_MAX + 100];
	size_t len = 0;
	bool shorten;
	ssize_t n;

	for (int i = 0; i < iovcnt; i++)
		len += iov[i].iov_len;
	if (!begin_write("writev", fd, lseek(fd, 0, SEEK_CUR), len, line, sizeof(line),
			 &shorten))
		return refuse(line);
	if (shorten)
		n = syscalls_native.write(fd, iov[0].iov_base, iov[0].iov_len / 2);
	else
		n = syscalls_native.writev(fd, iov, iovcnt);
	record(line, n, shorten);
	return n;
}

static int fault_ftruncate(int fd, off_t len)
{
	char path[PATH_MAX];

	path_of_fd(fd, path, sizeof(path));
	THROUGH("ftruncate", syscalls_native.ftruncate(fd, len), "%s %jd", path,
		(intmax_t)len);
}

static int fault_fchmod(int fd, mode_t mode)
{
	THROUGH_FD("fchmod", syscalls_native.fchmod(fd, mode));
}

static int fault_chmod(const char *path, mode_t mode)
{
	THROUGH("chmod", syscalls_native.chmod(path, mode), "%s %o", path, (unsigned)mode);
}

static int fault_rename(const char *from, const char *to)
{
	THROUGH("rename", syscalls_native.rename(from, to), "%s %s", from, to);
}

static int fault_link(const char *from, const char *to)
{
	THROUGH("link", syscalls_native.link(from, to), "%s %s", from, to);
}

/* The file has no path of its own yet, so the line names the new one. */
static int named_link_fd(int fd, const char *to)
{
	int r = syscalls_native.link_fd(fd, to);

	if (!r)
		name_fd(fd, to);
	return r;
}

static int fault_link_fd(int fd, const char *to)
{
	THROUGH("link_fd", named_link_fd(fd, to), "%s", to);
}

static int fault_symlink(const char *target, const char *path)
{
	THROUGH("symlink", syscalls_native.symlink(target, path), "%s %s", target, path);
}

static int fault_unlink(const char *path)
{
	THROUGH("unlink", syscalls_native.unlink(path), "%s", path);
}

/* Told as the call by path that it stands for. */
static int fault_unlinkat(int dir, const char *name, int flags)
{
	char path[4096] = "";
	size_t len;

	if (dir != AT_FDCWD)
		path_of_fd(dir, path, sizeof(path) - 1);
	len = strlen(path);
	snprintf(path + len, sizeof(path) - len, "%s%s", len ? "/" : "", name);
	THROUGH(flags & AT_REMOVEDIR ? "rmdir" : "unlink",
		syscalls_native.unlinkat(dir, name, flags), "%s", path);
}

static int fault_mkdir(const char *path, mode_t mode)
{
	THROUGH("mkdir", syscalls_native.mkdir(path, mode), "%s", path);
}

static int fault_rmdir(const char *path)
{
	THROUGH("rmdir", syscalls_native.rmdir(path), "%s", path);
}

static int fault_utimens(const char *path, const struct timespec times[2])
{
	THROUGH("utimens", syscalls_native.utimens(path, times), "%s", path);
}

static int fault_fsetxattr(int fd, const char *name, const void *value, size_t len,
			   int flags)
{
	char path[PATH_MAX];

	path_of_fd(fd, path, sizeof(path));
	THROUGH("fsetxattr", syscalls_native.fsetxattr(fd, name, value, len, flags),
		"%s %s", path, name);
}

static int fault_removexattr(const char *path, const char *name)
{
	THROUGH("removexattr", syscalls_native.removexattr(path, name), "%s %s", path,
		name);
}

#define THROUGH_FLUSH(name, call) THROUGH_FD(name, fault.plan.no_flush ? 0 : (call))

static int fault_fsync(int fd)
{
	THROUGH_FLUSH("fsync", syscalls_native.fsync(fd));
}

static int fault_fdatasync(int fd)
{
	THROUGH_FLUSH("fdatasync", syscalls_native.fdatasync(fd));
}

static int fault_syncfs(int fd)
{
	THROUGH_FLUSH("syncfs", syscalls_native.syncfs(fd));
}

static int fault_full_fsync(int fd)
{
	THROUGH_FLUSH("full_fsync", syscalls_native.full_fsync(fd));
}

static int fault_writeout_start(int fd)
{
	THROUGH_FLUSH("writeout_start", syscalls_native.writeout_start(fd));
}

static int fault_writeout_wait(int fd)
{
	THROUGH_FLUSH("writeout_wait", syscalls_native.writeout_wait(fd));
}

static const struct syscall_table fault_table = {
	.open = fault_open,
	.close = fault_close,
	.read = fault_read,
	.pread = fault_pread,
	.write = fault_write,
	.pwrite = fault_pwrite,
	.writev = fault_writev,
	.ftruncate = fault_ftruncate,
	.fchmod = fault_fchmod,
	.chmod = fault_chmod,
	.rename = fault_rename,
	.link = fault_link,
	.link_fd = fault_link_fd,
	.symlink = fault_symlink,
	.unlink = fault_unlink,
	.unlinkat = fault_unlinkat,
	.mkdir = fault_mkdir,
	.rmdir = fault_rmdir,
	.utimens = fault_utimens,
	.fsetxattr = fault_fsetxattr,
	.removexattr = fault_removexattr,
	.fsync = fault_fsync,
	.fdatasync = fault_fdatasync,
	.syncfs = fault_syncfs,
	.full_fsync = fault_full_fsync,
	.writeout_start = fault_writeout_start,
	.writeout_wait = fault_writeout_wait,
};

_Static_assert(sizeof(struct syscall_table) == 27 * sizeof(int (*)(int)),
	       "a call that was added to the table is missing above");

/* ---- on and off ---- */

static void forget(void)
{
	free(fault.text);
	fault.text = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fault.names); i++) {
		free(fault.names[i]);
		fault.names[i] = NULL;
	}
	fault.len = fault.alloc = fault.counted = 0;
	fault.hit = false;
}

void fault_install(const struct fault_plan *plan)
{
	forget();
	fault.plan = *plan;
	sys = &fault_table;
}

void fault_install_failure(size_t n, int sys_errno, bool from_then_on)
{
	struct fault_plan plan = FAULT_PLAN_INIT;

	plan.fail_at = n;
	plan.fail_errno = sys_errno;
	plan.from_then_on = from_then_on;
	fault_install(&plan);
}

void fault_remove(void)
{
	sys = &syscalls_native;
	forget();
}

const char *fault_text(void)
{
	return fault.text ? fault.text : "";
}

size_t fault_counted(void)
{
	return fault.counted;
}

bool fault_hit(void)
{
	return fault.hit;
}
