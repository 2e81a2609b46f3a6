/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files-floor [-u] INDEX BYTES THREADS <PATHS
 *
 * Replaces the files of the working tree that PATHS names (a line each, as 'git diff --name-only'
 * prints them) with no other calls than the necessary ones: unlink, open, write, and the stat that
 * an index entry needs. It starts the writeback of each file, awaits all of them, writes the file
 * INDEX again beside itself, renames it, and makes everything durable with ONE fsync of INDEX's
 * directory (Documentation/Durability). The option -u writes back and flushes nothing, as stock Git
 * does with core.fsync=none. It reads no object, compares nothing and inflates nothing: a Git that
 * replaces the same files takes longer.
 */
#include "compat/posix.h"

#include <libgen.h>
#include <pthread.h>
#include <sys/resource.h>

#define MAX_FILES 100000
#define MAX_THREADS 64

struct slice {
	char **paths;
	int *fds;
	int nr;
	size_t bytes;
	bool durable;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void start_writeback(int fd)
{
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0)
		die("sync_file_range");
}

static void await_writeback(int fd)
{
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				      SYNC_FILE_RANGE_WAIT_AFTER) < 0)
		die("sync_file_range");
}

static int replace(const char *path, const char *data, size_t len)
{
	struct stat st;
	int fd;

	if (unlink(path) < 0)
		die(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || fstat(fd, &st) < 0)
		die(path);
	return fd;
}

static void *replace_slice(void *arg)
{
	struct slice *s = arg;
	char *data = malloc(s->bytes);

	if (!data)
		die("files-floor");
	memset(data, 'x', s->bytes);
	for (int i = 0; i < s->nr; i++) {
		s->fds[i] = replace(s->paths[i], data, s->bytes);
		if (s->durable)
			start_writeback(s->fds[i]);
		else
			close(s->fds[i]);
	}
	for (int i = 0; s->durable && i < s->nr; i++) {
		await_writeback(s->fds[i]);
		close(s->fds[i]);
	}
	free(data);
	return NULL;
}

static void replace_all(const struct slice *all, int threads)
{
	struct slice slices[MAX_THREADS];
	pthread_t ids[MAX_THREADS];

	for (int t = 0; t < threads; t++) {
		int from = (int)((long)all->nr * t / threads), to = (int)((long)all->nr * (t + 1) / threads);

		slices[t] = *all;
		slices[t].paths += from;
		slices[t].fds += from;
		slices[t].nr = to - from;
		if (pthread_create(&ids[t], NULL, replace_slice, &slices[t]))
			die("pthread_create");
	}
	for (int t = 0; t < threads; t++)
		pthread_join(ids[t], NULL);
}

static char *read_file(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *data;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	*len = (size_t)st.st_size;
	data = malloc(*len);
	if (!data || read(fd, data, *len) != (ssize_t)*len)
		die(path);
	close(fd);
	return data;
}

static void flush_directory_of(const char *path)
{
	char *copy = strdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		die(path);
	close(fd);
	free(copy);
}

static void write_index(const char *path, bool durable)
{
	char lock[PATH_MAX];
	size_t len;
	char *data = read_file(path, &len);
	int fd;

	snprintf(lock, sizeof(lock), "%s.lock", path);
	fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		die(lock);
	if (durable) {
		start_writeback(fd);
		await_writeback(fd);
	}
	if (close(fd) < 0 || rename(lock, path) < 0)
		die(lock);
	if (durable)
		flush_directory_of(path);
	free(data);
}

static int read_paths(char **paths)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int nr = 0;

	while (nr < MAX_FILES && (len = getline(&line, &room, stdin)) > 0) {
		line[len - (line[len - 1] == '\n')] = '\0';
		paths[nr++] = strdup(line);
	}
	free(line);
	return nr;
}

static void allow_open_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		die("getrlimit");
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		die("setrlimit");
}

int main(int argc, char **argv)
{
	bool durable = argc < 2 || strcmp(argv[1], "-u");
	struct slice all = { .paths = calloc(MAX_FILES, sizeof(*all.paths)),
			     .fds = calloc(MAX_FILES, sizeof(*all.fds)), .durable = durable };
	int threads;

	argv += !durable;
	argc -= !durable;
	threads = argc == 4 ? atoi(argv[3]) : 0;
	if (threads < 1 || threads > MAX_THREADS || atoi(argv[2]) < 1 || !all.paths || !all.fds) {
		fprintf(stderr, "usage: files-floor [-u] INDEX BYTES THREADS <PATHS\n");
		return 129;
	}
	allow_open_files();
	all.bytes = (size_t)atoi(argv[2]);
	all.nr = read_paths(all.paths);
	replace_all(&all, threads);
	write_index(argv[1], durable);
	return 0;
}
