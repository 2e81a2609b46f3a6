/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: beside DIR
 *
 * A process that flushes while the workload runs: it rewrites its own files in DIR and
 * flushes them, and sometimes the complete file system, so that the journal is committed
 * between any two calls of others. It runs until it is killed.
 */
#include "compat/posix.h"

int main(int argc, char **argv)
{
	unsigned seed = 1;
	int dir;

	if (argc != 2 || chdir(argv[1]) < 0 || (dir = open(".", O_RDONLY)) < 0) {
		perror("usage: beside DIR");
		return 1;
	}
	for (unsigned i = 0;; i++) {
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "file-%u", i % 16);
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0 || write(fd, name, strlen(name)) < 0 || fsync(fd) < 0) {
			perror("beside");
			return 1;
		}
		close(fd);
		if (i % 8 == 7)
			syncfs(dir);
		usleep((useconds_t)(rand_r(&seed) % 500));
	}
}
