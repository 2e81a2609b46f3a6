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

int landlock_allow_read(int rules, const char *path)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE };
	int rc = -1, failure;
	struct stat st;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return -1;
	if (!fstat(rule.parent_fd, &st)) {
		if (S_ISDIR(st.st_mode))
			rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
		rc = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule,
				  0);
	}
	failure = errno;
	close(rule.parent_fd);
	errno = failure;
	return rc;
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

int landlock_enforce(int rules UNUSED)
{
	errno = ENOSYS;
	return -1;
}

#endif
