/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A library to preload: a confined process that receives a pack and has been taken over. Before it ends it copies the files
 * below the directory $TAKEN_OVER_FILES into the quarantine below $TAKEN_OVER_OBJECTS, and prints how that went; and what it
 * has open but files. Before it answers, it answers with the file $TAKEN_OVER_ANSWER; with $TAKEN_OVER_FLOOD again and again.
 * It asks by its first socket for the object $TAKEN_OVER_ASKS (intake/fetcher.c), and prints whether it could be had.
 * With $TAKEN_OVER_LEAVES_NOTHING it removes what it has put into the quarantine itself. The file $TAKEN_OVER_TABLE replaces each file
 * of its kind (the first four bytes) that it may write to. It tries to write to $TAKEN_OVER_WRITES, a path.
 * If $TAKEN_OVER_THREADS is set, it prints when it starts its first thread.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 16
#define BYTES_MAX 65536

static struct {
	char dir[64], name[256], bytes[BYTES_MAX];
	ssize_t len;
} files[FILES_MAX];
static unsigned nr;
static char answer[BYTES_MAX], table[BYTES_MAX];
static ssize_t answer_len, table_len;

static void load_file(const char *root, const char *dir, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", root, dir, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || nr == FILES_MAX)
		abort();
	snprintf(files[nr].dir, sizeof(files[nr].dir), "%s", dir);
	snprintf(files[nr].name, sizeof(files[nr].name), "%s", name);
	files[nr].len = read(fd, files[nr].bytes, BYTES_MAX);
	nr++;
	close(fd);
}

static void load_dir(const char *root, const char *name)
{
	char path[4096];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			load_file(root, name, e->d_name);
	if (d)
		closedir(d);
}

/* Its length; 0: there is none. */
static ssize_t load_named(const char *variable, char *bytes)
{
	const char *path = getenv(variable);
	int fd = path ? open(path, O_RDONLY) : -1;
	ssize_t len = fd < 0 ? 0 : read(fd, bytes, BYTES_MAX);

	if (fd >= 0)
		close(fd);
	return len;
}

/* Before the process is confined. */
__attribute__((constructor)) static void load(void)
{
	const char *root = getenv("TAKEN_OVER_FILES");
	DIR *d = root ? opendir(root) : NULL;
	struct dirent *e;

	answer_len = load_named("TAKEN_OVER_ANSWER", answer);
	table_len = load_named("TAKEN_OVER_TABLE", table);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			load_dir(root, e->d_name);
	if (d)
		closedir(d);
}

static void place(const char *quarantine, unsigned i)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", quarantine, files[i].dir);
	mkdirat(AT_FDCWD, path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", quarantine, files[i].dir, files[i].name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0444);
	dprintf(2, "taken over: %s/%s: %s\n", files[i].dir, files[i].name, fd < 0 ? strerror(errno) : "made");
	if (fd >= 0 && write(fd, files[i].bytes, (size_t)files[i].len) != files[i].len)
		dprintf(2, "taken over: cannot write\n");
	if (fd >= 0)
		close(fd);
}

/* Which may not even ask. */
static int is_confined(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0;
}

static void show_descriptors(void)
{
	struct stat st;

	for (int fd = 0; fd < 2; fd++)
		if (fstat(fd, &st) || !S_ISCHR(st.st_mode))
			dprintf(2, "taken over: descriptor %d is open\n", fd);
	for (int fd = 3; fd < 1024; fd++)
		if (!fstat(fd, &st) && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)))
			dprintf(2, "taken over: a %s is open\n", S_ISSOCK(st.st_mode) ? "socket" : "pipe");
}

static void leave_nothing(const char *quarantine)
{
	char path[4096];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/pack", quarantine);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/pack/%s", quarantine, e->d_name);
		if (e->d_name[0] != '.' && !unlink(path))
			dprintf(2, "taken over: leaves nothing\n");
	}
	if (d)
		closedir(d);
}

static void ask_for(const char *hex)
{
	unsigned char request[4 + 20] = { 0, 0, 0, 1 }, good;
	struct stat st;
	int fd = 3;

	while (fd < 1024 && (fstat(fd, &st) || !S_ISSOCK(st.st_mode)))
		fd++;
	for (unsigned i = 0, byte; i < 20; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		request[4 + i] = (unsigned char)byte;
	}
	if (fd < 1024 && write(fd, request, sizeof(request)) == sizeof(request) && read(fd, &good, 1) == 1)
		dprintf(2, "taken over: asks, answer %u\n", good);
}

static void replace_tables(void)
{
	char kind[4];

	for (int fd = 3; fd < 1024; fd++)
		if (pread(fd, kind, sizeof(kind), 0) == sizeof(kind) && !memcmp(kind, table, sizeof(kind)) &&
		    pwrite(fd, table, (size_t)table_len, 0) == table_len)
			dprintf(2, "taken over: replaces a table\n");
}

static void write_to(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	dprintf(2, "taken over: opens: %s\n", fd < 0 ? strerror(errno) : "done");
	if (fd >= 0)
		close(fd);
}

/* Before the first piece of its own answer. */
static void answer_first(int fd)
{
	static int done;
	struct stat st;

	if (done || answer_len <= 0 || !is_confined() || fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return;
	done = 1;
	dprintf(2, "taken over: answers\n");
	while (syscall(SYS_write, fd, answer, (size_t)answer_len) == answer_len && getenv("TAKEN_OVER_FLOOD"))
		;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	answer_first(fd);
	return (ssize_t)syscall(SYS_write, fd, buf, len);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static int done;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
	void *found = dlsym(RTLD_NEXT, "pthread_create");

	memcpy(&create, &found, sizeof(create));
	if (!done && is_confined() && getenv("TAKEN_OVER_THREADS"))
		dprintf(2, "taken over: starts a thread\n");
	done = is_confined();
	return create(thread, attr, fn, arg);
}

void _exit(int code)
{
	const char *objects = getenv("TAKEN_OVER_OBJECTS");
	DIR *d = objects && is_confined() ? opendir(objects) : NULL;
	char path[2048];
	struct dirent *e;

	if (is_confined() && table_len)
		replace_tables();
	if (is_confined() && getenv("TAKEN_OVER_WRITES"))
		write_to(getenv("TAKEN_OVER_WRITES"));
	if (d && getenv("TAKEN_OVER_DESCRIPTORS"))
		show_descriptors();
	if (d && getenv("TAKEN_OVER_ASKS"))
		ask_for(getenv("TAKEN_OVER_ASKS"));
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "tmp_objdir-incoming", 19)) {
			snprintf(path, sizeof(path), "%s/%s", objects, e->d_name);
			if (getenv("TAKEN_OVER_LEAVES_NOTHING"))
				leave_nothing(path);
			for (unsigned i = 0; i < nr; i++)
				place(path, i);
		}
	syscall(SYS_exit_group, code);
	__builtin_unreachable();
}
