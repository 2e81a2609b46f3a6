/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A FUSE file system that shows a directory as one of another system would be: names that
 * differ in the case of ASCII letters are the same.
 *
 *   fold-fs [--hfs] [--fat] [--unstable] DIRECTORY MOUNTPOINT
 *
 * --hfs  and names that differ in characters without width (U+200C to U+200F), or in whether a
 *        vowel and its diaeresis are one character or two
 * --fat  no symbolic links, and no file can be made executable or otherwise
 * --unstable  a file has another inode number by each of its names, and after a while, as with exfat by FUSE
 *
 * It runs in the background until it is unmounted. Names stay as they were first written.
 */
#define FUSE_USE_VERSION 35
#include "compat/posix.h"
#include <dirent.h>
#include <fuse.h>
#include <sys/statvfs.h>

static struct {
	int root;
	bool hfs, fat, unstable;
} fs;

/* ---- names ---- */

/* The next character of a name, folded; 0 at its end. */
static unsigned next_char(const char **s)
{
	static const char plain[] = "aouAOU", *const composed = "\xa4\xb6\xbc\x84\x96\x9c";
	const unsigned char *p = (const unsigned char *)*s;

	while (fs.hfs && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0x8c && p[2] <= 0x8f)
		p += 3;
	*s = (const char *)p + (*p != 0);
	for (unsigned i = 0; fs.hfs && plain[i]; i++)
		if (*p == (unsigned char)plain[i] && p[1] == 0xcc && p[2] == 0x88) {
			*s = (const char *)p + 3;
			return 0x100u + (unsigned char)composed[i % 3];
		} else if (*p == 0xc3 && p[1] == (unsigned char)composed[i]) {
			*s = (const char *)p + 2;
			return 0x100u + (unsigned char)composed[i % 3];
		}
	return *p >= 'A' && *p <= 'Z' ? *p + 32u : *p;
}

static bool same_name(const char *a, const char *b)
{
	unsigned c;

	do {
		c = next_char(&a);
		if (c != next_char(&b))
			return false;
	} while (c);
	return true;
}

/* The name in the directory that `name` stands for; itself if there is none. */
static void real_name(int dir, char *name)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (same_name(de->d_name, name)) {
			snprintf(name, NAME_MAX + 1, "%s", de->d_name);
			break;
		}
	if (d)
		closedir(d);
}

/* Opens the directory of path, and sets the name in it. A descriptor, or -errno. */
static int enter(const char *path, char *name)
{
	int dir = dup(fs.root);

	for (path++;; path++) {
		size_t len = strcspn(path, "/");
		int next;

		if (len > NAME_MAX) {
			close(dir);
			return -ENAMETOOLONG;
		}
		snprintf(name, NAME_MAX + 1, "%.*s", len ? (int)len : 1, len ? path : ".");
		if (len)
			real_name(dir, name);
		path += len;
		if (!*path)
			return dir;
		next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		if (next < 0)
			return -errno;
		dir = next;
	}
}

/* ---- calls ---- */

/* Enter the directory of path, and return what the call on (dir, name) gives, or -errno. */
#define AT(path, call)                                \
	do {                                          \
		char name[NAME_MAX + 1];              \
		int dir = enter(path, name), rc_;     \
		if (dir < 0)                          \
			return dir;                   \
		rc_ = (int)(call) < 0 ? -errno : 0;   \
		close(dir);                           \
		return rc_;                           \
	} while (0)

static int fold_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	int rc;

	if (fi)
		rc = fstat((int)fi->fh, st) < 0 ? -errno : 0;
	else {
		char name[NAME_MAX + 1];
		int dir = enter(path, name);

		if (dir < 0)
			return dir;
		rc = fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
		close(dir);
	}
	if (!rc && fs.fat)
		st->st_mode = (st->st_mode & S_IFMT) | 0755;
	return rc;
}

static int fold_readlink(const char *path, char *buf, size_t size)
{
	char name[NAME_MAX + 1];
	int dir = enter(path, name);
	ssize_t n;

	if (dir < 0)
		return dir;
	n = readlinkat(dir, name, buf, size - 1);
	if (n >= 0)
		buf[n] = '\0';
	close(dir);
	return n < 0 ? -errno : 0;
}

static int fold_mkdir(const char *path, mode_t mode)
{
	AT(path, mkdirat(dir, name, mode));
}

static int fold_unlink(const char *path)
{
	AT(path, unlinkat(dir, name, 0));
}

static int fold_rmdir(const char *path)
{
	AT(path, unlinkat(dir, name, AT_REMOVEDIR));
}

static int fold_symlink(const char *target, const char *path)
{
	if (fs.fat)
		return -EPERM;
	AT(path, symlinkat(target, dir, name));
}

static int fold_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	(void)fi;
	if (fs.fat)
		return 0;
	AT(path, fchmodat(dir, name, mode, 0));
}

