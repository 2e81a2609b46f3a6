/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * floor DIR [FILES [BYTES [RUNS]]]     defaults: 1 600 21
 *
 * Measures the least that publishing files durably can cost on the disk and the journalling
 * file system of DIR, with no other calls than the necessary ones: FILES temporary files of
 * BYTES are written and their writeback started, all are awaited, all are renamed, and ONE
 * fsync of the directory makes them durable (Documentation/Durability). Prints the median and
 * the minimum of each step and of the sum, in ms.
 */
#include "compat/posix.h"

#define PART_NAMES "write", "await", "rename", "fsync", "sum"
enum { WRITE, AWAIT, RENAME, FSYNC, SUM, NR_PARTS };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void name_of(char *name, const char *kind, int i)
{
	snprintf(name, 32, "%s-%d", kind, i);
}

static int write_file(int dir, int i, const char *data, size_t len)
{
	char name[32];
	int fd;

	name_of(name, "new", i);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len ||
	    sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0)
		die(name);
	return fd;
}

static void await_file(int fd)
{
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				      SYNC_FILE_RANGE_WAIT_AFTER) < 0 || close(fd) < 0)
		die("await");
}

static void rename_file(int dir, int i)
{
	char from[32], to[32];

	name_of(from, "new", i);
	name_of(to, "done", i);
	if (renameat(dir, from, dir, to) < 0)
		die(to);
}

static void run_once(int dir, int *fds, int files, const char *data, size_t len, double *took)
{
	double at[NR_PARTS];

	at[WRITE] = now_ms();
	for (int i = 0; i < files; i++)
		fds[i] = write_file(dir, i, data, len);
	at[AWAIT] = now_ms();
	for (int i = 0; i < files; i++)
		await_file(fds[i]);
	at[RENAME] = now_ms();
	for (int i = 0; i < files; i++)
		rename_file(dir, i);
	at[FSYNC] = now_ms();
	if (fsync(dir) < 0)
		die("fsync");
	at[SUM] = now_ms();
	for (int p = 0; p < SUM; p++)
		took[p] = at[p + 1] - at[p];
	took[SUM] = at[SUM] - at[WRITE];
}

/* A directory of its own for each run; the file system is at rest when it begins. */
static void run_in(int top, int *fds, int files, const char *data, size_t len, double *took)
{
	char name[32];
	int dir;

	if (mkdirat(top, "floor", 0777) < 0)
		die("floor");
	dir = openat(top, "floor", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || syncfs(dir) < 0)
		die("floor");
	run_once(dir, fds, files, data, len, took);
	for (int i = 0; i < files; i++) {
		name_of(name, "done", i);
		unlinkat(dir, name, 0);
	}
	close(dir);
	unlinkat(top, "floor", AT_REMOVEDIR);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void tell(const double *took, int runs)
{
	static const char *const names[] = { PART_NAMES };
	double *column = malloc((size_t)runs * sizeof(*column));

	if (!column)
		die("floor");
	printf("%-8s %8s %8s\n", "ms", "median", "least");
	for (int p = 0; p < NR_PARTS; p++) {
		for (int r = 0; r < runs; r++)
			column[r] = took[r * NR_PARTS + p];
		qsort(column, (size_t)runs, sizeof(*column), compare);
		printf("%-8s %8.2f %8.2f\n", names[p], column[runs / 2], column[0]);
	}
	free(column);
}

int main(int argc, char **argv)
{
	int files = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 600;
	int runs = argc > 4 ? atoi(argv[4]) : 21, top, *fds;
	double *took;
	char *data;

	if (argc < 2 || argc > 5 || files < 1 || files > 1000 || bytes < 1 || runs < 1) {
		fprintf(stderr, "usage: floor DIR [FILES (1..1000) [BYTES [RUNS]]]\n");
		return 129;
	}
	top = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fds = calloc((size_t)files, sizeof(*fds));
	data = calloc(1, (size_t)bytes);
	took = calloc((size_t)runs * NR_PARTS, sizeof(*took));
	if (top < 0 || !fds || !data || !took)
		die(argv[1]);
	for (int r = 0; r < runs; r++)
		run_in(top, fds, files, data, (size_t)bytes, took + r * NR_PARTS);
	tell(took, runs);
	free(fds);
	free(data);
	free(took);
	close(top);
	return 0;
}
