/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reftable-floor DIR COUNT
 *
 * The least that COUNT durable transactions of one ref can cost in the bare repository DIR, whose refs are in tables: only
 * the system calls that the promises and Git's rules need, by one process, one transaction after the other. It is a
 * measure, and leaves no valid tables.
 *
 * Each transaction locks "tables.list" (a lock that names its owner), reads the list, writes a table of the usual size,
 * which replaces the newest one, and the new list; awaits both (D1), publishes both, and flushes what the file system
 * needs. The lock ends with the rename of the list. The replaced table goes after the flush (D8). Transactions that
 * find the lock taken look for it every half millisecond.
 */
#include "compat/posix.h"
#include "compat/fskind.h"
#include <fcntl.h>
#include <sys/xattr.h>

#define MARK "user.git.lock"
#define LIST "tables.list"
#define LOCK LIST ".lock"
#define TABLE_LEN 200
#define NAME_LEN 43 /* "0xMIN-0xMAX-RANDOM.ref", LF */
#define LIST_MAX 65536

static int owner;
static char owner_name[64];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void must(int rc, const char *what)
{
	if (rc)
		die(what);
}

static int marked_file(void)
{
	static const char mark[] = "98624e 2 d0123456789abc 12345678 0123456789abcdef 1234";
	int fd = open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);

	if (fd < 0 || fsetxattr(fd, MARK, mark, sizeof(mark) - 1, 0))
		die("lock");
	return fd;
}

static void hold_owner_file(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	snprintf(owner_name, sizeof(owner_name), "../.floor-owner-%d", (int)getpid());
	owner = open("..", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
	must(owner < 0 || fcntl(owner, F_OFD_SETLK, &lock) || linkat(owner, "", AT_FDCWD, owner_name, AT_EMPTY_PATH),
	     "owner");
}

static int locked_list(void)
{
	int fd = marked_file();
	struct stat st;

	while (linkat(fd, "", AT_FDCWD, LOCK, AT_EMPTY_PATH)) {
		if (errno != EEXIST)
			die(LOCK);
		do
			nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
		while (!lstat(LOCK, &st));
	}
	return fd;
}

static size_t read_list(char *list)
{
	int fd = open(LIST, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, list, LIST_MAX - NAME_LEN);

	if (len < NAME_LEN)
		die(LIST);
	close(fd);
	return (size_t)len;
}

static void start(int fd, const void *buf, size_t len)
{
	if (write(fd, buf, len) != (ssize_t)len || sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE))
		die("write");
}

static void await(int fd)
{
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) ||
	    close(fd))
		die("await");
}

static void transact(int dir, bool once, int nr)
{
	static char list[LIST_MAX];
	char table[TABLE_LEN] = "", name[NAME_LEN + 1], old[NAME_LEN + 1], staged[NAME_LEN + 8];
	int lock = locked_list(), fd = marked_file();
	size_t len = read_list(list);

	snprintf(old, sizeof(old), "%.*s", NAME_LEN - 1, list + len - NAME_LEN);
	snprintf(name, sizeof(name), "%.30s%04x%04x.ref\n", old, (unsigned)getpid() & 0xffff, (unsigned)nr & 0xffff);
	memcpy(list + len - (len > NAME_LEN ? NAME_LEN : 0), name, NAME_LEN);
	name[NAME_LEN - 1] = '\0';
	snprintf(staged, sizeof(staged), "%s.lock", name);
	must(linkat(fd, "", AT_FDCWD, staged, AT_EMPTY_PATH), staged);
	start(fd, table, sizeof(table));
	start(lock, list, len + (len > NAME_LEN ? 0 : NAME_LEN));
	await(fd);
	await(lock);
	if (!once)
		must(syncfs(dir), "syncfs");
	must(ftruncate(owner, 1), "owner");
	must(rename(staged, name), name);
	if (!once)
		must(syncfs(dir), "syncfs");
	must(rename(LOCK, LIST), LIST);
	must(once ? fsync(dir) : syncfs(dir), "flush");
	if (len > NAME_LEN)
		must(unlink(old), old);
	must(ftruncate(owner, 0), "owner");
}

int main(int argc, char **argv)
{
	bool once;
	int dir;

	if (argc != 3 || chdir(argv[1]) || chdir("reftable"))
		die("usage: reftable-floor DIR COUNT");
	dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		die(argv[1]);
	once = fs_kind_of(dir) == FS_JOURNAL;
	hold_owner_file();
	for (int i = 0; i < atoi(argv[2]); i++)
		transact(dir, once, i);
	must(unlink(owner_name), "owner");
	return 0;
}
