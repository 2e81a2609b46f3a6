/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/fskind.h"
#ifdef __linux__
#include <dirent.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#elif defined(__APPLE__)
#include <sys/mount.h>
#endif

/* ---- for tests ---- */

static bool pretended_kind(enum fs_kind *out)
{
	static const char *const names[] = {
		[FS_JOURNAL] = "journal", [FS_BTRFS] = "btrfs", [FS_LOCAL] = "local",
		[FS_EACH] = "each", [FS_FULL] = "full",
	};
	const char *v = getenv("GIT_TEST_FS_KIND");

	for (size_t i = 0; v && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(v, names[i])) {
			*out = (enum fs_kind)i;
			return true;
		}
	}
	return false;
}

/* ---- what the platform says ---- */

#ifdef __linux__

/* Values of f_type; the names are from statfs(2). */
#define MAGIC_EXT 0xef53
#define MAGIC_XFS 0x58465342
#define MAGIC_BTRFS 0x9123683e
#define MAGIC_OVERLAY 0x794c7630

static const uint32_t not_local[] = {
	0x6969,	    /* NFS */
	0x517b,	    /* SMB */
	0xff534d42, /* CIFS */
	0xfe534d42, /* SMB2, SMB3 */
	0x01021997, /* 9P */
	0x65735546, /* FUSE, virtiofs */
	0x00c36400, /* Ceph */
	0x5346414f, /* AFS */
	0x6b414653, /* kAFS */
	0x73757245, /* Coda */
	0x0bd00bd0, /* Lustre */
	0x47504653, /* GPFS */
	0x01161970, /* GFS2 */
	0x7461636f, /* OCFS2 */
	0x19830326, /* BeeGFS */
	0xaad7aaea, /* PanFS */
	0xbacbacbc, /* VMware's shared folders */
	0x786f4256, /* VirtualBox's */
	0x7c7c6673, /* Parallels' */
	0x20030528, /* OrangeFS */
	0xbeefdead, /* StorNext */
	0x61636673, /* ACFS */
	0xa501fcf5, /* VxFS */
	0x013111a8, /* IBRIX */
	0x0000564c, /* NCP */
};

/* Used by one kernel at a time. */
static const uint32_t one_kernel[] = {
	MAGIC_EXT, MAGIC_XFS, MAGIC_BTRFS,
	0xf2f52010, /* F2FS */
	0xca451a4e, /* bcachefs */
	0x2fc12fc1, /* ZFS */
	0x3153464a, /* JFS */
	0x01021994, /* tmpfs */
};

static bool is_local(const struct statfs *sf)
{
	for (size_t i = 0; i < ARRAY_SIZE(not_local); i++)
		if ((uint32_t)sf->f_type == not_local[i])
			return false;
	return true;
}

/* Before Linux 5.8 syncfs(2) returned 0 although pages could not be written. */
static bool syncfs_reports_errors(void)
{
	struct utsname u;
	int major, minor;

	return !uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 8));
}

/* The kernel's name of the file system's device, without a directory; false: none. */
static bool device_name(int fd, char *out, size_t size)
{
	char link[64], target[256];
	const char *name;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return false;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u",
		 major(st.st_dev), minor(st.st_dev));
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	name = strrchr(target, '/');
	snprintf(out, size, "%s", name ? name + 1 : target);
	return true;
}

/*
 * ext2, ext3 and ext4 share one f_type, and ext4 can be created without a journal or with one on
 * another device, whose commit does not flush the device of the data. A journal in the file
 * system itself is an inode, which jbd2 names behind the device: "sda1-8".
 */
static bool ext_has_own_journal(const char *device)
{
	char prefix[260];
	struct dirent *de;
	bool found = false;
	size_t len;
	DIR *d;

	len = (size_t)snprintf(prefix, sizeof(prefix), "%s-", device);
	d = opendir("/proc/fs/jbd2");
	while (d && !found && (de = readdir(d)))
		found = !strncmp(de->d_name, prefix, len) && de->d_name[len] &&
			!de->d_name[len + strspn(de->d_name + len, "0123456789")];
	if (d)
		closedir(d);
	return found;
}

/*
 * The option data=writeback lets ext4 use the blocks of a removed or replaced file again before the journal has
 * forgotten the file: after a power cut it is there again, with the data of another one. So no name may go away
 * as long as more data follow. (data=ordered, the default, keeps such blocks until the journal's commit.)
 */
static bool ext_keeps_freed_blocks(const char *device)
{
	char path[300], line[256];
	bool keeps = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/fs/ext4/%s/options", device);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (keeps && fgets(line, sizeof(line), f))
		keeps = strcmp(line, "data=writeback\n") != 0;
	fclose(f);
	return keeps;
}

static bool ext_is_ordered(int fd)
{
	char device[256];

	return device_name(fd, device, sizeof(device)) && ext_has_own_journal(device) && ext_keeps_freed_blocks(device);
}

static enum fs_kind real_kind(int fd)
{
	struct statfs sf;
	uint32_t type;

	if (fstatfs(fd, &sf))
		return FS_EACH;
	type = (uint32_t)sf.f_type;
	if (type == MAGIC_XFS || (type == MAGIC_EXT && ext_is_ordered(fd)))
		return FS_JOURNAL;
	/* On an overlay, neither sync_file_range nor syncfs reports write errors of its upper layer;
	 * fsync does. */
	if (!is_local(&sf) || type == MAGIC_OVERLAY || !syncfs_reports_errors())
		return FS_EACH;
	return type == MAGIC_BTRFS ? FS_BTRFS : FS_LOCAL;
}

static char real_lock_view(const char *path)
{
	struct statfs sf;

	if (statfs(path, &sf))
		return '\0';
	for (size_t i = 0; i < ARRAY_SIZE(one_kernel); i++)
		if ((uint32_t)sf.f_type == one_kernel[i])
			return 'd';
	return (uint32_t)sf.f_type == MAGIC_OVERLAY ? 'o' : '\0';
}

#else

#ifdef __APPLE__
static enum fs_kind real_kind(int fd)
{
	struct statfs sf;

	return !fstatfs(fd, &sf) && (sf.f_flags & MNT_LOCAL) ? FS_FULL : FS_EACH;
}
#else
static enum fs_kind real_kind(int fd UNUSED)
{
	return FS_EACH;
}
#endif

static char real_lock_view(const char *path UNUSED)
{
	return '\0';
}

#endif

enum fs_kind fs_kind_of(int fd)
{
	enum fs_kind kind;

	return pretended_kind(&kind) ? kind : real_kind(fd);
}

char fs_lock_view(const char *path)
{
	enum fs_kind kind;

	return pretended_kind(&kind) && kind == FS_EACH ? '\0' : real_lock_view(path);
}
