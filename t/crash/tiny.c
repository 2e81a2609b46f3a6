/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: tiny rename|flush DIR NUMBER
 *
 * For checking the laboratory itself: replaces DIR/value and creates DIR/new-NUMBER, each
 * through a temporary file and a rename. `flush` flushes the files and the directory, in which
 * no fault may be found; `rename` flushes nothing, in which a fault must be found.
 */
#include "compat/posix.h"

static NORETURN void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Text that tells its number and its length, so that a part is seen to be one. */
static void write_text(int fd, int number)
{
	char line[64];
	int lines = number % 3 ? 3 : 2000;

	for (int i = 0; i < lines; i++) {
		int n = snprintf(line, sizeof(line), "%d: line %d of %d\n", number, i, lines);

		if (write(fd, line, (size_t)n) != n)
			die("write");
	}
}

static void replace(const char *name, int number, bool flush)
{
	char tmp[300];
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.tmp", name);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		die(tmp);
	write_text(fd, number);
	if (flush && fsync(fd) < 0)
		die("fsync");
	close(fd);
	if (rename(tmp, name) < 0)
		die("rename");
}

int main(int argc, char **argv)
{
	bool flush;
	char name[64];
	int dir;

	if (argc != 4 || chdir(argv[2]) < 0)
		die("usage: tiny rename|flush DIR NUMBER");
	flush = !strcmp(argv[1], "flush");
	snprintf(name, sizeof(name), "new-%s", argv[3]);
	replace("value", atoi(argv[3]), flush);
	replace(name, atoi(argv[3]), flush);
	dir = open(".", O_RDONLY | O_DIRECTORY);
	if (dir < 0 || (flush && fsync(dir) < 0))
		die("flush of the directory");
	return 0;
}
