/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refs-floor loose|packed DIR <COMMANDS
 *
 * The least that `git update-ref --stdin` can cost in the bare repository DIR: only the system
 * calls that the promises and Git's rules need, with no check of what they return and no message.
 * It is found that DIR is a repository, and whose; the configuration and the new objects are read,
 * records of interrupted transactions, hooks and reflogs are looked for; an owner file is made;
 * each ref is locked (a lock that names its owner) and looked up in packed-refs and in its file.
 *
 * loose: each ref gets a file of its own. A record of all is written; the values are written and
 * awaited (D1); record and values get their names, the record goes.
 * packed: packed-refs is written anew, awaited, gets its name; files of the refs go.
 *
 * Then what the file system needs is flushed. COMMANDS: "create NAME NEW" and "update NAME NEW
 * OLD", sorted by name, as t/perf/refs-beside makes them.
 */
#include "compat/posix.h"
#include "compat/fskind.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/xattr.h>

#define MAX_REFS 1000
#define MARK "user.git.lock"
#define HEX 40

static struct {
	char *name, *value;
	int fd;
} refs[MAX_REFS];
static int nr;
static char input[MAX_REFS * 256];
static const char *packed;
static size_t packed_len;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void read_commands(void)
{
	size_t len = 0;
	ssize_t n;
	char *p = input;

	while ((n = read(0, input + len, sizeof(input) - 1 - len)) > 0)
		len += (size_t)n;
	while (nr < MAX_REFS && p < input + len) {
		refs[nr].name = strchr(p, ' ') + 1;
		refs[nr].value = strchr(refs[nr].name, ' ') + 1;
		refs[nr].value[-1] = '\0';
		p = strchr(refs[nr].value, '\n') + 1;
		nr++;
	}
}

static void map_packed(void)
{
	int fd = open("packed-refs", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die("packed-refs");
	packed_len = (size_t)st.st_size;
	packed = mmap(NULL, packed_len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (packed == MAP_FAILED)
		die("packed-refs");
}

/* Lines of one length are enough here: no peeled ones. */
static bool is_packed(const char *name)
{
	size_t lo = 0, hi = packed_len;

	while (lo < hi) {
		size_t at = lo + (hi - lo) / 2;
		const char *end, *line;
		int c;

		while (at > lo && packed[at - 1] != '\n')
			at--;
		line = packed + at;
		end = memchr(line, '\n', packed_len - at);
		c = *line == '#' ? -1 : strncmp(line + HEX + 1, name, (size_t)(end - line) - HEX - 1);
		if (!c)
			return true;
		if (c < 0)
			lo = (size_t)(end + 1 - packed);
		else
			hi = at;
	}
	return false;
}

static const char *path_of(int i, const char *suffix)
{
	static char path[2][512];
	static int which;

	which = !which;
	snprintf(path[which], sizeof(path[which]), "%s%s", refs[i].name, suffix);
	return path[which];
}

static int locked_file(const char *dir, const char *lock)
{
	static const char owner[] = "2 d0123456789abc 12345678 0123456789abcdef 1234";
	int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);

	if (fd < 0 || fsetxattr(fd, MARK, owner, sizeof(owner) - 1, 0) ||
	    linkat(fd, "", AT_FDCWD, lock, AT_EMPTY_PATH))
		die(lock);
	return fd;
}

/* shared: all locks are names of one file. */
static void lock_ref(int i, const char *dir, bool shared)
{
	char old[512];
	struct stat st;
	int fd;

	if (!shared || !i)
		refs[i].fd = locked_file(dir, path_of(i, ".lock"));
	else if (linkat(refs[0].fd, "", AT_FDCWD, path_of(i, ".lock"), AT_EMPTY_PATH))
		die(refs[i].name);
	fd = open(refs[i].name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* The record holds the time of the file as well as its value. */
		if (fstat(fd, &st) || read(fd, old, sizeof(old)) < HEX)
			die(refs[i].name);
		close(fd);
	}
	is_packed(refs[i].name);
}

static void start(int fd, const void *buf, size_t len)
{
	if (write(fd, buf, len) != (ssize_t)len || sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE))
		die("write");
}

static void await(int fd)
{
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				      SYNC_FILE_RANGE_WAIT_AFTER) || close(fd))
		die("await");
}

