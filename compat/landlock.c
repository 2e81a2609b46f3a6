/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/landlock.h"
#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(SYS_landlock_create_ruleset) && defined(O_PATH)

/*
 * The kernel's structure as of version 6. Older kernels take the longer one where its end is zero. The
 * headers that we are built with may be older than the kernel that we run on.
 */
struct rules_attr {
	uint64_t fs, net, scoped;
};
#define NET_TCP 3u     /* bind, connect; version 4 */
#define SCOPED_ALL 3u  /* abstract sockets, signals; version 6 */

/* Rights to files are bits from 0 on; so many are known to each version. */
static uint64_t fs_rights(int abi)
{
	int nr = abi < 2 ? 13 : abi < 3 ? 14 : abi < 5 ? 15 : 16;

	return (UINT64_C(1) << nr) - 1;
}

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

int landlock_new(void)
{
	int abi = landlock_abi();
	struct rules_attr attr = { fs_rights(abi), abi < 4 ? 0 : NET_TCP,
				   abi < 6 ? 0 : SCOPED_ALL };

	return abi ? (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0) : -1;
}

/* Some rights only a directory has. */
static int allow(int rules, int fd, uint64_t rights, uint64_t rights_of_dir)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights, .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (S_ISDIR(st.st_mode))
		rule.allowed_access |= rights_of_dir;
	return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

int landlock_allow_read(int rules, const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC), rc, failure;

	if (fd < 0)
		return -1;
	rc = allow(rules, fd, LANDLOCK_ACCESS_FS_READ_FILE, LANDLOCK_ACCESS_FS_READ_DIR);
	failure = errno;
	close(fd);
	errno = failure;
	return rc;
}

int landlock_allow_write(int rules, int fd)
{
	return allow(rules, fd, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE,
		     LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			     LANDLOCK_ACCESS_FS_REMOVE_FILE);
}

int landlock_allow_tree(int rules, int fd)
{
	const uint64_t refer = UINT64_C(1) << 13, truncate = UINT64_C(1) << 14;
	int abi = landlock_abi();

	if (abi < 2) {
		errno = ENOTSUP;
		return -1;
	}
	return allow(rules, fd, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | (abi < 3 ? 0 : truncate),
		     LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | refer);
}

int landlock_enforce(int rules)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

#else

int landlock_abi(void)
{
	errno = ENOSYS;
	return 0;
}

int landlock_new(void)
{
	errno = ENOSYS;
	return -1;
}

int landlock_allow_read(int rules UNUSED, const char *path UNUSED)
{
	errno = ENOSYS;
	return -1;
}

int landlock_allow_write(int rules UNUSED, int fd UNUSED)
{
	errno = ENOSYS;
	return -1;
}

int landlock_allow_tree(int rules UNUSED, int fd UNUSED)
{
	errno = ENOSYS;
	return -1;
}

int landlock_enforce(int rules UNUSED)
{
	errno = ENOSYS;
	return -1;
}

#endif
