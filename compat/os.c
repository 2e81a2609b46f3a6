/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include <dirent.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#ifdef __linux__
#include <sys/mman.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <sys/random.h>
#endif

int os_cpu_count(void)
{
	long n;

#ifdef __linux__
	cpu_set_t set;

	/* Respects taskset and cpusets; fails with more than 1024 processors. */
	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

uint64_t os_memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t n = (uint64_t)1 << 30;

	if (pages > 0 && page > 0)
		n = (uint64_t)pages * (uint64_t)page;
	return n < SIZE_MAX / 2 ? n : SIZE_MAX / 2;
}

void os_reserve_descriptors(int nr)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int last = fcntl(fd, F_DUPFD_CLOEXEC, nr - 1); /* fails above RLIMIT_NOFILE */

	if (last >= 0)
		close(last);
	if (fd >= 0)
		close(fd);
}

static long number_in(const char *path, long otherwise)
{
	FILE *f = fopen(path, "re");
	long n = otherwise;

	if (f && fscanf(f, "%ld", &n) != 1)
		n = otherwise;
	if (f)
		fclose(f);
	return n;
}

#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

long os_dirty_seconds(void)
{
	const char *test = getenv("GIT_TEST_YOUNG_SECONDS");
	long expire = number_in("/proc/sys/vm/dirty_expire_centisecs", 3000);
	long interval = number_in("/proc/sys/vm/dirty_writeback_centisecs", 500), seconds;
	struct timespec since_boot;

	if (test && *test)
		return strtol(test, NULL, 10);
	if (clock_gettime(CLOCK_BOOTTIME, &since_boot) < 0)
		since_boot.tv_sec = 3600;
	seconds = 2 * ((expire + interval) / 100 + 1);
	return interval > 0 && seconds < since_boot.tv_sec ? seconds : (long)since_boot.tv_sec + 1;
}

bool os_set_nonblocking(int fd)
{
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) >= 0;
}

int os_open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	errno = ENOSYS;
	return -1;
#endif
}

int os_pipe(int fd[2])
{
#ifdef __linux__
	return pipe2(fd, O_CLOEXEC);
#else
	if (pipe(fd) < 0)
		return -1;
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define HAS_SPAWN_CLOSE_FROM
#endif
#endif

int os_spawn_close_from(posix_spawn_file_actions_t *actions, int first)
{
#ifdef HAS_SPAWN_CLOSE_FROM
	return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
	(void)actions;
	(void)first;
	return 0;
#endif
}

int os_spawn_chdir(posix_spawn_file_actions_t *actions, const char *dir)
{
#if defined(__NetBSD__) || defined(__OpenBSD__)
	(void)actions, (void)dir;
	return ENOSYS;
#else
	return posix_spawn_file_actions_addchdir_np(actions, dir);
#endif
}

int os_spawn_set_flags(posix_spawnattr_t *attr, short flags, bool new_session)
{
#ifdef POSIX_SPAWN_SETSID
	flags = (short)(flags | (new_session ? POSIX_SPAWN_SETSID : 0));
#else
	if (new_session)
		return ENOSYS;
#endif
	return posix_spawnattr_setflags(attr, flags);
}

bool os_is_nofollow_error(int errnum)
{
#if defined(__FreeBSD__) || defined(__DragonFly__)
	return errnum == ELOOP || errnum == EMLINK;
#elif defined(__NetBSD__)
	return errnum == ELOOP || errnum == EFTYPE;
#else
	return errnum == ELOOP;
#endif
}

int os_unnamed_file(void)
{
	FILE *f;
	int fd;

#ifdef MFD_CLOEXEC
	fd = memfd_create("input", MFD_CLOEXEC);
	if (fd >= 0)
		return fd;
#endif
	f = tmpfile();
	if (!f)
		return -1;
	fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
	fclose(f);
	return fd;
}

void os_enlarge_pipe(int fd, size_t bytes)
{
#ifdef F_SETPIPE_SZ
	int now = bytes <= INT_MAX ? fcntl(fd, F_GETPIPE_SZ) : -1;

	if (now >= 0 && (size_t)now < bytes)
		(void)fcntl(fd, F_SETPIPE_SZ, (int)bytes);
#else
	(void)fd;
	(void)bytes;
#endif
}

bool os_boot_id(char out[OS_BOOT_ID_LEN + 1])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, OS_BOOT_ID_LEN);

	if (fd >= 0)
		close(fd);
	out[n == OS_BOOT_ID_LEN ? n : 0] = '\0';
	return n == OS_BOOT_ID_LEN;
}

/* ---- words that processes wait for ---- */

/* The call whose time has the size of ours: 64 bits on a 32-bit system are a call of their own, Linux 5.1. */
#if defined(__linux__) && defined(SYS_futex_time64) && (!defined(__GLIBC__) || defined(__USE_TIME_BITS64))
#define FUTEX SYS_futex_time64
#elif defined(__linux__) && defined(SYS_futex)
#define FUTEX SYS_futex
#endif

#define SLEEP_MAX_MS 20

static void sleep_some(int64_t ms)
{
	struct timespec ts = { .tv_nsec = (ms < SLEEP_MAX_MS ? (long)ms : SLEEP_MAX_MS) * 1000000 };

	if (ms > 0)
		nanosleep(&ts, NULL);
}