/* The file, whose content is not looked at; one that is not there costs what it costs us. */
static void peruse(const char *path)
{
	char buf[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void peruse_dir(const char *path)
{
	DIR *d = opendir(path);

	while (d && readdir(d))
		;
	if (d)
		closedir(d);
}

static void look_for(const char *path)
{
	struct stat st;

	(void)!lstat(path, &st);
}

static void find_repository(void)
{
	static const char *const paths[] = { ".git", ".git/HEAD", "HEAD", "refs", "objects", "." };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		look_for(paths[i]);
	peruse("commondir");
	peruse("HEAD");
}

static void read_settings(void)
{
	char path[512];

	peruse("/etc/gitconfig");
	snprintf(path, sizeof(path), "%s/.config/git/config", getenv("HOME"));
	peruse(path);
	snprintf(path, sizeof(path), "%s/.gitconfig", getenv("HOME"));
	peruse(path);
	peruse("config");
}

static void read_objects(void)
{
	char path[512];

	peruse("objects/info/alternates");
	peruse_dir("objects/pack");
	peruse("objects/pack/multi-pack-index");
	for (int i = 0; i < nr; i++) {
		if (i && !strncmp(refs[i].value, refs[i - 1].value, HEX))
			continue;
		snprintf(path, sizeof(path), "objects/%.2s/%.*s", refs[i].value, HEX - 2,
			 refs[i].value + 2);
		peruse(path);
	}
}

static void must(int rc, const char *what)
{
	if (rc)
		die(what);
}

static int owner;

/* From the first name until the flush others can see that it has not been flushed. */
static void note_unsealed(void)
{
	must(ftruncate(owner, 1), "owner");
}

static void hold_owner_file(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	owner = open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
	must(fcntl(owner, F_OFD_SETLK, &lock) || linkat(owner, "", AT_FDCWD, "owner", AT_EMPTY_PATH),
	     "owner");
}

/*
 * Looks around while the locks are held; the directory of all of them stands for the logs of each.
 */
static void look_around(const char *dir)
{
	char path[512];

	peruse_dir("ref-journal");
	look_for("packed-refs");
	snprintf(path, sizeof(path), "logs/%s", dir);
	look_for(path);
	look_for("hooks/reference-transaction");
}

/* ---- a file for each ---- */

static void change_loose(const char *dir, int at, bool once)
{
	int record, lock;

	for (int i = 0; i < nr; i++)
		lock_ref(i, dir, false);
	look_around(dir);
	lock = locked_file(".", "record.lock");
	record = open("record.new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (record < 0)
		die("record.new");
	for (int i = 0; i < nr; i++)
		start(refs[i].fd, refs[i].value, HEX + 1);
	start(record, input, 64u * (unsigned)nr);
	for (int i = 0; i < nr; i++)
		await(refs[i].fd);
	await(record);
	if (!once)
		must(syncfs(at), "syncfs");
	note_unsealed();
	must(rename("record.new", "record"), "record");
	for (int i = 0; i < nr; i++)
		must(rename(path_of(i, ".lock"), refs[i].name), refs[i].name);
	must(unlink("record") || unlink("record.lock"), "record");
	close(lock);
}

/* ---- packed-refs ---- */

/* The file with the new values, into `out`: how long it is. */
static size_t merge(char *out)
{
	const char *p = packed, *end = packed + packed_len;
	char *to = out;
	int i = 0;

	while (p < end || i < nr) {
		const char *eol = p < end ? (char *)memchr(p, '\n', (size_t)(end - p)) + 1 : p;
		int c = p >= end ? 1 : *p == '#' || i >= nr ? -1
			: strncmp(p + HEX + 1, refs[i].name, (size_t)(eol - p) - HEX - 2);

		if (c >= 0) {
			to += sprintf(to, "%.*s %s\n", HEX, refs[i].value, refs[i].name);
			i++;
		}
		if (c < 0)
			to = mempcpy(to, p, (size_t)(eol - p));
		if (c <= 0)
			p = eol;
	}
	return (size_t)(to - out);
}

static void change_packed(const char *dir, int at, bool once)
{
	char *text = malloc(packed_len + sizeof(input));
	int fd;

	if (!text)
		die("malloc");
	for (int i = 0; i < nr; i++)
		lock_ref(i, dir, true);
	look_around(dir);
	fd = locked_file(".", "packed-refs.lock");
	start(fd, text, merge(text));
	await(fd);
	if (!once)
		must(syncfs(at), "syncfs");
	note_unsealed();
	must(rename("packed-refs.lock", "packed-refs"), "packed-refs");
	for (int i = 0; i < nr; i++)
		must(unlink(path_of(i, ".lock")), refs[i].name);
	close(refs[0].fd);
	free(text);
}

int main(int argc, char **argv)
{
	bool loose = argc == 3 && !strcmp(argv[1], "loose"), once;
	char dir[512];
	int at;

	if (argc != 3 || chdir(argv[2]))
		die("usage: refs-floor loose|packed DIR <COMMANDS");
	find_repository();
	read_settings();
	read_commands();
	read_objects();
	map_packed();
	hold_owner_file();
	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(refs[0].name, '/') - refs[0].name),
		 refs[0].name);
	if (mkdir(dir, 0777) && errno != EEXIST)
		die(dir);
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		die(dir);
	once = fs_kind_of(at) == FS_JOURNAL;
	(loose ? change_loose : change_packed)(dir, at, once);
	must(once ? fsync(at) : syncfs(at), "flush");
	must(ftruncate(owner, 0), "owner");
	close(owner);
	must(unlink("owner"), "owner");
	return 0;
}