static int fold_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
	(void)fi;
	AT(path, fchownat(dir, name, uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int fold_utimens(const char *path, const struct timespec ts[2], struct fuse_file_info *fi)
{
	(void)fi;
	AT(path, utimensat(dir, name, ts, AT_SYMLINK_NOFOLLOW));
}

/* A rename or a link: the same call in two directories. */
static int two(const char *from, const char *to, bool rename)
{
	char a[NAME_MAX + 1], b[NAME_MAX + 1];
	int from_dir = enter(from, a), to_dir, rc;

	if (from_dir < 0)
		return from_dir;
	to_dir = enter(to, b);
	if (to_dir < 0)
		rc = to_dir;
	else if (rename)
		rc = renameat(from_dir, a, to_dir, b) < 0 ? -errno : 0;
	else
		rc = linkat(from_dir, a, to_dir, b, 0) < 0 ? -errno : 0;
	close(from_dir);
	if (to_dir >= 0)
		close(to_dir);
	return rc;
}

static int fold_rename(const char *from, const char *to, unsigned flags)
{
	return flags ? -EINVAL : two(from, to, true);
}

static int fold_link(const char *from, const char *to)
{
	return fs.fat ? -EPERM : two(from, to, false);
}

static int open_file(const char *path, int flags, mode_t mode, struct fuse_file_info *fi)
{
	char name[NAME_MAX + 1];
	int dir = enter(path, name), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	fi->fh = (uint64_t)fd;
	close(dir);
	return fd < 0 ? -errno : 0;
}

static int fold_open(const char *path, struct fuse_file_info *fi)
{
	return open_file(path, fi->flags & ~(O_CREAT | O_EXCL), 0, fi);
}

static int fold_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	return open_file(path, fi->flags | O_CREAT, mode, fi);
}

static int fold_read(const char *path, char *buf, size_t size, off_t at, struct fuse_file_info *fi)
{
	ssize_t n = pread((int)fi->fh, buf, size, at);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int fold_write(const char *path, const char *buf, size_t size, off_t at,
		      struct fuse_file_info *fi)
{
	ssize_t n = pwrite((int)fi->fh, buf, size, at);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int fold_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	struct fuse_file_info own = { 0 };
	int rc;

	if (fi)
		return ftruncate((int)fi->fh, size) < 0 ? -errno : 0;
	rc = open_file(path, O_WRONLY, 0, &own);
	if (rc < 0)
		return rc;
	rc = ftruncate((int)own.fh, size) < 0 ? -errno : 0;
	close((int)own.fh);
	return rc;
}

static int fold_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return close((int)fi->fh) < 0 ? -errno : 0;
}

static int fold_statfs(const char *path, struct statvfs *st)
{
	(void)path;
	return fstatvfs(fs.root, st) < 0 ? -errno : 0;
}

static int fold_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t at,
			struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	char name[NAME_MAX + 1];
	int dir = enter(path, name), fd;
	struct dirent *de;
	DIR *d;

	(void)at, (void)fi, (void)flags;
	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(dir);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return -errno;
	while ((de = readdir(d))) {
		struct stat st = { .st_ino = de->d_ino, .st_mode = (mode_t)DTTOIF(de->d_type) };

		fill(buf, de->d_name, &st, 0, 0);
	}
	closedir(d);
	return 0;
}

/* Two names can be one file: nothing is remembered of either. */
static void *fold_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->use_ino = !fs.unstable; /* else libfuse numbers the names */
	cfg->entry_timeout = cfg->attr_timeout = cfg->negative_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fold_init,	   .getattr = fold_getattr, .readlink = fold_readlink,
	.mkdir = fold_mkdir,	   .unlink = fold_unlink,   .rmdir = fold_rmdir,
	.symlink = fold_symlink,   .rename = fold_rename,   .link = fold_link,
	.chmod = fold_chmod,	   .chown = fold_chown,	    .utimens = fold_utimens,
	.open = fold_open,	   .create = fold_create,   .read = fold_read,
	.write = fold_write,	   .truncate = fold_truncate, .release = fold_release,
	.statfs = fold_statfs,	   .readdir = fold_readdir,
};

int main(int argc, char **argv)
{
	char *args[] = { argv[0], NULL, "-s", NULL }; /* one thread: libfuse's locks are those of names */
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		fs.hfs |= !strcmp(argv[i], "--hfs");
		fs.fat |= !strcmp(argv[i], "--fat");
		fs.unstable |= !strcmp(argv[i], "--unstable");
	}
	if (argc - i != 2 || (fs.root = open(argv[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		fprintf(stderr, "usage: fold-fs [--hfs] [--fat] [--unstable] DIRECTORY MOUNTPOINT\n");
		return 2;
	}
	umask(0);
	args[1] = argv[i + 1];
	return fuse_main(3, args, &operations, NULL);
}