void os_word_wait(const uint32_t *word, uint32_t seen, int64_t timeout_ms)
{
#ifdef FUTEX
	struct timespec ts = { .tv_sec = (time_t)(timeout_ms / 1000),
			       .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

	if (timeout_ms <= 0)
		return;
	if (word && (!syscall(FUTEX, word, FUTEX_WAIT, seen, &ts, NULL, 0) ||
		     errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT))
		return;
#else
	(void)word;
	(void)seen;
#endif
	sleep_some(timeout_ms);
}

void os_word_wake(const uint32_t *word)
{
#ifdef FUTEX
	if (word)
		(void)syscall(FUTEX, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#else
	(void)word;
#endif
}

void os_release_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

#define HEAP_STEP ((size_t)16 << 20)
#define HEAP_BIT ((size_t)127 << 10) /* a block of 128 KB would be mapped by itself */

void os_keep_memory(void)
{
#ifdef __GLIBC__
	char *begin = sbrk(0), *end;
	void *volatile one, *volatile two; /* or the compiler leaves them out */

	mallopt(M_TRIM_THRESHOLD, 4 * HEAP_STEP);
	mallopt(M_TOP_PAD, HEAP_STEP);
	one = malloc(HEAP_BIT);
	two = malloc(HEAP_BIT); /* the heap grows by a step */
	free(one);
	free(two);
	end = sbrk(0);
	if (end > begin)
		os_prefer_large_pages(begin, (size_t)(end - begin));
#endif
}

/* ---- what a server gives up ---- */

bool os_has_sanitizer(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
	return true;
#endif
#endif
	return false;
}

/* Which descriptors stay. */
struct staying {
	bool own; /* those of ours, too */
	const int *fds;
	size_t nr;
	bool (*keep)(int fd);
};

static void close_unless(int fd, const struct staying *s)
{
	int flags = fd > 2 ? fcntl(fd, F_GETFD) : -1;
	bool stays = flags < 0 || (s->own && flags & FD_CLOEXEC) || s->keep(fd);

	for (size_t i = 0; i < s->nr && !stays; i++)
		stays = s->fds[i] == fd;
	if (!stays)
		sys->close(fd);
}

static void close_all(const struct staying *s)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)*e->d_name) && atoi(e->d_name) != dirfd(dir))
			close_unless(atoi(e->d_name), s);
	for (int fd = 3; !dir && fd < 1024; fd++)
		close_unless(fd, s);
	if (dir)
		closedir(dir);
}

void os_close_inherited(bool (*keep)(int fd))
{
	close_all(&(struct staying){ .own = true, .keep = keep });
}

void os_close_others(const int *fds, size_t nr, bool (*keep)(int fd))
{
	close_all(&(struct staying){ .fds = fds, .nr = nr, .keep = keep });
}

int os_redirect_to_null(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), rc;

	if (null < 0)
		return -1;
	rc = null == fd ? 0 : dup2(null, fd);
	if (null != fd)
		close(null);
	return rc < 0 ? -1 : 0;
}

void os_forbid_core_dumps(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
}

static uint64_t mix_bits(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 29);
}

/* Without a source of randomness: the time, and who we are. */
static uint64_t guess_bits(const void *salt)
{
	struct timespec ts;
	uint64_t bits;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	bits = mix_bits((uint64_t)ts.tv_sec * UINT64_C(1000000007) + (uint64_t)ts.tv_nsec);
	bits = mix_bits(bits ^ (uint64_t)getpid());
	return mix_bits(bits ^ (uint64_t)(uintptr_t)salt);
}

void os_random64_fill(uint64_t *out, size_t nr)
{
	bool given = nr * sizeof(*out) <= 256 && !getentropy(out, nr * sizeof(*out));

	for (size_t i = 0; i < nr && !given; i++)
		out[i] = guess_bits(out + i);
}

uint64_t os_random64(void)
{
	uint64_t bits;

	os_random64_fill(&bits, 1);
	return bits;
}

/* ---- mounts ---- */

/* 0: not known */
#if defined(__linux__) && defined(STATX_MNT_ID)
/* For kernels before 5.8, and qemu. A handle that has no room comes back with the mount alone. */
static uint64_t mount_of_handle(const char *path)
{
	struct file_handle none = { .handle_bytes = 0 };
	int id = 0;

	return name_to_handle_at(AT_FDCWD, path, &none, &id, AT_SYMLINK_FOLLOW) < 0 && errno == EOVERFLOW ?
		(uint64_t)id : 0;
}

static uint64_t mount_id(const char *path)
{
	struct statx st;

	return !statx(AT_FDCWD, path, 0, STATX_MNT_ID, &st) && st.stx_mask & STATX_MNT_ID && st.stx_mnt_id ?
		st.stx_mnt_id : mount_of_handle(path);
}
#else
static uint64_t mount_id(const char *path UNUSED)
{
	return 0;
}
#endif

bool os_same_mount(const char *a, const char *b)
{
	struct stat x, y;
	uint64_t m, n;

	if (stat(a, &x) || stat(b, &y))
		return true; /* a caller that uses them gets the error */
	m = mount_id(a);
	n = mount_id(b);
	return x.st_dev == y.st_dev && (m == n || !m || !n);
}

time_t os_birth_time(int fd)
{
#if defined(__linux__) && defined(STATX_BTIME)
	struct statx st;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) && (st.stx_mask & STATX_BTIME))
		return (time_t)st.stx_btime.tv_sec;
#else
	(void)fd;
#endif
	return -1;
}

pid_t os_detach(void)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	setsid();
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	return 0;
}

#define LARGE_PAGE ((uintptr_t)2 << 20)

void os_prefer_large_pages(void *p, size_t len)
{
#ifdef MADV_HUGEPAGE
	uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + len) & ~(LARGE_PAGE - 1);

	if (from < to)
		(void)!madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
	(void)p;
	(void)len;
#endif
}
